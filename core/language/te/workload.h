#pragma once
// A parsed workload file: named parameters, definitions in file order, and the arena their expressions live in. Not yet
// a DAG: nothing is ordered or analysed here.

#include "base/outcome.h"
#include "language/te/op.h"

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace loopscope {

struct WorkloadParam {
    std::string name;
    int64_t value = 0;
    int64_t fallback = 0; // the value in the file
};

/// Where the parts of a parsed workload stand in its text, for what is found wrong with them later.
struct WorkloadPlaces {
    std::string text;
    std::string path;
    std::unordered_map<const ExprNode *, size_t> loads; // offsets
    std::unordered_map<const Op *, size_t> ops;         // of their definitions

    /// With line and column of the load, or else of the op; of the path alone when neither stands in the text.
    [[nodiscard]] Error error(const Op &op, Expr load, const std::string &sentence) const;
};

struct Workload {
    std::string name;
    std::string path; // file, or empty
    std::vector<WorkloadParam> params;
    std::vector<OpPtr> ops; // file order, each after its inputs
    /// Argument order of the kernel and of the task key: placeholders in definition order, then the outputs (computes
    /// nobody reads) in definition order.
    std::vector<const Tensor *> args;
    ArenaPtr arena;
    std::shared_ptr<const WorkloadPlaces> places; // null when it was not parsed
};

using ParamOverrides = std::vector<std::pair<std::string, int64_t>>;

/// Throws Error with path, line, column, caret excerpt and a suggestion.
Workload parseWorkload(std::string_view text, const std::string &path, const ParamOverrides &overrides = {});
Workload loadWorkload(const std::string &path, const ParamOverrides &overrides = {});

/// `.te` text of the operators alone (parameters already applied); parsing it gives the same ops again, attributes and
/// tags included. Used for files and to hand a workload to a worker process.
std::string printWorkload(const std::string &name, const std::vector<OpPtr> &ops,
                          const std::vector<const Tensor *> &args);

} // namespace loopscope
