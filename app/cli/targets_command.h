#pragma once
// `loopscope-cli targets`: the GPUs that a target can name, with their figures.

namespace loopscope {

struct TargetsCommandOptions {
    bool json = false;
};

int runTargets(const TargetsCommandOptions &options);

} // namespace loopscope
