#include "views/session/locks_json.h"

#include "locks/lock_pattern.h"
#include "schedule/steps_json.h"
#include "views/session/session_json.h"
#include "views/session/text.h"

#include <QJsonArray>

#include <exception>
#include <nlohmann/json.hpp>

namespace loopscope {

QJsonObject locksToJson(const TaskState &state) {
    if (state.locks.empty()) return {};
    QJsonArray patterns;
    for (const ScheduleLock &lock : state.locks.all()) patterns.append(qt(lock.text()));
    QJsonObject json{{jsonKey("patterns"), patterns}};
    if (state.lockedFrom) json[jsonKey("from")] = qt(stepsText(*state.lockedFrom));
    return json;
}

int locksFromJson(const QJsonObject &json, TaskState &state) {
    int lost = 0;
    for (const auto &pattern : json[jsonKey("patterns")].toArray()) {
        ReadLocks read = readLocks(std8(pattern.toString()));
        if (read.problem) ++lost;
        for (ScheduleLock &lock : read.locks) state.locks.add(std::move(lock));
    }
    if (const QString steps = json[jsonKey("from")].toString(); !steps.isEmpty()) {
        try {
            state.lockedFrom = stepsFromJson(nlohmann::json::parse(std8(steps)));
        } catch (const std::exception &) {
            ++lost; // the file is damaged; the search starts from sketches then
        }
    }
    return lost;
}

} // namespace loopscope
