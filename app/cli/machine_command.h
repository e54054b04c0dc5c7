#pragma once
// `loopscope-cli machine`: the measured peaks of this machine, which kernels are judged by.

#include <string>

namespace loopscope {

struct MachineCommandOptions {
    std::string target = "llvm";
    bool json = false;
};

int runMachine(const MachineCommandOptions &options);

} // namespace loopscope
