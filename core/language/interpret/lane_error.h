#pragma once
// The bounds beside the values of a LaneProgram: which instructions have one, and how it follows from those of the
// operands. error_bound.h says what a bound is.

#include "language/interpret/lane_program.h"

namespace loopscope {

/// Whether an instruction about to be appended has error lanes, or what share of its value it is off by.
void classifyError(const LaneProgram &program, LaneInstruction &in);
/// Into the error lanes of `out`, whose values are known.
void executeError(const LaneProgram &program, const LaneInstruction &in, const LaneState &state,
                  LaneState::Register &out, int lanes, const int64_t *active);
/// Bounds of a register's error; `room` for kLanes of them, should they have to be computed.
LaneValues<double> laneErrors(const LaneProgram &program, const LaneState &state, int reg, double *room);

} // namespace loopscope
