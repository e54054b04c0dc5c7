#pragma once
// `loopscope-cli bundle export` and `bundle import`: candidates leave for another machine, and their times come back.

#include "choice.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct BundleCommandOptions {
    WorkloadChoice workload; // export; its file may be a log, whose records then leave
    bool targetGiven = false;
    std::vector<std::string> te; // export of a log: workload files, or folders of them
    std::string keys;            // export of a log: a key table (core/records/resolve)
    RecordChoice record;         // export: records of a log; `all` is legal, too
    int candidates = 0;          // export: > 0: so many of a search, which knows the log
    uint64_t seed = 0;
    std::string out;    // export: the folder of rounds
    std::string folder; // import: of rounds, or one
    std::string log;    // import
    bool json = false;  // import
    std::optional<int> layoutRewrite;
};

/// `command`: "export" or "import".
int runBundle(const std::string &command, const BundleCommandOptions &options);

} // namespace loopscope
