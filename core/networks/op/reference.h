#pragma once
// A whole function run in double precision by the reference evaluation of its operators: slow, and the measure of
// everything that is fast.

#include "base/outcome.h"
#include "base/thread_pool.h"
#include "language/tensor/host_tensor.h"
#include "language/tensor/wide_tensor.h"
#include "networks/graph/module.h"
#include "networks/op/packed_call.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace loopscope {

/// Elements of one value, beyond which it is refused before there is memory for it.
constexpr int64_t kMaxReferenceElements = int64_t{1} << 30;

struct ReferenceOptions {
    int threads = 0; // <= 0: as many as the machine has
    int64_t maxElements = kMaxReferenceElements;
    int64_t maxTrips = 1'000'000;     // of all loops, branches and calls among them: a loop may have no end
    bool keepAll = false;             // outputs of all nodes
    std::vector<ValueId> wanted = {}; // kept beside the results
    PackedFinder packed = nullptr;    // of functions from outside; none: they are refused
    /// A seed: with roundings such as correct kernels make (networks/op/kernel_roundings.h), as a sample of what they
    /// come to.
    std::optional<uint64_t> roundings = std::nullopt;
    /// Called for every node's output as it is computed, in the order of the nodes; false refuses to go on.
    std::function<bool(ValueId value, const WideTensor &tensor)> onValue = nullptr;
};

using ReferenceValues = std::map<ValueId, WideTensor>;

/// Results and what is to be kept. Inputs are one for each parameter, of its type; a symbol is the same number wherever
/// it stands. Types need not be inferred. Other values go with their last reader. Refuses with the node that failed.
Outcome<ReferenceValues> runReference(const GraphFunction &function, std::span<const HostTensor> inputs,
                                      const ReferenceOptions &options = {});
/// The function `main`, with the functions that its statements name (networks/graph/statement.h). What is kept, wanted
/// and seen is of `main`. Refuses a module that is not well formed.
Outcome<ReferenceValues> runReference(const Module &module, std::span<const HostTensor> inputs,
                                      const ReferenceOptions &options = {});

/// One node, for its inputs (null: left out). Checks it against the catalogue first.
Outcome<std::vector<WideTensor>> evaluateNode(const Node &node, std::span<const WideTensor *const> inputs,
                                              ThreadPool &pool, int64_t maxElements = kMaxReferenceElements);

} // namespace loopscope
