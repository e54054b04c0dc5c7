#include "views/why/reason_table.h"

#include <algorithm>
#include <utility>

namespace loopscope {

ReasonTable::ReasonTable(QStringList columns, std::vector<int> numbers, QObject *parent)
    : QAbstractTableModel(parent), m_columns(std::move(columns)), m_numbers(std::move(numbers)) {}

void ReasonTable::setRows(std::vector<WhyRow> rows) {
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

int ReasonTable::rowCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int ReasonTable::columnCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

QVariant ReasonTable::data(const QModelIndex &index, int role) const {
    if (!index.isValid() || static_cast<size_t>(index.row()) >= m_rows.size()) return {};
    const WhyRow &row = m_rows[static_cast<size_t>(index.row())];
    if (role == Qt::DisplayRole) return row.cells.value(index.column());
    if (role == Qt::ToolTipRole) return row.tip;
    if (role == Qt::AccessibleTextRole) return row.cells.join(QStringLiteral(", "));
    if (role == Qt::TextAlignmentRole &&
        std::find(m_numbers.begin(), m_numbers.end(), index.column()) != m_numbers.end())
        return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

QVariant ReasonTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::DisplayRole) return m_columns.value(section);
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((std::find(m_numbers.begin(), m_numbers.end(), section) != m_numbers.end()
                                     ? Qt::AlignRight
                                     : Qt::AlignLeft) |
                                Qt::AlignVCenter);
    return {};
}

} // namespace loopscope
