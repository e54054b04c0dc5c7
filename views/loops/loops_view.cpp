#include "views/loops/loops_view.h"

#include "views/actions/page_stack.h"
#include "views/loops/loop_columns.h"
#include "views/loops/loop_find_line.h"
#include "views/loops/loop_legend.h"
#include "views/loops/loop_moves.h"
#include "views/loops/loop_reasons.h"
#include "views/loops/loop_tree_delegate.h"
#include "views/loops/loop_tree_model.h"
#include "views/loops/loop_tree_view.h"
#include "views/loops/schedule_bar.h"
#include "views/loops/schedule_head.h"
#include "views/loops/schedule_tables.h"
#include "views/loops/step_list_model.h"
#include "views/loops/table_text.h"
#include "views/session/text.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QSaveFile>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>
#include <optional>
#include <utility>

namespace loopscope {

namespace {

constexpr int kMargin = 8;
constexpr int kOpenAtFirst = 3000; // rows; deeper levels of larger programs start closed

struct Made {
    LoopTreePtr tree;
    std::vector<StepLine> steps;
};

/// Deepest level that can be open with no more than so many rows shown.
int depthFor(const LoopTree &tree, int rows) {
    std::vector<int> perDepth;
    for (const LoopRow &row : tree.rows) {
        if (static_cast<size_t>(row.depth) >= perDepth.size()) perDepth.resize(static_cast<size_t>(row.depth) + 1);
        ++perDepth[static_cast<size_t>(row.depth)];
    }
    int shown = 0;
    for (size_t depth = 0; depth < perDepth.size(); ++depth) {
        shown += perDepth[depth];
        if (shown > rows) return std::max(0, static_cast<int>(depth) - 1);
    }
    return static_cast<int>(perDepth.size());
}

QModelIndexList sortedRows(const QTreeView &tree) {
    QModelIndexList rows = tree.selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end(),
              [](const QModelIndex &a, const QModelIndex &b) { return a.internalId() < b.internalId(); });
    return rows;
}

} // namespace

LoopsView::LoopsView(const ViewContext &context, QWidget *parent) : QWidget(parent), m_context(context) {
    setObjectName(QStringLiteral("LoopsView"));
    m_model = new LoopTreeModel(this);
    build();
    addActions();

    Session &session = context.session;
    connect(&session.documents(), &Documents::documentChanged, this, &LoopsView::documentChanged);
    connect(&session.documents(), &Documents::problemChanged, this, [this] {
        if (m_pages->currentIndex() == 0) requestTree(); // what it says may be another thing now
        refreshHeader();
    });
    connect(&session.documents(), &Documents::sketchesChanged, this, [this] {
        m_bar->setDocument(m_context.session.document());
        if (m_asked.kind == ScheduleRef::Kind::Sketch) requestTree();
        refreshHeader();
    });
    const auto trials = [this] {
        m_bar->setDocument(m_context.session.document());
        refreshHeader();
    };
    connect(&session.trials(), &TaskTrials::trialsAdded, this, trials);
    connect(&session.trials(), &TaskTrials::trialsReset, this, trials);
    connect(&session.trials(), &TaskTrials::trialsChanged, this, trials);
    connect(&session.trials(), &TaskTrials::bestChanged, this, trials);
    connect(&session.edits(), &EditedSchedules::nodesChanged, this, trials);
    connect(&session.search().byHand(), &HandMeasuring::changed, this, &LoopsView::refreshHeader);
    connect(&session.trials(), &TaskTrials::baselineChanged, this, trials);
    const auto ready = [this](const ScheduleRef &ref) {
        if (ref == m_asked) requestTree();
    };
    connect(&session.representations(), &RepresentationCache::representationsReady, this, ready, Qt::QueuedConnection);
    connect(&session.selection(), &Selection::changed, this, [this](const Selected &now) {
        if (!(now.schedule == m_asked)) {
            m_bar->setSchedule(now.schedule);
            requestTree();
            refreshHeader();
        }
        follow(now);
    });
    connect(m_bar, &ScheduleBar::chosen, this,
            [this](const ScheduleRef &ref) { m_context.session.selection().selectSchedule(ref); });
    connect(m_model, &LoopTreeModel::marksChanged, m_tree->viewport(), qOverload<>(&QWidget::update));
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentChanged, this, &LoopsView::pickRow);
    // A click on the row that is current already says it again: something else may have been selected since.
    connect(m_tree, &QTreeView::clicked, this, &LoopsView::pickRow);
    connect(m_tables, &ScheduleTables::stepPicked, &session.selection(), &Selection::selectStep);
    connect(m_tables, &ScheduleTables::storagePicked, this, [this](const StorageFact &fact) {
        Selection &selection = m_context.session.selection();
        if (fact.node >= 0)
            selection.selectNode(fact.node, fact.stage, {});
        else if (!fact.stage.isEmpty())
            selection.selectStage(fact.stage);
    });
    connect(m_find, &LoopFindLine::found, this, [this](const QModelIndex &index, bool chosen) {
        m_tree->scrollTo(index);
        {
            const QScopedValueRollback<bool> following(m_following, !chosen);
            m_tree->setCurrentIndex(index);
        }
        if (chosen) pickRow(index);
    });
    connect(m_find, &LoopFindLine::closed, m_tree, qOverload<>(&QWidget::setFocus));
    connect(&context.theme, &Theme::changed, this, &LoopsView::restyle);
    restyle();
    documentChanged();
}

