#pragma once
// The one list of features: name, group and meaning of each of the 164 numbers, in the order of the vector. Names and
// positions are computed from it; the extractor writes through the same offsets.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

enum class FeatureGroup : uint8_t { Compute, Annotation, Gpu, Buffer, Intensity, Allocation, Outer };

struct FeatureInfo {
    std::string name; // "B0.unique_bytes"
    FeatureGroup group;
    std::string_view meaning;
};

const std::vector<FeatureInfo> &featureTable();

/// Offsets into the vector: groups in Ansor's order.
namespace feature {
inline constexpr size_t kVectorize = 16;
inline constexpr size_t kUnroll = 27;
inline constexpr size_t kParallel = 38;
inline constexpr size_t kAnnotationLength = 11; // num, prod, len, 8 positions
inline constexpr size_t kGpu = 49;
inline constexpr size_t kBuffers = 57;
inline constexpr size_t kBufferLength = 18;
inline constexpr size_t kBufferCount = 5;
inline constexpr size_t kIntensity = kBuffers + kBufferLength * kBufferCount;
inline constexpr size_t kIntensitySamples = 10;
inline constexpr size_t kAllocation = kIntensity + kIntensitySamples;
inline constexpr size_t kOuter = kAllocation + 4;
} // namespace feature

} // namespace loopscope
