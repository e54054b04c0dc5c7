#pragma once
// Every kind of step's fields once, in the order and under the names of a log. Whatever treats numbers, texts and lists
// of steps alike (logs, hashes, packing, renumbering) goes through them; what a step means is said elsewhere.

#include "schedule/step.h"

#include <concepts>
#include <type_traits>

namespace loopscope {

/// A step of that kind, to be read or written.
template <typename T, typename Kind>
concept StepOf = std::same_as<std::remove_const_t<T>, Kind>;

// visitFields(step, visit): visit(name, field) for each.
void visitFields(StepOf<AnnotateStep> auto &s, auto &&visit) {
    visit("stage", s.stage);
    visit("iter", s.iter);
    visit("annotation", s.annotation);
}
void visitFields(StepOf<FuseStep> auto &s, auto &&visit) {
    visit("stage", s.stage);
    visit("iters", s.iters);
}
void visitFields(StepOf<PragmaStep> auto &s, auto &&visit) {
    visit("stage", s.stage);
    visit("iter", s.iter);
    visit("text", s.text);
}
void visitFields(StepOf<ReorderStep> auto &s, auto &&visit) {
    visit("stage", s.stage);
    visit("order", s.order);
}
void visitFields(StepOf<SplitStep> auto &s, auto &&visit) {
    visit("stage", s.stage);
    visit("iter", s.iter);
    visit("extent", s.extent);
    visit("lengths", s.lengths);
    visit("inner_to_outer", s.innerToOuter);
}
void visitFields(StepOf<FollowSplitStep> auto &s, auto &&visit) {
    visit("stage", s.stage);
    visit("iter", s.iter);
    visit("src_step", s.source);
    visit("n_split", s.parts);
}
void visitFields(StepOf<FollowFusedSplitStep> auto &s, auto &&visit) {
    visit("stage", s.stage);
    visit("iter", s.iter);
    visit("src_steps", s.sources);
    visit("level", s.level);
    visit("factor_or_nparts", s.factor);
}
void visitFields(StepOf<StorageAlignStep> auto &s, auto &&visit) {
    visit("stage", s.stage);
    visit("iter", s.iter);
    visit("factor", s.factor);
    visit("offset", s.offset);
}
void visitFields(StepOf<ComputeAtStep> auto &s, auto &&visit) {
    visit("stage", s.stage);
    visit("target_stage", s.target);
    visit("target_iter", s.targetIter);
}
void visitFields(StepOf<ComputeInlineStep> auto &s, auto &&visit) { visit("stage", s.stage); }
void visitFields(StepOf<ComputeRootStep> auto &s, auto &&visit) { visit("stage", s.stage); }
void visitFields(StepOf<CacheReadStep> auto &s, auto &&visit) {
    visit("stage", s.stage);
    visit("scope", s.scope);
    visit("readers", s.readers);
}
void visitFields(StepOf<CacheWriteStep> auto &s, auto &&visit) {
    visit("stage", s.stage);
    visit("scope", s.scope);
}
void visitFields(StepOf<RfactorStep> auto &s, auto &&visit) {
    visit("stage", s.stage);
    visit("iter", s.iter);
    visit("factor_iter", s.factorIter);
}

/// Calls `use` with an empty step of every kind, until it says true; whether it did.
template <typename Use> bool anyKind(Use &&use) {
    return [&]<size_t... kinds>(std::index_sequence<kinds...>) {
        return (use(std::variant_alternative_t<kinds, Step>{}) || ...);
    }(std::make_index_sequence<std::variant_size_v<Step>>());
}

/// Calls visit(id) for the steps that a step follows.
void visitSources(auto &step, auto &&visit) {
    std::visit(
        [&](auto &kind) {
            visitFields(kind, [&](const char *, auto &field) {
                using Field = std::remove_const_t<std::remove_reference_t<decltype(field)>>;
                if constexpr (std::is_same_v<Field, StepId>)
                    visit(field);
                else if constexpr (std::is_same_v<Field, std::vector<StepId>>)
                    for (auto &source : field) visit(source);
            });
        },
        step);
}

} // namespace loopscope
