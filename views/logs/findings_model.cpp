#include "views/logs/findings_model.h"

#include <utility>

namespace loopscope {

FindingsModel::FindingsModel(const QStringList &headers, const std::vector<int> &numbers, QObject *parent)
    : TableModel(tableColumns(headers, numbers), parent) {}

void FindingsModel::show(std::vector<FindingRow> rows) {
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

size_t FindingsModel::recordAt(const QModelIndex &index) const {
    const auto row = static_cast<size_t>(index.row());
    return index.isValid() && row < m_rows.size() ? m_rows[row].record : SIZE_MAX;
}

int FindingsModel::rowsShown() const { return static_cast<int>(m_rows.size()); }

QVariant FindingsModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid() || static_cast<size_t>(index.row()) >= m_rows.size()) return {};
    const FindingRow &row = m_rows[static_cast<size_t>(index.row())];
    if (role == Qt::DisplayRole) return row.cells.value(index.column());
    if (role == Qt::ToolTipRole) return row.tip.isEmpty() ? row.cells.value(index.column()) : row.tip;
    if (role == Qt::TextAlignmentRole) return sideOf(index.column());
    return {};
}

} // namespace loopscope
