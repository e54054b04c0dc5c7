#include "views/network_profile/profile_pages.h"

#include "views/actions/row_table.h"
#include "views/network_profile/profile_diff_model.h"
#include "views/network_profile/profile_tree_model.h"

#include <QAction>
#include <QHeaderView>
#include <QItemSelection>
#include <QLabel>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QStyledItemDelegate>
#include <QTabBar>
#include <QTableView>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace loopscope {

namespace {

QByteArray lineOf(const QAbstractItemModel &model, const QHeaderView &header,
                  const std::function<QVariant(int column)> &cell, TableFormat format) {
    QStringList cells;
    for (int c = 0; c < model.columnCount(); ++c)
        if (!header.isSectionHidden(c)) cells << tableField(cell(c).toString(), format);
    return cells.join(tableSeparator(format)).toUtf8() + '\n';
}

/// Depth first; `role` of what stands in a cell.
QByteArray listText(const QAbstractItemModel &model, const QHeaderView &header, int role, TableFormat format) {
    QByteArray text = lineOf(model, header, [&](int c) { return model.headerData(c, Qt::Horizontal); }, format);
    const std::function<void(const QModelIndex &)> add = [&](const QModelIndex &parent) {
        for (int row = 0; row < model.rowCount(parent); ++row) {
            text += lineOf(model, header, [&](int c) { return model.index(row, c, parent).data(role); }, format);
            add(model.index(row, 0, parent));
        }
    };
    add({});
    return text;
}

/// As high as those of the tables beside it.
class RoomyRows : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override {
        const QSize hint = QStyledItemDelegate::sizeHint(option, index);
        return {hint.width(), std::max(hint.height(), option.fontMetrics.height() + 6)};
    }
};

/// Indices of levels with something inside.
void eachLevel(const QAbstractItemModel &model, const QModelIndex &parent,
               const std::function<void(const QModelIndex &)> &visit) {
    for (int row = 0; row < model.rowCount(parent); ++row) {
        const QModelIndex index = model.index(row, 0, parent);
        if (model.rowCount(index) == 0) continue;
        visit(index);
        eachLevel(model, index, visit);
    }
}

} // namespace

