#pragma once
// results.json of a bundle: what came of its candidates elsewhere, as trials.

#include "records/bundle/bundle_text.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct BundleTrial {
    Trial trial;
    std::string machine; // "gpubox: NVIDIA A100, driver 550.54, CUDA 12.4; NVRTC 12.4"
};

/// One for each candidate of the bundle, nothing where there is no result yet; candidates that cannot be lowered have
/// theirs from the beginning. `path`: of results.json, which need not be there. Throws Error for results of another
/// bundle or version, for those of a source that was changed, and for what no runner writes.
std::vector<std::optional<BundleTrial>> readResults(const Bundle &bundle, const std::string &path);

} // namespace loopscope
