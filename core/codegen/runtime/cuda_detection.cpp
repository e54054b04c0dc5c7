#include "codegen/runtime/cuda_detection.h"

#include "codegen/runtime/cuda_driver.h"
#include "language/target/gpu_presets.h"

#include <array>
#include <fmt/format.h>

namespace loopscope {

namespace {

/// What drivers do not tell: of its architecture; of the newest known before it where that is not known.
GpuLimits usualLimits(const std::string &name, const std::string &arch) {
    const GpuArchitecture *architecture = findGpuArchitecture(arch);
    if (architecture == nullptr) return {};
    const GpuPreset *preset = findGpuPreset(name);
    return limitsOf(*architecture, preset != nullptr ? *preset : *findGpuPreset(architecture->typical));
}

} // namespace

Outcome<DetectedGpu> askCudaDriver() {
    const Outcome<CudaDriver> opened = CudaDriver::open();
    if (!opened) return opened.refusal();
    const CudaDriver &driver = *opened;
    cuda::Device device = 0;
    std::array<char, 256> name{};
    cuda::Result result = driver->deviceGet(&device, 0);
    if (result == cuda::kSuccess) result = driver->deviceName(name.data(), static_cast<int>(name.size()) - 1, device);
    if (result != cuda::kSuccess)
        return Refusal{fmt::format("the CUDA driver does not describe the GPU: {}", driver.text(result))};

    DetectedGpu gpu;
    gpu.name = name.data();
    gpu.arch = fmt::format("sm_{}{}", driver.attribute(cuda::ComputeCapabilityMajor, device),
                           driver.attribute(cuda::ComputeCapabilityMinor, device));
    gpu.limits = usualLimits(gpu.name, gpu.arch);
    const auto tell = [&](auto &figure, cuda::Attribute attribute) {
        if (const int value = driver.attribute(attribute, device); value > 0) figure = value;
    };
    tell(gpu.limits.multiprocessors, cuda::MultiprocessorCount);
    tell(gpu.limits.sharedPerMultiprocessor, cuda::MaxSharedMemoryPerMultiprocessor);
    tell(gpu.limits.sharedPerBlockOptIn, cuda::MaxSharedMemoryPerBlockOptin);
    tell(gpu.limits.sharedReservedPerBlock, cuda::ReservedSharedMemoryPerBlock);
    tell(gpu.limits.registersPerMultiprocessor, cuda::MaxRegistersPerMultiprocessor);
    tell(gpu.limits.registersPerBlock, cuda::MaxRegistersPerBlock);
    tell(gpu.limits.threadsPerMultiprocessor, cuda::MaxThreadsPerMultiprocessor);
    tell(gpu.limits.blocksPerMultiprocessor, cuda::MaxBlocksPerMultiprocessor);
    tell(gpu.l2Bytes, cuda::L2CacheSize);
    tell(gpu.maxThreadsPerBlock, cuda::MaxThreadsPerBlock);
    if (const int kilohertz = driver.attribute(cuda::ClockRate, device); kilohertz > 0)
        gpu.limits.clockGHz = kilohertz / 1e6;
    const double memoryHertz = 1e3 * driver.attribute(cuda::MemoryClockRate, device);
    const double busBytes = driver.attribute(cuda::GlobalMemoryBusWidth, device) / 8.0;
    if (memoryHertz > 0 && busBytes > 0) gpu.limits.memoryGBs = 2 * memoryHertz * busBytes / 1e9; // twice a cycle
    return gpu;
}

} // namespace loopscope
