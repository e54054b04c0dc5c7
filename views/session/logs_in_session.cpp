#include "views/session/logs_in_session.h"

#include "views/session/messages.h"
#include "views/session/open_logs.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonObject>

#include <algorithm>

namespace loopscope {

namespace {
const QString kCurrent = QStringLiteral("current");
const QString kOpen = QStringLiteral("open");
const QString kLogPath = QStringLiteral("path");
const QString kTask = QStringLiteral("task");
const QString kRecord = QStringLiteral("record");
const QString kFilter = QStringLiteral("filter");
} // namespace

LogsInSession::LogsInSession(OpenLogs &logs, Messages &messages, QObject *file)
    : SessionExtra(file), m_logs(logs), m_messages(messages) {}

QString LogsInSession::key() const { return QStringLiteral("logs"); }

QJsonValue LogsInSession::save() const {
    QJsonArray open;
    int current = -1;
    for (const auto &log : m_logs.all()) {
        if (log.get() == m_logs.current()) current = static_cast<int>(open.size());
        QJsonObject json{{kLogPath, log->path}};
        const LogPlace &place = log->place;
        if (place.task >= 0) json[kTask] = place.task;
        if (place.record != SIZE_MAX) json[kRecord] = static_cast<qint64>(place.record);
        if (!place.filter.isEmpty()) json[kFilter] = place.filter;
        open.append(json);
    }
    if (open.isEmpty()) return QJsonValue::Null;
    return QJsonObject{{kCurrent, current}, {kOpen, open}};
}

void LogsInSession::load(const QJsonValue &value, const QString &session) {
    const QJsonObject root = value.toObject();
    const int current = root[kCurrent].toInt(-1);
    int shown = 0;
    int index = 0;
    for (const auto &entry : root[kOpen].toArray()) {
        const QJsonObject json = entry.toObject();
        const QString path = json[kLogPath].toString();
        const bool wasShown = index++ == current;
        if (path.isEmpty()) continue; // of a damaged file
        if (!QFileInfo::exists(path)) {
            m_messages.add({Message::Severity::Failure, tr("%1 is not there any more").arg(path),
                            tr("The session %1 names it as an open log.").arg(session), path});
            continue;
        }
        const qint64 record = json[kRecord].toInteger(-1);
        const int id =
            m_logs.restore(path, {std::max(-1, json[kTask].toInt(-1)),
                                  record < 0 ? SIZE_MAX : static_cast<size_t>(record), json[kFilter].toString()});
        if (wasShown) shown = id;
    }
    if (shown != 0) m_logs.setCurrent(shown);
}

} // namespace loopscope
