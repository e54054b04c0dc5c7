#pragma once
// Compares what a kernel stored with the reference: element by element, within the bound of that element; NaN only
// where the reference is NaN, exact values exactly. A number without a bound may be anything that was written, infinity
// and NaN too: an overflow or a NaN on the way reaches it in one order of computing and not in another.

#include "measure/answer/reference_data.h"

#include <cstddef>
#include <optional>
#include <string>

namespace loopscope {

inline constexpr unsigned char kPoison = 0xff; // of outputs before a run; a NaN in every float type

struct AnswerCheck {
    double maxError = 0; // largest |kernel - reference| over the bound there; <= 1 is right
    std::string problem; // empty: right; else which output, where, what was expected and what came
};

/// `got` as the kernel stored it, `expected` and `bounds` as in a reference file; without bounds values are exact.
AnswerCheck checkAnswer(const ReferenceTensor &tensor, const std::byte *expected, const float *bounds,
                        const std::byte *got);

} // namespace loopscope
