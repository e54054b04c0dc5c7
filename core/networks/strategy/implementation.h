#pragma once
// One way to compute an operator: its name and rank among the others, how exact it is, what it needs, and how a node is
// written so that its kernel's DAG is that of this way (op_compute makes DAGs of nodes, and of nothing else).

#include "networks/strategy/accuracy.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

class NodeRewriting;

/// Who makes the schedule of the kernel.
enum class ScheduleKind : uint8_t {
    Searched,  // the search; tuning records count
    Injective, // one pass over the result, whatever the loops
    Reduction, // sums along axes
    Pooling,   // windows; like the two before a ready-made one
    Host,      // nobody: a routine of the host
    Library, // nobody: a routine of a library that is on the machine, or, for decisions as TVM makes them, of one that
             // Loopscope does not call
};
std::string_view scheduleKindName(ScheduleKind kind); // "searched", "injective", ...

/// Writes the node anew; null: as it stands.
using NodeRewrite = void (*)(NodeRewriting &rewriting);

struct Implementation {
    std::string name;
    int level = 10; // the highest wins where no times are known
    AccuracyClass accuracy = AccuracyClass::Exact;
    ScheduleKind schedule = ScheduleKind::Searched;
    NodeRewrite rewrite = nullptr;
    std::vector<std::string> needs = {}; // libraries, as a target's -libs names them
    /// Times in tuning logs are evidence for it.
    bool tunable = true;
};

} // namespace loopscope
