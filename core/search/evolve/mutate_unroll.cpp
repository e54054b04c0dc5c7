// Gives one auto-unroll pragma another limit.

#include "search/target_rules.h"

#include <fmt/format.h>

namespace loopscope {

namespace {

constexpr std::string_view kPrefix = "auto_unroll_max_step$";

std::optional<Steps> apply(const MutationContext &context, const Steps &steps) {
    std::vector<size_t> pragmas;
    for (size_t i = 0; i < steps.size(); ++i) {
        const auto *pragma = std::get_if<PragmaStep>(&steps[i]);
        if (pragma && context.mayChange(i) && pragma->text.starts_with(kPrefix)) pragmas.push_back(i);
    }
    if (pragmas.empty()) return std::nullopt;
    const size_t at = pragmas[context.random.index(pragmas.size())];
    const auto &limits = rulesFor(context.target.kind).unrollLimits;
    const std::string text = fmt::format("{}{}", kPrefix, limits[context.random.index(limits.size())]);
    if (text == std::get<PragmaStep>(steps[at]).text) return std::nullopt;
    Steps child = steps;
    std::get<PragmaStep>(child[at]).text = text;
    return child;
}

} // namespace

const Mutation kMutateUnroll = {"auto-unroll", 0.05, apply};

} // namespace loopscope
