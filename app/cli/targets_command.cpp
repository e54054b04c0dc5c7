#include "targets_command.h"

#include "language/target/detected_gpu.h"
#include "language/target/gpu_presets.h"
#include "output.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string>

namespace loopscope {

namespace {

void addFigures(nlohmann::ordered_json &one, const GpuLimits &limits, int64_t l2Bytes) {
    one["multiprocessors"] = limits.multiprocessors;
    one["clock_ghz"] = limits.clockGHz;
    one["float32_per_cycle"] = limits.floatsPerCycle;
    one["memory_gb_per_s"] = limits.memoryGBs;
    one["l2_bytes"] = l2Bytes;
    one["shared_bytes_per_multiprocessor"] = limits.sharedPerMultiprocessor;
    one["shared_bytes_per_block"] = limits.sharedPerBlockOptIn;
    one["registers_per_multiprocessor"] = limits.registersPerMultiprocessor;
    one["threads_per_multiprocessor"] = limits.threadsPerMultiprocessor;
    one["blocks_per_multiprocessor"] = limits.blocksPerMultiprocessor;
}

/// First the GPU of this machine, then those known by name.
std::string targetsJson() {
    auto targets = nlohmann::ordered_json::array();
    if (const auto gpu = detectGpu()) {
        nlohmann::ordered_json one;
        one["name"] = "native";
        one["target"] = "cuda -arch=native";
        one["title"] = gpu->name;
        one["arch"] = gpu->arch;
        one["tvm_tag"] = nullptr;
        addFigures(one, gpu->limits, gpu->l2Bytes);
        targets.push_back(std::move(one));
    }
    for (const GpuPreset &preset : gpuPresets()) {
        const GpuLimits limits = limitsOf(*findGpuArchitecture(preset.arch), preset);
        nlohmann::ordered_json one;
        one["name"] = preset.name;
        one["target"] = fmt::format("cuda -model={}", preset.name);
        one["title"] = preset.title;
        one["arch"] = preset.arch;
        one["tvm_tag"] = preset.tag.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(preset.tag);
        addFigures(one, limits, int64_t{1024} * preset.l2KiB);
        targets.push_back(std::move(one));
    }
    return targets.dump(2) + "\n";
}

std::string targetsText() {
    std::string out = fmt::format("{:<22}{:<28}{:<8}{:>5}{:>8}{:>8}{:>10}{:>13}\n", "cuda -model=", "GPU", "arch",
                                  "SMs", "GHz", "GB/s", "L2 MiB", "shared KiB");
    for (const GpuPreset &preset : gpuPresets()) {
        const GpuArchitecture &architecture = *findGpuArchitecture(preset.arch);
        out += fmt::format("{:<22}{:<28}{:<8}{:>5}{:>8.4g}{:>8.5g}{:>10.4g}{:>13}\n", preset.name, preset.title,
                           preset.arch, preset.multiprocessors, preset.clockGHz, preset.memoryGBs,
                           preset.l2KiB / 1024.0, architecture.sharedKiB);
    }
    const auto gpu = detectGpu();
    out += gpu ? fmt::format("\nThis machine has {} (cuda -arch=native): {}, {} multiprocessors at {:.4g} GHz, "
                             "{:.5g} GB/s, {:.4g} MiB of L2.\n",
                             gpu->name, gpu->arch, gpu->limits.multiprocessors, gpu->limits.clockGHz,
                             gpu->limits.memoryGBs, static_cast<double>(gpu->l2Bytes) / (1 << 20))
               : fmt::format("\nNo GPU of this machine: {}.\n", gpu.why());
    return out;
}

} // namespace

int runTargets(const TargetsCommandOptions &options) {
    writeOutput(options.json ? targetsJson() : targetsText());
    return 0;
}

} // namespace loopscope
