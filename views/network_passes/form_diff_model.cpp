#include "views/network_passes/form_diff_model.h"

#include <array>

namespace loopscope {

FormDiffModel::FormDiffModel(const Theme &theme, QObject *parent)
    : TableModel(tableColumns({tr("What"), tr("Node"), tr("Before"), tr("After")}, {}), parent), m_theme(theme) {}

void FormDiffModel::show(FormDiff diff) {
    beginResetModel();
    m_diff = std::move(diff);
    endResetModel();
}

int FormDiffModel::rowsShown() const { return static_cast<int>(m_diff.changes.size()); }

QVariant FormDiffModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const FormChange &change = m_diff.changes[static_cast<size_t>(index.row())];
    const auto kind = static_cast<size_t>(change.kind);
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case What: {
            const std::array nodes{tr("gone"), tr("new"), tr("changed")};
            const std::array constants{tr("constant gone"), tr("constant new"), tr("constant changed")};
            return change.constant ? constants[kind] : nodes[kind];
        }
        case Name:
            return change.name;
        case Before:
            return change.before;
        default:
            return change.after;
        }
    case Qt::ToolTipRole: {
        QString tip = change.name;
        if (!change.before.isEmpty()) tip += tr("\nbefore: %1").arg(change.before);
        if (!change.after.isEmpty()) tip += tr("\nafter: %1").arg(change.after);
        return tip;
    }
    case Qt::ForegroundRole:
        if (index.column() == What) return m_theme.color(std::array{Role::Bad, Role::Good, Role::Warning}[kind]);
        return {};
    default:
        return {};
    }
}

} // namespace loopscope
