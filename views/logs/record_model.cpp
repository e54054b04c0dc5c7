#include "views/logs/record_model.h"

#include "views/logs/log_names.h"
#include "views/session/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace loopscope {

namespace {

bool isText(int column) {
    return column == RecordModel::Result || column == RecordModel::Pinned || column == RecordModel::Tags ||
           column == RecordModel::Note;
}

} // namespace

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
    if (row.failed() || row.untimed() || best >= m_log->records()) return 0;
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
        return row.untimed() ? tr("right, not timed") : row.unstable ? tr("ok, unstable") : resultWord(row.error);
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

QString RecordModel::noteText(size_t record, int column) const {
    const RecordNote *note = m_notes->of(static_cast<uint32_t>(record));
    if (note == nullptr) return {};
    if (column == Pinned) return note->pinned ? tr("pinned") : QString();
    if (column == Note) return qt(note->text).replace(u'\n', u' ');
    QStringList tags;
    for (const std::string &tag : note->tags) tags << qt(tag);
    return tags.join(u' ');
}

void RecordModel::setNotes(NotedRecordsPtr notes) {
    m_notes = std::move(notes);
    if (m_rows > 0) Q_EMIT dataChanged(index(0, Pinned), index(m_rows - 1, Note), {Qt::DisplayRole});
}

RecordsToWrite RecordModel::toWrite() const {
    RecordsToWrite records{nullptr, {}, m_order, static_cast<size_t>(m_rows), m_notes};
    if (m_log == nullptr) return records;
    records.log = m_log->log;
    if (!records.log) records.glance = m_log->glance;
    return records;
}

QVariant RecordModel::data(const QModelIndex &index, int role) const {
    if (m_log == nullptr || !index.isValid() || index.row() >= m_rows) return {};
    const size_t record = recordAt(index.row());
    const LogRow &row = m_log->row(record);
    switch (role) {
    case Qt::DisplayRole:
        return index.column() >= Pinned ? noteText(record, index.column()) : text(row, index.column());
    case Qt::TextAlignmentRole:
        return static_cast<int>((isText(index.column()) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        if (index.column() == Result && row.failed()) return m_theme.color(Role::Bad);
        if (index.column() == Result && row.unstable) return m_theme.color(Role::Warning);
        if (index.column() == Result) return m_theme.color(Role::QuietText);
        return {};
    case Qt::ToolTipRole:
        if (index.column() == Note || index.column() == Tags) return noteText(record, index.column());
        return index.column() == Task && row.task < m_log->tasks().size() ? shortKey(m_log->tasks()[row.task].key)
                                                                          : QVariant();
    default:
        return {};
    }
}

QVariant RecordModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    if (role == Qt::DisplayRole) {
        const std::array<QString, ColumnCount> names{
            tr("Line"), tr("Task"),  tr("Time"),      tr("Of best"), tr("Spread"), tr("Repeats"), tr("Result"),
            tr("When"), tr("Steps"), tr("Structure"), tr("Pinned"),  tr("Tags"),   tr("Note")};
        return names[static_cast<size_t>(section)];
    }
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((isText(section) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
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
        tr("Records of one number have the same steps but for lengths of splits and values of pragmas"),
        tr("Pinned on the record's page: kept in a file beside the log"),
        tr("Noted on the record's page: kept in a file beside the log"),
        tr("Noted on the record's page: kept in a file beside the log")};
    return tips[static_cast<size_t>(section)];
}

} // namespace loopscope