void LoopsView::documentChanged() {
    const Document *document = m_context.session.document();
    const int id = document == nullptr ? -1 : document->taskId;
    if (id != m_documentId) {
        m_documentId = id;
        showTree(nullptr, {});
    }
    showLegend();
    m_bar->setDocument(document);
    m_bar->setSchedule(m_context.session.selection().now().schedule);
    requestTree();
    refreshHeader();
}

void LoopsView::requestTree() {
    m_asked = m_context.session.selection().now().schedule;
    const int generation = ++m_generation;
    m_context.session.jobs().cancel(m_job);
    const QString empty = whyNoLoops(m_context.session.document(), m_asked);
    m_empty->setText(empty);
    m_pages->setCurrentIndex(empty.isEmpty() ? 1 : 0);
    if (!empty.isEmpty()) return showTree(nullptr, {});
    RepresentationsPtr representations = m_context.session.representations().of(m_asked);
    if (representations == nullptr) return; // representationsReady calls again; until then the old tree stays
    std::shared_ptr<const Task> task = m_context.session.document()->task;
    // Of a schedule made by hand, the steps that are refused belong to it, too.
    const EditNode *edited =
        m_asked.kind == ScheduleRef::Kind::Edited ? m_context.session.edits().node(m_asked.number) : nullptr;
    std::optional<EditedSteps> steps;
    if (edited != nullptr) steps = edited->steps;
    m_job = m_context.session.jobs().start(
        QStringLiteral("making the loop tree"), this,
        [representations, task, steps = std::move(steps)](JobControl &) {
            return Made{makeLoopTree(*representations, task->target),
                        steps ? describeSteps(*steps) : describeSteps(task->dag, representations->steps)};
        },
        [this, generation](Made made) {
            if (generation == m_generation) showTree(std::move(made.tree), std::move(made.steps));
        });
}

void LoopsView::showTree(LoopTreePtr tree, std::vector<StepLine> steps) {
    m_whole = std::move(tree);
    m_tables->show(std::move(steps), m_whole ? m_whole->storage : std::vector<StorageFact>{});
    rebuild();
    refreshHeader();
}

void LoopsView::rebuild() {
    m_onlyOf = m_onlyStage ? m_context.session.selection().now().stage : QString();
    LoopTreePtr shown = m_whole;
    if (m_whole && !m_onlyOf.isEmpty()) {
        shown = onlyStage(*m_whole, m_onlyOf);
        if (shown->rows.empty()) shown = m_whole; // an input, say
    }
    m_following = true;
    m_model->setTree(shown);
    if (shown) expandTo(depthFor(*shown, kOpenAtFirst));
    m_following = false;
    m_find->searchAnew();
    m_columns->fit();
    follow(m_context.session.selection().now());
}

