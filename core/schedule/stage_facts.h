#pragma once
// What sketch rules, annotation rules, mutations and views ask about a stage of a state, as Ansor means them. All are
// derived on the spot from the state and its DAG's access analysis.

#include "schedule/loop_state.h"

#include <string_view>
#include <vector>

namespace loopscope {

// --- Who reads whom, looking through inlined stages; distinct, ascending
// ----------------------------------------------

std::vector<StageId> consumers(const LoopState &state, StageId id);
std::vector<StageId> producers(const LoopState &state, StageId id);

// --- One stage -----------------------------------------------------------------------------------------------------

/// Some leaf is not a whole axis any more: the number of loops differs from the number of axes.
bool isTiled(const Stage &stage);
bool hasReduceIter(const Stage &stage);
/// A reduction loop bound to threadIdx.x in the stage or in one attached at it.
bool hasCrossThreadReduction(const LoopState &state, StageId id);
/// Products of the extents of the spatial and of the reduce axes.
struct SpaceSize {
    int64_t spatial = 1;
    int64_t reduce = 1;
};
SpaceSize spaceSize(const Op &op);
/// Inlined, the stage makes no statement of its readers read more than kMaxReads elements (or name its axes more
/// often): inlining repeats what a stage reads at each place where it is read, so that a chain of `s*s` doubles stage
/// by stage.
bool inliningFits(const LoopState &state, StageId id);
/// The same where those are inlined, by op.
bool inliningFits(const ComputeDag &dag, const std::vector<bool> &inlined, StageId id);
inline constexpr int kMaxReads = 1024;
/// Names of the axes an iterator name stands for: "i.0@j.0@" -> i, j.
std::vector<std::string_view> originalIterNames(std::string_view name);

// --- What earlier steps did to it; stage numbers of now
// -----------------------------------------------------------------

bool hasCacheRead(const LoopState &state, StageId id);
bool hasCacheWrite(const LoopState &state, StageId id);
/// The stage is a copy of an input that CHR made.
bool copiesInput(const LoopState &state, StageId id);

// --- Where it could go
// --------------------------------------------------------------------------------------------------

/// The only consumer, when it reads the stage element by element and not both of them reduce; -1 otherwise.
StageId singleElementwiseConsumer(const LoopState &state, StageId id);
/// The only consumer; of several, the stage each of them is or is directly attached at, when that is the same; else -1.
StageId singleConsumerRoot(const LoopState &state, StageId id);
/// The stage itself, or the outermost one it is attached in.
StageId rootOf(const LoopState &state, StageId id);

} // namespace loopscope
