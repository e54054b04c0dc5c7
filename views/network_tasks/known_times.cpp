#include "views/network_tasks/known_times.h"

#include "views/session/open_logs.h"
#include "views/session/session.h"
#include "views/session/tasks.h"

#include <cmath>

namespace loopscope {

namespace {

void take(KnownTime &known, double seconds, size_t records, const QString &where) {
    known.records += records;
    if (!std::isfinite(seconds) || seconds <= 0 || (known.seconds > 0 && known.seconds <= seconds)) return;
    known.seconds = seconds;
    known.where = where;
}

} // namespace

std::map<std::string, KnownTime> knownTimes(Session &session, const std::map<std::string, int> &keys) {
    std::map<std::string, KnownTime> known;
    for (const auto &log : session.logs().all())
        for (const LogTask &task : log->tasks())
            if (keys.contains(task.key))
                take(known[task.key], task.best < log->records() ? log->row(task.best).seconds : 0, task.records,
                     log->name());
    for (const Document *document : session.documents().all())
        for (const TaskState *state : tasksOf(*document)) {
            if (!state->task || state->trials.empty() || !keys.contains(state->task->key)) continue;
            const double seconds = state->best >= 0 ? state->trials[static_cast<size_t>(state->best)].seconds() : 0;
            take(known[state->task->key], seconds, state->trials.size(), document->name);
        }
    return known;
}

} // namespace loopscope
