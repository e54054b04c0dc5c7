#pragma once
// Axes that do not begin at 0, as those of a stage with a halo: `gray(-3 <= y < H + 3, ...)`. Loops, tensors and
// schedules count from 0; the text of a workload has coordinates, which are counts plus the origin of their axis. Both
// ways are exact: text → op → text → op gives the same op.

#include "language/te/op.h"

#include <functional>
#include <span>

namespace loopscope {

/// Told of a load that became another one.
using LoadMoved = std::function<void(Expr from, Expr to)>;

/// An expression in the coordinates of these axes (loads: of the tensors they read) → the same in counts from 0.
/// Constants that meet are added; anything else stays as it is, and so does what no origin touches.
Expr countsFromCoordinates(Expr e, std::span<const Axis> axes, const LoadMoved &moved = {});
/// The inverse.
Expr coordinatesFromCounts(Expr e, std::span<const Axis> axes);

/// e + by, put together with a constant that e ends in: shifting back gives e again.
Expr shiftedBy(Expr e, int64_t by);

/// The spatial axes of an op, then those it reduces over.
std::vector<Axis> allAxes(const Op &op);
/// Where dimension `d` of a tensor begins; of inputs: 0.
int64_t originOf(const Tensor &tensor, size_t d);
/// An axis of the op, or a dimension of a tensor it reads, does not begin at 0.
bool hasOrigins(const Op &op);

} // namespace loopscope
