#pragma once
// Whether the next search may simply go on in the log it would append to: not in one that another program is writing,
// and not unasked in one that was opened and comes from another machine, whose times would stand among this one's.

#include "views/session/document.h"

#include <optional>

namespace loopscope {

struct LogQuestion {
    QString why;        // one sentence
    QString suggestion; // a file beside the log that does not exist yet
    bool copy = false;  // the log cannot be written to now; the suggestion would be a copy that goes on
};
/// Nothing when there is nothing to ask.
[[nodiscard]] std::optional<LogQuestion> logQuestion(const TaskState &state);

} // namespace loopscope