ProfilePages::ProfilePages(const Theme &theme, const ProfileModel &model, QWidget *parent)
    : QWidget(parent), m_model(model), m_layers(new ProfileTreeModel(model, this)),
      m_difference(new ProfileDiffModel(theme, model, this)), m_order(new QSortFilterProxyModel(this)),
      m_layerOrder(new QSortFilterProxyModel(this)), m_tabs(new QTabBar(this)), m_stack(new QStackedWidget(this)),
      m_compared(new QStackedWidget(this)), m_alone(new QLabel(this)), m_flat(new QLabel(this)) {
    m_order->setSourceModel(const_cast<ProfileModel *>(&model));
    m_order->setSortRole(ProfileModel::SortRole);
    m_layerOrder->setSourceModel(m_layers);
    m_layerOrder->setSortRole(ProfileTreeModel::SortRole);
    m_table = addTable("network_profile", tr("Kernels of the run"), m_order);
    m_table->sortByColumn(ProfileModel::Number, Qt::AscendingOrder);
    addTree();
    m_diff = addTable("network_profile_diff", tr("The run against another"), m_difference);
    m_diff->sortByColumn(ProfileDiffModel::Change, Qt::DescendingOrder);
    setColumnLetters(*m_table, {6, 24, 26, 12, 10, 12, 12, 15, 11, 12, 10, 26});
    const int letter = fontMetrics().averageCharWidth();
    const std::array layerWidths{40, 22, 12, 10, 11};
    for (size_t c = 0; c < layerWidths.size(); ++c)
        m_tree->setColumnWidth(static_cast<int>(c), layerWidths[c] * letter);
    setColumnLetters(*m_diff, {22, 28, 13, 13, 14, 15, 10});
    m_alone->setObjectName(QStringLiteral("network_profile_uncompared"));
    m_alone->setAlignment(Qt::AlignCenter);
    m_alone->setWordWrap(true);
    m_alone->setMargin(fontMetrics().height());
    m_alone->setFocusPolicy(Qt::StrongFocus);
    m_alone->setText(tr("Nothing is laid beside this run. Keep it for comparison and run the network again, or lay a "
                        "profile from a file beside it: what each kernel gained or lost then stands here."));
    m_compared->addWidget(m_alone);
    m_compared->addWidget(m_diff);
    m_flat->setObjectName(QStringLiteral("network_profile_flat"));
    m_flat->setWordWrap(true);
    m_flat->setContentsMargins(8, 4, 8, 4);
    m_flat->setText(tr("Neither nodes nor weights of this network have names with parts (as layer1/0/conv1 and "
                       "layer1.0.conv1 have), so there are no levels to sum."));
    auto *layers = new QWidget(this);
    auto *layersColumn = new QVBoxLayout(layers);
    layersColumn->setContentsMargins(0, 0, 0, 0);
    layersColumn->setSpacing(0);
    layersColumn->addWidget(m_flat);
    layersColumn->addWidget(m_tree, 1);
    for (QWidget *page : std::initializer_list<QWidget *>{m_table, layers, m_compared}) m_stack->addWidget(page);
    m_tabs->setObjectName(QStringLiteral("network_profile_pages"));
    m_tabs->setAccessibleName(tr("Ways to list the run"));
    for (const QString &title : {tr("Kernels"), tr("Layers"), tr("Comparison")}) m_tabs->addTab(title);
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_tabs);
    column->addWidget(m_stack, 1);
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int page) {
        m_stack->setCurrentIndex(page);
        Q_EMIT pageChanged();
    });
    // A tree that was opened stays open where the next run has the same levels.
    connect(&m_model, &QAbstractItemModel::modelAboutToBeReset, this, [this] {
        m_open.clear();
        eachLevel(*m_layerOrder, {}, [this](const QModelIndex &level) {
            if (m_tree->isExpanded(level)) m_open.insert(level.data(ProfileTreeModel::WholeRole).toString());
        });
    });
    connect(&m_model, &QAbstractItemModel::modelReset, this, [this] {
        m_chosen.clear();
        eachLevel(*m_layerOrder, {}, [this](const QModelIndex &level) {
            if (m_open.contains(level.data(ProfileTreeModel::WholeRole).toString())) m_tree->expand(level);
        });
        refresh();
    });
    refresh();
}

QTableView *ProfilePages::addTable(const char *name, const QString &title, QAbstractItemModel *model) {
    auto *table = new QTableView(this);
    table->setObjectName(QLatin1String(name));
    table->setAccessibleName(title);
    table->setModel(model);
    makeRowTable(*table, RowSelection::Several);
    table->setSortingEnabled(true);
    follow(table);
    return table;
}

void ProfilePages::addTree() {
    m_tree = new QTreeView(this);
    m_tree->setObjectName(QStringLiteral("network_profile_layers"));
    m_tree->setAccessibleName(tr("The run by layers"));
    m_tree->setModel(m_layerOrder);
    m_tree->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_tree->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_tree->setItemDelegate(new RoomyRows(m_tree));
    m_tree->setUniformRowHeights(true);
    m_tree->header()->setStretchLastSection(false);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setSortingEnabled(true);
    m_tree->setExpandsOnDoubleClick(false); // it opens the task; the arrows expand
    m_tree->sortByColumn(ProfileTreeModel::Layer, Qt::AscendingOrder);
    follow(m_tree);
}

void ProfilePages::follow(QAbstractItemView *view) {
    connect(view->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this, view] { taken(view); });
    connect(view, &QAbstractItemView::activated, this, [this, view](const QModelIndex &index) {
        if (view == m_tree && m_layerOrder->rowCount(index.siblingAtColumn(0)) > 0)
            m_tree->setExpanded(index.siblingAtColumn(0), !m_tree->isExpanded(index.siblingAtColumn(0)));
        else
            Q_EMIT activated();
    });
}

