#include "views/logs/trial_link.h"

#include "views/session/open_logs.h"

#include <QScopedValueRollback>

#include <algorithm>

namespace loopscope {

TrialLink::TrialLink(Session &session, QObject *parent) : QObject(parent), m_session(session) {
    connect(&session.selection(), &Selection::changed, this, [this](const Selected &now, const Selected &before) {
        if (now.schedule != before.schedule) follow(now);
    });
}

void TrialLink::recordChosen(const QString &log, size_t record) {
    const Document *document = m_session.document();
    if (m_following || document == nullptr) return;
    const auto &trials = document->trials;
    const auto found = std::find_if(trials.begin(), trials.end(), [&](const TrialEntry &entry) {
        return entry.logRecord >= 0 && static_cast<size_t>(entry.logRecord) == record && entry.logPath == log;
    });
    if (found == trials.end()) return;
    const QScopedValueRollback following(m_following, true);
    m_session.selection().selectSchedule({ScheduleRef::Kind::Trial, static_cast<int>(found - trials.begin())});
}

void TrialLink::follow(const Selected &now) {
    const Document *document = m_session.document();
    if (m_following || document == nullptr || now.schedule.kind != ScheduleRef::Kind::Trial) return;
    const auto number = static_cast<size_t>(now.schedule.number);
    if (number >= document->trials.size() || document->trials[number].logRecord < 0) return;
    const TrialEntry &entry = document->trials[number];
    const auto &logs = m_session.logs().all();
    const auto found =
        std::find_if(logs.begin(), logs.end(), [&](const auto &log) { return log->path == entry.logPath; });
    if (found == logs.end()) return;
    const QScopedValueRollback following(m_following, true);
    Q_EMIT recordAsked((*found)->id, static_cast<size_t>(entry.logRecord));
}

} // namespace loopscope
