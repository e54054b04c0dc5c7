#include "records/bundle/bundle_files.h"

#include <bundle_texts.h>
#include <fmt/format.h>

namespace loopscope {

extern const char *const kRunnerParts[]; // made of runner/*.inc by CMake, the last one null

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
