#pragma once
// A schedule script in a file, applied or refused in the form every command has for it.

#include "schedule/script/schedule_script.h"

#include <string>

namespace loopscope {

/// Throws Error with line, column and the line itself; with `json` also prints {"refused": ...} on standard output.
AppliedScript appliedScriptFile(const std::string &path, const DagPtr &dag, bool json);
inline LoopState stateOfScript(const std::string &path, const DagPtr &dag, bool json) {
    return appliedScriptFile(path, dag, json).state;
}

} // namespace loopscope
