#include "views/text/code_editor.h"

#include "views/text/editor_numbers.h"
#include "views/text/scintilla_calls.h"

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

} // namespace

CodeEditor::CodeEditor(Theme &theme, QWidget *parent) : QsciScintilla(parent), m_theme(theme) {
    m_look.setUp();
    applyTheme();
    connect(&m_theme, &Theme::changed, this, &CodeEditor::applyTheme);
    connect(this, &QsciScintilla::textChanged, this, [this] {
        textChangedHere();
        Q_EMIT edited();
    });
    connect(this, &QsciScintilla::cursorPositionChanged, this, [this] { viewport()->update(); });
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, &CodeEditor::viewChanged);
    m_loadTimer.setInterval(0);
    connect(&m_loadTimer, &QTimer::timeout, this, &CodeEditor::loadSlice);
}

void CodeEditor::setCodeLanguage(CodeLanguage language) {
    m_language = language;
    m_look.setUpDocument(language, isReadOnly());
    const bool braces =
        language != CodeLanguage::Assembly && language != CodeLanguage::Sass && language != CodeLanguage::Plain;
    setBraceMatching(braces ? SloppyBraceMatch : NoBraceMatch);
    m_lines.setLanguage(language);
    if (!loading()) m_folds.read(language);
    viewport()->update();
}

void CodeEditor::applyTheme() {
    m_look.apply();
    m_lines.styleAnew(); // tab stops are in pixels
    viewport()->update();
}

// --- Loading -------------------------------------------------------------------------------------------------------

void CodeEditor::load(const QString &text) {
    m_loadTimer.stop();
    m_folds.forget();
    setMatches(nullptr, -1);
    m_source = text.toUtf8();
    m_loaded = 0;
    m_lines.styleAnew();
    if (length() > kSlice) { // throwing a long document away is quick, emptying it is not
        const bool locked = isReadOnly();
        setDocument(QsciDocument());
        m_look.setUpDocument(m_language, locked);
    }
    {
        const bool locked = isReadOnly();
        const Unreported quiet(*this);
        send(*this, SCI_SETREADONLY, 0);
        send(*this, SCI_SETUNDOCOLLECTION, 0);
        send(*this, SCI_CLEARALL);
        send(*this, SCI_SETSCROLLWIDTH, 1);
        send(*this, SCI_ALLOCATE, m_source.size() + 1); // once, instead of growing slice by slice
        send(*this, SCI_SETREADONLY, locked ? 1 : 0);
    }
    loadSlice();
}

void CodeEditor::loadSlice() {
    {
        const bool locked = isReadOnly();
        const Unreported quiet(*this);
        QElapsedTimer clock;
        clock.start();
        send(*this, SCI_SETREADONLY, 0);
        do {
            const qsizetype count = std::min(kSlice, m_source.size() - m_loaded);
            SendScintilla(SCI_APPENDTEXT, static_cast<uintptr_t>(count), m_source.constData() + m_loaded);
            m_loaded += count;
        } while (loading() && clock.elapsed() < kSliceMilliseconds);
        send(*this, SCI_SETREADONLY, locked ? 1 : 0);
    }
    if (loading()) {
        m_loadTimer.start();
        return;
    }
    m_loadTimer.stop();
    m_source.clear();
    m_loaded = 0;
    send(*this, SCI_SETUNDOCOLLECTION, 1);
    send(*this, SCI_EMPTYUNDOBUFFER);
    setModified(false);
    textChangedHere();
    Q_EMIT loadedAll();
}

QString CodeEditor::all() const { return loading() ? QString::fromUtf8(m_source) : text(); }

void CodeEditor::textChangedHere() {
    m_lines.textChanged();
    m_look.sizeMargins();
    if (!loading()) m_folds.read(m_language);
    viewport()->update();
}

// --- Folding -------------------------------------------------------------------------------------------------------

void CodeEditor::foldEverything(bool fold) {
    m_folds.foldAll(fold);
    if (!loading()) m_folds.slice();
}

void CodeEditor::wrapWords(bool wrap) {
    send(*this, SCI_SETWRAPMODE, wrap ? SC_WRAP_WHITESPACE : SC_WRAP_NONE);
    send(*this, SCI_SETWRAPINDENTMODE, SC_WRAPINDENT_INDENT); // what goes on is seen to belong to its line
    viewport()->update();
    Q_EMIT viewChanged();
}

// --- What is seen --------------------------------------------------------------------------------------------------

