#include "views/loops/loops_view.h"

#include "views/loops/loop_tree_delegate.h"
#include "views/loops/loop_tree_model.h"
#include "views/loops/schedule_bar.h"
#include "views/loops/step_list_model.h"
#include "views/loops/storage_model.h"
#include "views/session/text.h"

#include <QEvent>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLineEdit>
#include <QScopedValueRollback>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QTreeView>

#include <algorithm>

namespace loopscope {

namespace {

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

} // namespace

LoopsView::LoopsView(const ViewContext &context, QWidget *parent) : QWidget(parent), m_context(context) {
    setObjectName(QStringLiteral("LoopsView"));
    m_model = new LoopTreeModel(this);
    m_steps = new StepListModel(context.theme, this);
    m_storage = new StorageModel(context.theme, this);
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
    connect(m_stepTable, &QTableView::clicked, this, &LoopsView::pickStep);
    connect(m_stepTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &LoopsView::pickStep);
    connect(m_storageTable, &QTableView::clicked, this, [this](const QModelIndex &index) {
        const StorageFact &fact = m_storage->facts()[static_cast<size_t>(index.row())];
        Selection &selection = m_context.session.selection();
        if (fact.node >= 0)
            selection.selectNode(fact.node, fact.stage, {});
        else if (!fact.stage.isEmpty())
            selection.selectStage(fact.stage);
    });
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
    m_bar->setDocument(document);
    m_bar->setSchedule(m_context.session.selection().now().schedule);
    requestTree();
    refreshHeader();
}

QString LoopsView::whyEmpty() const {
    const Document *document = m_context.session.document();
    if (document == nullptr) return QStringLiteral("Open a workload to see its loops.");
    if (document->logTask && document->problem)
        return QStringLiteral("There are no loops to show: %1.").arg(document->problem->sentence);
    if (document->task == nullptr)
        return document->problem
                   ? QStringLiteral("The workload has an error; its loops appear here once it is mended.\n%1")
                         .arg(document->problem->sentence)
                   : QStringLiteral("Analysing the workload \u2026");
    const auto trials = document->trials.size();
    const auto sketches = document->sketches.size();
    const ScheduleRef &ref = m_asked;
    if (ref.kind == ScheduleRef::Kind::Trial && static_cast<size_t>(ref.number) >= trials)
        return QStringLiteral("Trial %1 does not exist (yet). Choose another schedule above.").arg(ref.number + 1);
    if (ref.kind == ScheduleRef::Kind::Edited && static_cast<size_t>(ref.number) >= document->edited.size())
        return QStringLiteral("There is no %1 any more. Choose another schedule above.").arg(scheduleName(ref));
    if (ref.kind == ScheduleRef::Kind::Sketch && static_cast<size_t>(ref.number) >= sketches)
        return document->sketchProblem.isEmpty()
                   ? QStringLiteral("Sketch %1 does not exist (yet). Choose another schedule above.").arg(ref.number)
                   : QStringLiteral("There are no sketches: %1").arg(document->sketchProblem);
    return {};
}

void LoopsView::requestTree() {
    m_asked = m_context.session.selection().now().schedule;
    const int generation = ++m_generation;
    m_context.session.jobs().cancel(m_job);
    const QString empty = whyEmpty();
    m_empty->setText(empty);
    m_pages->setCurrentIndex(empty.isEmpty() ? 1 : 0);
    if (!empty.isEmpty()) return showTree(nullptr, {});
    RepresentationsPtr representations = m_context.session.representations().of(m_asked);
    if (representations == nullptr) return; // representationsReady calls again; until then the old tree stays
    std::shared_ptr<const Task> task = m_context.session.document()->task;
    m_job = m_context.session.jobs().start(
        QStringLiteral("making the loop tree"), this,
        [representations, task](JobControl &) {
            return Made{makeLoopTree(*representations, task->target), describeSteps(task->dag, representations->steps)};
        },
        [this, generation](Made made) {
            if (generation == m_generation) showTree(std::move(made.tree), std::move(made.steps));
        });
}

void LoopsView::showTree(LoopTreePtr tree, std::vector<StepLine> steps) {
    m_whole = std::move(tree);
    m_following = true;
    m_steps->setSteps(std::move(steps));
    m_following = false;
    m_storage->setFacts(m_whole ? m_whole->storage : std::vector<StorageFact>{});
    m_stepTable->resizeColumnsToContents();
    // A reorder names every loop; in full they stand in the tooltip, and must not push the parameters out of sight.
    const int most = fontMetrics().averageCharWidth() * 18;
    m_stepTable->setColumnWidth(StepListModel::LoopColumn,
                                std::min(most, m_stepTable->columnWidth(StepListModel::LoopColumn)));
    m_storageTable->resizeColumnsToContents();
    m_noSteps->setVisible(m_steps->steps().empty());
    m_stepTable->setVisible(!m_steps->steps().empty());
    m_tabs->setTabText(0, m_steps->steps().empty() ? QStringLiteral("Steps")
                                                   : QStringLiteral("Steps (%1)").arg(m_steps->steps().size()));
    m_tabs->setTabText(1, m_storage->facts().empty() ? QStringLiteral("Storage")
                                                     : QStringLiteral("Storage (%1)").arg(m_storage->facts().size()));
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
    m_found = m_model->find(m_findLine->isVisible() ? m_findEdit->text() : QString());
    fitColumns();
    follow(m_context.session.selection().now());
}

void LoopsView::follow(const Selected &now) {
    if (!(now.schedule == m_asked) || !m_model->tree()) return;
    if (m_onlyStage && now.stage != m_onlyOf) return rebuild();
    m_following = true;
    const LoopTree &tree = *m_model->tree();
    std::vector<int> marks;
    std::vector<int> steps;
    bool exact = false;
    QString note;
    if (now.step >= 0) {
        steps = {now.step};
        if (static_cast<size_t>(now.step) < m_steps->steps().size())
            marks = m_model->rowsOf(m_steps->steps()[static_cast<size_t>(now.step)].targets);
    } else if (now.node >= 0 && tree.fromProgram) {
        const int row = tree.rowAt(now.node);
        if (row >= 0) marks = {row};
        exact = row >= 0;
        steps = m_steps->stepsOf(now.stage, now.iterator);
    } else if (!now.stage.isEmpty()) {
        marks = m_model->rowsOf(now.stage, now.iterator);
        steps = m_steps->stepsOf(now.stage, now.iterator);
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
    m_steps->setMarked(steps);
    m_storage->setMarkedStage(now.stage);
    m_note = note;
    refreshHeader();
    reveal(marks, exact);
    const QModelIndex step = now.step >= 0 ? m_steps->index(now.step, 0) : QModelIndex();
    if (step.isValid() && m_stepTable->currentIndex().row() != step.row()) m_stepTable->setCurrentIndex(step);
    if (!step.isValid()) m_stepTable->selectionModel()->clear();
    if (!steps.empty()) m_stepTable->scrollTo(m_steps->index(steps.front(), 0));
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
    if (m_following || row == nullptr) return;
    Selection &selection = m_context.session.selection();
    if (m_model->tree()->fromProgram && row->node >= 0)
        selection.selectNode(row->node, row->stage, row->iterator);
    else if (!row->stage.isEmpty())
        selection.selectIterator(row->stage, row->iterator);
}

void LoopsView::pickStep(const QModelIndex &index) {
    if (m_following || !index.isValid()) return;
    m_context.session.selection().selectStep(index.row());
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

void LoopsView::fitColumns() {
    if (!m_model->tree()) return;
    const QFontMetrics plain(font());
    const QFontMetrics code(m_context.theme.codeFont());
    const int most = plain.averageCharWidth() * 34;
    const std::vector<LoopRow> &rows = m_model->tree()->rows;
    for (int column = 1; column < LoopTreeModel::ColumnCount; ++column) {
        const QFontMetrics &metrics = column <= LoopTreeModel::TotalColumn ? code : plain;
        int width = plain.horizontalAdvance(loopColumnNames().at(column)) + 8;
        for (size_t r = 0; r < std::min<size_t>(rows.size(), 1000); ++r)
            width = std::max(width, metrics.horizontalAdvance(loopColumns(rows[r]).at(column)));
        m_wanted[static_cast<size_t>(column)] = std::min(width, most) + 20;
    }
    // Loops must be legible at any depth; statements may be cut, they have a tooltip.
    const int letter = code.averageCharWidth();
    int loops = letter * 20;
    int all = loops;
    for (size_t r = 0; r < std::min<size_t>(rows.size(), 1000); ++r) {
        const int indent = (rows[r].depth + 1) * m_tree->indentation();
        all = std::max(all, indent + m_delegate->contentWidth(rows[r]));
        if (rows[r].kind == RowKind::Loop)
            loops = std::max(loops, indent + std::min(m_delegate->contentWidth(rows[r]), letter * 28));
    }
    m_leastFirst = std::min(loops, letter * 64);
    m_wanted[0] = std::max(m_leastFirst, std::min(all, letter * 64));
    stretchFirst();
}

/// The loops have the width there is. What is left of it the other columns share: those of words give way first, and
/// what does not fit even so lies to the right, behind a scroll bar.
void LoopsView::stretchFirst() {
    if (m_firstDragged || m_stretching) return;
    const QScopedValueRollback<bool> stretching(m_stretching, true);
    const int room = m_tree->viewport()->width();
    const int narrow = fontMetrics().averageCharWidth() * 9;
    std::array<int, LoopTreeModel::ColumnCount> widths = m_wanted;
    int others = 0;
    for (int column = 1; column < LoopTreeModel::ColumnCount; ++column)
        if (!m_tree->isColumnHidden(column)) others += widths[static_cast<size_t>(column)];
    for (const int column : {LoopTreeModel::StorageColumn, LoopTreeModel::StageColumn}) {
        if (m_tree->isColumnHidden(column)) continue;
        int &width = widths[static_cast<size_t>(column)];
        const int given = std::clamp(m_wanted[0] + others - room, 0, std::max(0, width - narrow));
        width -= given;
        others -= given;
    }
    // From the right, columns leave the sight until the loops are legible.
    int beside = others;
    for (int column = LoopTreeModel::ColumnCount - 1; column >= 1 && room - beside < m_leastFirst; --column)
        if (!m_tree->isColumnHidden(column)) beside -= widths[static_cast<size_t>(column)];
    widths[0] = std::max(room - beside, m_tree->header()->minimumSectionSize());
    for (int column = 0; column < LoopTreeModel::ColumnCount; ++column)
        if (!m_tree->isColumnHidden(column))
            m_tree->header()->resizeSection(column, widths[static_cast<size_t>(column)]);
}

void LoopsView::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    stretchFirst();
}

bool LoopsView::eventFilter(QObject *watched, QEvent *event) {
    if (watched == m_tree->viewport() && event->type() == QEvent::Resize) stretchFirst();
    return QWidget::eventFilter(watched, event);
}

} // namespace loopscope
