#include "views/steps/loops_beside.h"

#include "language/expr/arena.h"
#include "schedule/bound_inference.h"
#include "views/loops/loop_tree_delegate.h"
#include "views/loops/loop_tree_model.h"
#include "views/loops/loop_tree_view.h"
#include "views/loops/stage_loops.h"
#include "views/session/text.h"

#include <QHeaderView>
#include <QLabel>
#include <QScrollBar>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

namespace loopscope {

namespace {

constexpr size_t kMaxCompared = 1500; // rows of each side that are aligned exactly

LoopTreePtr treeOf(const LoopState &state, const Target &target) {
    auto tree = std::make_shared<LoopTree>();
    const LoopState *shown = &state;
    // Loops of what is computed inside another stage have their extents from there.
    const auto bounded =
        state.concrete() ? inferBounds(state, std::make_shared<ExprArena>()) : Outcome<BoundedState>(Refusal{"open"});
    if (bounded) shown = &bounded->state;
    appendStateRows(*shown, target, *tree);
    appendInlinedRows(*shown, *tree);
    return tree;
}

QStringList lines(const LoopTree &tree) {
    QStringList all;
    for (const LoopRow &row : tree.rows)
        all << QStringLiteral("%1 %2 %3 %4").arg(QString::number(row.depth), rowText(row), row.extentText, row.stage);
    return all;
}

/// Rows that the longest common subsequence of both leaves out.
void markDifferences(BesideTrees &trees) {
    const QStringList a = lines(*trees.before);
    const QStringList b = lines(*trees.after);
    qsizetype head = 0;
    while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
    qsizetype tail = 0;
    while (tail < a.size() - head && tail < b.size() - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
    const auto n = static_cast<size_t>(a.size() - head - tail);
    const auto m = static_cast<size_t>(b.size() - head - tail);
    const auto left = [&](size_t i) -> const QString & { return a[head + static_cast<qsizetype>(i)]; };
    const auto right = [&](size_t j) -> const QString & { return b[head + static_cast<qsizetype>(j)]; };
    const auto mark = [head](std::vector<int> &rows, size_t i) {
        rows.push_back(static_cast<int>(i) + static_cast<int>(head));
    };
    if (n > kMaxCompared || m > kMaxCompared) { // all in between
        for (size_t i = 0; i < n; ++i) mark(trees.changedBefore, i);
        for (size_t j = 0; j < m; ++j) mark(trees.changedAfter, j);
        return;
    }
    std::vector<std::vector<int>> common(n + 1, std::vector<int>(m + 1, 0));
    for (size_t i = n; i-- > 0;)
        for (size_t j = m; j-- > 0;)
            common[i][j] =
                left(i) == right(j) ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    size_t i = 0;
    size_t j = 0;
    while (i < n || j < m) {
        if (i < n && j < m && left(i) == right(j)) {
            ++i;
            ++j;
        } else if (j >= m || (i < n && common[i + 1][j] >= common[i][j + 1])) {
            mark(trees.changedBefore, i++);
        } else {
            mark(trees.changedAfter, j++);
        }
    }
}

} // namespace

BesideTrees makeBeside(const LoopState &before, const LoopState &after, const Target &target) {
    BesideTrees trees{treeOf(before, target), treeOf(after, target), {}, {}};
    markDifferences(trees);
    return trees;
}

LoopsBeside::LoopsBeside(Theme &theme, QWidget *parent) : QWidget(parent), m_theme(theme) {
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    m_sentence = new QLabel(this);
    m_sentence->setAlignment(Qt::AlignCenter);
    m_sentence->setWordWrap(true);
    m_sentence->setMargin(16);
    column->addWidget(m_sentence, 1);
    m_splitter = new QSplitter(Qt::Horizontal, this);
    m_splitter->setChildrenCollapsible(false);
    column->addWidget(m_splitter, 1);
    for (Pane &pane : m_panes) {
        auto *half = new QWidget(m_splitter);
        auto *inside = new QVBoxLayout(half);
        inside->setContentsMargins(0, 0, 0, 0);
        inside->setSpacing(0);
        pane.title = new QLabel(half);
        pane.title->setContentsMargins(8, 3, 8, 3);
        pane.model = new LoopTreeModel(half);
        pane.tree = new LoopTreeView(theme, half);
        pane.tree->setModel(pane.model);
        pane.tree->setItemDelegate(new LoopTreeDelegate(theme, pane.tree));
        pane.tree->setAccessibleName(&pane == &m_panes[Before] ? tr("Loops before the step")
                                                               : tr("Loops after the step"));
        pane.tree->setIndentation(fontMetrics().averageCharWidth() * 2);
        pane.tree->setUniformRowHeights(true);
        pane.tree->setSelectionMode(QAbstractItemView::NoSelection);
        pane.tree->setFrameShape(QFrame::NoFrame);
        pane.tree->setHeaderHidden(true);
        pane.tree->header()->setStretchLastSection(false);
        pane.tree->header()->setSectionResizeMode(LoopTreeModel::LoopColumn, QHeaderView::Stretch);
        pane.tree->header()->setSectionResizeMode(LoopTreeModel::ExtentColumn, QHeaderView::ResizeToContents);
        for (const int column : {LoopTreeModel::TotalColumn, LoopTreeModel::StageColumn, LoopTreeModel::StorageColumn})
            pane.tree->setColumnHidden(column, true);
        connect(pane.model, &LoopTreeModel::marksChanged, pane.tree->viewport(), qOverload<>(&QWidget::update));
        inside->addWidget(pane.title);
        inside->addWidget(pane.tree, 1);
    }
    scrollTogether();
    say({});
}

void LoopsBeside::scrollTogether() {
    for (const Side side : {Before, After}) {
        QScrollBar *other = m_panes[side == Before ? After : Before].tree->verticalScrollBar();
        connect(m_panes[side].tree->verticalScrollBar(), &QScrollBar::valueChanged, other, &QScrollBar::setValue);
    }
}

void LoopsBeside::show(const BesideTrees &trees, int step) {
    m_sentence->hide();
    m_splitter->show();
    m_panes[Before].title->setText(tr("Before step %1").arg(step));
    m_panes[After].title->setText(tr("After step %1").arg(step));
    const std::array<const std::vector<int> *, 2> changed{&trees.changedBefore, &trees.changedAfter};
    for (const Side side : {Before, After}) {
        Pane &pane = m_panes[side];
        pane.model->setTree(side == Before ? trees.before : trees.after);
        pane.model->setMarks(*changed[side]);
        pane.tree->expandAll();
    }
    for (const Side side : {Before, After})
        if (!changed[side]->empty()) m_panes[side].tree->scrollTo(m_panes[side].model->indexOf(changed[side]->front()));
}

void LoopsBeside::say(const QString &sentence) {
    for (Pane &pane : m_panes) pane.model->setTree(nullptr);
    m_sentence->setText(sentence);
    m_sentence->show();
    m_splitter->hide();
}

void LoopsBeside::restyle() {
    const QString quiet = QStringLiteral("color: %1").arg(m_theme.color(Role::QuietText).name());
    m_sentence->setStyleSheet(quiet);
    for (Pane &pane : m_panes) {
        pane.title->setStyleSheet(quiet);
        pane.tree->doItemsLayout();
    }
}

/// One below the other where there is no room beside.
void LoopsBeside::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    const bool narrow = width() < fontMetrics().averageCharWidth() * 70 && height() > width() / 2;
    m_splitter->setOrientation(narrow ? Qt::Vertical : Qt::Horizontal);
}

} // namespace loopscope
