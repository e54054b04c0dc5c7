#include "views/grouping/row_table_model.h"

#include <QFont>
#include <QPainter>
#include <QPixmap>

#include <algorithm>
#include <numeric>
#include <utility>

namespace loopscope {

namespace {

constexpr int kSwatch = 12;

bool isNumber(const TableCell &cell) {
    return cell.key.typeId() == QMetaType::LongLong || cell.key.typeId() == QMetaType::Double ||
           cell.key.typeId() == QMetaType::Int;
}

} // namespace

RowTableModel::RowTableModel(const Theme &theme, QObject *parent) : QAbstractTableModel(parent), m_theme(theme) {
    connect(&theme, &Theme::changed, this, [this] {
        if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    });
}

void RowTableModel::setContent(TableContent content) {
    beginResetModel();
    m_content = std::move(content);
    if (m_column >= columnCount()) m_column = -1;
    m_order = sorted();
    endResetModel();
}

std::vector<size_t> RowTableModel::sorted() const {
    std::vector<size_t> order(m_content.rows.size());
    std::iota(order.begin(), order.end(), size_t{0});
    if (m_column < 0) return order;
    const auto column = static_cast<size_t>(m_column);
    const auto less = [&](size_t a, size_t b) {
        const TableCell &x = m_content.rows[a].cells[column];
        const TableCell &y = m_content.rows[b].cells[column];
        if (isNumber(x) && isNumber(y)) return x.key.toDouble() < y.key.toDouble();
        if (isNumber(x) != isNumber(y)) return isNumber(y); // what has no number comes first
        return x.text.localeAwareCompare(y.text) < 0;
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return m_direction == Qt::AscendingOrder ? less(a, b) : less(b, a); });
    return order;
}

void RowTableModel::sort(int column, Qt::SortOrder order) {
    if (column >= columnCount()) return;
    Q_EMIT layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
    m_column = column;
    m_direction = order;
    const std::vector<size_t> before = std::exchange(m_order, sorted());
    std::vector<int> place(m_order.size());
    for (size_t row = 0; row < m_order.size(); ++row) place[m_order[row]] = static_cast<int>(row);
    const QModelIndexList from = persistentIndexList();
    QModelIndexList to;
    for (const QModelIndex &at : from) to << index(place[before[static_cast<size_t>(at.row())]], at.column());
    changePersistentIndexList(from, to);
    Q_EMIT layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

int RowTableModel::numberAt(int row) const {
    return row >= 0 && row < rowCount() ? m_content.rows[m_order[static_cast<size_t>(row)]].number : -1;
}

int RowTableModel::rowOf(int number) const {
    for (size_t row = 0; row < m_order.size(); ++row)
        if (m_content.rows[m_order[row]].number == number) return static_cast<int>(row);
    return -1;
}

int RowTableModel::rowCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_order.size());
}

int RowTableModel::columnCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_content.columns.size());
}

QVariant RowTableModel::data(const QModelIndex &index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const TableRow &row = m_content.rows[m_order[static_cast<size_t>(index.row())]];
    const TableCell &cell = row.cells[static_cast<size_t>(index.column())];
    switch (role) {
    case Qt::DisplayRole:
        return cell.text;
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (isNumber(cell) ? Qt::AlignRight : Qt::AlignLeft)));
    case Qt::ForegroundRole:
        return row.quiet ? m_theme.color(Role::QuietText) : m_theme.color(Role::Text);
    case Qt::BackgroundRole:
        return row.marked ? QVariant(m_theme.tint(Role::Good)) : QVariant();
    case Qt::FontRole: {
        QFont font;
        font.setBold(row.marked);
        return row.marked ? QVariant(font) : QVariant();
    }
    case Qt::DecorationRole: {
        if (index.column() != 0 || row.colour < 0) return {};
        QPixmap swatch(kSwatch, kSwatch);
        swatch.fill(m_theme.series(row.colour));
        return swatch;
    }
    case Qt::ToolTipRole:
        return row.tip.isEmpty() ? QVariant() : QVariant(row.tip);
    default:
        return {};
    }
}

QVariant RowTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= columnCount()) return {};
    return m_content.columns[section];
}

} // namespace loopscope
