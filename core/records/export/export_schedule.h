#pragma once
// A schedule as files that work where Loopscope is not. The files are values: whoever asked writes them
// (records/export/write_files.h), or shows them.
//
// Arguments lie as the schedule was measured: plain (row-major, as the workload has them) but for weights that a layout
// rewrite packs (ExportRequest::layoutRewrite 2); the header says how each lies and has a function that packs it.

#include "base/outcome.h"
#include "language/task/task.h"
#include "measure/trial.h"
#include "records/export/export_formats.h"
#include "schedule/step.h"

#include <atomic>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct ExportRequest {
    Task task;
    Steps steps;                                  // empty: the naive schedule
    int layoutRewrite = 0;                        // as lower() has it
    std::optional<Trial> measured = std::nullopt; // its times; none: it was not measured
    std::string stem = {};                        // of the files' names; empty: the workload's name
    std::string workerPath = {};                  // as in MeasureOptions
};

struct ExportedFile {
    std::string name; // relative to the folder everything goes to
    std::string bytes;
};
/// The one that is asked for comes first, what belongs to it after it.
using ExportedFiles = std::vector<ExportedFile>;

/// Refused with one sentence when the schedule does not apply or cannot be lowered or compiled, when its answer cannot
/// be checked (formats with a check), when no compiler is there to link with (library), and when `cancel` was raised.
Outcome<ExportedFiles> exportSchedule(const ExportRequest &request, ExportFormat format,
                                      const std::atomic<bool> *cancel = nullptr);

} // namespace loopscope
