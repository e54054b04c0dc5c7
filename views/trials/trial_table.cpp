#include "views/trials/trial_table.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QProxyStyle>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QTimer>

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {

const QString kWidths = QStringLiteral("trials/widths");
const QString kShown = QStringLiteral("trials/shown");
const QString kOrder = QStringLiteral("trials/order");
const QString kSort = QStringLiteral("trials/sort");
constexpr int kMaxRuns = 200; // of selected rows that Qt's selection takes without getting slow

/// Blank left and right of a cell: a number at the right edge of its column must not touch the word in the next one.
int cellMargin(const QFontMetrics &metrics) { return metrics.averageCharWidth(); }

class CellDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override {
        QStyleOptionViewItem cell = option;
        initStyleOption(&cell, index);
        const QWidget *widget = option.widget;
        QStyle *style = widget->style();
        if (cell.backgroundBrush.style() != Qt::NoBrush) painter->fillRect(cell.rect, cell.backgroundBrush);
        cell.backgroundBrush = {};
        cell.state.setFlag(QStyle::State_HasFocus, false); // rows are chosen, not cells
        style->drawPrimitive(QStyle::PE_PanelItemViewItem, &cell, painter, widget);
        const int margin = index.column() == static_cast<int>(TrialColumn::Pinned) ? 0 : cellMargin(option.fontMetrics);
        cell.rect.adjust(margin, 0, -margin, 0);
        style->drawControl(QStyle::CE_ItemViewItem, &cell, painter, widget);
    }
};

/// The same blank in the header.
class HeaderStyle : public QProxyStyle {
  public:
    HeaderStyle() : QProxyStyle(QStringLiteral("Fusion")) {}
    int pixelMetric(PixelMetric metric, const QStyleOption *option, const QWidget *widget) const override {
        if (metric == PM_HeaderMargin && option != nullptr) return cellMargin(option->fontMetrics);
        if (metric == PM_HeaderMarkSize && option != nullptr) return option->fontMetrics.averageCharWidth();
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
};

} // namespace

TrialTable::TrialTable(Settings &settings, Selection &selection, TrialTableModel &model, QWidget *parent)
    : QTableView(parent), m_settings(settings), m_selection(selection), m_model(model) {
    setModel(&model);
    setAccessibleName(tr("Trials"));
    setSelectionBehavior(SelectRows);
    setSelectionMode(ExtendedSelection);
    setEditTriggers(EditKeyPressed | SelectedClicked);
    setDragEnabled(true);
    setDragDropMode(DragOnly);
    setShowGrid(false);
    setWordWrap(false);
    setTextElideMode(Qt::ElideRight);
    setHorizontalScrollMode(ScrollPerPixel);
    setCornerButtonEnabled(false);
    setTabKeyNavigation(false);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    setItemDelegate(new CellDelegate(this));
    QHeaderView *header = horizontalHeader();
    auto *style = new HeaderStyle;
    style->setParent(this);
    header->setStyle(style);
    header->setStretchLastSection(true);
    header->setSectionsMovable(true);
    header->setHighlightSections(false);
    header->setSortIndicatorClearable(true);
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    header->setMinimumSectionSize(fontMetrics().averageCharWidth() * 3);
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    connect(header, &QHeaderView::customContextMenuRequested, this, [this, header](const QPoint &at) {
        QMenu menu;
        fillColumnMenu(menu);
        menu.exec(header->mapToGlobal(at));
    });
    m_widths = settings.value(kWidths).toMap();
    m_shown = settings.value(kShown).toMap();
    applyLook();
    const QStringList sort =
        settings.value(kSort, QStringList{QStringLiteral("trial"), QStringLiteral("up")}).toStringList();
    const int column = sort.size() == 2 ? model.cells().columnOf(sort[0]) : -1;
    const auto order = sort.size() == 2 && sort[1] == QLatin1String("down") ? Qt::DescendingOrder : Qt::AscendingOrder;
    header->setSortIndicator(column, order);
    setSortingEnabled(true); // sorts by what the indicator shows
    applyColumns();
    connect(header, &QHeaderView::sectionResized, this, [this](int section, int /*before*/, int width) {
        if (m_applying || width <= 0) return;
        m_widths[m_model.cells().id(section)] = width;
        rememberColumns();
    });
    connect(header, &QHeaderView::sectionMoved, this, [this] {
        if (!m_applying) rememberColumns();
    });
    connect(header, &QHeaderView::sortIndicatorChanged, this, [this](int section, Qt::SortOrder way) {
        m_settings.setValue(kSort,
                            QStringList{m_model.cells().id(section),
                                        way == Qt::DescendingOrder ? QStringLiteral("down") : QStringLiteral("up")});
    });
    connect(&model, &TrialTableModel::tileColumnsChanged, this, &TrialTable::applyColumns);
    connect(&model, &QAbstractItemModel::rowsInserted, this, [this] {
        if (!m_fittedRows) applyColumns();
    });
    connect(&model, &QAbstractItemModel::modelReset, this, [this] {
        if (!m_fittedRows) applyColumns();
    });
    for (const auto change : {&QAbstractItemModel::rowsAboutToBeInserted, &QAbstractItemModel::rowsAboutToBeRemoved})
        connect(&model, change, this, &TrialTable::noteSight);
    connect(&model, &QAbstractItemModel::layoutAboutToBeChanged, this, &TrialTable::noteSight);
    connect(&model, &TrialTableModel::rowsShownChanged, this, [this] {
        follow();
        keepSight();
    });
    connect(&model, &TrialTableModel::rearranged, this, [this] {
        m_inSight.reset();
        showSelection();
    });
    connect(&selection, &Selection::changed, this, [this] {
        m_model.setMarked(m_selection.now().trials);
        if (!m_choosing) follow();
    });
}

