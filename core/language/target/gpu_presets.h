#pragma once
// GPUs by name, with the figures their makers publish, and what every GPU of an architecture has in common. A name
// fills in a Target, whose attributes may then change any figure.

#include "language/target/gpu_limits.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

/// Of compute capability; CUDA programming guide, "Technical Specifications per Compute Capability".
struct GpuArchitecture {
    std::string_view name; // "sm_80"
    int threadsPerMultiprocessor = 2048;
    int blocksPerMultiprocessor = 32;
    int sharedKiB = 96;      // of a multiprocessor
    int sharedBlockKiB = 48; // most that a block may ask for
    int sharedReserved = 0;  // bytes of each block's
    int sharedUnit = 256;
    int registersPerBlock = 65536;
    int warpUnit = 4;
    int floatsPerCycle = 128; // float32 multiply-adds of a multiprocessor
    std::string_view typical; // preset whose other figures stand for a GPU of which the architecture alone is known
};

struct GpuPreset {
    std::string_view name;  // "rtx-3090"
    std::string_view title; // as its maker writes it
    std::string_view arch;
    int multiprocessors = 1;
    double clockGHz = 1; // boost
    double memoryGBs = 100;
    int l2KiB = 1024;
    std::string_view tag = {};     // TVM's name, "nvidia/geforce-rtx-3090"; empty: it has none
    std::string_view aliases = {}; // other names, separated by blanks; drivers' among them
};

std::span<const GpuArchitecture> gpuArchitectures();
std::span<const GpuPreset> gpuPresets(); // oldest architecture first

/// `arch` as in -arch=; "sm_90a" and "sm_100f" are those of sm_90 and sm_100. Null: not known.
const GpuArchitecture *findGpuArchitecture(std::string_view arch);
/// Any of its names in any case, with or without "NVIDIA", "GeForce", "Tesla", blanks and dashes. Null: not known.
const GpuPreset *findGpuPreset(std::string_view name);

/// Names to suggest from.
std::vector<std::string> gpuPresetNames();

GpuLimits limitsOf(const GpuArchitecture &architecture, const GpuPreset &preset);

} // namespace loopscope
