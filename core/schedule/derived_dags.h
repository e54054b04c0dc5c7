#pragma once
// Memory of derived DAGs: a search replays the same first steps thousands of times, and each CHR, CHW or RF among them
// would analyse a whole DAG again. Equal steps on the same DAG give the same DAG object, from any thread. Entries live
// as long as their parent DAG.

#include "schedule/loop_state.h"

namespace loopscope {

DagPtr cacheReadDag(const DagPtr &dag, StageId stage, const std::string &scope, const std::vector<StageId> &readers);
DagPtr cacheWriteDag(const DagPtr &dag, StageId stage, const std::string &scope);
DagPtr rfactorDag(const DagPtr &dag, StageId id, const Stage &stage, IterId leaf, int factorIter);

} // namespace loopscope
