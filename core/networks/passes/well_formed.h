#pragma once
// What a function must be like for any pass to take it.

#include "networks/graph/function.h"

#include <optional>
#include <string>

namespace loopscope {

/// The first thing that is wrong, as a sentence; nothing when all is well: the rules of networks/graph/verify.h, and
/// nodes that say what the catalogue wants of them.
std::optional<std::string> whatIsWrong(const GraphFunction &function);

} // namespace loopscope
