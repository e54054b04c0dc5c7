#include "views/edits/edits_view.h"

#include "views/edits/drop_bar.h"
#include "views/edits/edit_tree_model.h"
#include "views/edits/edit_tree_view.h"
#include "views/session/text.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QScopedValueRollback>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <functional>
#include <utility>

namespace loopscope {

namespace {

constexpr const char *kOfOne[] = {"edits.rename",   "edits.note",   "edits.pin", "edits.compare",
                                  "edits.baseline", "edits.export", "edits.drop"};

ScheduleRef edited(int node) { return {ScheduleRef::Kind::Edited, node}; }

} // namespace

EditsView::EditsView(const ViewContext &context, QWidget *parent) : QWidget(parent), m_context(context) {
    setObjectName(QStringLiteral("EditsView"));
    m_model = new EditTreeModel(context.session.edits(), context.session.search().byHand(), context.theme, this);
    build();
    addActions();
    Session &session = context.session;
    connect(&session.documents(), &Documents::documentChanged, this, &EditsView::refresh);
    connect(&session.edits(), &EditedSchedules::nodesChanged, this, &EditsView::refresh);
    connect(&session.search().byHand(), &HandMeasuring::changed, this, &EditsView::refresh); // what waits
    connect(&session.trials(), &TaskTrials::baselineChanged, this, &EditsView::refresh);
    connect(&session.trials(), &TaskTrials::trialsChanged, this, &EditsView::refresh); // measured again
    connect(&session.selection(), &Selection::changed, this, &EditsView::follow);
    const auto go = [this](const QModelIndex &index) {
        const int node = m_model->nodeAt(index);
        if (m_following || node < 0 || !m_tree->selectionModel()->isSelected(index)) return;
        if (m_tree->selectionModel()->selectedRows().size() > 1) return refreshActions(); // to be compared
        m_context.session.selection().selectSchedule(edited(node));
    };
    connect(m_tree, &QTreeView::clicked, this, go);
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentRowChanged, this, go);
    connect(m_tree->selectionModel(), &QItemSelectionModel::selectionChanged, this, &EditsView::refreshActions);
    connect(m_tree, &QTreeView::doubleClicked, this, [this](const QModelIndex &index) {
        write(index.column() == EditTreeModel::NoteColumn ? EditTreeModel::NoteColumn : EditTreeModel::NameColumn);
    });
    connect(m_tree, &QTreeView::collapsed, this, [this](const QModelIndex &index) {
        if (!m_following) m_closed.insert(m_model->nodeAt(index));
    });
    connect(m_tree, &QTreeView::expanded, this, [this](const QModelIndex &index) {
        if (!m_following) m_closed.erase(m_model->nodeAt(index));
    });
    connect(m_tree, &QWidget::customContextMenuRequested, this, &EditsView::showMenu);
    connect(m_drop, &DropBar::dropped, &session.edits(), &EditedSchedules::drop);
    connect(m_drop, &DropBar::closed, m_tree, qOverload<>(&QWidget::setFocus));
    connect(&context.theme, &Theme::changed, this, &EditsView::restyle);
    restyle();
    refresh();
}

void EditsView::build() {
    m_tree = new EditTreeView(m_context.theme, *m_model, this);
    m_tree->setObjectName(QStringLiteral("edits"));
    m_tree->setAccessibleName(tr("Edits"));
    m_tree->header()->setStretchLastSection(true);
    m_drop = new DropBar(m_context.theme, this);
    m_empty = new QLabel(tr("No schedule was made by hand yet. Every edit in Steps or Loops becomes a node here."),
                         m_tree->viewport());
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    auto *ground = new QVBoxLayout(m_tree->viewport()); // the keys are the tree's also while it is empty
    ground->addWidget(m_empty);
    auto *bar = new QHBoxLayout;
    bar->setObjectName(QStringLiteral("bar"));
    bar->setContentsMargins(8, 4, 8, 4);
    bar->setSpacing(2);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(m_tree, 1);
    column->addWidget(m_drop);
    setFocusProxy(m_tree);
    const int digit = fontMetrics().averageCharWidth();
    const int widths[] = {40, 16, 11, 12, 12, 12, 20};
    for (int c = 0; c < EditTreeModel::ColumnCount; ++c) m_tree->setColumnWidth(c, widths[c] * digit);
}

