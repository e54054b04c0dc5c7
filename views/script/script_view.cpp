#include "views/script/script_view.h"

#include "views/actions/elided_label.h"
#include "views/script/script_completions.h"
#include "views/script/script_cures.h"
#include "views/script/script_problem_bar.h"
#include "views/session/script_text.h"
#include "views/session/text.h"
#include "views/text/code_text.h"

#include <Qsci/qsciscintilla.h>

#include <QFileDialog>
#include <QFocusEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {

constexpr int kApplyAfter = 600;   // ms after the last key
constexpr int kSettleAfter = 4000; // the same; whoever thinks so long does something new

QString fileFilter() { return QObject::tr("Scripts of schedules (*.sched *.script *.schedule)"); }

} // namespace

ScriptView::ScriptView(const ViewContext &context, QWidget *parent) : QWidget(parent), m_context(context) {
    setObjectName(QStringLiteral("ScriptView"));
    addActions();
    build();
    m_applySoon.setSingleShot(true);
    m_applySoon.setInterval(kApplyAfter);
    m_settleSoon.setSingleShot(true);
    m_settleSoon.setInterval(kSettleAfter);
    connect(&m_applySoon, &QTimer::timeout, this, &ScriptView::apply);
    connect(&m_settleSoon, &QTimer::timeout, this, &ScriptView::settle);
    Session &session = context.session;
    connect(&session.documents(), &Documents::documentChanged, this, &ScriptView::reload);
    connect(&session.documents(), &Documents::problemChanged, this, &ScriptView::follow);
    connect(&session.selection(), &Selection::changed, this, &ScriptView::follow);
    connect(&session.edits(), &EditedSchedules::nodesChanged, this, &ScriptView::follow);
    connect(&session.edits(), &EditedSchedules::draftChanged, this, [this] {
        if (!m_own) reload();
    });
    connect(m_editor, &CodeText::textEdited, this, &ScriptView::edited);
    connect(m_editor, &CodeText::lineClicked, this, &ScriptView::lineChosen);
    connect(m_editor->editor(), &QsciScintilla::cursorPositionChanged, this, &ScriptView::complete);
    connect(m_bar, &ScriptProblemBar::cureChosen, this, &ScriptView::cure);
    m_editor->editor()->installEventFilter(this);
    reload();
}

ScriptView::~ScriptView() = default;

void ScriptView::addActions() {
    Actions &actions = m_context.actions;
    const auto add = [&](const char *id, const QString &text, const QKeySequence &key, const QString &tip,
                         const char *icon, QObject *owner, std::function<void()> run) {
        const ActionInfo info{QLatin1String(id), tr("Script"), text, key, tip, QLatin1String(icon)};
        QAction *action = actions.add(info, owner, std::move(run));
        if (!info.icon.isEmpty()) action->setIcon(m_context.theme.icon(info.icon));
        return action;
    };
    add("script.apply", tr("Apply the script now"), QKeySequence(Qt::CTRL | Qt::Key_Return),
        tr("Make a schedule of the text without waiting"), "", this, [this] {
            apply();
            settle();
        });
    m_goTo = add("script.goToProblem", tr("Go to"), QKeySequence(Qt::Key_F8), tr("Put the caret where the problem is"),
                 "", this, [this] { goToProblem(); });
    add("script.undo", tr("Undo in the script's text"), QKeySequence(QKeySequence::Undo), {}, "", this,
        [this] { m_editor->editor()->undo(); });
    add("script.redo", tr("Redo in the script's text"), QKeySequence(QKeySequence::Redo), {}, "", this,
        [this] { m_editor->editor()->redo(); });
    // Owned by objects that are no widgets: they work anywhere in the window.
    add("script.open", tr("Open script \u2026"), {}, tr("Apply the script of a schedule (.sched) to this workload"),
        "open", new QObject(this), [this] { openFile(); });
    m_save = add("script.save", tr("Save script \u2026"), {}, tr("Write this script to a file (.sched)"), "save",
                 new QObject(this), [this] { saveFile(); });
}

