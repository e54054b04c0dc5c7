#include "views/text/code_text.h"

#include "views/text/code_editor.h"
#include "views/text/completion_popup.h"
#include "views/text/find_line.h"
#include "views/text/overview_strip.h"

#include <QElapsedTimer>
#include <QGraphicsOpacityEffect>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QSaveFile>
#include <QScrollBar>
#include <QTimer>

#include <algorithm>

namespace loopscope {

namespace {
constexpr int64_t kFindSlice = 1 << 20; // bytes between two looks at the clock
constexpr int kFindMilliseconds = 8;
} // namespace

struct CodeText::Impl {
    explicit Impl(CodeText &owner) : text(owner) {}

    CodeText &text;
    CodeEditor *editor = nullptr;
    FindLine *find = nullptr;
    OverviewStrip *strip = nullptr;
    QLabel *placeholder = nullptr;
    QWidget *veil = nullptr;
    CompletionPopup *completions = nullptr;
    QString shown; // what setText was given, to know the same text again; empty once edited
    int pendingReveal = 0;
    std::vector<CodeProblem> problems;

    MatchFinder finder;
    QTimer findTimer;
    QTimer stripTimer;
    int current = -1;
    int64_t anchor = 0; // incremental search looks from here on
    bool searching = false;

    void startSearch() {
        findTimer.stop();
        finder = MatchFinder(find->query());
        current = -1;
        searching = !finder.empty();
        editor->setMatches(nullptr, -1);
        if (searching) return searchSlice();
        find->setResult(finder.problem(), !finder.problem().isEmpty());
    }

    void searchSlice() {
        if (editor->loading()) return; // loadedAll starts again
        const std::string_view bytes = editor->bytes();
        QElapsedTimer clock;
        clock.start();
        bool done = false;
        while (!done && clock.elapsed() < kFindMilliseconds) done = finder.advance(bytes, kFindSlice);
        searching = !done;
        const auto &matches = finder.matches();
        if (current < 0 && !matches.empty() && (matches.back().at >= anchor || done)) {
            const auto from = std::lower_bound(matches.begin(), matches.end(), anchor,
                                               [](const FindMatch &m, int64_t at) { return m.at < at; });
            current = from == matches.end() ? 0 : static_cast<int>(from - matches.begin());
            editor->select(matches[static_cast<size_t>(current)]);
        }
        editor->setMatches(&matches, current);
        sayResult();
        if (searching)
            findTimer.start();
        else
            findTimer.stop();
    }

    void sayResult() {
        const auto count = finder.matches().size();
        if (count == 0 && !searching) {
            find->setResult(CodeText::tr("no match"), true);
            return;
        }
        const QString all = QString::number(count) + (finder.tooMany() ? QStringLiteral("+") : QString()) +
                            (searching ? QStringLiteral(" \u2026") : QString());
        find->setResult(current < 0 ? all : CodeText::tr("%1 of %2").arg(current + 1).arg(all), false);
    }

    void step(int direction) {
        const auto count = static_cast<int>(finder.matches().size());
        if (count == 0) return;
        current = ((current < 0 ? 0 : current + direction) + count) % count;
        editor->select(finder.matches()[static_cast<size_t>(current)]);
        editor->setMatches(&finder.matches(), current);
        anchor = finder.matches()[static_cast<size_t>(current)].at;
        sayResult();
        Q_EMIT text.lineClicked(editor->caretLine());
    }

    void closeFind() {
        findTimer.stop();
        searching = false;
        find->hide();
        editor->setMatches(nullptr, -1);
        finder = MatchFinder();
        editor->setFocus(Qt::OtherFocusReason);
    }

