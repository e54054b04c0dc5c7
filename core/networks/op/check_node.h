#pragma once
// Whether a node says what its operator wants, before anything is known of its inputs.

#include "networks/op/operator.h"

#include <string>
#include <vector>

namespace loopscope {

/// One sentence for each problem.
std::vector<std::string> problemsOf(const Node &node, const Operator &of);
/// Of a node whose operator is not in the catalogue, with the one that was meant where a name is near.
std::string unknownOperatorText(const Node &node);

} // namespace loopscope