std::set<int> ProfilePages::rowsChosenIn(const QAbstractItemView *view) const {
    std::set<int> rows;
    for (const QModelIndex &index : view->selectionModel()->selectedRows()) {
        if (view == m_table) {
            rows.insert(index.data(ProfileModel::RowRole).toInt());
        } else if (view == m_tree) {
            const std::vector<int> inside = m_layers->rowsOf(m_layerOrder->mapToSource(index));
            rows.insert(inside.begin(), inside.end());
        } else if (const int row = m_difference->kernelOf(index.row()); row >= 0) {
            rows.insert(row);
        }
    }
    return rows;
}

void ProfilePages::taken(const QAbstractItemView *from) {
    if (m_choosing) return;
    const QScopedValueRollback choosing(m_choosing, true);
    m_chosen = rowsChosenIn(from);
    for (QAbstractItemView *view : std::initializer_list<QAbstractItemView *>{m_table, m_tree, m_diff})
        if (view != from) select(view, m_chosen);
    Q_EMIT chosenChanged();
}

void ProfilePages::choose(const std::set<int> &rows) {
    if (rows == m_chosen) return;
    const QScopedValueRollback choosing(m_choosing, true);
    m_chosen = rows;
    for (QAbstractItemView *view : std::initializer_list<QAbstractItemView *>{m_table, m_tree, m_diff})
        select(view, rows);
}

QModelIndex ProfilePages::indexIn(const QAbstractItemView *view, int row) const {
    if (view == m_table) return m_order->mapFromSource(m_model.index(row, 0));
    if (view == m_tree) return m_layerOrder->mapFromSource(m_layers->indexOf(row));
    return m_difference->index(m_difference->rowOf(row), 0);
}

void ProfilePages::select(QAbstractItemView *view, const std::set<int> &rows) {
    QItemSelection selection;
    QModelIndex first;
    for (const int row : rows) {
        const QModelIndex index = indexIn(view, row);
        if (!index.isValid()) continue; // nothing lies beside the run
        if (!first.isValid()) first = index;
        selection.append(QItemSelectionRange(index));
    }
    if (first.isValid()) {
        view->selectionModel()->setCurrentIndex(first, QItemSelectionModel::NoUpdate);
        view->scrollTo(first);
    }
    view->selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

ProfilePages::Page ProfilePages::page() const { return static_cast<Page>(m_tabs->currentIndex()); }

void ProfilePages::expandAll(bool expand) {
    if (expand)
        m_tree->expandAll();
    else
        m_tree->collapseAll();
}

void ProfilePages::setContextActions(const QList<QAction *> &actions) {
    for (QAbstractItemView *view : std::initializer_list<QAbstractItemView *>{m_table, m_tree, m_diff}) {
        view->setContextMenuPolicy(Qt::ActionsContextMenu);
        view->addActions(actions);
    }
}

void ProfilePages::refresh() {
    const bool beside = !m_model.other().empty();
    m_table->setColumnHidden(ProfileModel::Other, !beside);
    m_table->setColumnHidden(ProfileModel::Ratio, !beside);
    m_table->setColumnHidden(ProfileModel::Answer, m_model.profile() == nullptr || !m_model.profile()->checked());
    m_flat->setVisible(m_model.rowCount() > 0 && !m_layers->hasLevels());
    QWidget *compared = beside ? static_cast<QWidget *>(m_diff) : m_alone;
    m_compared->setCurrentWidget(compared);
    setFocusProxy(page() == Layers ? m_tree : page() == Compared ? compared : m_table);
}

QByteArray ProfilePages::text(TableFormat format) const {
    if (page() == Layers) return listText(*m_layerOrder, *m_tree->header(), ProfileTreeModel::WholeRole, format);
    if (page() == Compared && !m_model.other().empty())
        return listText(*m_difference, *m_diff->horizontalHeader(), Qt::DisplayRole, format);
    return listText(*m_order, *m_table->horizontalHeader(), Qt::DisplayRole, format);
}

} // namespace loopscope