void ScriptView::build() {
    auto *all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    m_pages = new QStackedWidget(this);
    all->addWidget(m_pages);
    m_empty = new QLabel(m_pages);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setMargin(24);
    m_pages->addWidget(m_empty);

    auto *page = new QWidget(m_pages);
    auto *column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *head = new QHBoxLayout;
    head->setContentsMargins(8, 6, 8, 6);
    head->setSpacing(4);
    m_title = new ElidedLabel(page);
    QFont bold = m_title->font();
    bold.setBold(true);
    m_title->setFont(bold);
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_state = new QLabel(page);
    m_state->setObjectName(QStringLiteral("script_state"));
    head->addWidget(m_title, 1);
    head->addWidget(m_state);
    for (const char *id : {"script.open", "script.save"}) {
        auto *button = new QToolButton(page);
        button->setDefaultAction(m_context.actions.find(QLatin1String(id)));
        button->setAutoRaise(true);
        button->setAccessibleName(button->defaultAction()->text());
        head->addWidget(button);
    }
    column->addLayout(head);
    m_editor = new CodeText(m_context.theme, CodeLanguage::Script, false, page);
    m_editor->setAccessibleName(tr("Script of the schedule"));
    column->addWidget(m_editor, 1);
    setFocusProxy(m_editor);
    m_bar = new ScriptProblemBar(m_context.theme, m_goTo, page);
    column->addWidget(m_bar);
    m_pages->addWidget(page);
    const auto dress = [this] {
        QPalette quiet = palette();
        quiet.setColor(QPalette::WindowText, m_context.theme.color(Role::QuietText));
        m_empty->setPalette(quiet);
        m_state->setPalette(quiet);
    };
    connect(&m_context.theme, &Theme::changed, this, dress);
    dress();
}

// --- What is shown -------------------------------------------------------------------------------------------------

void ScriptView::reload() {
    const Document *document = m_context.session.document();
    m_applySoon.stop();
    m_problem.reset();
    m_taskId = document == nullptr ? -1 : document->taskId;
    m_shown = m_context.session.selection().now().schedule;
    const auto steps = m_context.session.edits().stepsOf(m_shown);
    m_pages->setCurrentIndex(steps ? 1 : 0);
    m_save->setEnabled(steps.has_value());
    if (!steps) {
        m_empty->setText(document == nullptr ? tr("Open a workload to see its schedules as scripts.")
                         : document->logTask ? tr("The workload of this log is not known: its schedules have no names "
                                                  "to be written with.")
                         : document->analysing ? tr("Reading the workload \u2026")
                         : !document->task     ? tr("The workload is not understood: it has no schedules.")
                                               : tr("There is no %1 any more.").arg(scheduleName(m_shown)));
        m_applied.clear();
        return;
    }
    const EditNode *node =
        m_shown.kind == ScheduleRef::Kind::Edited ? m_context.session.edits().node(m_shown.number) : nullptr;
    showText(node != nullptr && !node->script.isEmpty() ? node->script : scriptText(*steps));
    settle();
    if (document->draft && document->draft->of == m_shown && document->draft->text != m_applied) {
        m_editor->setText(document->draft->text);
        apply();
    }
}

void ScriptView::showText(const QString &text) {
    m_applied = text;
    m_lines = applyScript(m_context.session.document()->task->dag, std8(text)).lines;
    m_editor->setText(text);
    m_editor->setProblems({});
    m_above.assign(1, '\0'); // no lines: completions are asked for anew
    markStep();
    say();
}

void ScriptView::follow() {
    if (m_own) return;
    const Document *document = m_context.session.document();
    const ScheduleRef &now = m_context.session.selection().now().schedule;
    const bool other = (document == nullptr ? -1 : document->taskId) != m_taskId || !(now == m_shown);
    const bool there = m_context.session.edits().stepsOf(now).has_value();
    if (!other && there == (m_pages->currentIndex() == 1)) return markStep();
    if (!(now == m_shown)) leave();
    reload();
}

