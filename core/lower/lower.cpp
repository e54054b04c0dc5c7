#include "lower/lower.h"

#include "lower/passes.h"

#include "check.h"
#include "schedule/gpu_binding.h"

namespace loopscope {

Outcome<LoopProgram> lower(const LoopState &state, const Target &target, const LowerOptions &options) {
    if (!target.isGpu())
        if (std::optional<Refusal> refused = gpuBindingIn(state.steps())) return *std::move(refused);
    const auto arena = std::make_shared<ExprArena>();
    const ArenaScope scope(arena);
    Outcome<BoundedState> bounded = inferBounds(state);
    if (!bounded) return bounded.refusal();

    Outcome<LoopProgram> built = buildLoopNest(*bounded);
    if (!built) return built.refusal();
    LoopProgram program = std::move(built).value();
    program.arena = arena;
    const PassContext context{bounded->state, target, options.layoutRewrite};
    const auto done = [&](std::string_view pass) {
        if (options.observer) options.observer(pass, program);
        const std::string broken = verifyProgram(program);
        LOOPSCOPE_CHECK(broken.empty(), std::string(pass) + ": " + broken);
    };
    const auto run = [&](std::string_view name, void (*pass)(LoopProgram &, const PassContext &)) {
        pass(program, context);
        done(name);
    };
    done("loop nest");
    run("legalise annotations", legaliseAnnotations);
    run("allocate buffers", allocateBuffers);
    run("rewrite layouts", rewriteLayouts);
    run("pack copies", packCopies);
    run("transpose buffers", transposeBuffers);
    run("sink inits", sinkInits);
    run("partition loops", partitionLoops);
    run("sink inits of partitions", sinkInits);
    run("promote scalars", promoteScalars);
    run("unroll loops", unrollLoops);
    return program;
}

} // namespace loopscope
