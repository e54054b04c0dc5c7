#pragma once
// Values of target attributes, as the kinds of targets read them.

#include "language/target/target.h"

#include <cstdint>
#include <string>

namespace loopscope {

/// A whole number from 1; throws Error for anything else.
int positiveAttr(const std::string &name, const std::string &value);
int positiveAttrOr(const Target &target, const std::string &name, int fallback);
/// A number above 0; throws Error for anything else.
double rateAttrOr(const Target &target, const std::string &name, double fallback);

/// Fills in what follows from the attributes of a CUDA target: architecture, model and the figures of both.
void completeCuda(Target &target);

} // namespace loopscope
