#include "language/target/detected_gpu.h"

#include "language/target/gpu_presets.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <fmt/format.h>
#include <system_error>

namespace loopscope {

namespace {

std::atomic<GpuDetector> theDetector = nullptr;

/// "sm_90a": 90, 'a'.
struct Architecture {
    int number = 0;
    char suffix = '\0';
};
Architecture architectureOf(const std::string &text) {
    Architecture architecture;
    const char *end = text.data() + text.size();
    const char *begin = text.data() + std::min<size_t>(3, text.size());
    const auto [rest, error] = std::from_chars(begin, end, architecture.number);
    if (error == std::errc() && rest != end) architecture.suffix = *rest;
    return architecture;
}

/// Code of an architecture runs on every newer one; of "sm_90a" on that one alone, of "sm_100f" on its family.
bool runsOn(const Architecture &code, const Architecture &gpu) {
    if (code.suffix == 'a') return code.number == gpu.number;
    if (code.suffix == 'f' && code.number / 10 != gpu.number / 10) return false;
    return code.number <= gpu.number;
}

} // namespace

void setGpuDetector(GpuDetector detector) { theDetector = detector; }

Outcome<DetectedGpu> detectGpu() {
    const GpuDetector detector = theDetector;
    if (detector == nullptr)
        return Refusal{"this program does not ask the CUDA driver which GPU the machine has; name it, as in cuda "
                       "-model=a100"};
    return detector();
}

Outcome<DetectedGpu> gpuThatRuns(const Target &target) {
    Outcome<DetectedGpu> gpu = detectGpu();
    if (!gpu) return gpu;
    if (!target.gpu.model.empty() && findGpuPreset(target.gpu.model) != findGpuPreset(gpu->name))
        return Refusal{fmt::format("the GPU of this machine, {}, is not the {} that the target names; choose the "
                                   "target cuda -arch=native",
                                   gpu->name, target.gpu.model)};
    const auto arch = target.attrs.find("arch");
    if (arch == target.attrs.end() || runsOn(architectureOf(arch->second), architectureOf(gpu->arch))) return gpu;
    return Refusal{
        fmt::format("the GPU of this machine, {}, is {} and runs no kernels of {}; choose the target cuda -arch={}",
                    gpu->name, gpu->arch, arch->second, gpu->arch)};
}

Target parseTargetHere(std::string_view text) {
    Target target = parseTarget(text);
    const bool named = text.find("-arch") != text.npos || target.attrs.contains("model");
    if (!target.isGpu() || named || !detectGpu()) return target;
    return parseTarget(std::string(text) + " -arch=native");
}

} // namespace loopscope
