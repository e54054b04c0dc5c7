#pragma once
// The Python file around a computation and its schedule in TensorIR: what builds, runs and compares them.

#include <string>
#include <vector>

namespace loopscope {

struct TirProgram {
    std::string name;
    std::string arguments;             // a tuple a line: name, shape, type, whether it is an output
    std::vector<std::string> workload; // te.compute and what it needs
    std::string given;                 // the tensors that are arguments
    std::vector<std::string> schedule; // primitives of `sch`
    bool startsSums = false;           // some of them call start_sum
    bool asksLength = false;           // or constant_length
};

std::string tirProgramText(const TirProgram &program);

} // namespace loopscope
