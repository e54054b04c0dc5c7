#include "language/target/gpu_presets.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace loopscope {

namespace {

//   threads, blocks, KiB shared, of a block, reserved, unit, registers of a block, warps, float32, typical
constexpr std::array kArchitectures = std::to_array<GpuArchitecture>({
    {"sm_35", 2048, 16, 48, 48, 0, 256, 65536, 4, 192, "k40"},
    {"sm_37", 2048, 16, 112, 48, 0, 256, 65536, 4, 192, "k80"},
    {"sm_50", 2048, 32, 64, 48, 0, 256, 65536, 4, 128, "gtx-750-ti"},
    {"sm_52", 2048, 32, 96, 48, 0, 256, 65536, 4, 128, "gtx-980-ti"},
    {"sm_53", 2048, 32, 64, 48, 0, 256, 32768, 4, 128, "jetson-nano"},
    {"sm_60", 2048, 32, 64, 48, 0, 256, 65536, 2, 64, "p100"},
    {"sm_61", 2048, 32, 96, 48, 0, 256, 65536, 4, 128, "gtx-1080-ti"},
    {"sm_62", 2048, 32, 64, 48, 0, 256, 32768, 4, 128, "jetson-tx2"},
    {"sm_70", 2048, 32, 96, 96, 0, 256, 65536, 4, 64, "v100"},
    {"sm_72", 2048, 32, 96, 96, 0, 256, 65536, 4, 64, "jetson-agx-xavier"},
    {"sm_75", 1024, 16, 64, 64, 0, 256, 65536, 4, 64, "t4"},
    {"sm_80", 2048, 32, 164, 163, 1024, 128, 65536, 4, 64, "a100"},
    {"sm_86", 1536, 16, 100, 99, 1024, 128, 65536, 4, 128, "rtx-3090"},
    {"sm_87", 1536, 16, 164, 163, 1024, 128, 65536, 4, 128, "jetson-agx-orin"},
    {"sm_88", 1536, 16, 100, 99, 1024, 128, 65536, 4, 128, "jetson-agx-orin-32gb"},
    {"sm_89", 1536, 24, 100, 99, 1024, 128, 65536, 4, 128, "rtx-4090"},
    {"sm_90", 2048, 32, 228, 227, 1024, 128, 65536, 4, 128, "h100"},
    {"sm_100", 2048, 32, 228, 227, 1024, 128, 65536, 4, 128, "b200"},
    {"sm_101", 1536, 24, 228, 227, 1024, 128, 65536, 4, 128, "jetson-agx-thor"},
    {"sm_103", 2048, 32, 228, 227, 1024, 128, 65536, 4, 128, "b200"},
    {"sm_107", 2048, 16, 328, 327, 1024, 128, 65536, 4, 128, "b200"},
    {"sm_110", 1536, 24, 228, 227, 1024, 128, 65536, 4, 128, "jetson-agx-thor"},
    {"sm_120", 1536, 24, 100, 99, 1024, 128, 65536, 4, 128, "rtx-5090"},
    {"sm_121", 1536, 24, 100, 99, 1024, 128, 65536, 4, 128, "gb10"},
});

//   name, title, architecture, multiprocessors, GHz (boost), GB/s, KiB of L2, TVM's tag, other names
constexpr std::array kPresets = std::to_array<GpuPreset>({
    {"k40", "Tesla K40", "sm_35", 15, 0.745, 288, 1536, "", "k40c k40m"},
    {"k80", "Tesla K80 (one of two GPUs)", "sm_37", 13, 0.875, 240, 1536, "nvidia/tesla-k80", ""},
    {"gtx-750-ti", "GeForce GTX 750 Ti", "sm_50", 5, 1.085, 86.4, 2048, "nvidia/geforce-gtx-750-ti", "750ti"},
    {"gtx-980-ti", "GeForce GTX 980 Ti", "sm_52", 22, 1.075, 336.5, 3072, "nvidia/geforce-gtx-980-ti", "980ti"},
    {"jetson-nano", "Jetson Nano", "sm_53", 1, 0.9216, 25.6, 256, "nvidia/jetson-nano", "nano"},
    {"p100", "Tesla P100 SXM2", "sm_60", 56, 1.48, 732, 4096, "nvidia/tesla-p100", "p100-sxm2-16gb"},
    {"gtx-1080", "GeForce GTX 1080", "sm_61", 20, 1.733, 320, 2048, "nvidia/geforce-gtx-1080", "1080"},
    {"gtx-1080-ti", "GeForce GTX 1080 Ti", "sm_61", 28, 1.582, 484, 2816, "", "1080ti"},
    {"titan-xp", "TITAN Xp", "sm_61", 30, 1.582, 547.7, 3072, "nvidia/nvidia-titan-xp", "titanx"},
    {"p40", "Tesla P40", "sm_61", 30, 1.531, 346, 3072, "nvidia/tesla-p40", ""},
    {"jetson-tx2", "Jetson TX2", "sm_62", 2, 1.3, 59.7, 512, "nvidia/jetson-tx2", "tx2"},
    {"v100", "Tesla V100 SXM2", "sm_70", 80, 1.53, 900, 6144, "nvidia/tesla-v100",
     "v100-sxm2 v100-sxm2-16gb v100-sxm2-32gb"},
    {"v100-pcie", "Tesla V100 PCIe", "sm_70", 80, 1.38, 900, 6144, "", "v100-pcie-16gb v100-pcie-32gb"},
    {"titan-v", "TITAN V", "sm_70", 80, 1.455, 652.8, 4608, "nvidia/nvidia-titan-v", ""},
    {"jetson-agx-xavier", "Jetson AGX Xavier", "sm_72", 8, 1.377, 136.5, 512, "nvidia/jetson-agx-xavier",
     "jetson-xavier xavier"},
    {"t4", "Tesla T4", "sm_75", 40, 1.59, 320, 4096, "nvidia/nvidia-t4", ""},
    {"gtx-1650", "GeForce GTX 1650", "sm_75", 14, 1.665, 128, 1024, "nvidia/geforce-gtx-1650", ""},
    {"gtx-1660-ti", "GeForce GTX 1660 Ti", "sm_75", 24, 1.77, 288, 1536, "nvidia/geforce-gtx-1660-ti", ""},
    {"rtx-2060", "GeForce RTX 2060", "sm_75", 30, 1.68, 336, 3072, "nvidia/geforce-rtx-2060", ""},
    {"rtx-2070", "GeForce RTX 2070", "sm_75", 36, 1.62, 448, 4096, "nvidia/geforce-rtx-2070", ""},
    {"rtx-2080", "GeForce RTX 2080", "sm_75", 46, 1.71, 448, 4096, "nvidia/geforce-rtx-2080", ""},
    {"rtx-2080-ti", "GeForce RTX 2080 Ti", "sm_75", 68, 1.545, 616, 5632, "nvidia/geforce-rtx-2080-ti", "2080ti"},
    {"titan-rtx", "TITAN RTX", "sm_75", 72, 1.77, 672, 6144, "nvidia/nvidia-titan-rtx", ""},
    {"quadro-rtx-6000", "Quadro RTX 6000", "sm_75", 72, 1.77, 672, 6144, "nvidia/quadro-rtx-6000", ""},
    {"a30", "A30", "sm_80", 56, 1.44, 933, 24576, "nvidia/nvidia-a30", ""},
    {"a100", "A100 SXM 40 GB", "sm_80", 108, 1.41, 1555, 40960, "nvidia/nvidia-a100",
     "a100-40gb a100-sxm4-40gb a100-pcie-40gb"},
    {"a100-80gb", "A100 SXM 80 GB", "sm_80", 108, 1.41, 2039, 40960, "", "a100-sxm4-80gb a100-80gb-sxm"},
    {"a100-80gb-pcie", "A100 PCIe 80 GB", "sm_80", 108, 1.41, 1935, 40960, "", "a100-pcie-80gb"},
    {"a2", "A2", "sm_86", 10, 1.77, 200, 2048, "nvidia/nvidia-a2", ""},
    {"a10", "A10", "sm_86", 72, 1.695, 600, 6144, "nvidia/nvidia-a10", ""},
    {"a10g", "A10G", "sm_86", 80, 1.71, 600, 6144, "nvidia/nvidia-a10g", ""},
    {"a40", "A40", "sm_86", 84, 1.74, 696, 6144, "nvidia/nvidia-a40", ""},
    {"rtx-a4000", "RTX A4000", "sm_86", 48, 1.56, 448, 4096, "nvidia/rtx-a4000", ""},
    {"rtx-a5000", "RTX A5000", "sm_86", 64, 1.695, 768, 6144, "nvidia/rtx-a5000", ""},
    {"rtx-a6000", "RTX A6000", "sm_86", 84, 1.8, 768, 6144, "nvidia/rtx-a6000", ""},
    {"rtx-3050", "GeForce RTX 3050", "sm_86", 20, 1.777, 224, 2048, "nvidia/geforce-rtx-3050", ""},
    {"rtx-3060", "GeForce RTX 3060", "sm_86", 28, 1.777, 360, 3072, "nvidia/geforce-rtx-3060", ""},
    {"rtx-3060-ti", "GeForce RTX 3060 Ti", "sm_86", 38, 1.665, 448, 4096, "", ""},
    {"rtx-3070", "GeForce RTX 3070", "sm_86", 46, 1.725, 448, 4096, "nvidia/geforce-rtx-3070", ""},
    {"rtx-3070-ti", "GeForce RTX 3070 Ti", "sm_86", 48, 1.77, 608, 4096, "nvidia/geforce-rtx-3070-ti", ""},
    {"rtx-3080", "GeForce RTX 3080", "sm_86", 68, 1.71, 760, 5120, "nvidia/geforce-rtx-3080", ""},
    {"rtx-3080-ti", "GeForce RTX 3080 Ti", "sm_86", 80, 1.665, 912, 6144, "nvidia/geforce-rtx-3080-ti", ""},
    {"rtx-3090", "GeForce RTX 3090", "sm_86", 82, 1.695, 936, 6144, "nvidia/geforce-rtx-3090", ""},
    {"rtx-3090-ti", "GeForce RTX 3090 Ti", "sm_86", 84, 1.86, 1008, 6144, "nvidia/geforce-rtx-3090-ti", ""},
    {"jetson-agx-orin", "Jetson AGX Orin 64 GB", "sm_87", 16, 1.3, 204.8, 4096, "nvidia/jetson-agx-orin-64gb",
     "jetson-orin orin"},
    {"jetson-agx-orin-32gb", "Jetson AGX Orin 32 GB", "sm_87", 14, 0.93, 204.8, 4096, "nvidia/jetson-agx-orin-32gb",
     ""},
    {"l4", "L4", "sm_89", 58, 2.04, 300, 49152, "", ""},
    {"l40", "L40", "sm_89", 142, 2.49, 864, 98304, "", ""},
    {"l40s", "L40S", "sm_89", 142, 2.52, 864, 98304, "", ""},
    {"rtx-6000-ada", "RTX 6000 Ada Generation", "sm_89", 142, 2.505, 960, 98304, "", "rtx-6000-ada-generation"},
    {"rtx-4060", "GeForce RTX 4060", "sm_89", 24, 2.46, 272, 24576, "", ""},
    {"rtx-4060-ti", "GeForce RTX 4060 Ti", "sm_89", 34, 2.535, 288, 32768, "", ""},
    {"rtx-4070", "GeForce RTX 4070", "sm_89", 46, 2.475, 504, 36864, "", ""},
    {"rtx-4070-ti", "GeForce RTX 4070 Ti", "sm_89", 60, 2.61, 504, 49152, "", ""},
    {"rtx-4080", "GeForce RTX 4080", "sm_89", 76, 2.505, 716.8, 65536, "", ""},
    {"rtx-4090", "GeForce RTX 4090", "sm_89", 128, 2.52, 1008, 73728, "", ""},
    {"h100", "H100 SXM", "sm_90", 132, 1.98, 3350, 51200, "nvidia/nvidia-h100", "h100-sxm h100-sxm5 h100-80gb-hbm3"},
    {"h100-pcie", "H100 PCIe", "sm_90", 114, 1.755, 2000, 51200, "", ""},
    {"h200", "H200 SXM", "sm_90", 132, 1.98, 4800, 51200, "", "h200-sxm"},
    {"b200", "B200", "sm_100", 148, 1.965, 8000, 129536, "", ""},
    {"jetson-agx-thor", "Jetson AGX Thor", "sm_110", 20, 1.575, 273, 32768, "", "jetson-thor thor"},
    {"rtx-5070", "GeForce RTX 5070", "sm_120", 48, 2.512, 672, 49152, "", ""},
    {"rtx-5070-ti", "GeForce RTX 5070 Ti", "sm_120", 70, 2.452, 896, 49152, "", ""},
    {"rtx-5080", "GeForce RTX 5080", "sm_120", 84, 2.617, 960, 65536, "", ""},
    {"rtx-5090", "GeForce RTX 5090", "sm_120", 170, 2.407, 1792, 98304, "", ""},
    {"gb10", "GB10 (DGX Spark)", "sm_121", 48, 2.418, 273, 24576, "", ""},
});

/// What is left of a name without what people write or leave out: "NVIDIA GeForce RTX 3090" -> "rtx3090".
std::string plain(std::string_view name) {
    std::string text;
    for (const char c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (bool found = true; found;) {
        found = false;
        for (const std::string_view maker : {"nvidia", "geforce", "tesla"}) {
            if (!text.starts_with(maker)) continue;
            text.erase(0, maker.size());
            found = true;
        }
    }
    return text;
}

bool isCalled(const GpuPreset &preset, const std::string &wanted) {
    if (plain(preset.name) == wanted || plain(preset.title) == wanted) return true;
    if (!preset.tag.empty() && plain(preset.tag) == wanted) return true;
    std::string_view rest = preset.aliases;
    while (!rest.empty()) {
        const size_t end = std::min(rest.find(' '), rest.size());
        if (plain(rest.substr(0, end)) == wanted) return true;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
}

} // namespace

std::span<const GpuArchitecture> gpuArchitectures() { return kArchitectures; }
std::span<const GpuPreset> gpuPresets() { return kPresets; }

const GpuArchitecture *findGpuArchitecture(std::string_view arch) {
    if (arch.ends_with('a') || arch.ends_with('f')) arch.remove_suffix(1);
    const auto *found = std::find_if(kArchitectures.begin(), kArchitectures.end(),
                                     [&](const GpuArchitecture &one) { return one.name == arch; });
    return found == kArchitectures.end() ? nullptr : found;
}

const GpuPreset *findGpuPreset(std::string_view name) {
    const std::string wanted = plain(name);
    if (wanted.empty()) return nullptr;
    const auto *found = std::find_if(kPresets.begin(), kPresets.end(),
                                     [&](const GpuPreset &preset) { return isCalled(preset, wanted); });
    return found == kPresets.end() ? nullptr : found;
}

std::vector<std::string> gpuPresetNames() {
    std::vector<std::string> names;
    for (const GpuPreset &preset : kPresets) names.emplace_back(preset.name);
    return names;
}

GpuLimits limitsOf(const GpuArchitecture &architecture, const GpuPreset &preset) {
    GpuLimits limits;
    limits.multiprocessors = preset.multiprocessors;
    limits.sharedPerMultiprocessor = int64_t{1024} * architecture.sharedKiB;
    limits.sharedPerBlockOptIn = int64_t{1024} * architecture.sharedBlockKiB;
    limits.sharedReservedPerBlock = architecture.sharedReserved;
    limits.sharedUnit = architecture.sharedUnit;
    limits.registersPerBlock = architecture.registersPerBlock;
    limits.warpUnit = architecture.warpUnit;
    limits.threadsPerMultiprocessor = architecture.threadsPerMultiprocessor;
    limits.blocksPerMultiprocessor = architecture.blocksPerMultiprocessor;
    limits.floatsPerCycle = architecture.floatsPerCycle;
    limits.clockGHz = preset.clockGHz;
    limits.memoryGBs = preset.memoryGBs;
    return limits;
}

} // namespace loopscope
