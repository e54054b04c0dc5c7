#pragma once
// The main of an exported kernel, in C: draws our inputs, computes the answer by plain loops, compares, times. Internal
// to export.

#include "records/export/check_facts.h"
#include "records/export/kernel_source.h"

#include <optional>
#include <string>

namespace loopscope {

/// What the times are compared with.
struct ExpectedTime {
    double seconds = 0;
    std::string where; // "llvm -mcpu=znver3 -num-cores=2"
};

/// Text of STEM_main.c. Refused when the workload's plain loops cannot be lowered.
Outcome<std::string> checkProgram(const KernelSource &kernel, const Task &task, const CheckFacts &facts,
                                  const std::optional<ExpectedTime> &expected);

} // namespace loopscope
