#include "views/logs/record_model.h"

#include "views/logs/log_names.h"
#include "views/session/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace loopscope {

RecordModel::RecordModel(const Theme &theme, QObject *parent) : QAbstractTableModel(parent), m_theme(theme) {}

void RecordModel::show(const OpenLog *log, RecordOrder order) {
    beginResetModel();
    m_log = log;
    m_order = std::move(order);
    m_rows = log == nullptr ? 0 : static_cast<int>(m_order ? m_order->size() : log->records());
    endResetModel();
}

void RecordModel::grow() {
    const int has = m_log == nullptr || m_order ? m_rows : static_cast<int>(m_log->records());
    if (has <= m_rows) return;
    beginInsertRows({}, m_rows, has - 1);
    m_rows = has;
    endInsertRows();
}

size_t RecordModel::recordAt(int row) const {
    return m_order ? (*m_order)[static_cast<size_t>(row)] : static_cast<size_t>(row);
}

int RecordModel::rowOf(size_t record) const {
    if (!m_order) return record < static_cast<size_t>(m_rows) ? static_cast<int>(record) : -1;
    const auto found = std::find(m_order->begin(), m_order->end(), record);
    return found == m_order->end() ? -1 : static_cast<int>(found - m_order->begin());
}

int RecordModel::rowCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : m_rows; }

int RecordModel::columnCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : ColumnCount; }

double RecordModel::ofBest(const LogRow &row) const {
    const size_t best = row.task < m_log->tasks().size() ? m_log->tasks()[row.task].best : SIZE_MAX;
    if (row.failed() || best >= m_log->records()) return 0;
    const double least = m_log->row(best).seconds;
    return least > 0 ? row.seconds / least : 0;
}

QString RecordModel::text(const LogRow &row, int column) const {
    switch (column) {
    case Line:
        return QString::number(row.line);
    case Task:
        return QString::number(row.task);
    case Time:
        return timeText(row.seconds);
    case OfBest: {
        const double ratio = ofBest(row);
        return ratio > 0 ? QStringLiteral("%1\u00d7").arg(ratio, 0, 'f', 2) : QStringLiteral("\u2013");
    }
    case Spread:
        return row.repeats > 1 ? percentText(static_cast<double>(row.spread)) : QStringLiteral("\u2013");
    case Repeats:
        return QString::number(row.repeats);
    case Result:
        return row.unstable ? tr("ok, unstable") : resultWord(row.error);
    case When:
        return whenText(row.timestamp);
    case Steps:
        return QString::number(row.stepCount);
    case Structure:
        return QString::number(row.structure);
    default:
        return {};
    }
}

QString RecordModel::csv(int row, int column) const {
    const LogRow &record = m_log->row(recordAt(row));
    switch (column) {
    case Task:
        return qt(m_log->tasks()[record.task].key);
    case Time:
        return record.failed() ? QString() : QString::number(record.seconds, 'g', 17);
    case OfBest:
        return record.failed() ? QString() : QString::number(ofBest(record), 'g', 9);
    case Spread:
        return record.failed() ? QString() : QString::number(static_cast<double>(record.spread), 'g', 9);
    case Result:
        return resultWord(record.error);
    case When:
        return QString::number(record.timestamp);
    default:
        return text(record, column);
    }
}

QString RecordModel::csvHeader(int column) {
    static constexpr std::array names{"line",    "task key", "seconds",   "of best", "spread",
                                      "repeats", "result",   "timestamp", "steps",   "structure"};
    return QString::fromLatin1(names[static_cast<size_t>(column)]);
}

QVariant RecordModel::data(const QModelIndex &index, int role) const {
    if (m_log == nullptr || !index.isValid() || index.row() >= m_rows) return {};
    const LogRow &row = m_log->row(recordAt(index.row()));
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case Qt::TextAlignmentRole:
        return static_cast<int>((index.column() == Result ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        if (index.column() == Result && row.failed()) return m_theme.color(Role::Bad);
        if (index.column() == Result && row.unstable) return m_theme.color(Role::Warning);
        if (index.column() == Result) return m_theme.color(Role::QuietText);
        return {};
    case Qt::ToolTipRole:
        return index.column() == Task && row.task < m_log->tasks().size() ? shortKey(m_log->tasks()[row.task].key)
                                                                          : QVariant();
    default:
        return {};
    }
}

QVariant RecordModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    if (role == Qt::DisplayRole) {
        const std::array<QString, ColumnCount> names{tr("Line"),   tr("Task"),     tr("Time"),   tr("Of best"),
                                                     tr("Spread"), tr("Repeats"),  tr("Result"), tr("When"),
                                                     tr("Steps"),  tr("Structure")};
        return names[static_cast<size_t>(section)];
    }
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((section == Result ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::ToolTipRole) return {};
    const std::array<QString, ColumnCount> tips{
        tr("Line of the log, from 1"),
        tr("Number of its task, from 0, as filters name it: task:0"),
        tr("Mean of its times, as the log's own search ranks it"),
        tr("Its time over the best of its task"),
        tr("Greatest minus least of its times, over their mean"),
        tr("How many times it has"),
        tr("Whether it ran, and if not, which kind of failure it was"),
        tr("When it was measured"),
        tr("How many steps its schedule has"),
        tr("Records of one number have the same steps but for lengths of splits and values of pragmas")};
    return tips[static_cast<size_t>(section)];
}

} // namespace loopscope
