#include "measure/serialised_loops.h"

#include "base/check.h"
#include "codegen/llvm/unroll_plan.h"
#include "codegen/lower/lower.h"

#include <fmt/format.h>

namespace loopscope {

SerialisedLoops serialisedLoops(const Task &task, const Steps &steps) {
    SerialisedLoops result;
    const Outcome<LoopState> state = replay(task.dag, steps);
    if (!state) return result;
    try {
        LowerOptions options;
        options.layoutRewrite = static_cast<int>(task.layoutRewrite);
        const Outcome<LoopProgram> program = lower(*state, task.target, options);
        if (!program) return result;
        std::vector<SerialisedLoop> loops = program->serialised;
        for (const SerialisedLoop &loop : loopsWithoutLanes(*program)) loops.push_back(loop);
        for (const SerialisedLoop &loop : loops) {
            const std::string stage = loop.stage.value < 0 ? "a copy" : state->stage(loop.stage).op->name;
            result.sentences.push_back(fmt::format("the {} loop {} of {} runs serially: {}", loopKindName(loop.asked),
                                                   loop.name, stage, serialisedReason(loop.why)));
            ++result.kinds[fmt::format("{}: {}", loopKindName(loop.asked), serialisedReason(loop.why))];
        }
    } catch (const InternalError &) { // lowered once more by the isolated child that builds it, whose trial says so
        return {};
    }
    return result;
}

} // namespace loopscope
