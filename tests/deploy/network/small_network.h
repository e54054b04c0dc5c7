#pragma once
// A network that is small and has what large ones have: convolutions, a branch, pooling, an alias, a dense layer.

#include "networks/graph/function.h"

namespace loopscope {

/// What somebody may get wrong without a shape telling.
enum class Mistake : uint8_t { None, Pads, Axis, Residual, Epsilon };

/// Parameter x[1, 3, 16, 16], results "prob"[1, 10] and, when asked for, "relu2"; weights are splats; types inferred.
FunctionPtr smallNetwork(bool withFeatures = false, Mistake mistake = Mistake::None);

} // namespace loopscope
