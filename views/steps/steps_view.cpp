#include "views/steps/steps_view.h"

#include "measure/compare/aligned_steps.h"
#include "schedule/locks/lockable_steps.h"
#include "schedule/step_fields.h"
#include "views/actions/elided_label.h"
#include "views/actions/page_stack.h"
#include "views/loops/schedule_head.h"
#include "views/session/text.h"
#include "views/steps/edited_step_model.h"
#include "views/steps/loops_beside.h"
#include "views/steps/offered_steps.h"
#include "views/steps/step_editor.h"
#include "views/steps/step_table.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace loopscope {

namespace {

struct StepDetails {
    std::vector<ChoiceGroup> choices;
    BesideTrees loops;
};

/// A script labels what it follows.
std::set<int> followedSteps(const EditedSteps &steps) {
    std::set<int> followed;
    for (size_t i = 0; i < steps.size(); ++i)
        visitSources(steps.step(i), [&](StepId source) { followed.insert(source.value); });
    return followed;
}

/// The numbers of the steps that apply, which is what locks count.
std::vector<size_t> appliedRows(const EditedSteps &steps) {
    std::vector<size_t> rows;
    for (size_t i = 0; i < steps.size(); ++i)
        if (!steps.refused(i)) rows.push_back(i);
    return rows;
}

} // namespace

StepsView::StepsView(const ViewContext &context, QWidget *parent) : QWidget(parent), m_context(context) {
    setObjectName(QStringLiteral("StepsView"));
    m_model = new EditedStepModel(context.theme, this);
    build();
    addActions();
    Session &session = context.session;
    connect(&session.documents(), &Documents::documentChanged, this, &StepsView::refresh);
    connect(&session.documents(), &Documents::problemChanged, this, &StepsView::refresh);
    connect(&session.documents(), &Documents::sketchesChanged, this, &StepsView::refresh);
    connect(&session.trials(), &TaskTrials::trialsReset, this, &StepsView::refresh);
    connect(&session.edits(), &EditedSchedules::nodesChanged, this, &StepsView::refreshTitle);
    connect(&session.locks(), &Locks::changed, this, &StepsView::refreshLocks);
    connect(&session.selection(), &Selection::changed, this, [this](const Selected &now) {
        if (!(now.schedule == m_ref)) refresh();
        follow(now);
    });
    const auto pick = [this](const QModelIndex &index) {
        // Going to the table by Tab makes a row current, but chooses none.
        if (m_following || !m_table->selectionModel()->isSelected(index)) return;
        m_context.session.selection().selectStep(index.row());
        showStep(index.row());
    };
    connect(m_table, &QTableView::clicked, this, pick);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, pick);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &StepsView::refreshActions);
    connect(m_table, &QTableView::doubleClicked, m_editor, &StepEditor::startTyping);
    // Queued: a drag is not over while the view drops.
    connect(m_model, &EditedStepModel::moveRequested, this, &StepsView::move, Qt::QueuedConnection);
    connect(m_editor, &StepEditor::decided, this, &StepsView::change);
    connect(&context.theme, &Theme::changed, this, &StepsView::restyle);
    restyle();
    refresh();
}

void StepsView::build() {
    constexpr int kMargin = 8;
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(0, 0, 0, 0);
    m_pages = new PageStack(this);
    page->addWidget(m_pages);
    m_empty = addSentence(*m_pages, 4 * kMargin);

    auto *full = new QWidget(m_pages);
    m_pages->addWidget(full);
    auto *column = new QVBoxLayout(full);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *bar = new QHBoxLayout;
    bar->setObjectName(QStringLiteral("bar"));
    bar->setContentsMargins(kMargin, kMargin / 2, kMargin, kMargin / 2);
    bar->setSpacing(0);
    m_title = new ElidedLabel(full);
    QFont bold = m_title->font();
    bold.setBold(true);
    m_title->setFont(bold);
    bar->addWidget(m_title, 1);
    column->addLayout(bar);

    m_halves = new QSplitter(full);
    m_halves->setChildrenCollapsible(false);
    column->addWidget(m_halves, 1);
    auto *list = new QSplitter(Qt::Vertical, m_halves);
    list->setChildrenCollapsible(false);
    auto *upper = new QWidget(list);
    auto *rows = new QVBoxLayout(upper);
    rows->setContentsMargins(0, 0, 0, 0);
    m_table = makeStepTable(*m_model, upper);
    m_noSteps = new QLabel(tr("This schedule has no steps. Insert makes the first one."), m_table->viewport());
    m_noSteps->setAlignment(Qt::AlignCenter);
    m_noSteps->setWordWrap(true);
    rows->addWidget(m_table);
    auto *ground = new QVBoxLayout(m_table->viewport()); // the keys are the table's also while it is empty
    ground->addWidget(m_noSteps);
    auto *lower = new QScrollArea(list); // a loop of many divisors has many chips
    lower->setWidgetResizable(true);
    lower->setFrameShape(QFrame::NoFrame);
    m_editor = new StepEditor(m_context.theme, lower);
    lower->setWidget(m_editor);
    list->setStretchFactor(0, 3);
    list->setStretchFactor(1, 1);
    list->setSizes({450, 150}); // a step is chosen most of the time, and its chips need some lines
    m_beside = new LoopsBeside(m_context.theme, m_halves);
    m_halves->setStretchFactor(0, 1);
    m_halves->setStretchFactor(1, 1);
    m_halves->setSizes({500, 500});
    setFocusProxy(m_table);
}

