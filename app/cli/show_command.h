#pragma once
// `loopscope-cli show`: a workload and its schedules, in every form they have.

#include "choice.h"

namespace loopscope {

struct ShowOptions {
    WorkloadChoice workload;
    RecordChoice record;
    std::string as;
};

std::vector<std::string> showForms();
int runShow(const ShowOptions &options);

} // namespace loopscope
