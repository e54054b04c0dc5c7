#pragma once
// Small networks as expressions, read and printed: what the texts of rewrite rules are written in. Parameters and
// constants stand in front ("x: float32[2, 3], w: const float32[4, 3]", constants with seeded numbers), then come parts
// divided by bars: "a, b = split(x; axis = 1, sizes = [1, 2])" defines values, anything else is a result. 2.0 is a
// scalar, {1.0, 2.0} a float32 and [1, 2] an int64 constant.

#include "networks/graph/module.h"

#include <string>

namespace loopscope::test {

/// Types are inferred. Throws Error for what it cannot read.
FunctionPtr parseExpression(const std::string &given, const std::string &text);
Module moduleOf(const std::string &given, const std::string &text);
/// Results with all that they are made of, constants that are neither scalar nor vector by name.
std::string expressionText(const GraphFunction &function);
/// Numbers of float types uniform in [low, high], integers 0, 1, 2, ...
HostTensor seededTensor(const TensorType &type, uint64_t seed, double low = -1, double high = 1);
std::vector<HostTensor> seededInputs(const GraphFunction &function, uint64_t seed = 1);

} // namespace loopscope::test