void LoopsView::follow(const Selected &now) {
    if (!(now.schedule == m_asked) || !m_model->tree()) return;
    if (m_onlyStage && now.stage != m_onlyOf) return rebuild();
    m_following = true;
    const LoopTree &tree = *m_model->tree();
    const StepListModel &all = m_tables->steps();
    std::vector<int> marks;
    std::vector<int> steps;
    bool exact = false;
    QString note;
    if (now.step >= 0) {
        steps = {now.step};
        if (static_cast<size_t>(now.step) < all.steps().size())
            marks = m_model->rowsOf(all.steps()[static_cast<size_t>(now.step)].targets);
    } else if (now.node >= 0 && tree.fromProgram) {
        const int row = tree.rowAt(now.node);
        if (row >= 0) marks = {row};
        exact = row >= 0;
        steps = all.stepsOf(now.stage, now.iterator);
    } else if (!now.stage.isEmpty()) {
        marks = m_model->rowsOf(now.stage, now.iterator);
        steps = all.stepsOf(now.stage, now.iterator);
        if (marks.empty()) {
            const auto absent = tree.absent.find(now.stage);
            note = now.stage + u' ' +
                   (absent != tree.absent.end() ? absent->second
                    : m_model->rowsOf(now.stage, {}).empty()
                        ? QStringLiteral("has no loops of its own in this schedule.")
                        : QStringLiteral("has no loop %1 in this schedule.").arg(now.iterator));
        }
    }
    m_model->setMarks(marks);
    m_note = note;
    refreshHeader();
    reveal(marks, exact);
    m_tables->follow(steps, now.stage, now.step);
    m_following = false;
}