void StepsView::addActions() {
    const auto add = [this](const char *id, const QString &text, const QKeySequence &keys, const QString &tip,
                            const char *icon, std::function<void()> run) {
        const ActionInfo info{QLatin1String(id), tr("Steps"), text, keys, tip, QLatin1String(icon)};
        QAction *action = m_context.actions.add(info, this, std::move(run));
        if (!info.icon.isEmpty()) action->setIcon(m_context.theme.icon(info.icon));
        return action;
    };
    QAction *insert = add("steps.insert", tr("Insert a step after this one \u2026"), Qt::Key_Insert,
                          tr("Choose among the steps that apply there"), "plus", [this] { insertAfter(); });
    QAction *edit = add("steps.edit", tr("Edit the step"), Qt::Key_F2, tr("Type the step as a script line"), "edit",
                        [this] { m_editor->startTyping(); });
    QAction *up = add("steps.up", tr("Move the step up"), QKeySequence(QStringLiteral("Alt+Up")), {}, "up",
                      [this] { move(m_row, m_row - 1); });
    QAction *down = add("steps.down", tr("Move the step down"), QKeySequence(QStringLiteral("Alt+Down")), {}, "down",
                        [this] { move(m_row, m_row + 1); });
    QAction *remove =
        add("steps.delete", tr("Delete the steps"), QKeySequence(Qt::Key_Delete),
            tr("Delete the selected steps; those behind them are replayed"), "close", [this] { erase(); });
    QAction *lock =
        add("steps.lock", tr("Lock or unlock the steps"), QKeySequence(QStringLiteral("Shift+L")),
            tr("A search that starts from here keeps the locked steps as they are"), "lock", [this] { toggleLocks(); });
    QAction *copyScript = add("steps.copy", tr("Copy as script lines"), QKeySequence(QKeySequence::Copy),
                              tr("Copy the selected steps, or all, as lines of a script"), "copy",
                              [this] { copy(EditedStepModel::ScriptColumn); });
    QAction *copyArray = add(
        "steps.copyArray", tr("Copy as Ansor's arrays"), QKeySequence(QStringLiteral("Ctrl+Shift+C")),
        tr("Copy the selected steps, or all, as a log has them"), "", [this] { copy(EditedStepModel::ArrayColumn); });
    for (QAction *action : {insert, edit, up, down, remove, lock, copyScript, copyArray}) m_table->addAction(action);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    auto *bar = findChild<QHBoxLayout *>(QStringLiteral("bar"));
    for (QAction *action : {insert, edit, up, down, remove, lock, copyScript}) {
        auto *button = new QToolButton(this);
        button->setDefaultAction(action);
        button->setAutoRaise(true);
        button->setAccessibleName(action->text());
        bar->addWidget(button);
    }
}

void StepsView::showEvent(QShowEvent *event) {
    QWidget::showEvent(event);
    if (m_stale) refresh();
}

/// Beside each other where there is room for both.
void StepsView::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    m_halves->setOrientation(width() < fontMetrics().averageCharWidth() * 110 ? Qt::Vertical : Qt::Horizontal);
}

void StepsView::refresh() {
    m_stale = !isVisible(); // replaying is for those who look
    if (m_stale) return;
    const Document *document = m_context.session.document();
    m_ref = m_context.session.selection().now().schedule;
    m_task = document != nullptr ? document->taskId : -1;
    auto steps = m_context.session.edits().stepsOf(m_ref);
    m_steps = steps ? std::make_shared<const EditedSteps>(std::move(*steps)) : nullptr;
    const QString why = whyNoLoops(document, m_ref);
    m_empty->setText(why.isEmpty() ? tr("There are no steps to show.") : why);
    m_pages->setCurrentIndex(m_steps ? 1 : 0);
    {
        const QScopedValueRollback<bool> following(m_following, true);
        m_model->setSteps(m_steps ? stepTexts(*m_steps) : std::vector<StepText>{});
        refreshLocks();
        fitStepTable(*m_table);
    }
    m_noSteps->setVisible(m_model->rowCount() == 0);
    m_row = -1;
    refreshTitle();
    showStep(-1);
    follow(m_context.session.selection().now());
}

