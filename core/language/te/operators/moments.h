#pragma once
// Mean and deviation of rows, as exact as the type that sums are computed in allows, however large the mean and
// whatever the order of the sums: the variance from the differences to a first mean, and how far that one was off with
// it.

#include "language/te/operators/building.h"

#include <functional>
#include <string>
#include <vector>

namespace loopscope {

/// Two sums in one pass, over the same axes: outputs 0 and 1.
OpPtr pairOfSums(const std::string &name, const std::vector<Axis> &axes, const std::vector<Axis> &reduceAxes,
                 Expr first, Expr second);

/// Adds the statistics of `data` over its dimensions that are `reduced`: NAME_sum, NAME_mean, NAME_var_sum. What comes
/// back makes of a value, in the type of sums, and the indices of its row (those that are not reduced):
/// (value - mean) / sqrt(variance + epsilon).
std::function<Expr(Expr value, const std::vector<Expr> &row)> normalBy(const std::function<void(OpPtr)> &add,
                                                                       const Tensor &data,
                                                                       const std::vector<bool> &reduced,
                                                                       const std::string &name, double epsilon);

} // namespace loopscope
