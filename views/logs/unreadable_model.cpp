#include "views/logs/unreadable_model.h"

#include "views/session/text.h"

namespace loopscope {

void UnreadableModel::show(const OpenLog *log) {
    beginResetModel();
    m_lines = log != nullptr && log->log ? log->log->document.unreadable() : std::vector<SkippedLine>{};
    endResetModel();
}

int UnreadableModel::rowCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_lines.size());
}

int UnreadableModel::columnCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant UnreadableModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid() || static_cast<size_t>(index.row()) >= m_lines.size()) return {};
    const SkippedLine &line = m_lines[static_cast<size_t>(index.row())];
    if (role == Qt::DisplayRole && index.column() == Line) return line.line;
    if (role == Qt::DisplayRole || role == Qt::ToolTipRole) return qt(line.reason);
    return {};
}

QVariant UnreadableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    return section == Line ? tr("Line") : tr("Why it is not read");
}

} // namespace loopscope
