// Gives one auto-unroll pragma another limit; a schedule that has none, as those no sketch made, gets one.

#include "search/target_rules.h"

#include <fmt/format.h>

namespace loopscope {

namespace {

constexpr std::string_view kPrefix = "auto_unroll_max_step$";

std::optional<Steps> withPragma(const MutationContext &context, const Steps &steps) {
    if (splitAgain(context.dag, steps).empty()) return std::nullopt; // its sketch left it without
    for (const Step &step : steps)
        if (std::holds_alternative<PragmaStep>(step)) return std::nullopt; // another kind, or locked
    const auto state = replay(context.dag, steps);
    if (!state) return std::nullopt;
    std::vector<StageId> stages;
    for (size_t s = 0; s < state->stageCount(); ++s) {
        const Stage &stage = state->stage(StageId(s));
        if (!stage.op->isPlaceholder() && stage.location != ComputeLocation::Inlined && !stage.iters.empty() &&
            context.mayAdd(StageId(s)))
            stages.emplace_back(s);
    }
    if (stages.empty()) return std::nullopt;
    const StageId stage = stages[context.random.index(stages.size())];
    const auto &limits = rulesFor(context.target.kind).unrollLimits;
    Steps child = steps;
    child.emplace_back(
        PragmaStep{stage, IterId(0), fmt::format("{}{}", kPrefix, limits[context.random.index(limits.size())])});
    return child;
}

std::optional<Steps> mutateUnroll(const MutationContext &context, const Steps &steps) {
    std::vector<size_t> pragmas;
    for (size_t i = 0; i < steps.size(); ++i) {
        const auto *pragma = std::get_if<PragmaStep>(&steps[i]);
        if (pragma && context.mayChange(i) && pragma->text.starts_with(kPrefix)) pragmas.push_back(i);
    }
    if (pragmas.empty()) return withPragma(context, steps);
    const size_t at = pragmas[context.random.index(pragmas.size())];
    const auto &limits = rulesFor(context.target.kind).unrollLimits;
    const std::string text = fmt::format("{}{}", kPrefix, limits[context.random.index(limits.size())]);
    if (text == std::get<PragmaStep>(steps[at]).text) return std::nullopt;
    Steps child = steps;
    std::get<PragmaStep>(child[at]).text = text;
    return child;
}

} // namespace

const Mutation kMutateUnroll = {"auto-unroll", 0.05, mutateUnroll};

} // namespace loopscope
