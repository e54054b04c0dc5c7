#include "schedule/steps/step_checks.h"

#include "schedule/steps/suggestions.h"

#include <fmt/format.h>

namespace loopscope {

namespace {

std::string counted(const std::string &name, int before) {
    return before == 0 ? name : fmt::format("{}~{}", name, before + 1);
}

} // namespace

NamedStage named(const LoopState &state, StageId id) {
    const std::string &name = state.stage(id).op->name;
    int before = 0;
    for (size_t i = 0; i < id.index(); ++i) before += state.stage(StageId(i)).op->name == name ? 1 : 0;
    return {id, counted(name, before)};
}

NamedLoop named(const LoopState &state, StageId id, IterId iter) {
    const auto &iters = state.stage(id).iters;
    const std::string &name = iters[iter.index()].name;
    int before = 0;
    for (size_t i = 0; i < iter.index(); ++i) before += iters[i].name == name ? 1 : 0;
    return {named(state, id), iter, counted(name, before)};
}

ScheduleRefusal refusal(ScheduleRule rule, std::string_view tag, const LoopState &state, StageId stage,
                        std::vector<Suggestion> legal) {
    ScheduleRefusal refusal;
    refusal.rule = rule;
    refusal.tag = tag;
    refusal.stage = named(state, stage);
    refusal.legal = std::move(legal);
    return refusal;
}

ScheduleRefusal refusal(ScheduleRule rule, std::string_view tag, const LoopState &state, StageId stage, IterId iter,
                        std::vector<Suggestion> legal) {
    ScheduleRefusal about = refusal(rule, tag, state, stage, std::move(legal));
    about.loop = named(state, stage, iter);
    return about;
}

Refused checkStage(const LoopState &state, const char *tag, StageId id) {
    if (id.value >= 0 && id.index() < state.stageCount()) return std::nullopt;
    ScheduleRefusal refusal;
    refusal.rule = ScheduleRule::StageExists;
    refusal.tag = tag;
    refusal.asked = id.value;
    refusal.limit = static_cast<int64_t>(state.stageCount()) - 1;
    refusal.legal = {allStages(state)};
    return refusal;
}

Refused checkStageCount(const LoopState &state, const char *tag) {
    // A copy of each input and of the result, and two halves of the sum.
    constexpr size_t perOp = 4;
    constexpr size_t always = 32;
    const size_t ops = state.originalDag()->size();
    if (state.stageCount() < ops + perOp * ops + always) return std::nullopt;
    ScheduleRefusal refusal;
    refusal.rule = ScheduleRule::StageLimit;
    refusal.tag = tag;
    refusal.asked = static_cast<int64_t>(state.stageCount());
    refusal.beside = static_cast<int64_t>(ops);
    refusal.limit = static_cast<int64_t>(ops + perOp * ops + always);
    return refusal;
}

Refused checkLoops(const LoopState &state, const char *tag, StageId id) {
    if (Refused refused = checkStage(state, tag, id)) return refused;
    const Stage &stage = state.stage(id);
    if (stage.op->isPlaceholder())
        return refusal(ScheduleRule::StageHasLoops, tag, state, id, {stagesWithLoops(state)});
    if (stage.location == ComputeLocation::Inlined)
        return refusal(ScheduleRule::StageNotInlined, tag, state, id, {ApplyFirst{ComputeRootStep{id}}});
    return std::nullopt;
}

Refused checkIter(const LoopState &state, const char *tag, StageId id, IterId iter) {
    if (Refused refused = checkLoops(state, tag, id)) return refused;
    const size_t count = state.stage(id).iters.size();
    if (iter.value >= 0 && iter.index() < count) return std::nullopt;
    ScheduleRefusal missing = refusal(ScheduleRule::LoopExists, tag, state, id, {allLoops(state, id)});
    missing.asked = iter.value;
    missing.limit = static_cast<int64_t>(count) - 1; // -1: there are none
    return missing;
}

Refused checkPlainIter(const LoopState &state, const char *tag, StageId id, IterId iter) {
    if (Refused refused = checkIter(state, tag, id, iter)) return refused;
    const Annotation annotation = state.stage(id).iters[iter.index()].annotation;
    if (annotation == Annotation::None) return std::nullopt;
    ScheduleRefusal lost = refusal(ScheduleRule::LoopKeepsAnnotation, tag, state, id, iter, {plainLoops(state, id)});
    lost.present = annotationText(annotation);
    return lost;
}

Refused checkNothingAttached(const LoopState &state, const char *tag, StageId id) {
    for (size_t i = 0; i < state.stageCount(); ++i) {
        const AttachPoint point = state.attachedTo(StageId(i));
        if (point.stage != id) continue;
        ScheduleRefusal carries =
            refusal(ScheduleRule::NothingAttachedHere, tag, state, id, {ApplyFirst{ComputeRootStep{StageId(i)}}});
        carries.otherStage = named(state, StageId(i));
        carries.otherLoop = named(state, id, point.iter);
        return carries;
    }
    return std::nullopt;
}

} // namespace loopscope
