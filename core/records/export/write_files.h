#pragma once
// Exported files on disk. Nothing of somebody else's is overwritten: a folder takes an export when it is new, empty, or
// holds an earlier export of the same; beside a file its companions replace only what an export wrote.

#include "records/export/export_schedule.h"

#include <string>
#include <vector>

namespace loopscope {

/// Of the files' names for that path: "k" for k.c; empty (the workload's) for folders.
std::string stemFor(ExportFormat format, const std::string &path);

/// Full paths of what was written. Refused with one sentence when the path is a folder and should be a file (or the
/// other way), when something of somebody else's is in the way, and when it cannot be written.
Outcome<std::vector<std::string>> writeFiles(const ExportedFiles &files, ExportFormat format, const std::string &path);

} // namespace loopscope
