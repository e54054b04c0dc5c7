#pragma once
// A network leaves as C: a file for each kernel, one function that runs them in order, the weights as the kernels read
// them, and a main that checks and times it. What is made needs a C compiler with OpenMP and nothing of Loopscope.

#include "base/outcome.h"
#include "deploy/network/build.h"
#include "deploy/plan/execution_plan.h"
#include "language/tensor/host_tensor.h"

#include <span>
#include <string>
#include <vector>

namespace loopscope {

struct SourceFile {
    std::string name; // relative to the folder
    std::string bytes;
};

struct SourceExport {
    const ExecutionPlan &plan;
    std::span<const KernelTask> tasks; // that the plan was built from (kernelTasks), kernel by kernel
    /// What the main runs it on, one for each input of the plan, and what has to come out.
    std::span<const HostTensor> inputs;
    std::span<const HostTensor> expected;
    /// Of the largest difference to the largest magnitude, for each output.
    std::span<const double> tolerances;
};

/// Refused when the schedule of a kernel cannot be lowered again.
Outcome<std::vector<SourceFile>> exportSources(const SourceExport &request);

/// Into a new or empty folder, or over an earlier export of the same network. Refused with one sentence otherwise.
Outcome<size_t> writeExport(const std::vector<SourceFile> &files, const std::string &network,
                            const std::string &folder);

} // namespace loopscope
