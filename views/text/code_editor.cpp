#include "views/text/code_editor.h"

#include "views/text/editor_numbers.h"

#include <Qsci/qscidocument.h>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>

namespace loopscope {

namespace {

constexpr qsizetype kSlice = 256 << 10; // bytes between two looks at the clock
constexpr int kSliceMilliseconds = 6;

/// While it lives nobody hears of changes: QScintilla takes a tenth of a second to tell of one in a text of 10 MB.
class Unreported {
  public:
    explicit Unreported(QsciScintilla &editor)
        : m_editor(editor), m_reported(editor.SendScintilla(QsciScintilla::SCI_GETMODEVENTMASK)) {
        m_editor.SendScintilla(QsciScintilla::SCI_SETMODEVENTMASK, 0UL);
    }
    ~Unreported() {
        m_editor.SendScintilla(QsciScintilla::SCI_SETMODEVENTMASK, static_cast<unsigned long>(m_reported));
    }
    Unreported(const Unreported &) = delete;
    Unreported &operator=(const Unreported &) = delete;

  private:
    QsciScintilla &m_editor;
    long m_reported;
};

} // namespace

CodeEditor::CodeEditor(Theme &theme, QWidget *parent) : QsciScintilla(parent), m_theme(theme) {
    setUp();
    applyTheme();
    connect(&m_theme, &Theme::changed, this, &CodeEditor::applyTheme);
    connect(this, &QsciScintilla::textChanged, this, [this] {
        textChangedHere();
        Q_EMIT edited();
    });
    connect(this, &QsciScintilla::cursorPositionChanged, this, [this] { viewport()->update(); });
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, &CodeEditor::viewChanged);
    m_loadTimer.setInterval(0);
    m_foldTimer.setInterval(0);
    connect(&m_loadTimer, &QTimer::timeout, this, &CodeEditor::loadSlice);
    connect(&m_foldTimer, &QTimer::timeout, this, &CodeEditor::foldSlice);
}

void CodeEditor::setCodeLanguage(CodeLanguage language) {
    m_language = language;
    setUpDocument(isReadOnly());
    setBraceMatching(language == CodeLanguage::Assembly || language == CodeLanguage::Plain ? NoBraceMatch
                                                                                           : SloppyBraceMatch);
    m_styled.assign(m_styled.size(), false);
    refold();
    viewport()->update();
}

// --- Loading -------------------------------------------------------------------------------------------------------

void CodeEditor::load(const QString &text) {
    m_loadTimer.stop();
    m_foldTimer.stop();
    setMatches(nullptr, -1);
    m_source = text.toUtf8();
    m_loaded = 0;
    m_styled.clear();
    m_foldAll = FoldAll::No;
    if (length() > kSlice) { // throwing a long document away is quick, emptying it is not
        const bool locked = isReadOnly();
        setDocument(QsciDocument());
        setUpDocument(locked);
    }
    {
        const bool locked = isReadOnly();
        const Unreported quiet(*this);
        send(SCI_SETREADONLY, 0);
        send(SCI_SETUNDOCOLLECTION, 0);
        send(SCI_CLEARALL);
        send(SCI_SETSCROLLWIDTH, 1);
        send(SCI_ALLOCATE, m_source.size() + 1); // once, instead of growing slice by slice
        send(SCI_SETREADONLY, locked ? 1 : 0);
    }
    loadSlice();
}

void CodeEditor::loadSlice() {
    {
        const bool locked = isReadOnly();
        const Unreported quiet(*this);
        QElapsedTimer clock;
        clock.start();
        send(SCI_SETREADONLY, 0);
        do {
            const qsizetype count = std::min(kSlice, m_source.size() - m_loaded);
            SendScintilla(SCI_APPENDTEXT, static_cast<uintptr_t>(count), m_source.constData() + m_loaded);
            m_loaded += count;
        } while (loading() && clock.elapsed() < kSliceMilliseconds);
        send(SCI_SETREADONLY, locked ? 1 : 0);
    }
    if (loading()) {
        m_loadTimer.start();
        return;
    }
    m_loadTimer.stop();
    m_source.clear();
    m_loaded = 0;
    send(SCI_SETUNDOCOLLECTION, 1);
    send(SCI_EMPTYUNDOBUFFER);
    setModified(false);
    textChangedHere();
    Q_EMIT loadedAll();
}

