#pragma once
// What a schedule's kernel makes of inputs that somebody has: a photograph, an array. Built and run in isolated
// children like every candidate, its steps outside its arguments noticed; whether the answer is right is the caller's
// question.

#include "base/outcome.h"
#include "language/interpret/interpreter.h"
#include "language/task/task.h"
#include "measure/measurer.h"
#include "measure/trial.h"

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

namespace loopscope {

struct KernelAnswer {
    std::vector<TensorValue> outputs; // as the DAG's arguments list them
    /// The kernel's run: valid, timed; the error of the answer is not known.
    Trial trial;
    std::vector<std::string> notes; // what a user should know about how kernels are run here
};

/// `inputs` one per placeholder among the DAG's arguments, in their order. Refused with what went wrong in building or
/// running ("wrong-answer" is none of it), and when cancelled. Throws Error when the workers cannot be had. Not for the
/// executor.
Outcome<KernelAnswer> runOnInputs(const Task &task, const Steps &steps, std::vector<TensorValue> inputs,
                                  const MeasureOptions &options, const std::atomic<bool> *cancel = nullptr);

/// How the answer differs from the interpreter's on the same inputs: the largest share of an element's tolerance, and
/// the first sentence of what is wrong; empty: it is right.
struct AnswerDifference {
    double maxError = 0;
    std::string problem;
};
AnswerDifference differenceOf(const ComputeDag &dag, const KernelAnswer &answer, std::vector<TensorValue> expected);

} // namespace loopscope
