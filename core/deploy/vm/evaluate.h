#pragma once
// The small integer programs of `eval`.

#include "deploy/vm/program.h"

#include <cstdint>
#include <optional>
#include <span>

namespace loopscope {

/// Of steps that `evalProblem` has nothing against. Nothing when the result does not fit 64 bits, or for a division by
/// less than 1.
std::optional<int64_t> evaluate(std::span<const EvalStep> steps, const int64_t *registers);

/// Why they compute no number: "add takes two numbers, and there is one"; empty when they do.
std::string evalProblem(std::span<const EvalStep> steps);

} // namespace loopscope