QString CodeEditor::all() const { return loading() ? QString::fromUtf8(m_source) : text(); }

void CodeEditor::textChangedHere() {
    // A line's look does not depend on others, but an edit shifts them; what is seen is styled anew, a page of it.
    m_styled.assign(static_cast<size_t>(lines()), false);
    m_matchesShown = false;
    sizeMargins();
    refold();
    viewport()->update();
}

// --- Folding -------------------------------------------------------------------------------------------------------

void CodeEditor::refold() {
    if (loading()) return;
    m_folds = FoldScanner(m_language);
    m_foldRead = 0;
    m_foldTold = 0;
    foldSlice();
}

void CodeEditor::foldSlice() {
    const Unreported quiet(*this);
    m_slice.start();
    if (readFolds() && foldLines())
        m_foldTimer.stop();
    else
        m_foldTimer.start();
}

bool CodeEditor::readFolds() {
    const std::string_view text = bytes();
    const auto size = static_cast<int64_t>(text.size());
    while (m_foldRead <= size) {
        for (int i = 0; i < 256 && m_foldRead <= size; ++i) {
            const std::string_view rest = text.substr(static_cast<size_t>(m_foldRead));
            const std::string_view line = rest.substr(0, rest.find('\n'));
            m_folds.add(line);
            m_foldRead += static_cast<int64_t>(line.size()) + 1;
        }
        const size_t settled = m_foldRead > size ? m_folds.lines().size() : m_folds.settled();
        for (; m_foldTold < settled; ++m_foldTold) {
            const FoldLine &fold = m_folds.lines()[m_foldTold];
            const long level = SC_FOLDLEVELBASE + fold.level + (fold.header ? SC_FOLDLEVELHEADERFLAG : 0) +
                               (fold.blank ? SC_FOLDLEVELWHITEFLAG : 0);
            const auto line = static_cast<long>(m_foldTold);
            if (send(SCI_GETFOLDLEVEL, line) != level) send(SCI_SETFOLDLEVEL, line, level);
        }
        if (m_slice.elapsed() >= kSliceMilliseconds) return m_foldRead > size && m_foldAll == FoldAll::No;
    }
    return true;
}

bool CodeEditor::foldLines() {
    if (m_foldAll == FoldAll::No) return true;
    const auto &folds = m_folds.lines();
    const bool close = m_foldAll == FoldAll::Close;
    const int level = foldAllLevel(m_language);
    for (int opened = 0; m_foldAllAt < folds.size(); ++m_foldAllAt) {
        const FoldLine &fold = folds[m_foldAllAt];
        if (!fold.header || (close && fold.level != level)) continue;
        const auto line = static_cast<long>(m_foldAllAt);
        if ((send(SCI_GETFOLDEXPANDED, line) != 0) == close)
            send(SCI_FOLDLINE, line, close ? SC_FOLDACTION_CONTRACT : SC_FOLDACTION_EXPAND);
        if (++opened % 16 == 0 && m_slice.elapsed() >= kSliceMilliseconds) return false;
    }
    m_foldAll = FoldAll::No;
    viewport()->update();
    return true;
}

void CodeEditor::foldEverything(bool fold) {
    m_foldAll = fold ? FoldAll::Close : FoldAll::Open;
    m_foldAllAt = 0;
    if (!loading()) foldSlice();
}

void CodeEditor::wrapWords(bool wrap) {
    send(SCI_SETWRAPMODE, wrap ? SC_WRAP_WHITESPACE : SC_WRAP_NONE);
    send(SCI_SETWRAPINDENTMODE, SC_WRAPINDENT_INDENT); // what goes on is seen to belong to its line
    viewport()->update();
    Q_EMIT viewChanged();
}

// --- What is seen --------------------------------------------------------------------------------------------------

void CodeEditor::setMarks(LineMark kind, LineRanges lines) {
    if (!m_marks.set(kind, std::move(lines))) return;
    viewport()->update();
    Q_EMIT viewChanged();
}

