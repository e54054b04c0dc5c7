#pragma once
// Whether a plan computes what its network means: every call's output against the reference evaluation in double
// precision, not only the last one's, so that what is wrong has a place. A tolerance grows with the convolutions and
// matrix products behind a value; NaN and infinities have to stand where they are expected.

#include "graph/function.h"
#include "outcome.h"
#include "plan/plan_runner.h"
#include "tensor/host_tensor.h"

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
    int threads = 0;            // of the reference; <= 0: as many as the machine has
};

struct CallVerdict {
    size_t call = 0;
    size_t output = 0;
    std::string value; // name of what it computes
    std::string name;  // of its kernel
    std::vector<std::string> nodes;
    double error = 0; // largest difference relative to the largest number expected
    double tolerance = 0;
    bool ok = false;
    std::string sentence; // what is wrong, where
};

struct Verification {
    std::vector<CallVerdict> calls;       // in the order in which they run
    std::optional<size_t> firstDeviating; // of `calls`
    std::vector<std::string> notCompared; // values that the function does not have
    [[nodiscard]] bool ok() const { return !firstDeviating; }
    /// Of all verdicts, the error closest to or farthest beyond its tolerance.
    [[nodiscard]] double worstRatio() const;
};

/// `function` is the one that the plan was built from, or an earlier form of it: values are compared by name (passes
/// keep numbers with names), those that it does not have are left out. Only the first can be fed. The runner's inputs
/// are overwritten.
Outcome<Verification> verifyPlan(const GraphFunction &function, PlanRunner &runner, std::span<const HostTensor> inputs,
                                 const VerifyPlanOptions &options = {});

/// The same of values that are at hand, computed from these inputs by a run that nobody here looked into
/// (plan_worker/plan_worker.h). Nothing is fed.
Outcome<Verification> verifyCalls(const GraphFunction &function, const ExecutionPlan &plan,
                                  std::span<const HostTensor> inputs,
                                  const std::function<HostTensor(size_t call, size_t output)> &valueOf,
                                  const VerifyPlanOptions &options = {});

/// The results alone, against another form of the network: the one that was imported. In the order of its results; runs
/// the plan once.
Outcome<Verification> verifyResults(const GraphFunction &imported, PlanRunner &runner,
                                    std::span<const HostTensor> inputs, const VerifyPlanOptions &options = {});

/// Results that are at hand, of a run with these inputs, against the network that was imported. `named` are the names
/// of kernels that ran: of what strategies made of the network the imported form says nothing.
Outcome<Verification> verifyOutputs(const GraphFunction &imported, std::span<const HostTensor> inputs,
                                    std::span<const HostTensor> outputs, std::span<const std::string> named = {},
                                    const VerifyPlanOptions &options = {});

} // namespace loopscope
