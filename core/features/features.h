#pragma once
// Loop program -> the 164 numbers per stored buffer that the cost model learns from (ansor.md §6). One table
// (feature_table.h) lists every feature with its group and meaning; the extractor, the matrix and the names read it.

#include "loop_ir/program.h"
#include "target/target.h"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace loopscope {

inline constexpr size_t kFeatureCount = 164;
using FeatureRow = std::array<float, kFeatureCount>;

struct StageFeatures {
    const Buffer *buffer = nullptr;
    FeatureRow row{};
};

/// One row per buffer that is stored or allocated, in program order. Hot path.
void extractFeatures(const LoopProgram &nest, const Target &target, std::vector<StageFeatures> &rows);

std::span<const std::string> featureNames();

} // namespace loopscope