void CodeEditor::setMatches(const std::vector<FindMatch> *matches, int current) {
    m_matches = matches;
    m_currentMatch = current;
    m_matchesShown = false;
    viewport()->update();
    Q_EMIT viewChanged();
}

std::pair<int, int> CodeEditor::seen() const {
    const long top = send(SCI_GETFIRSTVISIBLELINE);
    const long rows = send(SCI_LINESONSCREEN);
    return {static_cast<int>(send(SCI_DOCLINEFROMVISIBLE, top)) + 1,
            static_cast<int>(send(SCI_DOCLINEFROMVISIBLE, top + rows)) + 1};
}

void CodeEditor::prepareSeen() {
    const long top = send(SCI_GETFIRSTVISIBLELINE);
    const long rows = send(SCI_LINESONSCREEN) + 1;
    m_styled.resize(static_cast<size_t>(lines()), false);
    long before = -1;
    long first = -1;
    for (long row = top; row <= top + rows; ++row) {
        const long line = send(SCI_DOCLINEFROMVISIBLE, row);
        if (line == before || static_cast<size_t>(line) >= m_styled.size()) continue; // annotations; the end
        before = line;
        if (first < 0) first = line;
        styleOne(static_cast<int>(line));
        markOne(static_cast<int>(line));
    }
    // Everything unseen counts as styled, so that the editor never asks for it.
    send(SCI_STARTSTYLING, send(SCI_GETLENGTH));
    if (first >= 0) showMatches(static_cast<int>(first), static_cast<int>(before));
}

void CodeEditor::styleOne(int line) {
    if (m_styled[static_cast<size_t>(line)]) return;
    m_styled[static_cast<size_t>(line)] = true;
    const long from = send(SCI_POSITIONFROMLINE, line);
    const long end = send(SCI_GETLINEENDPOSITION, line);
    if (end <= from) return;
    const std::string_view text(
        static_cast<const char *>(reinterpret_cast<const void *>(send(SCI_GETRANGEPOINTER, from, end - from))),
        static_cast<size_t>(end - from));
    if (m_language == CodeLanguage::Assembly) { // operands in one column, whatever the mnemonic
        const long column = send(SCI_TEXTWIDTH, STYLE_DEFAULT, reinterpret_cast<long>("0"));
        send(SCI_CLEARTABSTOPS, line);
        for (const long stop : {4, 19}) send(SCI_ADDTABSTOP, line, stop * column);
    }
    styleLine(m_language, text, m_lineStyles);
    send(SCI_STARTSTYLING, from);
    static_assert(sizeof(CodeStyle) == 1);
    SendScintilla(SCI_SETSTYLINGEX, static_cast<uintptr_t>(m_lineStyles.size()),
                  reinterpret_cast<const char *>(m_lineStyles.data()));
}

void CodeEditor::markOne(int line) {
    long wanted = static_cast<long>(m_marks.at(line + 1)) << kFirstMarker;
    if (line + 1 == caretLine()) wanted |= 1L << kCaretMarker;
    constexpr long ours = ((1L << kLineMarks) - 1) << kFirstMarker | 1L << kCaretMarker;
    const long there = send(SCI_MARKERGET, line) & ours;
    if (there == wanted) return;
    for (int marker = 0; marker < kFirstMarker + kLineMarks; ++marker) {
        const long bit = 1L << marker;
        if ((there & bit) != 0 && (wanted & bit) == 0) send(SCI_MARKERDELETE, line, marker);
        if ((there & bit) == 0 && (wanted & bit) != 0) send(SCI_MARKERADD, line, marker);
    }
}

void CodeEditor::showMatches(int firstLine, int lastLine) {
    const std::pair<long, long> range{send(SCI_POSITIONFROMLINE, firstLine), send(SCI_GETLINEENDPOSITION, lastLine)};
    if (m_matchesShown && range == m_matchedBytes) return;
    m_matchesShown = true;
    m_matchedBytes = range;
    for (const long indicator : {number(Indicator::Match), number(Indicator::CurrentMatch)}) {
        send(SCI_SETINDICATORCURRENT, indicator);
        send(SCI_INDICATORCLEARRANGE, range.first, range.second - range.first);
    }
    if (m_matches == nullptr) return;
    auto match = std::lower_bound(m_matches->begin(), m_matches->end(), range.first,
                                  [](const FindMatch &m, long at) { return m.at + m.length < at; });
    for (; match != m_matches->end() && match->at < range.second; ++match) {
        const bool current = match - m_matches->begin() == m_currentMatch;
        send(SCI_SETINDICATORCURRENT, current ? number(Indicator::CurrentMatch) : number(Indicator::Match));
        send(SCI_INDICATORFILLRANGE, match->at, match->length);
    }
}

