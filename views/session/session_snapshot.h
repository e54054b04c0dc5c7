#pragma once
// What goes into a session file, copied in one go. The UI thread has time for that; the JSON of thousands of trials and
// hundreds of schedules is made of the copy by whoever writes it, on any thread.

#include "views/session/document.h"
#include "views/session/edits_json.h"

#include <QJsonObject>

#include <vector>

namespace loopscope {

struct TaskSnapshot {
    QJsonObject facts; // all that is little
    TaskState kept;    // trials, rounds and the baseline; nothing else of it
    std::vector<SavedEdit> edits;

    [[nodiscard]] QJsonObject json() const;
};

/// Edits and draft are left out: they may be those of the file still.
TaskSnapshot snapshotOf(const TaskState &state);
void addEdits(TaskSnapshot &snapshot, const TaskState &state);

struct SessionSnapshot {
    struct Shown {
        TaskSnapshot task; // with what is known of its document
        std::vector<TaskSnapshot> others;
    };
    QJsonObject facts;
    std::vector<Shown> documents;

    [[nodiscard]] QJsonObject json() const;
};

} // namespace loopscope
