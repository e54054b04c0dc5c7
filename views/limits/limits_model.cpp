#include "views/limits/limits_model.h"

#include <utility>

namespace loopscope {

namespace {

constexpr quintptr kKernel = 0; // id of a kernel's index; a row's is its kernel's number from 1

} // namespace

LimitsModel::LimitsModel(Theme &theme, QObject *parent) : QAbstractItemModel(parent), m_theme(theme) {}

void LimitsModel::setKernels(std::vector<KernelRows> kernels) {
    const auto shape = [](const std::vector<KernelRows> &of) {
        std::vector<size_t> rows;
        for (const KernelRows &kernel : of) rows.push_back(kernel.rows.size());
        return rows;
    };
    if (shape(kernels) != shape(m_kernels)) {
        beginResetModel();
        m_kernels = std::move(kernels);
        return endResetModel();
    }
    // While somebody edits only values change: what is open and chosen stays.
    m_kernels = std::move(kernels);
    for (int k = 0; k < rowCount(); ++k) {
        const QModelIndex kernel = index(k, 0);
        Q_EMIT dataChanged(kernel, index(k, ColumnCount - 1));
        if (rowCount(kernel) > 0)
            Q_EMIT dataChanged(index(0, 0, kernel), index(rowCount(kernel) - 1, ColumnCount - 1, kernel));
    }
}

int LimitsModel::kernelOf(const QModelIndex &index) {
    if (!index.isValid()) return -1;
    return index.internalId() == kKernel ? index.row() : static_cast<int>(index.internalId()) - 1;
}

QModelIndex LimitsModel::index(int row, int column, const QModelIndex &parent) const {
    if (row < 0 || column < 0 || column >= ColumnCount || row >= rowCount(parent)) return {};
    return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : kKernel);
}

QModelIndex LimitsModel::parent(const QModelIndex &index) const {
    if (!index.isValid() || index.internalId() == kKernel) return {};
    return createIndex(static_cast<int>(index.internalId()) - 1, 0, kKernel);
}

int LimitsModel::rowCount(const QModelIndex &parent) const {
    if (!parent.isValid()) return static_cast<int>(m_kernels.size());
    if (parent.internalId() != kKernel || parent.column() != 0) return 0;
    return static_cast<int>(m_kernels[static_cast<size_t>(parent.row())].rows.size());
}

int LimitsModel::columnCount(const QModelIndex &parent) const {
    return parent.isValid() && (parent.internalId() != kKernel || parent.column() != 0) ? 0 : ColumnCount;
}

QVariant LimitsModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid()) return {};
    const KernelRows &kernel = m_kernels[static_cast<size_t>(kernelOf(index))];
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((index.column() == WhatColumn ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (index.internalId() == kKernel) return kernelData(kernel, index.column(), role);
    return rowData(kernel.rows[static_cast<size_t>(index.row())], index.column(), role);
}

QVariant LimitsModel::kernelData(const KernelRows &kernel, int column, int role) const {
    if (role == Qt::DisplayRole)
        return column == WhatColumn ? kernel.name + QStringLiteral("  ") + kernel.launch : QString();
    if (role == Qt::ToolTipRole || role == Qt::AccessibleTextRole)
        return QStringLiteral("%1: %2; %3").arg(kernel.name, kernel.launch, kernel.occupancy);
    if (role == Qt::FontRole) {
        QFont bold;
        bold.setBold(true);
        return bold;
    }
    if (role == Qt::ForegroundRole && kernel.refused) return m_theme.color(Role::Bad);
    return {};
}

QVariant LimitsModel::rowData(const LimitRow &row, int column, int role) const {
    const Role judged = row.refused ? Role::Bad : row.warns ? Role::Warning : Role::Accent;
    switch (role) {
    case Qt::DisplayRole:
        return column == WhatColumn      ? row.what
               : column == UsedColumn    ? row.used
               : column == AllowedColumn ? row.allowed
                                         : row.fit;
    case Qt::ToolTipRole:
        return row.tip;
    case Qt::AccessibleTextRole:
        return row.allowed.isEmpty() ? QStringLiteral("%1: %2").arg(row.what, row.used)
                                     : tr("%1: %2 of %3").arg(row.what, row.used, row.allowed);
    case Qt::ForegroundRole:
        if (column == UsedColumn && (row.refused || row.warns)) return m_theme.color(judged);
        return column == AllowedColumn ? QVariant(m_theme.color(Role::QuietText)) : QVariant();
    case Qt::FontRole:
        if (column == FitColumn && row.decides) {
            QFont bold;
            bold.setBold(true);
            return bold;
        }
        return {};
    case kShareRole:
        return column == UsedColumn && row.share >= 0 ? QVariant(row.share) : QVariant();
    case kColorRole:
        return m_theme.color(judged);
    default:
        return {};
    }
}

QVariant LimitsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    if (role == Qt::DisplayRole)
        return section == WhatColumn      ? tr("Kernel")
               : section == UsedColumn    ? tr("Used")
               : section == AllowedColumn ? tr("Of")
                                          : tr("Blocks that fit");
    if (role == Qt::ToolTipRole && section == FitColumn)
        return tr("On a multiprocessor, as far as this alone decides; the least of them run");
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((section == WhatColumn ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    return {};
}

QString LimitsModel::text(TableFormat format) const {
    QString out;
    const auto line = [&](const QStringList &fields) {
        QStringList written;
        for (const QString &field : fields) written << tableField(field, format);
        out += written.join(tableSeparator(format)) + u'\n';
    };
    line({tr("Kernel"), tr("Resource"), tr("Used"), tr("Of"), tr("Blocks that fit")});
    for (const KernelRows &kernel : m_kernels)
        for (const LimitRow &row : kernel.rows) line({kernel.name, row.what, row.used, row.allowed, row.fit});
    return out;
}

} // namespace loopscope
