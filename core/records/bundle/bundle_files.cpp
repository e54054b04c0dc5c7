#include "records/bundle/bundle_files.h"

#include <fmt/format.h>

namespace loopscope {

extern const char *const kRunnerParts[]; // made of runner/*.inc by CMake, the last one null

namespace {

constexpr const char *kMakefile = R"(# Made by Loopscope; README.txt says what this is.
CXX ?= c++

.PHONY: run clean
run: runner
	./runner

runner: run.cpp
	$(CXX) -std=c++17 -O1 -o runner run.cpp -ldl -pthread

clean:
	rm -f runner results.json results.json.part candidate-*.so candidate-*.cubin candidate-*.log
)";

constexpr const char *kReadme = R"({0} of {1} for the target

    {2}

to be built, checked and {3} on a machine of that kind:

    make run

{4}
It writes results.json, after every candidate, so that nothing is lost when it is interrupted: `make run` goes on with
those that have no result yet. Each candidate runs in a process of its own on inputs drawn from a seed, and is timed only
when its answer is right; leave the machine alone meanwhile. Bring results.json back into the folder where this one came
from; there

    loopscope-cli bundle import FOLDER --log FILE

files the times, unless the search that waits for them does.
)";

constexpr const char *kForCuda =
    R"(It needs a C++17 compiler, NVIDIA's driver, and NVRTC or nvcc (NVRTC=/path/to/libnvrtc.so or NVCC=/path/to/nvcc where
they are not found). CUDA_VISIBLE_DEVICES chooses the GPU; OTHER_GPU=1 allows one of another architecture.
)";

constexpr const char *kForC =
    R"(It needs a C++17 compiler and a C compiler with OpenMP (CC and CFLAGS choose another one than
`cc -O3 -march=native -ffp-contract=fast -fopenmp`).
)";

} // namespace

std::string runnerText() {
    std::string text;
    for (const char *const *part = kRunnerParts; *part != nullptr; ++part) text += *part;
    return text;
}

std::vector<BundleFile> filesBesideCandidates(const Task &task, size_t candidates, bool turns) {
    return {{"run.cpp", runnerText()},
            {"Makefile", kMakefile},
            {"README.txt", fmt::format(kReadme, fmt::format("{} candidate{}", candidates, candidates == 1 ? "" : "s"),
                                       task.dag->name(), task.target.text(), turns ? "timed in turn" : "timed",
                                       task.target.isGpu() ? kForCuda : kForC)}};
}

} // namespace loopscope
