#pragma once
// The loops that a grouping comes to, nest by nest, before they are written as steps: in which order, cut how, which is
// vectorized, which run in parallel, and where members are computed.

#include "schedule/grouping/group.h"
#include "schedule/grouping/group_evaluation.h"

#include <string>
#include <vector>

namespace loopscope {

struct PlannedLoop {
    std::string name; // "x", "x_i", "x_o", "x_i_vi"
    int64_t extent = 0;
    bool serial = false; // steps of a reduction
    bool vector = false;
    bool parallel = false;
    bool unrolled = false;
    size_t axis = 0;  // loop of the node that it comes from
    int64_t step = 1; // of that, which one iteration goes on by
};

/// A loop cut in two, in its place.
struct PlannedSplit {
    std::string loop;
    std::string outer;
    std::string inner;
    int64_t length = 0; // of the inner one
};

struct NestPlan {
    int node = 0;
    std::vector<PlannedSplit> splits;
    std::vector<PlannedLoop> loops; // innermost first
    int attachedTo = -1;            // node; -1: at root
    std::string attachedAt;         // one of its loops
    int64_t lineElements = 0;       // of its buffer, where it goes along with the rows of a tile; 0: it does not
};

struct GroupPlan {
    NestPlan output;
    std::vector<NestPlan> members;      // those with loops of their own
    std::vector<std::string> interTile; // loops of the output that go from tile to tile, innermost first
};

/// One of each group, in their order.
std::vector<GroupPlan> planLoops(const Grouping &grouping);

} // namespace loopscope