void ScriptView::markStep() {
    const int step = m_context.session.selection().now().step;
    const std::vector<int> numbers = stepsOfLines();
    const auto found = std::find(numbers.begin(), numbers.end(), step);
    if (found != numbers.end())
        m_editor->markLines({m_lines[static_cast<size_t>(found - numbers.begin())]}, !m_editor->editor()->hasFocus());
    else
        m_editor->clearMarks();
}

/// The step of each line: its number in the list, refused ones counted. Nothing while the text is another.
std::vector<int> ScriptView::stepsOfLines() const {
    std::vector<int> numbers;
    const auto steps = m_context.session.edits().stepsOf(m_shown);
    if (!steps || m_editor->text() != m_applied) return numbers;
    for (size_t i = 0; i < steps->size() && numbers.size() < m_lines.size(); ++i)
        if (!steps->refused(i)) numbers.push_back(static_cast<int>(i));
    return numbers;
}

void ScriptView::lineChosen(int line) {
    const std::vector<int> numbers = stepsOfLines();
    for (size_t i = 0; i < numbers.size(); ++i)
        if (m_lines[i] == line) m_context.session.selection().selectStep(numbers[i]);
}

void ScriptView::say() {
    const Document *document = m_context.session.document();
    m_title->setText(scheduleName(m_shown));
    const bool same = m_editor->text() == m_applied;
    m_state->setText(m_problem ? tr("not applied")
                     : !same   ? tr("being written \u2026")
                               : countedText(m_lines.size(), "step"));
    if (!m_problem || document == nullptr) {
        m_bar->show({}, {}, {});
        m_editor->setProblems({});
        return;
    }
    m_bar->show(tr("Line %1: %2").arg(m_problem->line).arg(asSentence(qt(m_problem->reason))),
                tr("Loops and code still show %1 as it was.").arg(scheduleName(m_shown)), scriptCures(*m_problem));
    m_editor->setProblems({{m_problem->line, std::max(1, m_problem->column), 0, qt(m_problem->reason), false}});
}

// --- What is written -----------------------------------------------------------------------------------------------

void ScriptView::edited() {
    m_applySoon.start();
    m_settleSoon.stop();
    complete();
    if (!m_problem) say();
}

void ScriptView::apply() {
    m_applySoon.stop();
    const Document *document = m_context.session.document();
    if (document == nullptr || document->task == nullptr || m_pages->currentIndex() != 1) return;
    const QString text = m_editor->text();
    AppliedScript applied = applyScript(document->task->dag, std8(text));
    m_problem = std::move(applied.problem);
    m_own = true;
    EditedSchedules &edits = m_context.session.edits();
    if (m_problem) {
        edits.keepDraft(m_shown, text);
    } else if (text != m_applied || document->draft) {
        const int node = edits.write({m_from, m_made, applied.state.steps(), scriptEdit(m_fromText, text), text});
        if (node >= 0) {
            m_shown = {ScheduleRef::Kind::Edited, node};
            m_made = m_shown == m_from ? -1 : node;
            m_applied = text;
            m_lines = std::move(applied.lines);
            m_settleSoon.start();
        }
    }
    m_own = false;
    say();
    markStep();
}

/// Whoever turns to something else has written what was to be written.
bool ScriptView::eventFilter(QObject *watched, QEvent *event) {
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent *>(event)->modifiers() == Qt::ControlModifier)
        complete(); // Ctrl+Space asks for what can stand where the caret is
    if (event->type() == QEvent::FocusOut) {
        const auto reason = static_cast<QFocusEvent *>(event)->reason();
        if (reason != Qt::PopupFocusReason && reason != Qt::ActiveWindowFocusReason) {
            if (m_applySoon.isActive()) apply();
            settle();
        }
    }
    return QWidget::eventFilter(watched, event);
}

