#pragma once
// The DAGs that steps derive, each made once while the original DAG remembers it (language/dag/derivation_table.h):
// equal steps on the same DAG give the same DAG object, from any thread.

#include "schedule/loop_state.h"

namespace loopscope {

// All on the DAG of the state as it is.
DagPtr cacheReadDag(const LoopState &state, StageId stage, const std::string &scope,
                    const std::vector<StageId> &readers);
DagPtr cacheWriteDag(const LoopState &state, StageId stage, const std::string &scope);
DagPtr rfactorDag(const LoopState &state, StageId id, IterId leaf, int factorIter);

} // namespace loopscope
