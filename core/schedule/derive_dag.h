#pragma once
// The DAGs that CHR, CHW and RF make: one op more, readers rewritten where a tensor they load has been replaced. Ops
// that do not change are shared with the parent DAG.

#include "schedule/loop_state.h"

#include <span>

namespace loopscope {

/// The op copying output 0 of op `index` gets index + 1; `readers` load from it.
DagPtr deriveCacheRead(const ComputeDag &dag, size_t index, const std::string &scope, std::span<const StageId> readers);

/// The computation moves to a new op at `index`; the op itself, now at index + 1, copies all its outputs.
DagPtr deriveCacheWrite(const ComputeDag &dag, size_t index, const std::string &scope);

/// `stage` gives the splits and fusions of the op's reduce axes; `leaf` is the part that becomes a spatial axis, at
/// position `factorIter`. `index` is the partial reduction `.rf`, index + 1 the combination `.repl`.
DagPtr deriveRfactor(const ComputeDag &dag, size_t index, const Stage &stage, IterId leaf, int factorIter);

} // namespace loopscope