void TrialTable::applyLook() {
    const int height = fontMetrics().height() + 8;
    verticalHeader()->setMinimumSectionSize(height);
    verticalHeader()->setDefaultSectionSize(height);
}

void TrialTable::restart() {
    m_fitted = 0;
    m_fittedRows = false;
    applyColumns();
    m_model.setMarked(m_selection.now().trials);
    follow();
}

// --- Columns -------------------------------------------------------------------------------------------------------

int TrialTable::sizeHintForColumn(int column) const {
    // Qt would ask every row on screen and its editor; a few rows tell enough, and the header must fit.
    const QFontMetrics metrics(font());
    QFont bold = font();
    bold.setBold(true);
    const QFontMetrics wide(bold);
    int width = 0;
    for (int row = 0; row < std::min(60, m_model.rowCount()); ++row)
        width = std::max(width, wide.horizontalAdvance(m_model.cells().text(m_model.trialAt(row), column)));
    if (column == static_cast<int>(TrialColumn::Note)) width = std::max(width, metrics.averageCharWidth() * 18);
    width = std::min(width, metrics.averageCharWidth() * 32);
    const int frame = 2 * (cellMargin(metrics) + style()->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, this) + 1);
    if (column == static_cast<int>(TrialColumn::Pinned)) return metrics.height() + frame; // an icon
    return std::max(width + frame, horizontalHeader()->sectionSizeHint(column)); // the arrow of the sorting included
}

void TrialTable::applyColumns() {
    m_applying = true;
    QHeaderView *header = horizontalHeader();
    const bool rows = m_model.rowCount() > 0;
    const int columns = m_model.columnCount();
    const int known = rows == m_fittedRows ? m_fitted : 0;
    for (int column = known; column < columns; ++column) {
        const QString id = m_model.cells().id(column);
        setColumnHidden(column, !m_shown.value(id, m_model.cells().shownByDefault(column)).toBool());
        setColumnWidth(column, m_widths.contains(id) ? m_widths[id].toInt() : sizeHintForColumn(column));
    }
    m_fitted = columns;
    m_fittedRows = rows;
    const QStringList order = m_settings.value(kOrder).toStringList();
    int to = 0;
    for (const QString &id : order)
        if (const int column = m_model.cells().columnOf(id); column >= 0)
            header->moveSection(header->visualIndex(column), to++);
    if (order.isEmpty()) // the note reads best at the end, behind the tile factors
        header->moveSection(header->visualIndex(static_cast<int>(TrialColumn::Note)), columns - 1);
    m_applying = false;
}

