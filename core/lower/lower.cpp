#include "lower/lower.h"

#include "lower/passes.h"

#include "check.h"

namespace loopscope {

namespace {

/// A loop whose iterations would write the same element on several threads; empty when there is none.
std::string sharedReduction(const LoopState &state) {
    for (size_t i = 0; i < state.stageCount(); ++i) {
        const Stage &stage = state.stage(StageId(i));
        if (stage.op->isPlaceholder() || stage.location == ComputeLocation::Inlined) continue;
        for (const Iter &iter : stage.iters)
            if (iter.annotation == Annotation::Parallel && iter.kind != IterKind::Spatial && iter.extent > 1 &&
                stage.op->reduction)
                return "loop " + iter.name + " of " + stage.op->name +
                       " is parallel but carries a reduction, so threads would write the same element: make a spatial "
                       "loop parallel, or factor the reduction with RF first";
    }
    return {};
}

} // namespace

Outcome<LoopProgram> lower(const LoopState &state, const Target &target, const LowerOptions &options) {
    const auto arena = std::make_shared<ExprArena>();
    const ArenaScope scope(arena);
    Outcome<BoundedState> bounded = inferBounds(state);
    if (!bounded) return bounded.refusal();
    if (const std::string why = sharedReduction(bounded->state); !why.empty()) return Refusal{why};

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
    run("settle annotations", settleAnnotations);
    run("place storage", placeStorage);
    run("rewrite layouts", rewriteLayouts);
    run("split tails", splitTails);
    run("sink inits", sinkInits);
    run("keep accumulators in registers", keepAccumulatorsInRegisters);
    run("unroll loops", unrollLoops);
    return program;
}

} // namespace loopscope
