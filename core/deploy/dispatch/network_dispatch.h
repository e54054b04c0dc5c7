#pragma once
// The story of a network with an open symbol: its kernels' families, a schedule for each at each point, what these
// generalise to, the cross matrix, the table.

#include "base/outcome.h"
#include "deploy/dispatch/cross_matrix.h"
#include "deploy/dispatch/dispatch_table.h"
#include "deploy/dispatch/kernel_families.h"
#include "deploy/network/default_schedule.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace loopscope {

struct DispatchPoints {
    std::vector<int64_t> sizes;  // ascending, different
    std::vector<double> weights; // how often each comes
    /// Sizes that are known to come, each worth a kernel of its own; others stand for what lies around them.
    std::vector<int64_t> named = {};
};

/// All sizes up to 8, powers of two up to the bound with an odd number between each two of them (11, 23, 47, ...), and
/// the bound itself. All alike often.
DispatchPoints usualPoints(int64_t bound);

/// The points, and an odd size about halfway between any two that are further apart than two, each counting a quarter
/// of the rarer of its neighbours: sizes that somebody names are often multiples of something, those that come are not.
DispatchPoints withSizesBetween(const DispatchPoints &points);

/// From how often which size came: each of them, or, of more than `most`, as many that stand for those between them and
/// the next smaller one, each as often as all of these together. Those that come once in twenty times are named.
DispatchPoints pointsOfTraffic(const std::map<int64_t, double> &counts, size_t most = 12);

/// One between any two points that are further apart than one, about a third of the way: even ones and odd ones.
std::vector<int64_t> unseenSizes(const DispatchPoints &points);

struct DispatchOptions {
    std::vector<std::string> logs = {}; // whose records of tasks at points count
    size_t most = 8;                    // variants of a kernel
    int threads = 0;                    // that build; <= 0: as many as the machine has
    DefaultScheduleOptions defaults = {};
    MatrixOptions matrix = {};
    std::function<void(size_t done, size_t of, const std::string &kernel)> progress = nullptr;
};

struct NetworkDispatch {
    DispatchTable table;
    std::vector<std::string> notes;
};

/// `families` of a bound that is the largest point. Throws Error when a log cannot be read.
Outcome<NetworkDispatch> dispatchNetwork(const std::string &name, const std::vector<NetworkFamily> &families,
                                         const GraphFunction &function, const Partition &partition,
                                         const DispatchPoints &points, const DispatchOptions &options = {});

} // namespace loopscope
