#pragma once
// Loop program -> the 164 numbers per stored buffer that the cost model learns from (Ansor, OSDI 2020, appendix B). The
// table in feature_table.h lists every feature with its group and meaning; extractor, matrix and names read it.

#include "codegen/loop_ir/program.h"
#include "language/target/target.h"

#include <array>
#include <cstdint>
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

/// `Ansor` reproduces Ansor's numbers, for comparison with its logs and models. `Corrected` is what our model learns
/// from: the defects of Ansor's extractor are fixed (resources/guide/differences.md).
enum class FeatureRules : uint8_t { Ansor, Corrected };

/// One row per buffer that is stored, in program order of the first store. Hot path: takes the program of
/// buildLoopNest (absolute indices).
void extractFeatures(const LoopProgram &nest, const Target &target, std::vector<StageFeatures> &rows,
                     FeatureRules rules = FeatureRules::Corrected);

std::span<const std::string> featureNames();

} // namespace loopscope