void CodeEditor::paintEvent(QPaintEvent *event) {
    prepareSeen();
    QsciScintilla::paintEvent(event);
}

// --- Problems ------------------------------------------------------------------------------------------------------

void CodeEditor::setProblems(std::vector<CodeProblem> problems) {
    m_problems = std::move(problems);
    showProblems();
}

void CodeEditor::showProblems() {
    const long length = send(SCI_GETLENGTH);
    for (const long indicator : {number(Indicator::Problem), number(Indicator::Warning)}) {
        send(SCI_SETINDICATORCURRENT, indicator);
        send(SCI_INDICATORCLEARRANGE, 0, length);
    }
    send(SCI_ANNOTATIONCLEARALL);
    for (const CodeProblem &problem : m_problems) {
        if (problem.line <= 0 || problem.line > lines()) continue;
        const int row = problem.line - 1;
        const long end = send(SCI_GETLINEENDPOSITION, row);
        long from = std::min(static_cast<long>(positionFromLineIndex(row, std::max(0, problem.column - 1))), end);
        long to = problem.length > 0
                      ? static_cast<long>(positionFromLineIndex(row, problem.column - 1 + problem.length))
                      : send(SCI_WORDENDPOSITION, from, 1);
        to = std::clamp(to, from, end);
        if (to == from) { // at the end of the line, or on punctuation: something must be seen
            if (to < end)
                ++to;
            else if (from > send(SCI_POSITIONFROMLINE, row))
                --from;
        }
        send(SCI_SETINDICATORCURRENT, problem.warning ? number(Indicator::Warning) : number(Indicator::Problem));
        send(SCI_INDICATORFILLRANGE, from, to - from);
        const QByteArray sentence = problem.sentence.toUtf8();
        if (sentence.isEmpty()) continue;
        SendScintilla(SCI_ANNOTATIONSETTEXT, static_cast<uintptr_t>(row), sentence.constData());
        send(SCI_ANNOTATIONSETSTYLE, row,
             problem.warning ? number(AnnotationStyle::Warning) : number(AnnotationStyle::Problem));
    }
    viewport()->update();
    Q_EMIT viewChanged();
}

bool CodeEditor::viewportEvent(QEvent *event) {
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        const int line = lineAt(help->pos().y());
        for (const CodeProblem &problem : m_problems)
            if (problem.line == line && line > 0) {
                QToolTip::showText(help->globalPos(), problem.sentence, viewport());
                return true;
            }
        QToolTip::hideText();
        return true;
    }
    return QsciScintilla::viewportEvent(event);
}

// --- Moving --------------------------------------------------------------------------------------------------------

int CodeEditor::lineAt(int y) const {
    const int height = std::max(1L, send(SCI_TEXTHEIGHT, 0));
    const long row = send(SCI_GETFIRSTVISIBLELINE) + std::max(0, y) / height;
    const long rows = send(SCI_VISIBLEFROMDOCLINE, lines() - 1) + 1 + send(SCI_ANNOTATIONGETLINES, lines() - 1);
    return row >= rows ? 0 : static_cast<int>(send(SCI_DOCLINEFROMVISIBLE, row)) + 1;
}

void CodeEditor::reveal(int line) {
    if (line <= 0 || line > lines()) return;
    send(SCI_ENSUREVISIBLE, line - 1);
    const long row = send(SCI_VISIBLEFROMDOCLINE, line - 1);
    const long top = send(SCI_GETFIRSTVISIBLELINE);
    const long rows = std::max(1L, send(SCI_LINESONSCREEN));
    const long margin = std::min(2L, rows / 4);
    if (row >= top + margin && row < top + rows - margin) return;
    send(SCI_SETFIRSTVISIBLELINE, std::max(0L, row - rows / 3));
}

