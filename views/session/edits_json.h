#pragma once
// The tree of edits of a task in a session file, both ways: nodes with their steps, refused ones included, names,
// notes, scripts, predictions and times. Dropped nodes stay out, so the others are numbered anew.

#include "views/session/document.h"

#include <QJsonArray>
#include <QJsonObject>

#include <vector>

namespace loopscope {

/// What refers to a schedule, as the file numbers it; naive for a dropped one.
ScheduleRef savedRef(const TaskState &state, const ScheduleRef &ref);
/// A node, with its steps still to be written out, which takes longest.
struct SavedEdit {
    QJsonObject facts;
    Steps steps;
    std::vector<EditedSteps::Meaning> meant; // of each step, where some are refused; else empty
};
std::vector<SavedEdit> savedEdits(const TaskState &state);
/// On any thread.
QJsonArray editsToJson(const std::vector<SavedEdit> &edits);

struct ReadEdits {
    std::vector<EditNode> nodes;
    std::vector<int> numbers;        // by number in the file; -1: it could not be read
    std::vector<QString> trialNames; // of each node: recordName() of the trial it became; empty: none
    int lost = 0;                    // with all that was made of them
    [[nodiscard]] ScheduleRef ref(const ScheduleRef &saved) const;
};
ReadEdits editsFromJson(const DagPtr &dag, const QJsonArray &array);

} // namespace loopscope