void ScriptView::settle() {
    m_settleSoon.stop();
    if (m_problem || m_applySoon.isActive()) return; // it goes on
    m_from = m_shown;
    m_fromText = m_applied;
    m_made = -1;
}

void ScriptView::leave() {
    if (!m_applySoon.isActive() || m_pages->currentIndex() != 1) return;
    const Document *document = m_context.session.document();
    if (document == nullptr || document->taskId != m_taskId) return;
    m_own = true;
    m_context.session.edits().keepDraft(m_shown, m_editor->text());
    m_own = false;
}

void ScriptView::complete() {
    const Document *document = m_context.session.document();
    if (document == nullptr || document->task == nullptr || !m_editor->editor()->hasFocus()) return;
    int line = 0;
    int column = 0;
    m_editor->editor()->getCursorPosition(&line, &column);
    const QStringList lines = m_editor->text().split(QLatin1Char('\n'));
    QString head = lines.value(line).left(column);
    const auto ofWord = [](QChar c) { return c.isLetterOrNumber() || QStringLiteral("_.@$?-~").contains(c); };
    while (!head.isEmpty() && ofWord(head.back())) head.chop(1);
    std::string above = std8(lines.mid(0, line).join(QLatin1Char('\n')));
    if (line > 0) above += '\n';
    std::string before = std8(head);
    if (above == m_above && before == m_head) return;
    m_above = std::move(above);
    m_head = std::move(before);
    m_editor->setCompletions(scriptCompletions(document->task->dag, m_above, m_head));
}

void ScriptView::cure(const QString &cure) {
    const Document *document = m_context.session.document();
    if (!m_problem || document == nullptr || document->task == nullptr) return;
    const CuredScript cured = cureScript(document->task->dag, m_editor->text(), *m_problem, cure);
    QsciScintilla *editor = m_editor->editor();
    editor->beginUndoAction(); // one step back to what was typed
    editor->selectAll();
    editor->replaceSelectedText(cured.text);
    editor->endUndoAction();
    m_editor->goTo(cured.line, cured.column);
    editor->setFocus();
    apply();
}

void ScriptView::goToProblem() {
    if (!m_problem) return;
    m_editor->goTo(m_problem->line, std::max(1, m_problem->column));
    m_editor->editor()->setFocus();
}

// --- Files ---------------------------------------------------------------------------------------------------------

void ScriptView::openFile() {
    auto *dialog = new QFileDialog(this, tr("Open a script"),
                                   m_context.settings.value(QStringLiteral("window/folder")).toString(), fileFilter());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString &path) { m_context.session.files().open({path}); });
    dialog->open();
}

void ScriptView::saveFile() {
    const Document *document = m_context.session.document();
    if (document == nullptr) return;
    auto *dialog = new QFileDialog(this, tr("Save the script"),
                                   m_context.settings.value(QStringLiteral("window/folder")).toString(), fileFilter());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("sched"));
    dialog->selectFile(document->name + QStringLiteral(".sched"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &path) {
        const QString problem = m_editor->exportTo(path);
        if (problem.isEmpty())
            m_context.session.messages().note(tr("Script saved to %1").arg(path));
        else
            m_context.session.messages().fail(problem, {}, QStringLiteral("save"));
    });
    dialog->open();
}

void ScriptView::startFind() { m_editor->startFind(); }
QStringList ScriptView::exportSuffixes() const { return m_editor->exportSuffixes(); }
QString ScriptView::exportTo(const QString &path) { return m_editor->exportTo(path); }
void ScriptView::zoomIn() { m_editor->zoomIn(); }
void ScriptView::zoomOut() { m_editor->zoomOut(); }
void ScriptView::zoomToFit() { m_editor->zoomToFit(); }

} // namespace loopscope
