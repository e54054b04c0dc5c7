#pragma once
// What Ansor itself derived for given workloads (tests/data, part of the project), and real logs, which are not part of
// it: those are found through LOOPSCOPE_SHARED (the folder that holds `data/`) or beside the checkout, and tests skip,
// with a message, where they are absent.

#include "language/dag/compute_dag.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

/// Path of a file in the data folder, or nothing when it is not there.
std::optional<std::string> sharedDataFile(const std::string &name);
std::vector<std::string> readLines(const std::string &path);

/// Lines of tests/data/NAME.gz that are not empty. Throws Error when the file is not there or broken.
std::vector<std::string> readPackedLines(const std::string &name);

/// One line of ansor-conformance.jsonl.
struct ConformanceRecord {
    std::string line; // JSON
    std::string workload;
    std::vector<int64_t> args;
    std::string target; // "llvm", "cuda"
};
std::vector<ConformanceRecord> conformanceRecords();

/// The DAG of a conformance workload (`C2D`, `GMM`, ...); null for a name that is not known.
DagPtr conformanceDag(const std::string &workload, const std::vector<int64_t> &args);

} // namespace loopscope
