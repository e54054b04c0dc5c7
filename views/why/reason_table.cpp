#include "views/why/reason_table.h"

#include <utility>

namespace loopscope {

ReasonTable::ReasonTable(const QStringList &columns, const std::vector<int> &numbers, QObject *parent)
    : TableModel(tableColumns(columns, numbers), parent) {}

void ReasonTable::setRows(std::vector<WhyRow> rows) {
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

int ReasonTable::rowsShown() const { return static_cast<int>(m_rows.size()); }

QVariant ReasonTable::data(const QModelIndex &index, int role) const {
    if (!index.isValid() || static_cast<size_t>(index.row()) >= m_rows.size()) return {};
    const WhyRow &row = m_rows[static_cast<size_t>(index.row())];
    if (role == Qt::DisplayRole) return row.cells.value(index.column());
    if (role == Qt::ToolTipRole) return row.tip;
    if (role == Qt::AccessibleTextRole) return row.cells.join(QStringLiteral(", "));
    if (role == Qt::TextAlignmentRole) return sideOf(index.column());
    return {};
}

} // namespace loopscope
