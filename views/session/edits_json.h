#pragma once
// The tree of edits of a task in a session file, both ways: nodes with their steps, refused ones included, names,
// notes, scripts, predictions and times. Dropped nodes stay out, so the others are numbered anew.

#include "views/session/document.h"

#include <QJsonArray>
#include <QJsonObject>

#include <vector>

namespace loopscope {

/// Number of the node in the file; -1 for a dropped one.
int savedNumber(const TaskState &state, int number);
/// The same for what refers to a schedule; naive for a dropped one.
ScheduleRef savedRef(const TaskState &state, const ScheduleRef &ref);
QJsonArray editsToJson(const TaskState &state);

struct ReadEdits {
    std::vector<EditNode> nodes;
    std::vector<int> numbers;        // by number in the file; -1: it could not be read
    std::vector<QString> trialNames; // of each node: recordName() of the trial it became; empty: none
    int lost = 0;                    // with all that was made of them
    [[nodiscard]] ScheduleRef ref(const ScheduleRef &saved) const;
};
ReadEdits editsFromJson(const DagPtr &dag, const QJsonArray &array);

} // namespace loopscope
