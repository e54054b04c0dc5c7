#pragma once
// Records of chosen tasks with chosen times, for tests of what is done with logs.

#include <string>
#include <vector>

namespace loopscope {

struct MadeRecord {
    std::string key = R"(["matmul", 64, 64, 64])";
    std::vector<double> seconds = {1e-3}; // empty: it failed, or was only checked
    int tile = 8;                         // a length of its split
    int loop = 2;                         // that is parallel: another one, another structure
    long timestamp = 1700000000;
    std::string target = "llvm -keys=cpu -mcpu=znver3 -num-cores=4";
    int cores = 4;
    int layoutRewrite = 1;
    std::string version = "v0.6";
    int elements = 6; // of the task
    bool checked = false;
};

/// The line as Ansor writes it, with its newline.
std::string madeLine(const MadeRecord &made);

} // namespace loopscope
