#include "codegen/lower/lower.h"

#include "codegen/lower/pass_list.h"

#include "base/check.h"

namespace loopscope {

Outcome<LoopProgram> lower(const LoopState &state, const Target &target, const LowerOptions &options) {
    const PassList &list = passesFor(target.kind);
    if (list.refused != nullptr)
        if (std::optional<Refusal> refused = list.refused(state.steps())) return *std::move(refused);
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
    done("loop nest");
    for (const Pass &pass : list.passes) {
        if (std::optional<Refusal> refused = pass.run(program, context)) return *std::move(refused);
        done(pass.name);
    }
    return program;
}

} // namespace loopscope
