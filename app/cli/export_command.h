#pragma once
// `loopscope-cli export`: a schedule as files that work where Loopscope is not.

#include "choice.h"

#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct ExportCommandOptions {
    WorkloadChoice workload; // without a file when the formats are asked for
    RecordChoice record;
    std::string format;
    std::string out;
    std::optional<int> layoutRewrite; // none: as the schedule was or would be measured
};

/// What --format takes: the formats, and `list`.
std::vector<std::string> exportFormatWords();

int runExport(const ExportCommandOptions &options);

} // namespace loopscope
