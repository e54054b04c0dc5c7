#pragma once
// What an exported network and its inputs and outputs are called: identifiers of C that also serve as names of files,
// of a library, of targets of CMake and of a module of Python, whatever the network is called itself.

#include "deploy/plan/execution_plan.h"

#include <string>
#include <vector>

namespace loopscope {

/// The name that functions and files of the network begin with.
std::string exportedNetworkName(const std::string &network);

/// The name of kernel number `kernel`, one that C's printer leaves as it is.
std::string exportedKernelName(const std::string &network, size_t kernel, const std::string &name);

/// Of parameters: nothing around them in the sources has these names, in C++ neither.
struct ExportedArguments {
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
};
ExportedArguments exportedArguments(const ExecutionPlan &plan);

} // namespace loopscope
