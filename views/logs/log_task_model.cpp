#include "views/logs/log_task_model.h"

#include "views/session/text.h"

#include <limits>
#include <utility>

namespace loopscope {

LogTaskModel::LogTaskModel(const Theme &theme, std::function<TaskTitle(const LogTask &)> title, QObject *parent)
    : QAbstractTableModel(parent), m_theme(theme), m_title(std::move(title)) {}

void LogTaskModel::show(const OpenLog *log) {
    std::vector<Row> rows;
    if (log != nullptr)
        for (const LogTask &task : log->tasks()) {
            const bool any = task.best < log->records(); // a glance may not hold the record
            rows.push_back({task, static_cast<int>(rows.size()),
                            any ? log->row(task.best).seconds : std::numeric_limits<double>::infinity()});
        }
    const int id = log != nullptr ? log->id : 0;
    if (std::exchange(m_log, id) == id && rows.size() >= m_rows.size()) {
        const int had = static_cast<int>(m_rows.size());
        const int has = static_cast<int>(rows.size());
        if (has > had) beginInsertRows({}, had, has - 1);
        m_rows = std::move(rows);
        if (has > had) endInsertRows();
        if (had > 0) Q_EMIT dataChanged(index(0, 0), index(had - 1, ColumnCount - 1));
        return;
    }
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

void LogTaskModel::retitle() {
    if (!m_rows.empty()) Q_EMIT dataChanged(index(0, Name), index(static_cast<int>(m_rows.size()) - 1, Name));
}

int LogTaskModel::rowCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int LogTaskModel::columnCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : ColumnCount; }

QString LogTaskModel::text(const Row &row, int column) const {
    switch (column) {
    case Number:
        return QString::number(row.number);
    case Name:
        return m_title(row.task).name;
    case Target:
        return qt(row.task.target);
    case Records:
        return QString::number(row.task.records);
    case Failed:
        return QString::number(row.task.failures);
    case Best:
        return timeText(row.best);
    default:
        return {};
    }
}

QVariant LogTaskModel::sortValue(const Row &row, int column) const {
    switch (column) {
    case Number:
        return row.number;
    case Records:
        return static_cast<qulonglong>(row.task.records);
    case Failed:
        return static_cast<qulonglong>(row.task.failures);
    case Best:
        return row.best;
    default:
        return text(row, column);
    }
}

QString LogTaskModel::tip(const Row &row) const {
    const TaskTitle title = m_title(row.task);
    QString text = tr("%1\nKey: %2\nTarget: %3").arg(title.name, qt(row.task.key), qt(row.task.target));
    if (!title.why.isEmpty()) text += tr("\nIts workload is not known: %1").arg(title.why);
    return text;
}

QVariant LogTaskModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid() || static_cast<size_t>(index.row()) >= m_rows.size()) return {};
    const Row &row = m_rows[static_cast<size_t>(index.row())];
    const bool number = index.column() != Name && index.column() != Target;
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case SortRole:
        return sortValue(row, index.column());
    case TaskRole:
        return index.row();
    case Qt::ToolTipRole:
        return tip(row);
    case Qt::TextAlignmentRole:
        return static_cast<int>((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        if (index.column() == Failed && row.task.failures > 0) return m_theme.color(Role::Bad);
        if (index.column() == Name && !m_title(row.task).why.isEmpty()) return m_theme.color(Role::QuietText);
        return {};
    default:
        return {};
    }
}

QVariant LogTaskModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
    case Number:
        return tr("No.");
    case Name:
        return tr("Task");
    case Target:
        return tr("Target");
    case Records:
        return tr("Records");
    case Failed:
        return tr("Failed");
    case Best:
        return tr("Best");
    default:
        return {};
    }
}

} // namespace loopscope
