#pragma once
// What each kind of step does to a state, and why it may not. What a kind means, with a picture of the loops before and
// after, stands on top of its file.

#include "schedule/state_editor.h"

namespace loopscope {

Refused applyStep(StateEditor &editor, const AnnotateStep &step);
Refused applyStep(StateEditor &editor, const CacheReadStep &step);
Refused applyStep(StateEditor &editor, const CacheWriteStep &step);
Refused applyStep(StateEditor &editor, const ComputeAtStep &step);
Refused applyStep(StateEditor &editor, const ComputeInlineStep &step);
Refused applyStep(StateEditor &editor, const ComputeRootStep &step);
Refused applyStep(StateEditor &editor, const FollowFusedSplitStep &step);
Refused applyStep(StateEditor &editor, const FollowSplitStep &step);
Refused applyStep(StateEditor &editor, const FuseStep &step);
Refused applyStep(StateEditor &editor, const PragmaStep &step);
Refused applyStep(StateEditor &editor, const ReorderStep &step);
Refused applyStep(StateEditor &editor, const RfactorStep &step);
Refused applyStep(StateEditor &editor, const SplitStep &step);
Refused applyStep(StateEditor &editor, const StorageAlignStep &step);

} // namespace loopscope
