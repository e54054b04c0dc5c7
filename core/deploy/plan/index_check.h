#pragma once
// Elements that kernels read by index: kernels take an index outside as the nearest inside, for they have no way to
// refuse one, so whoever runs them looks at the indices before. Indices stand in memory for that (partition/): they are
// no part of the kernel that reads them.

#include "base/outcome.h"
#include "networks/graph/function.h"
#include "networks/partition/partition.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace loopscope {

struct IndexCheck {
    size_t argument = 0; // of the call
    DType dtype = DType::Int64;
    std::vector<int64_t> dims;    // of the indices
    std::vector<int64_t> extents; // of the axes that are indexed: several take turns along the last axis
    size_t axis = 0;              // the first of them
    std::string node;             // "gather 'g'"
    std::string data;             // dims of what is read
};

/// Of all nodes of a kernel whose indices are no constants. Dims must be known.
std::vector<IndexCheck> indexChecksOf(const GraphFunction &function, const Kernel &kernel);
/// The same of constants, which may be looked at once.
std::optional<Refusal> wrongConstantIndex(const GraphFunction &function);

/// Which index is outside, as a sentence; nothing where none is. An index counts from the end where it is negative.
std::optional<std::string> outside(const IndexCheck &check, const void *indices);
/// Throws Error with that sentence; the arguments are those of the call.
void checkIndices(std::span<const IndexCheck> checks, void *const *arguments);

} // namespace loopscope
