#include "views/text/editor_folds.h"

#include "views/text/scintilla_calls.h"

namespace loopscope {

EditorFolds::EditorFolds(QsciScintilla &editor) : m_editor(editor) {
    m_timer.setInterval(0);
    QObject::connect(&m_timer, &QTimer::timeout, &m_timer, [this] { slice(); });
}

void EditorFolds::forget() {
    m_timer.stop();
    m_all = All::No;
}

void EditorFolds::read(CodeLanguage language) {
    m_language = language;
    m_scanner = FoldScanner(language);
    m_read = 0;
    m_told = 0;
    slice();
}

void EditorFolds::foldAll(bool fold) {
    m_all = fold ? All::Close : All::Open;
    m_allAt = 0;
}

void EditorFolds::slice() {
    const Unreported quiet(m_editor);
    m_slice.start();
    if (readOn() && foldOn())
        m_timer.stop();
    else
        m_timer.start();
}

bool EditorFolds::readOn() {
    const std::string_view text = bytesOf(m_editor);
    const auto size = static_cast<int64_t>(text.size());
    while (m_read <= size) {
        for (int i = 0; i < 256 && m_read <= size; ++i) {
            const std::string_view rest = text.substr(static_cast<size_t>(m_read));
            const std::string_view line = rest.substr(0, rest.find('\n'));
            m_scanner.add(line);
            m_read += static_cast<int64_t>(line.size()) + 1;
        }
        const size_t settled = m_read > size ? m_scanner.lines().size() : m_scanner.settled();
        for (; m_told < settled; ++m_told) {
            const FoldLine &fold = m_scanner.lines()[m_told];
            const long level = Sci::SC_FOLDLEVELBASE + fold.level + (fold.header ? Sci::SC_FOLDLEVELHEADERFLAG : 0) +
                               (fold.blank ? Sci::SC_FOLDLEVELWHITEFLAG : 0);
            const auto line = static_cast<long>(m_told);
            if (send(m_editor, Sci::SCI_GETFOLDLEVEL, line) != level)
                send(m_editor, Sci::SCI_SETFOLDLEVEL, line, level);
        }
        if (m_slice.elapsed() >= kSliceMilliseconds) return m_read > size && m_all == All::No;
    }
    return true;
}

bool EditorFolds::foldOn() {
    if (m_all == All::No) return true;
    const auto &folds = m_scanner.lines();
    const bool close = m_all == All::Close;
    const int level = foldAllLevel(m_language);
    for (int opened = 0; m_allAt < folds.size(); ++m_allAt) {
        const FoldLine &fold = folds[m_allAt];
        if (!fold.header || (close && fold.level != level)) continue;
        const auto line = static_cast<long>(m_allAt);
        if ((send(m_editor, Sci::SCI_GETFOLDEXPANDED, line) != 0) == close)
            send(m_editor, Sci::SCI_FOLDLINE, line, close ? Sci::SC_FOLDACTION_CONTRACT : Sci::SC_FOLDACTION_EXPAND);
        if (++opened % 16 == 0 && m_slice.elapsed() >= kSliceMilliseconds) return false;
    }
    m_all = All::No;
    m_editor.viewport()->update();
    return true;
}

} // namespace loopscope
