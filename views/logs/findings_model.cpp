#include "views/logs/findings_model.h"

#include <algorithm>
#include <utility>

namespace loopscope {

FindingsModel::FindingsModel(QStringList headers, std::vector<int> numbers, QObject *parent)
    : QAbstractTableModel(parent), m_headers(std::move(headers)), m_numbers(std::move(numbers)) {}

void FindingsModel::show(std::vector<FindingRow> rows) {
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

size_t FindingsModel::recordAt(const QModelIndex &index) const {
    const auto row = static_cast<size_t>(index.row());
    return index.isValid() && row < m_rows.size() ? m_rows[row].record : SIZE_MAX;
}

int FindingsModel::rowCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int FindingsModel::columnCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_headers.size());
}

QVariant FindingsModel::alignment(int column) const {
    const bool number = std::find(m_numbers.begin(), m_numbers.end(), column) != m_numbers.end();
    return static_cast<int>((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

QVariant FindingsModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid() || static_cast<size_t>(index.row()) >= m_rows.size()) return {};
    const FindingRow &row = m_rows[static_cast<size_t>(index.row())];
    if (role == Qt::DisplayRole) return row.cells.value(index.column());
    if (role == Qt::ToolTipRole) return row.tip.isEmpty() ? row.cells.value(index.column()) : row.tip;
    if (role == Qt::TextAlignmentRole) return alignment(index.column());
    return {};
}

QVariant FindingsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::DisplayRole) return m_headers.value(section);
    if (role == Qt::TextAlignmentRole) return alignment(section);
    return {};
}

} // namespace loopscope
