#pragma once
// Which of NVIDIA's tools this machine has. None is needed to build or to start Loopscope: they are looked for when
// they are first asked for, and who needs one that is not there says which, and how to get it. Several versions may
// stand side by side, as each knows its own range of architectures.

#include "base/outcome.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

/// "13.5.37" as numbers, so that versions compare.
using ToolVersion = std::vector<int>;
std::string versionText(const ToolVersion &version);

struct NvidiaTool {
    std::string path;
    ToolVersion version;
    /// ptxas: those it assembles for ("sm_80", "sm_90a"). Of NVRTC the compiler itself is asked.
    std::set<std::string> architectures;
};

struct NvidiaTools {
    std::vector<NvidiaTool> nvrtc;    // libraries, newest first
    std::vector<NvidiaTool> ptxas;    // newest first
    std::vector<NvidiaTool> nvdisasm; // newest first, as the next
    std::vector<NvidiaTool> cuobjdump;

    /// A line for each tool: "ptxas 13.5.37, PATH", "nvdisasm: not found".
    [[nodiscard]] std::string told() const;
};

/// What lies in the folders and in their bin, lib and lib64, the earlier folder first where versions are the same.
/// A folder named `cuda-tools` is one of folders, one for each version.
NvidiaTools nvidiaToolsIn(const std::vector<std::string> &folders);

/// LOOPSCOPE_CUDA (folders separated by colons) where it is set, and then nowhere else; otherwise `cuda-tools` of the
/// build this program stands in, or `lib/loopscope/cuda-tools` beside the folder it is installed in; the folders of
/// PATH; CUDA_HOME and CUDA_PATH; /usr/local/cuda and /usr/local/cuda-*; /opt/cuda.
std::vector<std::string> nvidiaToolFolders();

/// Looked for once in a process.
const NvidiaTools &foundNvidiaTools();

/// "ptxas is not found; packaging/cuda-tools installs it ..."
std::string missingTool(std::string_view tool);

} // namespace loopscope
