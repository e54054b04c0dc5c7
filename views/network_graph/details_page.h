#pragma once
// What the panel beside the graph says, as rich text: everything about one node, a sum of several, or the network as a
// whole while none is selected.

#include "views/network_graph/network_facts.h"
#include "views/session/open_networks.h"

namespace loopscope {

class Theme;

/// Links: "node:NUMBER" of the facts, "task:NUMBER" of the kernels. `kernels` may be null.
QString nodePage(const NetworkFacts &facts, int node, const NetworkKernels *kernels, const Theme &theme);
QString nodesPage(const NetworkFacts &facts, const std::vector<int> &nodes, const NetworkKernels *kernels,
                  const Theme &theme);
QString networkPage(const NetworkFacts &facts, const OpenNetwork &network, const Theme &theme);
/// A table of what is wrong with a file; empty when nothing is.
QString problemsPage(const NetworkContents &contents);

/// "-0.3 to 0.4, mean 0.01": of the first million elements where there are more; "all 0.5".
QString constantWords(const HostTensor &constant);

} // namespace loopscope