void CodeEditor::setMarks(LineMark kind, LineRanges lines) {
    if (!m_lines.marks().set(kind, std::move(lines))) return;
    viewport()->update();
    Q_EMIT viewChanged();
}

void CodeEditor::setMatches(const std::vector<FindMatch> *matches, int current) {
    m_lines.setMatches(matches, current);
    viewport()->update();
    Q_EMIT viewChanged();
}

std::pair<int, int> CodeEditor::seen() const {
    const long top = send(*this, SCI_GETFIRSTVISIBLELINE);
    const long rows = send(*this, SCI_LINESONSCREEN);
    return {static_cast<int>(send(*this, SCI_DOCLINEFROMVISIBLE, top)) + 1,
            static_cast<int>(send(*this, SCI_DOCLINEFROMVISIBLE, top + rows)) + 1};
}

void CodeEditor::paintEvent(QPaintEvent *event) {
    m_lines.prepare();
    QsciScintilla::paintEvent(event);
}

// --- Problems ------------------------------------------------------------------------------------------------------

void CodeEditor::setProblems(std::vector<CodeProblem> problems) {
    m_problems.set(std::move(problems));
    viewport()->update();
    Q_EMIT viewChanged();
}

bool CodeEditor::viewportEvent(QEvent *event) {
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        if (const QString problem = m_problems.at(lineAt(help->pos().y())); !problem.isEmpty())
            QToolTip::showText(help->globalPos(), problem, viewport());
        else
            QToolTip::hideText();
        return true;
    }
    return QsciScintilla::viewportEvent(event);
}

// --- Moving --------------------------------------------------------------------------------------------------------

int CodeEditor::lineAt(int y) const {
    const int height = std::max(1L, send(*this, SCI_TEXTHEIGHT, 0));
    const long row = send(*this, SCI_GETFIRSTVISIBLELINE) + std::max(0, y) / height;
    const long rows =
        send(*this, SCI_VISIBLEFROMDOCLINE, lines() - 1) + 1 + send(*this, SCI_ANNOTATIONGETLINES, lines() - 1);
    return row >= rows ? 0 : static_cast<int>(send(*this, SCI_DOCLINEFROMVISIBLE, row)) + 1;
}

void CodeEditor::reveal(int line) {
    if (line <= 0 || line > lines()) return;
    send(*this, SCI_ENSUREVISIBLE, line - 1);
    const long row = send(*this, SCI_VISIBLEFROMDOCLINE, line - 1);
    const long top = send(*this, SCI_GETFIRSTVISIBLELINE);
    const long rows = std::max(1L, send(*this, SCI_LINESONSCREEN));
    const long margin = std::min(2L, rows / 4);
    if (row >= top + margin && row < top + rows - margin) return;
    send(*this, SCI_SETFIRSTVISIBLELINE, std::max(0L, row - rows / 3));
}

void CodeEditor::moveTo(int line, int column) {
    const int row = std::clamp(line, 1, std::max(1, lines())) - 1;
    send(*this, SCI_ENSUREVISIBLE, row);
    const long at = std::min(static_cast<long>(positionFromLineIndex(row, std::max(1, column) - 1)),
                             send(*this, SCI_GETLINEENDPOSITION, row));
    send(*this, SCI_SETEMPTYSELECTION, at);
    reveal(row + 1);
    send(*this, SCI_CHOOSECARETX);
}

int CodeEditor::caretLine() const {
    return static_cast<int>(send(*this, SCI_LINEFROMPOSITION, send(*this, SCI_GETCURRENTPOS))) + 1;
}
int64_t CodeEditor::caretByte() const { return send(*this, SCI_GETSELECTIONSTART); }
int CodeEditor::lineOfByte(int64_t at) const {
    return static_cast<int>(send(*this, SCI_LINEFROMPOSITION, static_cast<long>(at))) + 1;
}

void CodeEditor::select(const FindMatch &match) {
    const int line = lineOfByte(match.at);
    send(*this, SCI_ENSUREVISIBLE, line - 1);
    send(*this, SCI_SETSEL, static_cast<long>(match.at), static_cast<long>(match.at + match.length));
    reveal(line);
}

std::string_view CodeEditor::bytes() const { return bytesOf(*this); }

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
    const bool inText = event->pos().x() >= send(*this, SCI_GETMARGINWIDTHN, number(Margin::Numbers)) +
                                                send(*this, SCI_GETMARGINWIDTHN, number(Margin::Bars)) +
                                                send(*this, SCI_GETMARGINWIDTHN, number(Margin::Folds));
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
