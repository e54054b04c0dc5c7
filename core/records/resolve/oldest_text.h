#pragma once
// What task keys were hashed from until January 2021, when they were a hash alone: types, shapes and whole bodies, but
// neither names of ops nor of their axes.

#include "language/dag/compute_dag.h"

#include <cstdint>
#include <string>

namespace loopscope {

/// The forms of hashed text, oldest last: conditions were (uint1)1 before they were (bool)1.
enum class HashForm : uint8_t { Simple, Oldest, OldestUint1 };

/// Of one op; Simple as opText has it.
std::string hashedLine(const Op &op, HashForm form);
/// 32 hex digits.
std::string hashOf(const ComputeDag &dag, HashForm form);

} // namespace loopscope
