#pragma once
// A profile of a plan over the wire.

#include "base/fields.h"
#include "deploy/plan/profile.h"

namespace loopscope {

LOOPSCOPE_FIELDS(CallProfile, name, nodes, sources, key, schedule, outputs, time, flops, bytesIn, bytesOut, weightBytes,
                 threads)
LOOPSCOPE_FIELDS(PlanProfile, network, target, threads, calls, whole)

} // namespace loopscope
