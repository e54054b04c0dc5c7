#pragma once
// The interpreter for whoever wants to see every stage on the way: values are handed over as they come and forgotten
// once nobody reads them any more, it can be ended in between, and what it will take is known before.

#include "language/interpret/interpreter.h"

#include <functional>

namespace loopscope {

/// Told of the outputs of a compute, in the DAG's order. False ends it.
using StageSink = std::function<bool(const Op &op, const std::vector<TensorValue> &outputs)>;

/// The same, before the sink, to change what is read of them from then on.
using StageChange = std::function<void(const Op &op, std::vector<TensorValue> &outputs)>;

/// `inputs` as for interpret(). False: the sink ended it.
bool interpretInto(const ComputeDag &dag, const std::vector<TensorValue> &inputs, const StageSink &sink,
                   int threads = 1, const StageChange &change = nullptr);

struct InterpreterWork {
    double operations = 0; // of all elements, terms of reductions each
    double bytes = 0;      // of the values of all tensors, as the interpreter holds them
};
InterpreterWork interpreterWork(const ComputeDag &dag);
/// Those of one op; 0 of an input.
double operationsOf(const Op &op);

} // namespace loopscope