    void drawStrip() {
        std::vector<OverviewStrip::Tick> ticks;
        const auto marks = [&](LineMark kind, Role role) {
            for (const LineRange &range : editor->marks().of(kind)) ticks.push_back({range.first, range.last, role});
        };
        marks(LineMark::Added, Role::Good);
        marks(LineMark::Changed, Role::Warning);
        marks(LineMark::RemovedBelow, Role::Bad);
        marks(LineMark::Inside, Role::Highlight);
        marks(LineMark::Selected, Role::Accent);
        if (find->isVisible())
            for (size_t i = 0; i < finder.matches().size(); i += 1 + finder.matches().size() / 4000) {
                const int line = editor->lineOfByte(finder.matches()[i].at);
                ticks.push_back({line, line, Role::Warning});
            }
        for (const CodeProblem &problem : problems)
            ticks.push_back({problem.line, problem.line, problem.warning ? Role::Warning : Role::Bad});
        // A text that fits has its ticks beside its lines.
        const int rows = static_cast<int>(editor->SendScintilla(QsciScintilla::SCI_LINESONSCREEN));
        strip->setTicks(std::move(ticks), std::max(editor->lines(), rows));
    }

    void showPlaceholder() {
        const bool empty = !editor->loading() && editor->length() == 0 && editor->isReadOnly();
        placeholder->setVisible(empty && !placeholder->text().isEmpty());
        strip->setVisible(!placeholder->isVisible());
    }

