#pragma once
// The attribute `layout` of an op: its result is a tensor laid out as core/codegen/layout chose, which takes effect
// only where it lies in memory. So nothing that schedules by itself inlines the op or computes it inside another; by
// hand it may be.

#include "language/te/op.h"

namespace loopscope {

inline constexpr const char *kLayoutAttribute = "layout";

inline bool staysInMemory(const Op &op) { return op.attrs.contains(kLayoutAttribute); }

} // namespace loopscope
