#pragma once
// The kernels of a network with an open symbol as ordinary tasks, at sizes that come: what is found for them stands in
// logs like anything else, and becomes variants of the next table.

#include "deploy/dispatch/network_dispatch.h"
#include "deploy/network/search_tasks.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace loopscope {

/// What of the points is worth a search: sizes that are named, or else powers of two and the largest.
std::vector<int64_t> sizesToTune(const DispatchPoints &points);

/// Each kernel that sums something at each of the sizes, as often as it is in the network and the size comes; by the
/// points' weights, of sizes between them once. Named "matmul_add at n = 64".
Outcome<std::vector<SearchedTask>> tasksAtSizes(const std::vector<NetworkFamily> &families,
                                                const DispatchPoints &points, const std::vector<int64_t> &sizes,
                                                const std::optional<MachinePeaks> &peaks);

} // namespace loopscope
