#pragma once
// A schedule as a Halide program in C++: the computation as Funcs (a reduction as a pure definition and an update over
// an RDom), the schedule as Halide's directives, and a main that compiles it, runs it and compares it with the same
// Funcs unscheduled. A scan is two updates, the first elements and the others; a scatter an update at computed places.
//
// Halide's first dimension is the innermost one: arguments stand in reverse. Copies and partial sums that steps made
// are Funcs of their own. Where a split does not divide, the tail is guarded, as ours is. What changes only the speed
// and cannot be said is left out with a comment that says so; anything else is refused.

#include "base/outcome.h"
#include "language/dag/compute_dag.h"
#include "schedule/step.h"

#include <string>

namespace loopscope {

/// A C++ file for Halide 14 and later; Debian: `g++ -std=c++17 -I/usr/include/halide14 FILE.cpp -lHalide14`. `./a.out
/// --inputs DIR --outputs DIR` reads argument n from DIR/argN.bin, as it lies in memory, and writes the outputs;
/// without files it draws inputs.
Outcome<std::string> halideCpp(const DagPtr &dag, const Steps &steps);

} // namespace loopscope
