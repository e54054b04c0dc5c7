#pragma once
// A call that is not trusted: what the function may only read is hashed before and after.

#include "networks/packed/packed_function.h"

#include <span>

namespace loopscope {

/// As PackedFunction::call; and refused, afterwards, when the function wrote to a tensor that its signature does not
/// declare as written, which is named. Refused before when it has no signature.
Outcome<PackedArgument> checkedCall(const PackedFunction &function, std::span<const PackedArgument> arguments);

} // namespace loopscope
