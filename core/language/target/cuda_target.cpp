#include "language/target/target_attributes.h"

#include "base/nearest_name.h"
#include "base/outcome.h"
#include "language/target/detected_gpu.h"
#include "language/target/gpu_presets.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <vector>

namespace loopscope {

namespace {

std::string nearest(std::string_view wrong, const std::vector<std::string> &names) {
    const std::string best = nearestName(wrong, names);
    return best.empty() ? "" : fmt::format("; did you mean '{}'?", best);
}

int numberOf(std::string_view arch) {
    int number = 0;
    std::from_chars(arch.data() + 3, arch.data() + arch.size(), number);
    return number;
}

/// The architecture whose number is next to it.
std::string_view nearestArchitecture(std::string_view arch) {
    const int number = numberOf(arch);
    const auto apart = [&](const GpuArchitecture &one) { return std::abs(numberOf(one.name) - number); };
    return std::min_element(gpuArchitectures().begin(), gpuArchitectures().end(),
                            [&](const auto &a, const auto &b) { return apart(a) < apart(b); })
        ->name;
}

/// Writes what the driver knows into attributes, so that the target's text says it wherever it is read again.
void writeDetected(Target &target) {
    const auto detected = detectGpu();
    if (!detected) throw Error(fmt::format("target attribute -arch=native: {}", detected.why()));
    target.attrs["arch"] = detected->arch;
    const GpuPreset *preset = findGpuPreset(detected->name);
    if (preset != nullptr && preset->arch == detected->arch) {
        target.attrs.try_emplace("model", preset->name);
        return;
    }
    const GpuLimits &limits = detected->limits;
    target.attrs.try_emplace("num-multiprocessors", std::to_string(limits.multiprocessors));
    target.attrs.try_emplace("clock_mhz", fmt::format("{:.0f}", limits.clockGHz * 1000));
    target.attrs.try_emplace("memory_gb_per_s", fmt::format("{:.0f}", limits.memoryGBs));
    if (detected->l2Bytes > 0) target.attrs.try_emplace("l2_cache_size_bytes", std::to_string(detected->l2Bytes));
}

/// The preset that -model names; null where it names none.
const GpuPreset *presetOf(Target &target) {
    const auto given = target.attrs.find("model");
    if (given == target.attrs.end() || given->second == "unknown" || given->second.empty()) return nullptr;
    const GpuPreset *preset = findGpuPreset(given->second);
    if (preset == nullptr)
        throw Error(fmt::format("target attribute -model={}: no such GPU is known{}; `loopscope-cli targets` lists "
                                "them, and one that is not there is written as its -arch with its own figures",
                                given->second, nearest(given->second, gpuPresetNames())));
    given->second = preset->name;
    return preset;
}

const GpuArchitecture &architectureOf(Target &target, const GpuPreset *preset) {
    std::string &arch = target.attrs.try_emplace("arch", preset != nullptr ? preset->arch : "sm_80").first->second;
    if (!arch.starts_with("sm_"))
        throw Error(fmt::format("target attribute -arch={}: an architecture like sm_80 is expected", arch));
    const GpuArchitecture *architecture = findGpuArchitecture(arch);
    if (architecture == nullptr)
        throw Error(fmt::format("target attribute -arch={}: no such architecture is known; did you mean '{}'?", arch,
                                nearestArchitecture(arch)));
    if (preset != nullptr && findGpuArchitecture(preset->arch) != architecture)
        throw Error(fmt::format("target attributes -model={} -arch={}: the {} is {}; leave one of them out",
                                preset->name, arch, preset->title, preset->arch));
    return *architecture;
}

void overrideFigures(Target &target) {
    GpuLimits &gpu = target.gpu;
    const auto kept = [&](const char *name, int figure) { return positiveAttrOr(target, name, figure); };
    gpu.multiprocessors = kept("num-multiprocessors", gpu.multiprocessors);
    gpu.sharedPerMultiprocessor =
        kept("max_shared_memory_per_multiprocessor", static_cast<int>(gpu.sharedPerMultiprocessor));
    gpu.sharedPerBlockOptIn = kept("max_shared_memory_per_block_optin", static_cast<int>(gpu.sharedPerBlockOptIn));
    gpu.registersPerMultiprocessor = kept("registers_per_multiprocessor", gpu.registersPerMultiprocessor);
    gpu.registersPerBlock = kept("registers_per_block", gpu.registersPerBlock);
    gpu.registersPerThread = kept("max_registers_per_thread", gpu.registersPerThread);
    gpu.threadsPerMultiprocessor = kept("max_threads_per_multiprocessor", gpu.threadsPerMultiprocessor);
    gpu.blocksPerMultiprocessor = kept("max_blocks_per_multiprocessor", gpu.blocksPerMultiprocessor);
    gpu.floatsPerCycle = kept("floats_per_cycle", gpu.floatsPerCycle);
    gpu.clockGHz = rateAttrOr(target, "clock_mhz", gpu.clockGHz * 1000) / 1000;
    gpu.memoryGBs = rateAttrOr(target, "memory_gb_per_s", gpu.memoryGBs);
    target.l2Bytes = kept("l2_cache_size_bytes", static_cast<int>(target.l2Bytes));
}

} // namespace

void completeCuda(Target &target) {
    if (const auto arch = target.attrs.find("arch"); arch != target.attrs.end() && arch->second == "native")
        writeDetected(target);
    const GpuPreset *preset = presetOf(target);
    const GpuArchitecture &architecture = architectureOf(target, preset);
    target.attrs.try_emplace("max_num_threads", "1024");
    target.attrs.try_emplace("thread_warp_size", "32");

    const GpuPreset &figures = preset != nullptr ? *preset : *findGpuPreset(architecture.typical);
    target.gpu = limitsOf(architecture, figures);
    if (preset != nullptr) target.gpu.model = preset->name;
    target.l2Bytes = int64_t{1024} * figures.l2KiB;
    overrideFigures(target);

    const int warp = positiveAttr("thread_warp_size", target.attrs["thread_warp_size"]);
    const int threads = positiveAttrOr(target, "max_threads_per_block",
                                       positiveAttr("max_num_threads", target.attrs["max_num_threads"]));
    constexpr int kWarp = 32; // of every NVIDIA GPU there is: shuffles reach no further
    if (warp != kWarp)
        throw Error(fmt::format("target attribute -thread_warp_size={}: a warp of {} has {} threads", warp,
                                architecture.name, kWarp));
    constexpr int kThreads = 1024; // which launches take of every architecture here
    if (threads > kThreads)
        throw Error(
            fmt::format("target attribute -{}={}: a block of {} has {} threads at most",
                        target.attrs.contains("max_threads_per_block") ? "max_threads_per_block" : "max_num_threads",
                        threads, architecture.name, kThreads));
    const int shared = positiveAttrOr(target, "max_shared_memory_per_block", 48 * 1024);
    if (shared > target.gpu.sharedPerBlockOptIn && shared > 48 * 1024)
        throw Error(fmt::format("target attribute -max_shared_memory_per_block={}: a block of {} has {} bytes at most",
                                shared, architecture.name, target.gpu.sharedPerBlockOptIn));
    target.hardware = {-1, 16, 64, shared, std::numeric_limits<int32_t>::max(), threads, std::max(1, warp / 4), warp};
    target.cpu = target.attrs["arch"];
    target.vectorBytes = 16; // widest load or store of one thread
    target.vectorRegisters = 255;
}

} // namespace loopscope