void EditsView::addActions() {
    EditedSchedules &edits = m_context.session.edits();
    const auto add = [this](const char *id, const QString &text, const QKeySequence &keys, const QString &tip,
                            const char *icon, std::function<void()> run, bool checkable = false) {
        const ActionInfo info{QLatin1String(id), tr("Edits"), text, keys, tip, QLatin1String(icon), checkable};
        QAction *action = m_context.actions.add(info, this, std::move(run));
        action->setIcon(m_context.theme.icon(info.icon));
        return action;
    };
    QAction *undo = add(actionId(Capability::UndoEdit), tr("Undo the edit"), QKeySequence(QStringLiteral("Ctrl+Z")),
                        tr("Back to the schedule this one was made from"), "undo", [&edits] { edits.undo(); });
    QAction *redo =
        add(actionId(Capability::RedoEdit), tr("Redo the edit"), QKeySequence(QStringLiteral("Ctrl+Shift+Z")),
            tr("On to the schedule made from this one that was seen last"), "redo", [&edits] { edits.redo(); });
    QAction *rename = add("edits.rename", tr("Rename"), Qt::Key_F2, tr("Give the schedule a name"), "edit",
                          [this] { write(EditTreeModel::NameColumn); });
    QAction *note = add("edits.note", tr("Edit note"), Qt::Key_N, tr("Write a note on the schedule"), "note",
                        [this] { write(EditTreeModel::NoteColumn); });
    QAction *pin = add("edits.pin", tr("Pin"), Qt::Key_P, tr("Offer the schedule first wherever one is chosen"), "pin",
                       [this, &edits] {
                           if (const EditNode *node = edits.node(spokenOf()))
                               edits.setPinned(spokenOf(), !node->pinned);
                       });
    QAction *compareTwo = add("edits.compare", tr("Compare with the one shown"), QKeySequence(QStringLiteral("Ctrl+D")),
                              tr("Two selected schedules side by side; one with the schedule shown; the one shown with "
                                 "what it was made from"),
                              "compare", [this] { compare(); });
    QAction *baseline =
        add("edits.baseline", tr("Make it the baseline"), Qt::SHIFT | Qt::Key_B,
            tr("Tell all times against the measured schedule, or none any more"), "swap", [this] { toggleBaseline(); });
    QAction *exported =
        add("edits.export", tr("Export schedule as \u2026"), {},
            tr("Take the schedule away: as C, machine code, a library, a reproducer"), "export",
            [this] { m_context.actions.run(Capability::ExportSchedule, QVariant::fromValue(edited(spokenOf()))); });
    QAction *drop = add("edits.drop", tr("Drop"), QKeySequence(Qt::Key_Delete),
                        tr("Drop the schedule with all that was made from it"), "close", [this] { askToDrop(); });
    auto *bar = findChild<QHBoxLayout *>(QStringLiteral("bar"));
    for (QAction *action : {undo, redo, rename, note, pin, compareTwo, baseline, exported, drop}) {
        auto *button = new QToolButton(this);
        button->setDefaultAction(action);
        button->setAutoRaise(true);
        button->setAccessibleName(action->text());
        bar->addWidget(button);
    }
    bar->addStretch(1);
}

