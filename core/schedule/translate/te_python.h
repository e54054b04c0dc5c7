#pragma once
// A schedule as its users wrote it for TVM's tensor expressions: the computation with te.compute, then one line of
// `s[C].split(...)`, `s[C].reorder(...)` for what each step does. TVM has dropped that language since; versions up to
// 0.18 run the text. Every step kind has its line, so that hardly anything is refused.

#include "base/outcome.h"
#include "language/dag/compute_dag.h"
#include "schedule/step.h"

#include <string>

namespace loopscope {

/// A Python file. Refused: a step that does not apply, an open split length, what tensor expressions cannot say.
Outcome<std::string> tePython(const DagPtr &dag, const Steps &steps);

} // namespace loopscope
