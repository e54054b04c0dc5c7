#include "views/logs/diff_task_model.h"

#include "records/logs/diff_report.h"
#include "views/logs/log_names.h"
#include "views/session/text.h"

#include <cmath>

namespace loopscope {

namespace {

const QString kNoValue = QStringLiteral("\u2013");

QString letterOf(size_t log) { return qt(logLetter(log)); }

QString matchedTip(const TaskDiff &task) {
    QString tip =
        QStringLiteral("%1\nKey: %2\nTarget: %3\nMatched by %4")
            .arg(diffTaskName(task.task), qt(task.task.key), qt(task.task.target), qt(matchText(task.task.by)));
    if (task.task.targetsDiffer)
        tip += QStringLiteral("\nMeasured on different processors or numbers of cores, which the ratio includes");
    if (task.task.layoutsDiffer) tip += QStringLiteral("\nThe layout rewrite options differ");
    return tip;
}

} // namespace

QString diffTaskName(const MatchedTask &task) { return task.workload.empty() ? shortKey(task.key) : qt(task.workload); }

QString diffVerdictText(DiffVerdict verdict, size_t other) { return qt(verdictText(verdict, other)); }

DiffTaskModel::DiffTaskModel(const Theme &theme, QObject *parent) : QAbstractTableModel(parent), m_theme(theme) {}

void DiffTaskModel::show(const LogDiff *diff, size_t other) {
    beginResetModel();
    m_rows.clear();
    m_other = other;
    const auto sideOf = [](const std::optional<DiffSide> &side) {
        return side ? Side{true, side->seconds, side->records, side->failures} : Side{};
    };
    for (size_t i = 0; diff != nullptr && i < diff->tasks.size(); ++i) {
        const TaskDiff &task = diff->tasks[i];
        const DiffPair &pair = task.pairs[other - 1];
        if (pair.verdict == DiffVerdict::Neither) continue;
        m_rows.push_back({static_cast<int>(i), diffTaskName(task.task), qt(task.task.key), matchedTip(task),
                          sideOf(task.sides[0]), sideOf(task.sides[other]), pair.ratio, pair.verdict, task.weight});
    }
    endResetModel();
}

int DiffTaskModel::rowCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int DiffTaskModel::columnCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : ColumnCount; }

QString DiffTaskModel::text(const Row &row, int column) const {
    const auto best = [](const Side &side) {
        return !side.there                    ? kNoValue
               : std::isfinite(side.seconds)  ? timeText(side.seconds)
               : side.failures < side.records ? tr("none timed")
                                              : tr("none valid");
    };
    const auto records = [](const Side &side) { return side.there ? QString::number(side.records) : kNoValue; };
    switch (column) {
    case Name:
        return row.name;
    case BestFirst:
        return best(row.first);
    case BestOther:
        return best(row.other);
    case Ratio:
        return row.ratio ? QString::number(*row.ratio, 'f', 3) : kNoValue;
    case Verdict:
        return diffVerdictText(row.verdict, m_other);
    case RecordsFirst:
        return records(row.first);
    case RecordsOther:
        return records(row.other);
    case Weight:
        return QString::number(row.weight);
    case Key:
        return row.key;
    default:
        return {};
    }
}

QVariant DiffTaskModel::sortValue(const Row &row, int column) {
    const auto best = [](const Side &side) {
        return side.there && std::isfinite(side.seconds) ? QVariant(side.seconds) : QVariant();
    };
    const auto records = [](const Side &side) {
        return side.there ? QVariant(static_cast<qulonglong>(side.records)) : QVariant();
    };
    switch (column) {
    case Name:
        return row.name;
    case BestFirst:
        return best(row.first);
    case BestOther:
        return best(row.other);
    case Ratio:
        return row.ratio ? QVariant(*row.ratio) : QVariant();
    case Verdict:
        return static_cast<int>(row.verdict);
    case RecordsFirst:
        return records(row.first);
    case RecordsOther:
        return records(row.other);
    case Weight:
        return row.weight;
    case Key:
        return row.key;
    default:
        return {};
    }
}

QVariant DiffTaskModel::colour(const Row &row, int column) const {
    if (column != Ratio && column != Verdict) return {};
    switch (row.verdict) {
    case DiffVerdict::Better:
        return m_theme.color(Role::Good);
    case DiffVerdict::Worse:
        return m_theme.color(Role::Bad);
    default:
        return m_theme.color(Role::QuietText);
    }
}

QVariant DiffTaskModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid() || static_cast<size_t>(index.row()) >= m_rows.size()) return {};
    const Row &row = m_rows[static_cast<size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case SortRole:
        return sortValue(row, index.column());
    case TaskRole:
        return row.task;
    case Qt::ToolTipRole: {
        const Side *side = index.column() == RecordsFirst   ? &row.first
                           : index.column() == RecordsOther ? &row.other
                                                            : nullptr;
        return side != nullptr && side->there ? tr("%1 of %2 failed").arg(side->failures).arg(side->records) : row.tip;
    }
    case Qt::TextAlignmentRole:
        return headerData(index.column(), Qt::Horizontal, role);
    case Qt::ForegroundRole:
        return colour(row, index.column());
    default:
        return {};
    }
}

QVariant DiffTaskModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    const bool words = section == Name || section == Verdict || section == Key;
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section == Ratio)
        return tr("The best time of %1 over that of %2: below 1 %1 is faster").arg(letterOf(m_other), letterOf(0));
    if (role != Qt::DisplayRole) return {};
    switch (section) {
    case Name:
        return tr("Task");
    case BestFirst:
        return tr("Best in %1").arg(letterOf(0));
    case BestOther:
        return tr("Best in %1").arg(letterOf(m_other));
    case Ratio:
        return tr("%1 / %2").arg(letterOf(m_other), letterOf(0));
    case Verdict:
        return tr("Verdict on %1").arg(letterOf(m_other));
    case RecordsFirst:
        return tr("Records %1").arg(letterOf(0));
    case RecordsOther:
        return tr("Records %1").arg(letterOf(m_other));
    case Weight:
        return tr("Weight");
    case Key:
        return tr("Key");
    default:
        return {};
    }
}

DiffTaskOrder::DiffTaskOrder(QObject *parent) : QSortFilterProxyModel(parent) {
    setSortRole(DiffTaskModel::SortRole);
    setFilterKeyColumn(-1); // any
    setFilterCaseSensitivity(Qt::CaseInsensitive);
}

bool DiffTaskOrder::lessThan(const QModelIndex &left, const QModelIndex &right) const {
    const bool hasLeft = left.data(DiffTaskModel::SortRole).isValid();
    const bool hasRight = right.data(DiffTaskModel::SortRole).isValid();
    if (hasLeft && hasRight) return QSortFilterProxyModel::lessThan(left, right);
    if (hasLeft == hasRight) return false;
    return hasLeft == (sortOrder() == Qt::AscendingOrder);
}

} // namespace loopscope
