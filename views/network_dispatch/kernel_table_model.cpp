#include "views/network_dispatch/kernel_table_model.h"

#include "views/session/text.h"

#include <iterator>

namespace loopscope {

namespace {

constexpr double kMuch = 1.5; // times a static kernel's time

} // namespace

void KernelTableModel::show(std::shared_ptr<const DispatchTable> table) {
    beginResetModel();
    m_table = std::move(table);
    m_penalties.clear();
    for (int row = 0; row < rowCount(); ++row) m_penalties.push_back(penaltyOf(curvesOf(*m_table, kernelOf(row))));
    endResetModel();
}

int KernelTableModel::rowCount(const QModelIndex &parent) const {
    return parent.isValid() || !m_table ? 0 : static_cast<int>(m_table->kernels.size()) + 1;
}

int KernelTableModel::columnCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant KernelTableModel::value(int row, int column) const {
    const int number = kernelOf(row);
    const KernelTable *kernel = number < 0 ? nullptr : &m_table->kernels[static_cast<size_t>(number)];
    const auto &penalty = m_penalties[static_cast<size_t>(row)];
    switch (column) {
    case NameColumn:
        return kernel != nullptr ? qt(kernel->name) : tr("All kernels");
    case NodeColumn:
        return kernel != nullptr ? qt(kernel->node) : QString();
    case UsesColumn:
        return kernel != nullptr ? QVariant(kernel->weight) : QVariant();
    case VariantsColumn:
        return kernel != nullptr ? QVariant(static_cast<int>(kernel->variants.size())) : QVariant();
    case MeanColumn:
        return penalty ? QVariant(penalty->geomean) : QVariant();
    case WorstColumn:
        return penalty ? QVariant(penalty->worst) : QVariant();
    default:
        return penalty ? QVariant(static_cast<qlonglong>(penalty->at)) : QVariant();
    }
}

QVariant KernelTableModel::data(const QModelIndex &index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const bool ratio = index.column() == MeanColumn || index.column() == WorstColumn;
    QVariant of = value(index.row(), index.column());
    switch (role) {
    case SortRole:
        return of;
    case Qt::DisplayRole:
        if (!of.isValid()) return QString();
        if (ratio) return QString::number(of.toDouble(), 'f', 2);
        if (index.column() == AtColumn) return QStringLiteral("%1 = %2").arg(qt(m_table->symbol)).arg(of.toLongLong());
        return of;
    case Qt::TextAlignmentRole:
        return index.column() >= UsesColumn ? QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case Qt::ForegroundRole:
        return ratio && of.isValid() && of.toDouble() > kMuch ? QVariant(m_theme.color(Role::Bad)) : QVariant();
    case Qt::FontRole: {
        if (index.row() > 0) return {};
        QFont font;
        font.setBold(true);
        return font;
    }
    case Qt::ToolTipRole:
        if (index.row() == 0) return tr("Each kernel as often as it runs");
        return tr("%1, of node %2: %3 answers compared with the reference, %4 of them bit for bit those of static "
                  "kernels")
            .arg(value(index.row(), NameColumn).toString(), value(index.row(), NodeColumn).toString())
            .arg(m_table->kernels[static_cast<size_t>(kernelOf(index.row()))].answers)
            .arg(m_table->kernels[static_cast<size_t>(kernelOf(index.row()))].identical);
    default:
        return {};
    }
}

QVariant KernelTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((section >= UsesColumn ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    static const char *const names[] = {QT_TR_NOOP("Kernel"),   QT_TR_NOOP("Node"), QT_TR_NOOP("Uses"),
                                        QT_TR_NOOP("Variants"), QT_TR_NOOP("Mean"), QT_TR_NOOP("Worst"),
                                        QT_TR_NOOP("At")};
    static const char *const tips[] = {
        "",
        QT_TR_NOOP("The first that it computes"),
        QT_TR_NOOP("How often it runs in the network"),
        "",
        QT_TR_NOOP("Geometric mean over sizes of its time by the table over that of the static kernel"),
        QT_TR_NOOP("The largest of these"),
        QT_TR_NOOP("Where that is")};
    if (role == Qt::DisplayRole) return tr(names[section]);
    if (role == Qt::ToolTipRole && *tips[section] != '\0') return tr(tips[section]);
    return {};
}

} // namespace loopscope
