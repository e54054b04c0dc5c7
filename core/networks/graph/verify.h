#pragma once
// Whether a graph is well formed, whatever its operators mean (whether they fit says the catalogue, op/): what every
// reader of a graph relies on. Run on what was read, and after each pass.

#include "networks/graph/module.h"

#include <string>
#include <vector>

namespace loopscope {

/// One sentence for each rule that is broken, naming function, node and value; empty when the graph is well formed.
/// At most `most`, since one mistake may break a rule a million times.
std::vector<std::string> graphProblems(const GraphFunction &function, size_t most = 100);
std::vector<std::string> graphProblems(const Module &module, size_t most = 100);

} // namespace loopscope
