#include "views/network_dispatch/kernel_table_model.h"

#include "views/session/text.h"

#include <iterator>

namespace loopscope {

namespace {

constexpr double kMuch = 1.5; // times a static kernel's time

} // namespace

KernelTableModel::KernelTableModel(const Theme &theme, QObject *parent)
    : TableModel(
          {
              {tr("Kernel")},
              {tr("Node"), tr("The first that it computes")},
              {tr("Uses"), tr("How often it runs in the network"), Qt::AlignRight},
              {tr("Variants"), {}, Qt::AlignRight},
              {tr("Mean"), tr("Geometric mean over sizes of its time by the table over that of the static kernel"),
               Qt::AlignRight},
              {tr("Worst"), tr("The largest of these"), Qt::AlignRight},
              {tr("At"), tr("Where that is"), Qt::AlignRight},
          },
          parent),
      m_theme(theme) {}

void KernelTableModel::show(std::shared_ptr<const DispatchTable> table) {
    beginResetModel();
    m_table = std::move(table);
    m_penalties.clear();
    for (int row = 0; row < rowCount(); ++row) m_penalties.push_back(penaltyOf(curvesOf(*m_table, kernelOf(row))));
    endResetModel();
}

int KernelTableModel::rowsShown() const { return !m_table ? 0 : static_cast<int>(m_table->kernels.size()) + 1; }

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

} // namespace loopscope
