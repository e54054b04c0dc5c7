#pragma once
// Where the values of a partitioned function lie: intermediate ones at offsets in one arena that each run writes anew,
// parameters and results in memory of whoever runs it, constants apart. Kernels that only give other dims to the same
// elements do nothing where both sides can share memory, inputs of a concat that joins (Kernel::joins) are written
// where its output lies, and an output may take the place of an input that dies.

#include "base/outcome.h"
#include "networks/graph/function.h"
#include "networks/partition/partition.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace loopscope {

struct MemoryOptions {
    bool reorder = true; // independent kernels, to a lower peak
    bool inPlace = true; // outputs in the place of inputs that die
    uint64_t seed = 0;   // of the searches for an order and for offsets
};

enum class StorageKind : uint8_t { Arena, Input, Output, Constant };
std::string_view storageKindName(StorageKind kind); // "arena", "input", "output", "constant"

struct ValueStorage {
    ValueId value;
    StorageKind kind = StorageKind::Arena;
    size_t index = 0;  // Input, Output: the parameter or result whose memory it is
    size_t offset = 0; // Arena
    size_t bytes = 0;
    size_t first = 0;   // positions in the order of the kernels, inclusive: from its maker (parameters, constants: from
    size_t last = 0;    // its first reader) to its last reader
    ValueId sharesWith; // whose memory it took over: its kernel's input, or the
                        // concat it is a part of; invalid: nobody's
};

enum class KernelAction : uint8_t {
    Run,
    Nothing, // its output is its input, or lies where its inputs lie
    Copy,    // its output has its input's bytes, in memory that cannot be shared
};

struct MemoryPlan {
    std::vector<size_t> order;         // kernels of the partition
    std::vector<KernelAction> actions; // by kernel
    std::vector<ValueStorage> values;  // all that stand between kernels, by value number
    /// Results whose value lies elsewhere, since it is a parameter, a constant or another result: copied at the end.
    std::vector<size_t> copiedResults;
    size_t arenaBytes = 0;
    size_t livePeak = 0;     // bytes of the arena that are needed at once, at most: no arena can be smaller
    size_t withoutReuse = 0; // were all of them to lie side by side

    /// Null for a value that stays inside a kernel.
    [[nodiscard]] const ValueStorage *find(ValueId value) const;
};

/// Types must be known. Refuses symbolic dims.
Outcome<MemoryPlan> planMemory(const GraphFunction &function, const Partition &partition,
                               const MemoryOptions &options = {});

} // namespace loopscope