void StepsView::refreshTitle() {
    const Document *document = m_context.session.document();
    if (document == nullptr || !m_steps) return;
    const size_t refused = m_steps->size() - m_steps->state().steps().size();
    QString title =
        QStringLiteral("%1: %2").arg(asSentence(scheduleName(*document, m_ref)), countedText(m_steps->size(), "step"));
    if (refused > 0) title += tr(", %1 refused").arg(refused);
    m_title->setText(title);
}

void StepsView::follow(const Selected &now) {
    if (m_stale || !m_steps) return;
    const int row = now.step < m_model->rowCount() ? now.step : -1;
    if (row >= 0 && m_table->currentIndex().row() != row) {
        const QScopedValueRollback<bool> following(m_following, true);
        m_table->setCurrentIndex(m_model->index(row, 0));
    } else if (row < 0 && m_row >= 0) {
        const QScopedValueRollback<bool> following(m_following, true);
        m_table->selectionModel()->clear();
    }
    showStep(row);
}

void StepsView::showStep(int row) {
    refreshActions();
    if (row >= 0 && row == m_row) return;
    m_row = row;
    const int generation = ++m_generation;
    m_context.session.jobs().cancel(m_job);
    refreshActions();
    if (row < 0 || !m_steps) {
        m_editor->clear();
        m_beside->say(m_model->rowCount() > 0 ? tr("Choose a step to see the loops before and after it.") : QString());
        return;
    }
    const auto at = static_cast<size_t>(row);
    m_editor->show(m_steps, at, lineOf(row));
    if (m_steps->refused(at)) {
        m_beside->say(tr("This step changes nothing, because it is refused."));
        return;
    }
    m_job = m_context.session.jobs().start(
        tr("Trying what can stand in place of step %1").arg(row), this,
        [steps = m_steps, at, task = m_context.session.document()->task](JobControl &) {
            return StepDetails{stepChoices(*steps, at, task->target),
                               makeBeside(steps->before(at), steps->before(at + 1), task->target)};
        },
        [this, generation, row](StepDetails details) {
            if (generation != m_generation) return;
            m_editor->showChoices(std::move(details.choices));
            m_beside->show(details.loops, row);
        });
}

void StepsView::refreshActions() {
    const auto enable = [this](const char *id, bool on) { m_context.actions.find(QLatin1String(id))->setEnabled(on); };
    const bool any = m_model->rowCount() > 0;
    enable("steps.insert", m_steps != nullptr);
    enable("steps.edit", m_row >= 0);
    enable("steps.up", m_row > 0);
    enable("steps.down", m_row >= 0 && m_row + 1 < m_model->rowCount());
    enable("steps.delete", !chosenRows().empty());
    enable("steps.lock", !chosenRows().empty());
    enable("steps.copy", any);
    enable("steps.copyArray", any);
}

std::vector<int> StepsView::chosenRows() const {
    std::vector<int> rows;
    for (const QModelIndex &index : m_table->selectionModel()->selectedRows()) rows.push_back(index.row());
    std::sort(rows.begin(), rows.end());
    return rows;
}

QString StepsView::lineOf(int row) const { return m_model->steps()[static_cast<size_t>(row)].script; }

// --- Edits
// --------------------------------------------------------------------------------------------------------------

/// The node made of it is selected by that, and the step where it is now.
void StepsView::commit(EditedSteps steps, const QString &did, int row) {
    const int last = static_cast<int>(steps.size()) - 1;
    if (m_context.session.edits().edit(m_ref, std::move(steps), did) < 0) return;
    m_context.session.selection().selectStep(std::min(row, last));
}

void StepsView::change(const Step &step) {
    if (!m_steps || m_row < 0) return;
    const auto at = static_cast<size_t>(m_row);
    EditedSteps steps = *m_steps;
    steps.change(at, step);
    const QString did =
        QStringLiteral("changed ") + qt(lineChange(std8(lineOf(m_row)), std8(stepTextOf(steps, at).script)));
    commit(std::move(steps), did, m_row);
}

void StepsView::erase() {
    const std::vector<int> rows = chosenRows();
    if (!m_steps || rows.empty()) return;
    EditedSteps steps = *m_steps;
    QStringList lines;
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
        steps.erase(static_cast<size_t>(*row));
        lines.prepend(lineOf(*row));
    }
    const QString did = lines.size() == 1
                            ? tr("deleted %1").arg(lines.first())
                            : tr("deleted %1 steps, %2 first").arg(QString::number(lines.size()), lines.first());
    commit(std::move(steps), did, rows.front());
}

void StepsView::move(int from, int to) {
    if (!m_steps || from < 0 || to < 0 || from >= m_model->rowCount() || to >= m_model->rowCount()) return;
    EditedSteps steps = *m_steps;
    steps.move(static_cast<size_t>(from), static_cast<size_t>(to));
    commit(std::move(steps), tr("moved %1 from %2 to %3").arg(lineOf(from), QString::number(from), QString::number(to)),
           to);
}

