#pragma once
// A schedule for TVM as it is today: a stand-alone Python file with the computation as a TensorIR function and its
// schedule as primitives of `tvm.s_tir.Schedule`, which builds it, runs it and compares it with the function as it was.
//
// A TensorIR primitive changes a program there and then, while a step of ours says what bounds are inferred from
// later. What is written is therefore the state that the steps lead to: consumers first, since what is computed inside
// a loop has its own loops only once it stands there. Sums start where the first loop over their terms does.
//
// Copies are made by cache_read and cache_write. Where partial sums (rfactor) are asked for, the function has them, and
// what was copied before them, as stages of its own: TensorIR's rfactor would keep the loops they were split from.
//
// What changes only the speed and cannot be said is left out with a comment that says so; anything else is refused.

#include "base/outcome.h"
#include "language/dag/compute_dag.h"
#include "schedule/step.h"

#include <string>

namespace loopscope {

/// A Python file. `python FILE --inputs DIR --outputs DIR` reads argument n from DIR/argN.bin, as it lies in memory,
/// and writes the outputs; without files it draws inputs. Written for apache-tvm 0.27.
Outcome<std::string> tirPython(const DagPtr &dag, const Steps &steps);

} // namespace loopscope
