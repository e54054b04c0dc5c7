#include "views/logs/record_model.h"

#include "views/logs/log_names.h"
#include "views/session/text.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace loopscope {

RecordModel::RecordModel(const Theme &theme, QObject *parent)
    : TableModel(
          {
              {tr("Line"), tr("Line of the log, from 1"), Qt::AlignRight},
              {tr("Task"), tr("Number of its task, from 0, as filters name it: task:0"), Qt::AlignRight},
              {tr("Time"), tr("Mean of its times, as the log's own search ranks it"), Qt::AlignRight},
              {tr("Of best"), tr("Its time over the best of its task"), Qt::AlignRight},
              {tr("Spread"), tr("Greatest minus least of its times, over their mean"), Qt::AlignRight},
              {tr("Repeats"), tr("How many times it has"), Qt::AlignRight},
              {tr("Result"), tr("Whether it ran, and if not, which kind of failure it was")},
              {tr("When"), tr("When it was measured"), Qt::AlignRight},
              {tr("Steps"), tr("How many steps its schedule has"), Qt::AlignRight},
              {tr("Structure"),
               tr("Records of one number have the same steps but for lengths of splits and values of pragmas"),
               Qt::AlignRight},
              {tr("Pinned"), tr("Pinned on the record's page: kept in a file beside the log")},
              {tr("Tags"), tr("Noted on the record's page: kept in a file beside the log")},
              {tr("Note"), tr("Noted on the record's page: kept in a file beside the log")},
          },
          parent),
      m_theme(theme) {}

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

int RecordModel::rowsShown() const { return m_rows; }

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
        return sideOf(index.column());
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

} // namespace loopscope