void StepsView::insertAfter() {
    if (!m_steps) return;
    const int row = m_row >= 0 ? m_row + 1 : m_model->rowCount();
    const auto at = static_cast<size_t>(row);
    auto *popup = new OfferedSteps(m_context.theme, m_steps, at, this);
    const ScheduleRef ref = m_ref;
    connect(popup, &OfferedSteps::decided, this, [this, steps = m_steps, ref, at, row](const Step &step) {
        if (!(ref == m_ref) || steps != m_steps) return; // another schedule is shown by now
        EditedSteps edited = *steps;
        edited.insert(at, step);
        const QString line = stepTextOf(edited, at).script;
        const bool last = at == steps->size();
        commit(std::move(edited), last ? line : tr("inserted %1 as step %2").arg(line, QString::number(row)), row);
    });
    const QRect cell = row > 0 ? m_table->visualRect(m_model->index(row - 1, 1)) : QRect();
    QPoint place = m_table->viewport()->mapToGlobal(cell.bottomLeft());
    popup->move(place);
    popup->show();
    popup->setFocus(Qt::PopupFocusReason);
    m_context.session.jobs().start(
        tr("Trying which steps apply after step %1").arg(row - 1), popup,
        [steps = m_steps, at, task = m_context.session.document()->task](JobControl &) {
            return offeredSteps(*steps, at, task->target);
        },
        [popup](std::vector<OfferedStep> offered) { popup->offer(std::move(offered)); });
}

void StepsView::refreshLocks() {
    if (m_stale || !m_steps) return;
    std::vector<EditedStepModel::Lock> marks(m_steps->size(), EditedStepModel::Lock::None);
    const ScheduleLocks &locks = m_context.session.locks().now();
    const LoopState &state = m_steps->state();
    // Of a schedule that breaks a lock nothing is marked: the search says which, and does not start from it.
    if (locks.empty()) return m_model->setLocks(std::move(marks));
    if (const auto kept = locks.keptBy(state.originalDag(), state.steps())) {
        const std::vector<size_t> rows = appliedRows(*m_steps);
        for (size_t i = 0; i < rows.size(); ++i)
            if (kept->step(i))
                marks[rows[i]] = kept->whole(i) ? EditedStepModel::Lock::Whole : EditedStepModel::Lock::Part;
    }
    m_model->setLocks(std::move(marks));
}

/// All of the selected steps are locked afterwards, or, where they were, none.
void StepsView::toggleLocks() {
    if (!m_steps) return;
    const LoopState &state = m_steps->state();
    const auto lockable = lockableSteps(state.originalDag(), state.steps());
    if (!lockable) return;
    const std::vector<size_t> rows = appliedRows(*m_steps);
    const std::vector<int> chosen = chosenRows();
    const bool all = std::all_of(chosen.begin(), chosen.end(), [&](int row) {
        return m_model->lock(row) == EditedStepModel::Lock::Whole || m_steps->refused(static_cast<size_t>(row));
    });
    for (size_t i = 0; i < rows.size(); ++i) {
        const int row = static_cast<int>(rows[i]);
        if (!std::binary_search(chosen.begin(), chosen.end(), row)) continue;
        if ((m_model->lock(row) == EditedStepModel::Lock::Whole) != all) continue;
        const QString problem = m_context.session.locks().toggle(qt(lockable->steps[i].line));
        if (!problem.isEmpty()) return m_context.session.messages().warn(problem);
    }
}

void StepsView::copy(int column) {
    std::vector<int> rows = chosenRows();
    if (rows.empty())
        for (int row = 0; row < m_model->rowCount(); ++row) rows.push_back(row);
    QStringList lines;
    const bool arrays = column == EditedStepModel::ArrayColumn;
    const std::set<int> followed = arrays ? std::set<int>{} : followedSteps(*m_steps);
    for (const int row : rows)
        lines << (followed.contains(row) ? QStringLiteral("s%1: ").arg(row) : QString()) +
                     m_model->index(row, column).data().toString();
    const QString text = arrays ? u'[' + lines.join(QStringLiteral(", ")) + u']' : lines.join(u'\n') + u'\n';
    if (!lines.isEmpty()) QApplication::clipboard()->setText(text);
}

void StepsView::restyle() {
    const QString quiet = QStringLiteral("color: %1").arg(m_context.theme.color(Role::QuietText).name());
    m_empty->setStyleSheet(quiet);
    m_noSteps->setStyleSheet(quiet);
    m_editor->restyle();
    m_beside->restyle();
    m_table->verticalHeader()->setDefaultSectionSize(QFontMetrics(m_context.theme.codeFont()).height() + 6);
}

} // namespace loopscope