void CodeEditor::moveTo(int line, int column) {
    const int row = std::clamp(line, 1, std::max(1, lines())) - 1;
    send(SCI_ENSUREVISIBLE, row);
    const long at = std::min(static_cast<long>(positionFromLineIndex(row, std::max(1, column) - 1)),
                             send(SCI_GETLINEENDPOSITION, row));
    send(SCI_SETEMPTYSELECTION, at);
    reveal(row + 1);
    send(SCI_CHOOSECARETX);
}

int CodeEditor::caretLine() const { return static_cast<int>(send(SCI_LINEFROMPOSITION, send(SCI_GETCURRENTPOS))) + 1; }
int64_t CodeEditor::caretByte() const { return send(SCI_GETSELECTIONSTART); }
int CodeEditor::lineOfByte(int64_t at) const {
    return static_cast<int>(send(SCI_LINEFROMPOSITION, static_cast<long>(at))) + 1;
}

void CodeEditor::select(const FindMatch &match) {
    const int line = lineOfByte(match.at);
    send(SCI_ENSUREVISIBLE, line - 1);
    send(SCI_SETSEL, static_cast<long>(match.at), static_cast<long>(match.at + match.length));
    reveal(line);
}

std::string_view CodeEditor::bytes() const {
    const auto *text = static_cast<const char *>(SendScintillaPtrResult(SCI_GETCHARACTERPOINTER));
    return {text, static_cast<size_t>(send(SCI_GETLENGTH))};
}

// --- Keys and mouse ------------------------------------------------------------------------------------------------

void CodeEditor::keyPressEvent(QKeyEvent *event) {
    event->ignore();
    Q_EMIT keyOffered(event);
    if (event->isAccepted()) return;
    if (event->modifiers().testFlag(Qt::ControlModifier)) {
        const int key = event->key();
        const int steps = key == Qt::Key_Plus || key == Qt::Key_Equal ? 1 : key == Qt::Key_Minus ? -1 : 0;
        if (steps != 0) {
            event->accept();
            Q_EMIT zoomAsked(steps);
            return;
        }
    }
    event->accept();
    const int before = caretLine();
    QsciScintilla::keyPressEvent(event);
    const int after = caretLine();
    Q_EMIT typed(event);
    if (after != before) Q_EMIT caretMoved(after);
}

void CodeEditor::mouseReleaseEvent(QMouseEvent *event) {
    QsciScintilla::mouseReleaseEvent(event);
    const bool inText = event->pos().x() >= send(SCI_GETMARGINWIDTHN, number(Margin::Numbers)) +
                                                send(SCI_GETMARGINWIDTHN, number(Margin::Bars)) +
                                                send(SCI_GETMARGINWIDTHN, number(Margin::Folds));
    if (event->button() == Qt::LeftButton && inText && !hasSelectedText() && lineAt(event->pos().y()) > 0)
        Q_EMIT caretMoved(caretLine());
}

void CodeEditor::mouseMoveEvent(QMouseEvent *event) {
    QsciScintilla::mouseMoveEvent(event);
    const int line = event->buttons() == Qt::NoButton ? lineAt(event->pos().y()) : m_hoverLine;
    if (line == m_hoverLine) return;
    m_hoverLine = line;
    Q_EMIT hovered(line);
}

void CodeEditor::leaveEvent(QEvent *event) {
    QsciScintilla::leaveEvent(event);
    if (m_hoverLine == 0) return;
    m_hoverLine = 0;
    Q_EMIT hovered(0);
}

void CodeEditor::wheelEvent(QWheelEvent *event) {
    if (event->modifiers().testFlag(Qt::ControlModifier)) {
        if (event->angleDelta().y() != 0) Q_EMIT zoomAsked(event->angleDelta().y() > 0 ? 1 : -1);
        event->accept();
        return;
    }
    QsciScintilla::wheelEvent(event);
}

void CodeEditor::focusOutEvent(QFocusEvent *event) {
    QsciScintilla::focusOutEvent(event);
    viewport()->update();
}

} // namespace loopscope