void EditsView::refresh() {
    const Document *document = m_context.session.document();
    const int task = document != nullptr ? document->taskId : -1;
    if (std::exchange(m_task, task) != task) m_closed.clear();
    {
        const QScopedValueRollback<bool> following(m_following, true);
        m_model->refresh(document);
        for (const EditRow &row : m_model->rows().rows)
            if (!row.children.empty()) m_tree->setExpanded(m_model->indexOf(row.node), !m_closed.contains(row.node));
    }
    m_empty->setVisible(m_model->rowCount() == 0);
    m_tree->header()->setVisible(m_model->rowCount() > 0);
    m_tree->setHorizontalScrollBarPolicy(m_model->rowCount() > 0 ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
    m_tree->setColumnHidden(EditTreeModel::AgainstColumn, document == nullptr || document->baseline < 0);
    follow();
}

void EditsView::follow() {
    const QScopedValueRollback<bool> following(m_following, true);
    const ScheduleRef &now = m_context.session.selection().now().schedule;
    const int shown = now.kind == ScheduleRef::Kind::Edited ? now.number : -1;
    m_model->setShown(shown);
    const QModelIndex index = m_model->indexOf(shown);
    QItemSelectionModel &rows = *m_tree->selectionModel();
    if (!index.isValid()) {
        rows.clear();
    } else if (m_model->nodeAt(m_tree->currentIndex()) != shown || !rows.isSelected(index)) {
        rows.setCurrentIndex(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
        m_tree->scrollTo(index);
    }
    refreshActions();
}

int EditsView::spokenOf() const { return m_menuOf >= 0 ? m_menuOf : m_model->nodeAt(m_tree->currentIndex()); }

std::vector<int> EditsView::chosen() const {
    std::vector<int> nodes;
    for (const QModelIndex &index : m_tree->selectionModel()->selectedRows()) nodes.push_back(m_model->nodeAt(index));
    std::sort(nodes.begin(), nodes.end());
    return nodes;
}

void EditsView::refreshActions() {
    const EditedSchedules &edits = m_context.session.edits();
    const auto action = [this](const char *id) { return m_context.actions.find(QLatin1String(id)); };
    const EditNode *node = edits.node(spokenOf());
    for (const char *id : kOfOne) action(id)->setEnabled(node != nullptr);
    action(actionId(Capability::UndoEdit))->setEnabled(edits.canUndo());
    action(actionId(Capability::RedoEdit))->setEnabled(edits.canRedo());
    QAction *pin = action("edits.pin");
    pin->setText(node != nullptr && node->pinned ? tr("Unpin") : tr("Pin"));
    const int trial = node != nullptr ? node->measured.trial : -1;
    const bool isBaseline = trial >= 0 && m_context.session.document()->baseline == trial;
    QAction *baseline = action("edits.baseline");
    baseline->setText(isBaseline ? tr("No baseline any more") : tr("Make it the baseline"));
    baseline->setEnabled(trial >= 0 && node->measured.seconds > 0);
    baseline->setToolTip(baseline->isEnabled()
                             ? m_context.actions.info(baseline).tip
                             : tr("It has no time that others could be compared with: measure it first"));
    action("edits.export")
        ->setEnabled(node != nullptr && m_context.actions.find(Capability::ExportSchedule) != nullptr);
    QAction *compared = action("edits.compare");
    const bool shown = m_context.session.selection().now().schedule == edited(spokenOf());
    const bool two = m_menuOf < 0 && chosen().size() == 2;
    compared->setText(two     ? tr("Compare the two selected")
                      : shown ? tr("Compare with what it was made from")
                              : tr("Compare with the one shown"));
}

void EditsView::write(int column) {
    const QModelIndex index = m_model->indexOf(spokenOf(), column);
    if (!index.isValid()) return;
    m_tree->setFocus(Qt::OtherFocusReason);
    m_tree->scrollTo(index);
    m_tree->edit(index);
}

void EditsView::askToDrop() {
    const int number = spokenOf();
    const EditNode *node = m_context.session.edits().node(number);
    if (node == nullptr) return;
    const std::vector<int> all = m_model->branch(number);
    const bool worthy = std::any_of(all.begin(), all.end(), [this](int n) {
        const EditNode &one = *m_context.session.edits().node(n);
        return one.pinned || !one.name.isEmpty() || !one.note.isEmpty() || one.measured.seconds > 0;
    });
    if (all.size() == 1 && !worthy) return m_context.session.edits().drop(number);
    const QString name = scheduleName(*m_context.session.document(), edited(number));
    m_drop->ask(number,
                all.size() == 1
                    ? tr("Drop %1? It has a name, a note, a pin or a measured time; nothing brings it back.").arg(name)
                    : tr("Drop %1 with %2 made from it? Nothing brings them back.")
                          .arg(name, countedText(all.size() - 1, "schedule")));
}

void EditsView::compare() {
    Selection &selection = m_context.session.selection();
    const ScheduleRef shown = selection.now().schedule;
    const std::vector<int> both = chosen();
    const EditNode *node = m_context.session.edits().node(spokenOf());
    if (node == nullptr) return;
    ScheduleRef left = edited(spokenOf());
    ScheduleRef right = shown;
    if (m_menuOf < 0 && both.size() == 2) {
        left = edited(both[0]);
        right = edited(both[1]);
    } else if (left == shown) {
        left = node->parent >= 0 ? edited(node->parent) : node->origin;
    }
    if (QAction *show = m_context.actions.find(Capability::ShowComparison)) show->trigger(); // made now, if it was not
    selection.compare(left, right);
}

void EditsView::toggleBaseline() {
    const EditNode *node = m_context.session.edits().node(spokenOf());
    if (node == nullptr || node->measured.trial < 0) return;
    const bool is = m_context.session.document()->baseline == node->measured.trial;
    m_context.session.trials().setBaseline(is ? -1 : node->measured.trial);
}

void EditsView::showMenu(const QPoint &at) {
    const QModelIndex index = m_tree->indexAt(at);
    if (!index.isValid()) return;
    m_menuOf = m_model->nodeAt(index);
    refreshActions();
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    QAction *go = menu->addAction(
        tr("Go there"), this, [this, node = m_menuOf] { m_context.session.selection().selectSchedule(edited(node)); });
    menu->setDefaultAction(go);
    menu->addSeparator();
    for (const char *id : kOfOne) menu->addAction(m_context.actions.find(QLatin1String(id)));
    // What was chosen runs after the menu is gone.
    connect(menu, &QMenu::aboutToHide, this, [this] {
        QTimer::singleShot(0, this, [this] {
            m_menuOf = -1;
            refreshActions();
        });
    });
    menu->popup(m_tree->viewport()->mapToGlobal(at));
}

void EditsView::restyle() {
    m_empty->setStyleSheet(QStringLiteral("color: %1").arg(m_context.theme.color(Role::QuietText).name()));
    m_drop->restyle();
    m_tree->viewport()->update();
    for (const char *id : {actionId(Capability::UndoEdit), actionId(Capability::RedoEdit), "edits.rename", "edits.note",
                           "edits.pin", "edits.compare", "edits.baseline", "edits.export", "edits.drop"}) {
        QAction *action = m_context.actions.find(QLatin1String(id));
        action->setIcon(m_context.theme.icon(m_context.actions.info(action).icon));
    }
}

} // namespace loopscope
