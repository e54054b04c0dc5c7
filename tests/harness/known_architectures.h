#pragma once
// Which GPUs the tools that are found here make code for: each version of the toolkit knows its own range.

#include "codegen/nvidia/nvidia_tools.h"

#include <algorithm>
#include <string>
#include <vector>

namespace loopscope {

/// Those of them that a ptxas found here knows, and the NVRTC beside it; all of them where there is none, so that what
/// needs one can say so.
inline std::vector<std::string> knownArchitectures(std::vector<std::string> wanted) {
    const auto &found = foundNvidiaTools().ptxas;
    if (found.empty()) return wanted;
    std::erase_if(wanted, [&](const std::string &architecture) {
        return std::none_of(found.begin(), found.end(),
                            [&](const auto &tool) { return tool.architectures.contains(architecture); });
    });
    return wanted;
}

} // namespace loopscope
