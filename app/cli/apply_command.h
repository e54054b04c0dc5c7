#pragma once
// `loopscope-cli apply`: a schedule script, applied to the naive schedule or refused at one of its lines.

#include "choice.h"

namespace loopscope {

struct ApplyOptions {
    WorkloadChoice workload;
    std::string script;
};

int runApply(const ApplyOptions &options);

} // namespace loopscope
