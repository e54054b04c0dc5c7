#include "views/network_dispatch/guard_model.h"

#include "views/session/text.h"

#include <QStringList>

#include <algorithm>

namespace loopscope {

GuardModel::GuardModel(QObject *parent)
    : TableModel(
          tableColumns({tr("Guard, the first that holds"), tr("Variant"), tr("Timed at"), tr("Worst")}, {WorstColumn}),
          parent) {}

void GuardModel::show(std::shared_ptr<const DispatchTable> table, int kernel) {
    beginResetModel();
    m_table = std::move(table);
    m_kernel = kernel;
    endResetModel();
}

const KernelTable *GuardModel::kernel() const {
    return m_table && m_kernel >= 0 ? &m_table->kernels[static_cast<size_t>(m_kernel)] : nullptr;
}

int GuardModel::rowsShown() const { return kernel() == nullptr ? 0 : static_cast<int>(kernel()->rows.size()) + 1; }

int GuardModel::variantOf(int row) const {
    if (row < 0 || row >= rowCount()) return -1;
    const auto at = static_cast<size_t>(row);
    return static_cast<int>(at < kernel()->rows.size() ? kernel()->rows[at].variant : kernel()->otherwise);
}

std::vector<size_t> GuardModel::pointsOf(int row) const {
    std::vector<size_t> points;
    if (row < 0 || row >= rowCount()) return points;
    for (size_t p = 0; p < m_table->points.size(); ++p) {
        const auto first = std::ranges::find_if(
            kernel()->rows, [&](const DispatchRow &one) { return one.guard.holds(m_table->points[p]); });
        if (first - kernel()->rows.begin() == row) points.push_back(p);
    }
    return points;
}

QString GuardModel::text(int row, int column) const {
    const auto at = static_cast<size_t>(row);
    switch (column) {
    case GuardColumn:
        return at < kernel()->rows.size() ? qt(kernel()->rows[at].guard.text(m_table->symbol)) : tr("otherwise");
    case VariantColumn:
        return variantText(*m_table, *kernel(), static_cast<size_t>(variantOf(row)));
    case PointsColumn: {
        QStringList sizes;
        for (const size_t point : pointsOf(row)) sizes << QString::number(m_table->points[point]);
        return sizes.join(QStringLiteral(", "));
    }
    default: {
        double worst = 0;
        for (const size_t point : pointsOf(row))
            worst = std::max(worst, kernel()->penalty(point, m_table->points).value_or(0));
        return worst > 0 ? QString::number(worst, 'f', 2) : QString();
    }
    }
}

QVariant GuardModel::data(const QModelIndex &index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    if (role == Qt::DisplayRole || role == Qt::ToolTipRole) return text(index.row(), index.column());
    if (role == Qt::TextAlignmentRole && index.column() == WorstColumn)
        return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

} // namespace loopscope
