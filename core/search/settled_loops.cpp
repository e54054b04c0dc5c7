#include "search/settled_loops.h"

#include "check.h"
#include "codegen/llvm/unroll_plan.h"
#include "lower/lower.h"

#include <fmt/format.h>

namespace loopscope {

SettledLoops settledLoops(const Task &task, const Steps &steps) {
    SettledLoops result;
    const Outcome<LoopState> state = replay(task.dag, steps);
    if (!state) return result;
    try {
        LowerOptions options;
        options.layoutRewrite = static_cast<int>(task.layoutRewrite);
        const Outcome<LoopProgram> program = lower(*state, task.target, options);
        if (!program) return result;
        std::vector<SettledLoop> loops = program->settled;
        for (const SettledLoop &loop : loopsWithoutLanes(*program)) loops.push_back(loop);
        for (const SettledLoop &loop : loops) {
            const std::string stage = loop.stage < 0 ? "a copy" : state->stage(StageId(loop.stage)).op->name;
            result.sentences.push_back(fmt::format("the {} loop {} of {} runs serially: {}", loopKindName(loop.asked),
                                                   loop.iter, stage, settledReason(loop.why)));
            ++result.kinds[fmt::format("{}: {}", loopKindName(loop.asked), settledReason(loop.why))];
        }
    } catch (const InternalError &) { // lowered once more by the isolated child that builds it, whose trial says so
        return {};
    }
    return result;
}

} // namespace loopscope