    void applyTheme() {
        QPalette palette = placeholder->palette();
        palette.setColor(QPalette::WindowText, text.m_theme.color(Role::QuietText));
        palette.setColor(QPalette::Window, text.m_theme.color(Role::Base));
        placeholder->setPalette(palette);
        QColor mist = text.m_theme.color(Role::Base);
        mist.setAlphaF(0.6F);
        palette = veil->palette();
        palette.setColor(QPalette::Window, mist);
        veil->setPalette(palette);
    }
};

CodeText::CodeText(Theme &theme, CodeLanguage language, bool readOnly, QWidget *parent)
    : QWidget(parent), m_theme(theme), m_impl(std::make_unique<Impl>(*this)) {
    auto *editor = m_impl->editor = new CodeEditor(theme, this);
    m_editor = editor;
    editor->setCodeLanguage(language);
    editor->setReadOnly(readOnly);
    editor->setAccessibleName(readOnly ? tr("Code") : tr("Code editor"));
    setFocusProxy(editor);
    m_impl->strip = new OverviewStrip(theme, this);
    m_impl->find = new FindLine(theme, this);
    m_impl->find->hide();
    m_impl->placeholder = new QLabel(this);
    m_impl->placeholder->setAlignment(Qt::AlignCenter);
    m_impl->placeholder->setWordWrap(true);
    m_impl->placeholder->setMargin(24);
    m_impl->placeholder->setAutoFillBackground(true);
    m_impl->placeholder->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_impl->placeholder->hide();
    m_impl->veil = new QWidget(this);
    m_impl->veil->setAutoFillBackground(true);
    m_impl->veil->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_impl->veil->hide();
    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(0);
    grid->addWidget(editor, 0, 0);
    grid->addWidget(m_impl->strip, 0, 1);
    grid->addWidget(m_impl->placeholder, 0, 0, 1, 2);
    grid->addWidget(m_impl->veil, 0, 0, 1, 2);
    grid->addWidget(m_impl->find, 1, 0, 1, 2);
    grid->setColumnStretch(0, 1);
    grid->setRowStretch(0, 1);

    connect(editor, &CodeEditor::caretMoved, this, &CodeText::lineClicked);
    connect(editor, &CodeEditor::hovered, this, &CodeText::lineHovered);
    connect(editor, &CodeEditor::edited, this, [this] {
        m_impl->shown.clear();
        if (m_impl->find->isVisible()) m_impl->startSearch();
        m_impl->stripTimer.start();
        Q_EMIT textEdited(text());
    });
    connect(editor, &CodeEditor::loadedAll, this, [this] {
        if (m_impl->find->isVisible()) m_impl->startSearch();
        if (m_impl->pendingReveal > 0) m_impl->editor->reveal(std::exchange(m_impl->pendingReveal, 0));
        if (!m_impl->problems.empty()) m_impl->editor->setProblems(m_impl->problems);
        m_impl->stripTimer.start();
    });
    connect(editor, &CodeEditor::viewChanged, &m_impl->stripTimer, qOverload<>(&QTimer::start));
    connect(editor, &CodeEditor::zoomAsked, this, [this](int steps) { steps > 0 ? zoomIn() : zoomOut(); });
    connect(editor, &CodeEditor::keyOffered, this, [this](QKeyEvent *event) {
        const bool forPopup = m_impl->completions != nullptr && m_impl->completions->takeKey(event);
        const bool escape = event->key() == Qt::Key_Escape && m_impl->find->isVisible();
        const bool again = event->key() == Qt::Key_F3 && m_impl->find->isVisible();
        if (!forPopup && escape) m_impl->closeFind();
        if (!forPopup && again) m_impl->step(event->modifiers().testFlag(Qt::ShiftModifier) ? -1 : 1);
        event->setAccepted(forPopup || escape || again);
    });
    connect(editor, &CodeEditor::typed, this, [this](QKeyEvent *event) {
        if (m_impl->completions == nullptr) return;
        const bool letters = !event->text().isEmpty() && event->text()[0].isPrint();
        if (letters || event->key() == Qt::Key_Backspace) m_impl->completions->follow(false);
    });
    connect(m_impl->find, &FindLine::queryChanged, this, [this] { m_impl->startSearch(); });
    connect(m_impl->find, &FindLine::stepAsked, this, [this](int direction) { m_impl->step(direction); });
    connect(m_impl->find, &FindLine::closed, this, [this] { m_impl->closeFind(); });
    connect(m_impl->strip, &OverviewStrip::lineAsked, editor, &CodeEditor::reveal);
    m_impl->findTimer.setInterval(0);
    connect(&m_impl->findTimer, &QTimer::timeout, this, [this] { m_impl->searchSlice(); });
    m_impl->stripTimer.setSingleShot(true);
    m_impl->stripTimer.setInterval(50);
    connect(&m_impl->stripTimer, &QTimer::timeout, this, [this] { m_impl->drawStrip(); });
    connect(&m_theme, &Theme::changed, this, [this] { m_impl->applyTheme(); });
    m_impl->applyTheme();
}

CodeText::~CodeText() { m_impl->editor->setMatches(nullptr, -1); }

void CodeText::setText(const QString &text) {
    setDimmed(false);
    if (text == this->text()) return;
    const bool wasFinding = m_impl->find->isVisible();
    m_impl->findTimer.stop();
    m_impl->finder = MatchFinder();
    m_impl->pendingReveal = 0;
    m_impl->shown = text;
    m_impl->anchor = 0;
    clearMarks();
    m_impl->editor->load(text);
    m_impl->showPlaceholder();
    if (wasFinding && !m_impl->editor->loading()) m_impl->startSearch();
}

QString CodeText::text() const { return m_impl->shown.isEmpty() ? m_impl->editor->all() : m_impl->shown; }

void CodeText::setLanguage(CodeLanguage language) { m_impl->editor->setCodeLanguage(language); }

void CodeText::setPlaceholder(const QString &sentence) {
    m_impl->placeholder->setText(sentence);
    m_impl->showPlaceholder();
}

void CodeText::setDimmed(bool dimmed) {
    m_impl->veil->setVisible(dimmed && m_impl->editor->length() > 0);
    if (dimmed) m_impl->veil->raise();
}

void CodeText::markLines(const std::vector<int> &lines, bool reveal) { markLines(rangesOf(lines), {}, reveal); }

void CodeText::markLines(LineRanges selected, LineRanges inside, bool reveal) {
    // Where most of it is: single lines may have been moved far away.
    const LineRanges &all = inside.empty() ? selected : inside;
    const auto largest = std::max_element(all.begin(), all.end(), [](const LineRange &a, const LineRange &b) {
        return a.last - a.first < b.last - b.first;
    });
    const int first = largest == all.end() ? 0 : largest->first;
    m_impl->editor->setMarks(LineMark::Selected, std::move(selected));
    m_impl->editor->setMarks(LineMark::Inside, std::move(inside));
    if (!reveal || first <= 0) return;
    m_impl->pendingReveal = m_impl->editor->loading() ? first : 0;
    m_impl->editor->reveal(first);
}

void CodeText::setMarks(LineMark kind, LineRanges lines) { m_impl->editor->setMarks(kind, std::move(lines)); }

void CodeText::clearMarks() {
    for (int kind = 0; kind < kLineMarks; ++kind) m_impl->editor->setMarks(static_cast<LineMark>(kind), {});
}

bool CodeText::goToMark(int direction) {
    const LineRanges &selected = m_impl->editor->marks().of(LineMark::Selected);
    const LineRanges &ranges = selected.empty() ? m_impl->editor->marks().of(LineMark::Inside) : selected;
    if (ranges.empty()) return false;
    const int line = currentLine();
    const auto after = std::upper_bound(ranges.begin(), ranges.end(), line,
                                        [](int at, const LineRange &range) { return at < range.first; });
    const auto here = after == ranges.begin() ? ranges.end() : std::prev(after); // starts at or before the line
    if (direction > 0) {
        goTo(after == ranges.end() ? ranges.front().first : after->first);
    } else {
        const bool inside = here != ranges.end() && here->first == line;
        if (here == ranges.end() || (inside && here == ranges.begin()))
            goTo(ranges.back().first);
        else
            goTo((inside ? std::prev(here) : here)->first);
    }
    return true;
}

void CodeText::setProblems(const std::vector<CodeProblem> &problems) {
    m_impl->problems = problems;
    m_impl->editor->setProblems(problems);
}

void CodeText::setCompletions(const std::vector<std::pair<QString, QString>> &words) {
    if (m_impl->completions == nullptr) {
        m_impl->completions = new CompletionPopup(m_theme, m_editor);
        if (m_impl->editor->codeLanguage() == CodeLanguage::Script)
            m_impl->completions->setHabit({QStringLiteral("_.@$?-~"), true, 1, false});
    }
    m_impl->completions->setWords(words);
}

void CodeText::setWordWrap(bool wrap) { m_impl->editor->wrapWords(wrap); }

void CodeText::goTo(int line, int column) {
    m_impl->pendingReveal = m_impl->editor->loading() ? line : 0;
    m_impl->editor->moveTo(line, column);
}

int CodeText::currentLine() const { return m_impl->editor->caretLine(); }

void CodeText::startFind() {
    const QString selected = m_editor->selectedText();
    m_impl->anchor = m_impl->editor->caretByte();
    m_impl->find->begin(selected.contains(u'\n') ? QString() : selected);
}

QStringList CodeText::exportSuffixes() const {
    switch (m_impl->editor->codeLanguage()) {
    case CodeLanguage::Te:
        return {QStringLiteral("te"), QStringLiteral("txt")};
    case CodeLanguage::Script:
        return {QStringLiteral("sched"), QStringLiteral("script"), QStringLiteral("txt")};
    case CodeLanguage::C:
        return {QStringLiteral("c"), QStringLiteral("txt")};
    case CodeLanguage::LlvmIr:
        return {QStringLiteral("ll"), QStringLiteral("txt")};
    case CodeLanguage::Assembly:
        return {QStringLiteral("s"), QStringLiteral("txt")};
    case CodeLanguage::Cuda:
        return {QStringLiteral("cu"), QStringLiteral("txt")};
    case CodeLanguage::Ptx:
        return {QStringLiteral("ptx"), QStringLiteral("txt")};
    case CodeLanguage::Sass:
        return {QStringLiteral("sass"), QStringLiteral("txt")};
    default:
        return {QStringLiteral("txt")};
    }
}

QString CodeText::exportTo(const QString &path) {
    QSaveFile file(path);
    const QByteArray bytes = text().toUtf8();
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return tr("cannot write %1: %2").arg(path, file.errorString());
    return {};
}

void CodeText::zoomIn() { m_theme.setCodePointSize(m_theme.codeFont().pointSize() + 1); }
void CodeText::zoomOut() { m_theme.setCodePointSize(m_theme.codeFont().pointSize() - 1); }
void CodeText::zoomToFit() { m_theme.setCodePointSize(0); }

void CodeText::foldAll(bool fold) { m_impl->editor->foldEverything(fold); }

void CodeText::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    m_impl->stripTimer.start(); // how many lines are on screen decides where the ticks are
}

void CodeText::changeEvent(QEvent *event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) m_impl->stripTimer.start();
}

} // namespace loopscope