void TrialTable::rememberColumns() {
    m_settings.setValue(kWidths, m_widths);
    m_settings.setValue(kShown, m_shown);
    QStringList order;
    for (int at = 0; at < m_model.columnCount(); ++at)
        order << m_model.cells().id(horizontalHeader()->logicalIndex(at));
    // Loops of other workloads keep their place for when those are opened again.
    for (const QString &id : m_settings.value(kOrder).toStringList())
        if (!order.contains(id)) order << id;
    m_settings.setValue(kOrder, order);
}

void TrialTable::showColumn(int column, bool shown) {
    m_shown[m_model.cells().id(column)] = shown;
    m_applying = true;
    setColumnHidden(column, !shown);
    // While it was hidden nobody could tell how wide its title is.
    if (shown && !m_widths.contains(m_model.cells().id(column))) setColumnWidth(column, sizeHintForColumn(column));
    m_applying = false;
    rememberColumns();
}

void TrialTable::fillColumnMenu(QMenu &menu) {
    menu.setToolTipsVisible(true);
    for (int column = 0; column < m_model.columnCount(); ++column) {
        if (column == kFixedColumns) menu.addSection(tr("Tile factors"));
        const QString title = column < kFixedColumns
                                  ? QString::fromUtf8(columnInfo(static_cast<TrialColumn>(column)).title)
                                  : m_model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        QAction *action = menu.addAction(title);
        action->setCheckable(true);
        action->setChecked(!isColumnHidden(column));
        action->setToolTip(m_model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString());
        const QString id = m_model.cells().id(column);
        connect(action, &QAction::toggled, this, [this, id](bool on) {
            if (const int at = m_model.cells().columnOf(id); at >= 0) showColumn(at, on);
        });
    }
    menu.addSeparator();
    connect(menu.addAction(tr("Default columns")), &QAction::triggered, this, [this] {
        m_widths.clear();
        m_shown.clear();
        m_settings.remove(kOrder);
        m_settings.remove(kWidths);
        m_settings.remove(kShown);
        m_fitted = 0;
        m_applying = true;
        for (int column = 0; column < m_model.columnCount(); ++column)
            horizontalHeader()->moveSection(horizontalHeader()->visualIndex(column), column);
        applyColumns();
    });
}

std::vector<int> TrialTable::visibleColumns() const {
    std::vector<int> columns;
    for (int at = 0; at < m_model.columnCount(); ++at) {
        const int column = horizontalHeader()->logicalIndex(at);
        if (!isColumnHidden(column)) columns.push_back(column);
    }
    return columns;
}

// --- One selection -------------------------------------------------------------------------------------------------

int TrialTable::currentTrial() const {
    const ScheduleRef &schedule = m_selection.now().schedule;
    return schedule.kind == ScheduleRef::Kind::Trial && schedule.number < m_model.facts().size() ? schedule.number : -1;
}

std::vector<int> TrialTable::chosenTrials() const {
    std::vector<int> trials = m_selection.now().trials;
    std::erase_if(trials, [this](int t) { return t < 0 || t >= m_model.facts().size(); });
    if (trials.empty() && currentTrial() >= 0) trials.push_back(currentTrial());
    return trials;
}

void TrialTable::selectionChanged(const QItemSelection &selected, const QItemSelection &deselected) {
    QTableView::selectionChanged(selected, deselected);
    if (m_following || m_choosePending || m_model.changingRows()) return; // a filter taking rows away chooses nothing
    m_choosePending = true;                                               // current and selected change one by one
    QMetaObject::invokeMethod(this, &TrialTable::choose, Qt::QueuedConnection);
}

void TrialTable::currentChanged(const QModelIndex &current, const QModelIndex &previous) {
    QTableView::currentChanged(current, previous);
    if (m_following || m_choosePending || m_model.changingRows() || !current.isValid()) return;
    m_choosePending = true;
    QMetaObject::invokeMethod(this, &TrialTable::choose, Qt::QueuedConnection);
}

