#include "codegen/nvidia/gpu_worker.h"

#include "base/fields.h"
#include "base/isolate/channel.h"
#include "base/isolate/child_process.h"
#include "base/isolate/field_wire.h"
#include "codegen/runtime/cuda_detection.h"
#include "codegen/runtime/cuda_driver.h"

#include <fmt/format.h>

namespace loopscope {

namespace {

constexpr int kGpuChannel = 3;        // where ChildProcess puts the worker's end
constexpr double kDriverTimeout = 30; // seconds; a machine with many GPUs takes some

struct GpuReply {
    std::string problem; // empty: there is one
    std::string name;
    std::string arch;
    GpuLimits limits;
    int64_t l2Bytes = 0;
    int maxThreadsPerBlock = 0;
};

LOOPSCOPE_FIELDS(GpuReply, problem, name, arch, limits, l2Bytes, maxThreadsPerBlock)

} // namespace

LOOPSCOPE_FIELDS(GpuLimits, model, multiprocessors, sharedPerMultiprocessor, sharedPerBlockOptIn,
                 sharedReservedPerBlock, sharedUnit, registersPerMultiprocessor, registersPerBlock, registersPerThread,
                 registerUnit, warpUnit, threadsPerMultiprocessor, blocksPerMultiprocessor, floatsPerCycle, clockGHz,
                 memoryGBs)

namespace {

Outcome<DetectedGpu> askWorker() {
    if (std::string why = CudaDriver::whyMissing(); !why.empty()) return Refusal{std::move(why)};
    try {
        SpawnThread spawner;
        ChildProcess child(spawner, workerProgram({}), "gpu");
        std::string message;
        switch (child.waitForMessage(message, kDriverTimeout, nullptr)) {
        case ChildProcess::Wait::Message:
            break;
        case ChildProcess::Wait::TimedOut:
            return Refusal{fmt::format("the CUDA driver gave no answer within {:g} s", kDriverTimeout)};
        default:
            return Refusal{"the process that asked the CUDA driver " + child.howItEnded() + child.startAdvice()};
        }
        WireReader wire(message);
        GpuReply reply;
        receiveField(wire, reply);
        if (!reply.problem.empty()) return Refusal{reply.problem};
        return DetectedGpu{reply.name, reply.arch, reply.limits, reply.l2Bytes, reply.maxThreadsPerBlock};
    } catch (const std::exception &problem) {
        return Refusal{fmt::format("the CUDA driver cannot be asked: {}", problem.what())};
    }
}

} // namespace

int serveGpuDetection() {
    Channel channel(kGpuChannel);
    GpuReply reply;
    const Outcome<DetectedGpu> gpu = askCudaDriver();
    if (gpu)
        reply = {{}, gpu->name, gpu->arch, gpu->limits, gpu->l2Bytes, gpu->maxThreadsPerBlock};
    else
        reply.problem = gpu.why();
    WireWriter wire;
    sendField(wire, reply);
    return channel.send(wire.bytes()) ? 0 : 1;
}

Outcome<DetectedGpu> gpuOfThisMachine() {
    static const Outcome<DetectedGpu> gpu = askWorker();
    return gpu;
}

} // namespace loopscope
