#pragma once
// What each instruction of a LaneProgram computes. The loops over lanes are plain, so that the compiler vectorizes
// them.

#include "language/interpret/lane_program.h"

namespace loopscope {

/// Into `out`, for that many lanes; `active`: those that take part, null when all do.
void executeValue(const LaneProgram &program, const LaneInstruction &in, const LaneState &state,
                  LaneState::Register &out, int lanes, const int64_t *active);
void executeMask(const LaneProgram &program, const LaneInstruction &in, const LaneState &state,
                 LaneState::Register &out, int lanes);

/// Where each lane of a load whose indices are computed reads. Throws Error when an active one reads outside.
void generalOffsets(const LaneProgram &program, const LaneLoad &load, const LaneState &state, int64_t *offsets,
                    int lanes, const int64_t *active);

} // namespace loopscope
