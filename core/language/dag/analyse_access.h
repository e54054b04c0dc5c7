#pragma once
// How the ops of a DAG read each other, found out once when it is made (language/dag/access.h says what that is).

#include "language/dag/access.h"
#include "language/te/op.h"

#include <vector>

namespace loopscope {

/// Of each op; what they read is among them.
std::vector<OpAccess> analyseAccesses(const std::vector<OpPtr> &ops);

} // namespace loopscope