void TrialTable::choose() {
    m_choosePending = false;
    std::vector<int> trials;
    for (const QItemSelectionRange &range : selectionModel()->selection())
        for (int row = range.top(); row <= range.bottom(); ++row) trials.push_back(m_model.trialAt(row));
    std::sort(trials.begin(), trials.end());
    trials.erase(std::unique(trials.begin(), trials.end()), trials.end());
    if (trials.empty()) return;
    Selected next = m_selection.now();
    const QModelIndex current = currentIndex();
    const int chosen =
        current.isValid() && selectionModel()->isSelected(current) ? m_model.trialAt(current.row()) : trials.front();
    const ScheduleRef schedule{ScheduleRef::Kind::Trial, chosen};
    if (!(next.schedule == schedule)) {
        next.schedule = schedule;
        next.step = -1;
        next.node = -1;
    }
    next.trials = trials.size() > 1 ? std::move(trials) : std::vector<int>();
    m_choosing = true;
    m_selection.set(std::move(next));
    m_choosing = false;
}

void TrialTable::follow() {
    const Selected &now = m_selection.now();
    m_following = true;
    QItemSelection rows;
    std::vector<int> wanted;
    for (const int t : now.trials)
        if (const int row = m_model.rowOf(t); row >= 0) wanted.push_back(row);
    const int current = now.schedule.kind == ScheduleRef::Kind::Trial ? m_model.rowOf(now.schedule.number) : -1;
    if (now.trials.empty() && current >= 0) wanted.push_back(current);
    std::sort(wanted.begin(), wanted.end());
    const int last = m_model.columnCount() - 1;
    for (size_t i = 0; i < wanted.size() && rows.size() <= kMaxRuns;) {
        size_t end = i + 1;
        while (end < wanted.size() && wanted[end] == wanted[end - 1] + 1) ++end;
        rows.append(QItemSelectionRange(m_model.index(wanted[i], 0), m_model.index(wanted[end - 1], last)));
        i = end;
    }
    // Scattered brushes of thousands are shown by the marked rows alone: Qt looks through all ranges for every cell.
    if (rows.size() > kMaxRuns) rows.clear();
    selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect);
    if (current >= 0) {
        const int column = currentIndex().isValid() ? currentIndex().column() : static_cast<int>(TrialColumn::Trial);
        const QModelIndex index = m_model.index(current, column);
        if (index != currentIndex()) {
            selectionModel()->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
            const int x = horizontalScrollBar()->value();
            scrollTo(index);
            horizontalScrollBar()->setValue(x);
        }
    }
    m_following = false;
}

void TrialTable::showSelection() {
    const Selected &now = m_selection.now();
    int row = now.schedule.kind == ScheduleRef::Kind::Trial ? m_model.rowOf(now.schedule.number) : -1;
    for (size_t i = 0; i < now.trials.size() && row < 0; ++i) row = m_model.rowOf(now.trials[i]);
    if (row < 0) return; // nothing is selected, or the filter hides it
    const int x = horizontalScrollBar()->value();
    scrollTo(m_model.index(row, std::max(0, columnAt(0))));
    horizontalScrollBar()->setValue(x);
}

void TrialTable::noteSight() {
    if (m_inSight) return; // rows leave, come and move in one change
    const QModelIndex current = currentIndex();
    m_inSight = current.isValid() && viewport()->rect().intersects(visualRect(current));
}

void TrialTable::keepSight() {
    if (std::exchange(m_inSight, std::nullopt).value_or(false)) showSelection();
}

void TrialTable::editNote(int trial) {
    const int row = m_model.rowOf(trial);
    const int column = static_cast<int>(TrialColumn::Note);
    if (row < 0) return;
    if (isColumnHidden(column)) showColumn(column, true);
    const QModelIndex index = m_model.index(row, column);
    scrollTo(index);
    setFocus(Qt::OtherFocusReason);
    edit(index);
}

void TrialTable::keyPressEvent(QKeyEvent *event) {
    if (event->key() == Qt::Key_Escape && m_selection.now().trials.size() > 1 && state() != EditingState) {
        m_selection.selectTrials({});
        return;
    }
    QTableView::keyPressEvent(event);
}

} // namespace loopscope
