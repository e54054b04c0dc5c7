#include "views/session/locks_json.h"

#include "base/json_text.h"
#include "schedule/locks/lock_pattern.h"
#include "schedule/steps_json.h"
#include "views/session/session_json.h"
#include "views/session/text.h"

#include <QJsonArray>

#include <exception>
#include <optional>
#include <utility>
#include <vector>

namespace loopscope {

namespace {

QJsonArray patternsOf(const std::vector<ScheduleLock> &locks) {
    QJsonArray patterns;
    for (const ScheduleLock &lock : locks) patterns.append(qt(lock.text()));
    return patterns;
}

std::vector<ScheduleLock> locksIn(const QJsonValue &patterns, int &lost) {
    std::vector<ScheduleLock> locks;
    for (const auto &pattern : patterns.toArray()) {
        ReadLocks read = readLocks(std8(pattern.toString()));
        if (read.problem) ++lost;
        for (ScheduleLock &lock : read.locks) locks.push_back(std::move(lock));
    }
    return locks;
}

std::optional<Steps> stepsIn(const QJsonValue &text, int &lost) {
    if (text.toString().isEmpty()) return std::nullopt;
    try {
        return stepsFromJson(parseJson(std8(text.toString()), "", "the steps"));
    } catch (const std::exception &) {
        ++lost; // the file is damaged; the search starts from sketches then
        return std::nullopt;
    }
}

} // namespace

QJsonObject locksToJson(const TaskState &state) {
    QJsonObject json;
    if (!state.locks.empty()) json[jsonKey("patterns")] = patternsOf(state.locks.all());
    if (!state.locks.empty() && state.lockedFrom) json[jsonKey("from")] = qt(stepsText(*state.lockedFrom));
    const SearchBeginning &beginning = state.beginning;
    if (beginning.schedule) {
        json[jsonKey("begins_with")] = qt(stepsText(*beginning.schedule));
        json[jsonKey("begins_with_name")] = beginning.name;
    }
    if (!beginning.group.isEmpty()) {
        json[jsonKey("group")] = beginning.group;
        json[jsonKey("outside_group")] = patternsOf(beginning.outside);
    }
    return json;
}

int locksFromJson(const QJsonObject &json, TaskState &state) {
    int lost = 0;
    for (ScheduleLock &lock : locksIn(json[jsonKey("patterns")], lost)) state.locks.add(std::move(lock));
    state.lockedFrom = stepsIn(json[jsonKey("from")], lost);
    SearchBeginning &beginning = state.beginning;
    beginning.schedule = stepsIn(json[jsonKey("begins_with")], lost);
    if (beginning.schedule) beginning.name = json[jsonKey("begins_with_name")].toString();
    beginning.group = json[jsonKey("group")].toString();
    int known = 0; // they are among the locks, which were counted
    if (!beginning.group.isEmpty()) beginning.outside = locksIn(json[jsonKey("outside_group")], known);
    return lost;
}

} // namespace loopscope
