#include "views/actions/table_model.h"

#include <algorithm>
#include <utility>

namespace loopscope {

TableModel::TableModel(std::vector<TableColumn> columns, QObject *parent)
    : QAbstractTableModel(parent), m_columns(std::move(columns)) {}

int TableModel::rowCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : rowsShown(); }

int TableModel::columnCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

QVariant TableModel::sideOf(int column) const {
    return static_cast<int>(m_columns[static_cast<size_t>(column)].side | Qt::AlignVCenter);
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const TableColumn &column = m_columns[static_cast<size_t>(section)];
    if (role == Qt::DisplayRole) return column.title;
    if (role == Qt::ToolTipRole && !column.tip.isEmpty()) return column.tip;
    return role == Qt::TextAlignmentRole ? sideOf(section) : QVariant();
}

std::vector<TableColumn> tableColumns(const QStringList &titles, const std::vector<int> &numbers) {
    std::vector<TableColumn> columns;
    for (const QString &title : titles) columns.push_back({title});
    for (const int number : numbers) columns[static_cast<size_t>(number)].side = Qt::AlignRight;
    return columns;
}

} // namespace loopscope
