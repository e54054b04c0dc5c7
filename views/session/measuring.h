#pragma once
// How candidates of a task are measured in the window: with the seed and the limits of its search, and on what. The one
// place that knows for which targets there is a runner that times.

#include "measure/measurer.h"
#include "task/task.h"
#include "views/session/document.h"

namespace loopscope {

/// Why kernels of the target are not timed, in a sentence; empty: they are. Their answers are checked all the same, on
/// this processor.
QString whyUntimed(const Target &target);
/// "this machine", "the GPU of this machine, NVIDIA L4", "this processor, answers checked, nothing timed".
QString whereMeasured(const Target &target);
MeasureOptions measureOptionsOf(const SearchSetup &setup, const Target &target);
/// Of weights: a GPU copies them to shared memory anyway, so there they stay as they are, as in Ansor.
LayoutRewrite layoutRewriteOf(const SearchSetup &setup, const Target &target);

} // namespace loopscope