void LoopsView::reveal(const std::vector<int> &rows, bool makeCurrent) {
    const QModelIndex first = rows.empty() ? QModelIndex() : m_model->indexOf(rows.front());
    if (!makeCurrent || !first.isValid()) {
        // The user's own row stays current, so that the keys go on from there, unless it says something else.
        const int current =
            m_tree->currentIndex().isValid() ? static_cast<int>(m_tree->currentIndex().internalId()) : -1;
        if (!std::binary_search(rows.begin(), rows.end(), current)) m_tree->selectionModel()->clear();
    } else if (!m_tree->selectionModel()->isRowSelected(first.row(), first.parent())) {
        m_tree->selectionModel()->setCurrentIndex(first,
                                                  QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    }
    if (first.isValid()) m_tree->scrollTo(first);
}

void LoopsView::pickRow(const QModelIndex &index) {
    const LoopRow *row = m_model->rowAt(index);
    // A row becomes current without being selected when the tree is gone to (Alt+6, Tab): nobody has chosen it.
    if (m_following || row == nullptr || !m_tree->selectionModel()->isSelected(index)) return;
    Selection &selection = m_context.session.selection();
    if (m_model->tree()->fromProgram && row->node >= 0)
        selection.selectNode(row->node, row->stage, row->iterator);
    else if (!row->stage.isEmpty())
        selection.selectIterator(row->stage, row->iterator);
}

void LoopsView::expandTo(int depth) {
    int deepest = 0;
    if (m_model->tree())
        for (const LoopRow &row : m_model->tree()->rows) deepest = std::max(deepest, row.depth);
    m_depth = std::clamp(depth, 0, deepest);
    if (m_depth >= deepest) return m_tree->expandAll();
    m_tree->collapseAll();
    if (m_depth > 0) m_tree->expandToDepth(m_depth - 1);
}

// --- Parts
// --------------------------------------------------------------------------------------------------------------

void LoopsView::build() {
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(0, 0, 0, 0);
    page->setSpacing(0);

    auto *top = new QHBoxLayout;
    top->setContentsMargins(kMargin, kMargin / 2, kMargin, kMargin / 2);
    m_bar = new ScheduleBar(m_context.theme, this);
    top->addWidget(m_bar, 1);
    page->addLayout(top);

    m_pages = new PageStack(this);
    page->addWidget(m_pages, 1);
    m_empty = addSentence(*m_pages, 4 * kMargin);

    auto *full = new QWidget(m_pages);
    m_pages->addWidget(full);
    auto *column = new QVBoxLayout(full);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_head = new ScheduleHead(m_context.theme, full);
    column->addWidget(m_head);

    auto *splitter = new QSplitter(Qt::Vertical, full);
    splitter->setChildrenCollapsible(true);
    column->addWidget(splitter, 1);
    auto *upper = new QWidget(splitter);
    auto *treeColumn = new QVBoxLayout(upper);
    treeColumn->setContentsMargins(0, 0, 0, 0);
    treeColumn->setSpacing(0);
    m_tree = new LoopTreeView(m_context.theme, upper);
    m_tree->setIndentation(fontMetrics().averageCharWidth() * 2);
    m_tree->setModel(m_model);
    setFocusProxy(m_tree);
    auto *delegate = new LoopTreeDelegate(m_context.theme, m_tree);
    m_tree->setItemDelegate(delegate);
    m_tree->setAccessibleName(QStringLiteral("Loops"));
    m_tree->setUniformRowHeights(true);
    m_tree->setAllColumnsShowFocus(true);
    m_tree->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setMouseTracking(true);
    m_tree->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionsMovable(false);
    m_tree->header()->setMinimumSectionSize(24);
    m_columns = new LoopColumns(*m_tree, *m_model, *delegate, m_context.theme, m_context.settings);
    m_moves = new LoopMoves(m_context, *m_tree, *m_model);
    new LoopReasons(m_context.session, *m_model, this);
    treeColumn->addWidget(m_tree, 1);
    m_find = new LoopFindLine(m_context.theme, *m_model, upper);
    treeColumn->addWidget(m_find);
    m_legend = new QLabel(upper);
    m_legend->setWordWrap(true);
    m_legend->setContentsMargins(kMargin, kMargin / 2, kMargin, kMargin / 2);
    m_legend->setAccessibleName(QStringLiteral("Legend of the colours"));
    treeColumn->addWidget(m_legend);

    m_tables = new ScheduleTables(m_context.theme, splitter);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({600, 220});
}

void LoopsView::addActions() {
    Actions &actions = m_context.actions;
    const QString category = QStringLiteral("Loops");
    const auto add = [&](const char *id, const QString &text, const QKeySequence &keys, const QString &tip,
                         const QString &icon, bool checkable, std::function<void()> run) {
        QAction *action =
            actions.add({QLatin1String(id), category, text, keys, tip, icon, checkable}, this, std::move(run));
        if (!icon.isEmpty()) action->setIcon(m_context.theme.icon(icon));
        return action;
    };
    QAction *naive = add("loops.naive", QStringLiteral("Loops of the naive schedule"), QKeySequence(Qt::Key_1), {}, {},
                         false, [this] { m_bar->chooseNaive(); });
    QAction *sketch = add("loops.sketch", QStringLiteral("Loops of the sketch"), QKeySequence(Qt::Key_2), {}, {}, false,
                          [this] { m_bar->chooseSketch(); });
    QAction *candidate = add("loops.candidate", QStringLiteral("Loops of the trial"), QKeySequence(Qt::Key_3), {}, {},
                             false, [this] { m_bar->chooseCandidate(); });
    QAction *edited = add("loops.edited", QStringLiteral("Loops of the edited schedule"), QKeySequence(Qt::Key_4), {},
                          {}, false, [this] { m_bar->chooseEdited(); });
    const std::pair<QToolButton *, QAction *> segments[] = {{m_bar->naiveButton(), naive},
                                                            {m_bar->sketchButton(), sketch},
                                                            {m_bar->candidateButton(), candidate},
                                                            {m_bar->editedButton(), edited}};
    for (const auto &[button, action] : segments) m_bar->setShortcut(button, action->shortcut());

    QAction *deeper =
        add("loops.expandLevel", QStringLiteral("Open one level more"), QKeySequence(Qt::Key_BracketRight), {},
            QStringLiteral("expand"), false, [this] { expandTo(m_depth + 1); });
    QAction *shallower =
        add("loops.collapseLevel", QStringLiteral("Close one level"), QKeySequence(Qt::Key_BracketLeft), {},
            QStringLiteral("collapse"), false, [this] { expandTo(m_depth - 1); });
    add("loops.expandAll", QStringLiteral("Open all loops"), QKeySequence(Qt::SHIFT | Qt::Key_BracketRight), {}, {},
        false, [this] { m_tree->expandAll(); });
    add("loops.collapseAll", QStringLiteral("Close all loops"), QKeySequence(Qt::SHIFT | Qt::Key_BracketLeft), {}, {},
        false, [this] { expandTo(0); });
    QAction *only =
        add("loops.onlyStage", QStringLiteral("Only the selected stage"), QKeySequence(Qt::Key_O),
            QStringLiteral("Show only the loops of the selected stage"), QStringLiteral("filter"), true, [] {});
    connect(only, &QAction::toggled, this, [this](bool on) {
        m_onlyStage = on;
        rebuild();
    });
    QAction *legend = add("loops.legend", QStringLiteral("Legend"), QKeySequence(Qt::Key_L),
                          QStringLiteral("What the colours mean"), QStringLiteral("help"), true, [] {});
    connect(legend, &QAction::toggled, this, [this](bool on) {
        m_legend->setVisible(on);
        m_context.settings.setValue(QStringLiteral("loops/legend"), on);
    });
    legend->setChecked(m_context.settings.value(QStringLiteral("loops/legend"), true).toBool());
    m_legend->setVisible(legend->isChecked());
    QAction *find = add("loops.find", QStringLiteral("Find in the loops"), {}, {}, QStringLiteral("find"), false,
                        [this] { startFind(); });
    QAction *copyRows = add("loops.copy", QStringLiteral("Copy rows"), QKeySequence(QKeySequence::Copy),
                            QStringLiteral("Copy the selected rows as a table"), QStringLiteral("copy"), false,
                            [this] { copy(false); });
    QAction *copyText =
        add("loops.copyText", QStringLiteral("Copy as text"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C),
            QStringLiteral("Copy the selected loops, or all, as indented text"), {}, false, [this] { copy(true); });
    for (QAction *action : {copyRows, copyText, deeper, shallower, only}) m_tree->addAction(action);

    QAction *measure = actions.find(QStringLiteral("loops.measure"));
    for (QAction *action : {actions.find(QStringLiteral("loops.change")), measure})
        action->setIcon(m_context.theme.icon(actions.info(action).icon));
    for (QAction *action : {measure, deeper, shallower, only, find, legend}) {
        auto *button = new QToolButton(this);
        button->setDefaultAction(action);
        button->setAutoRaise(true);
        button->setAccessibleName(action->text());
        m_head->tools().addWidget(button);
    }
}

void LoopsView::startFind() { m_find->begin(); }

void LoopsView::refreshHeader() {
    if (const Document *document = m_context.session.document())
        m_head->show(*document, m_asked, m_whole.get(), m_note,
                     m_context.session.search().byHand().standing(document->taskId, m_asked),
                     m_asked.kind == ScheduleRef::Kind::Edited ? m_context.session.moves().predictedBy(m_asked.number)
                                                               : QString());
}

void LoopsView::restyle() {
    const Theme &theme = m_context.theme;
    m_empty->setStyleSheet(QStringLiteral("color: %1").arg(theme.color(Role::QuietText).name()));
    m_find->restyle(theme);
    m_head->restyle();
    m_tables->restyle();
    showLegend();
    m_tree->doItemsLayout();
    m_columns->fit();
    refreshHeader();
}

void LoopsView::showLegend() {
    const Document *document = m_context.session.document();
    m_legend->setText(loopLegend(m_context.theme, document && document->task && document->task->target.isGpu()));
}

void LoopsView::copy(bool asText) {
    QString text;
    if (m_tables->tableHasFocus()) {
        text = m_tables->chosenRows();
    } else if (m_model->tree()) {
        const QModelIndexList rows = sortedRows(*m_tree);
        std::vector<int> numbers;
        for (const QModelIndex &row : rows) numbers.push_back(static_cast<int>(row.internalId()));
        text = asText ? loopTreeText(*m_model->tree(), numbers) : tableText(*m_model, rows, TableFormat::Tsv);
    }
    if (!text.isEmpty()) QApplication::clipboard()->setText(text);
}

QStringList LoopsView::exportSuffixes() const {
    return {QStringLiteral("txt"), QStringLiteral("csv"), QStringLiteral("tsv")};
}

QString LoopsView::exportTo(const QString &path) {
    if (!m_model->tree()) return QStringLiteral("%1: there are no loops to export").arg(path);
    const LoopTree &tree = *m_model->tree();
    QString text;
    if (path.endsWith(QLatin1String(".txt"), Qt::CaseInsensitive)) {
        text = loopTreeText(tree);
    } else {
        QModelIndexList rows;
        for (size_t r = 0; r < tree.rows.size(); ++r) rows << m_model->indexOf(static_cast<int>(r));
        text =
            tableText(*m_model, rows,
                      path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive) ? TableFormat::Csv : TableFormat::Tsv);
    }
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text.toUtf8()) < 0 || !file.commit())
        return QStringLiteral("%1: %2").arg(path, file.errorString());
    return {};
}

} // namespace loopscope
