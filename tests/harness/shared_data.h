#pragma once
// Real logs and conformance records that are not part of the project: found through LOOPSCOPE_SHARED (the folder that
// holds `data/`) or beside the checkout. Tests skip, with a message, where they are absent.

#include "dag/compute_dag.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

/// Path of a file in the data folder, or nothing when it is not there.
std::optional<std::string> sharedDataFile(const std::string &name);
std::vector<std::string> readLines(const std::string &path);

/// One line of ansor-conformance.jsonl that the sample DAGs can express.
struct ConformanceRecord {
    std::string line; // JSON
    std::string workload;
    std::vector<int64_t> args;
    std::string target; // "llvm", "cuda"
};
std::vector<ConformanceRecord> conformanceRecords(const std::string &path);

/// The DAG of a conformance workload (`C2D`, `GMM`, ...); null for a name that is not known.
DagPtr conformanceDag(const std::string &workload, const std::vector<int64_t> &args);

} // namespace loopscope
