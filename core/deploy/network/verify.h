#pragma once
// Whether a plan computes what its network means: every call's output against the reference evaluation in double
// precision, not only the last one's, so that what is wrong has a place; NaN and infinities have to stand where they
// are expected. A tolerance grows with the convolutions and matrix products behind a value, and where it is asked for
// with what roundings alone make of it: the reference is run once more with roundings such as correct kernels make
// (networks/op/kernel_roundings.h), and so many times the difference is allowed. Where they decide an element (which of
// two nearly equal numbers is the greatest), nothing can be said of it.

#include "base/outcome.h"
#include "deploy/plan/plan_runner.h"
#include "language/tensor/host_tensor.h"
#include "networks/graph/function.h"
#include "networks/op/reference.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace loopscope {

struct VerifyPlanOptions {
    /// Each call reads what the reference has for its inputs, not what the calls before made: errors do not travel, and
    /// every call that is wrong is found.
    bool feedReference = false;
    double tolerance = 1e-5;    // times the square root of the number of products behind the value; relative to its
                                // largest number
    double winogradFactor = 30; // times that, behind convolutions in Winograd's form,
    double winograd2Factor = 4; // if none of them has larger tiles than 2 x 2
    double narrowFactor = 4;    // of float16 and bfloat16: so many roundings of the type at least
    /// With an estimate by roundings, of which so much is allowed. Networks with narrow floats have one always.
    bool estimate = false;
    double estimateFactor = 16;
    /// Elements that roundings carry so far, relative to the largest, are left out; of narrow floats ten times as far.
    double undecidedFrom = 3e-3;
    int threads = 0; // of the reference; <= 0: as many as the machine has
};

struct CallVerdict {
    size_t call = 0;
    size_t output = 0;
    std::string value; // name of what it computes
    std::string name;  // of its kernel
    std::vector<std::string> nodes;
    double error = 0; // largest difference relative to the largest number expected
    double tolerance = 0;
    size_t undecided = 0; // elements that roundings decide
    bool ok = false;
    std::string sentence = {}; // what is wrong, where
};

struct Verification {
    std::vector<CallVerdict> calls;       // in the order in which they run
    std::optional<size_t> firstDeviating; // of `calls`
    std::vector<std::string> notCompared; // values that the function does not have
    [[nodiscard]] bool ok() const { return !firstDeviating; }
    /// Of all verdicts, the error closest to or farthest beyond its tolerance.
    [[nodiscard]] double worstRatio() const;
};

/// What a function comes to, and, where there is an estimate, what it does with roundings.
struct ExpectedValues {
    ReferenceValues exact;
    std::optional<ReferenceValues> rounded = std::nullopt;
};
/// Its results and what is `wanted` beside them. `onValue` looks at the exact ones (networks/op/reference.h).
Outcome<ExpectedValues>
expectedValues(const GraphFunction &function, std::span<const HostTensor> inputs, const VerifyPlanOptions &options,
               const std::vector<ValueId> &wanted = {},
               const std::function<bool(ValueId value, const WideTensor &tensor)> &onValue = nullptr);

/// `function` is the one that the plan was built from, or an earlier form of it: values are compared by name (passes
/// keep numbers with names), those that it does not have are left out. Only the first can be fed. The runner's inputs
/// are overwritten.
Outcome<Verification> verifyPlan(const GraphFunction &function, PlanRunner &runner, std::span<const HostTensor> inputs,
                                 const VerifyPlanOptions &options = {});

/// The same of values that are at hand, computed from these inputs by a run that nobody here looked into
/// (deploy/plan_worker/plan_worker.h). Nothing is fed.
Outcome<Verification> verifyCalls(const GraphFunction &function, const ExecutionPlan &plan,
                                  std::span<const HostTensor> inputs,
                                  const std::function<HostTensor(size_t call, size_t output)> &valueOf,
                                  const VerifyPlanOptions &options = {});

/// The results alone, against another form of the network: the one that was imported. In the order of its results; runs
/// the plan once.
Outcome<Verification> verifyResults(const GraphFunction &imported, PlanRunner &runner,
                                    std::span<const HostTensor> inputs, const VerifyPlanOptions &options = {});

/// The same of outputs that are at hand, of a run of the plan with these inputs.
Outcome<Verification> verifyResults(const GraphFunction &imported, const ExecutionPlan &plan,
                                    std::span<const HostTensor> inputs, std::span<const HostTensor> outputs,
                                    const VerifyPlanOptions &options = {});

/// Results that are at hand against those that are expected. `named` are the names of kernels that ran: of what
/// strategies made of the network the imported form says nothing.
Verification judgeOutputs(const GraphFunction &imported, const ExpectedValues &expected,
                          std::span<const HostTensor> outputs, std::span<const std::string> named,
                          const VerifyPlanOptions &options);

/// The same of a run with these inputs.
Outcome<Verification> verifyOutputs(const GraphFunction &imported, std::span<const HostTensor> inputs,
                                    std::span<const HostTensor> outputs, std::span<const std::string> named = {},
                                    const VerifyPlanOptions &options = {});

} // namespace loopscope
