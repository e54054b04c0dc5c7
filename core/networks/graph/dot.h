#pragma once
// A function in Graphviz's language, with shapes on its edges.

#include "networks/graph/function.h"

#include <string>
#include <vector>

namespace loopscope {

struct DotOptions {
    /// By node: nodes with the same label stand in a frame of that name; empty: in none. Shorter than the nodes, or
    /// empty, for no frames.
    std::vector<std::string> groups;
    bool constants = false; // boxes for weights, too
};

/// Nodes are called n0, n1, ... by their number, parameters p0, ..., results r0, ..., constants c and their value's
/// number.
std::string dotText(const GraphFunction &function, const DotOptions &options = {});

} // namespace loopscope
