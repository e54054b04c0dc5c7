#include "codegen/lower/pass_list.h"

#include "base/check.h"
#include "schedule/gpu_binding.h"

#include <array>

namespace loopscope {

namespace {

/// A pass that refuses nothing.
template <void (*pass)(LoopProgram &, const PassContext &)>
std::optional<Refusal> always(LoopProgram &program, const PassContext &context) {
    pass(program, context);
    return std::nullopt;
}

constexpr std::array<Pass, 14> kProcessorPasses = {{
    {"legalise annotations", always<legaliseAnnotations>},
    {"allocate buffers", always<allocateBuffers>},
    {"rewrite layouts", always<rewriteLayouts>},
    {"pack copies", always<packCopies>},
    {"transpose buffers", always<transposeBuffers>},
    {"sink inits", always<sinkInits>},
    {"split phases", always<splitPhases>},
    {"partition loops", always<partitionLoops>},
    {"separate clamps", always<separateClamps>},
    {"sink inits of partitions", always<sinkInits>},
    {"promote scalars", always<promoteScalars>},
    {"skip padding", always<skipPadding>},
    {"loosen extremes", always<loosenExtremes>},
    {"unroll loops", always<unrollLoops>},
}};

constexpr std::array<Pass, 11> kGpuPasses = {{
    {"legalise annotations", always<legaliseGpuAnnotations>},
    {"reduce across threads", reduceAcrossThreads},
    {"bind threads", bindThreads},
    {"allocate buffers", allocateGpuBuffers},
    {"rewrite layouts", rewriteGpuLayouts},
    {"interleave virtual threads", always<interleaveVThreads>},
    {"place barriers", always<placeBarriers>},
    {"prefetch tiles", always<prefetchTiles>},
    {"reuse shared memory", reuseSharedMemory},
    {"hoist conditions", always<hoistConditions>},
    {"unroll loops", always<unrollLoops>},
}};

constexpr PassList kProcessor = {gpuBindingIn, kProcessorPasses};
constexpr PassList kGpu = {nullptr, kGpuPasses};

} // namespace

const PassList &passesFor(TargetKind kind) {
    switch (kind) {
    case TargetKind::Llvm:
        return kProcessor;
    case TargetKind::Cuda:
        return kGpu;
    }
    LOOPSCOPE_CHECK(false, "a kind of target without passes");
    return kProcessor;
}

} // namespace loopscope
