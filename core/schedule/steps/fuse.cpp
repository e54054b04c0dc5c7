// FU: consecutive loops become one. Attached stages may hang on the last of them only, and then hang on the result.
//
//   for i (0,4)              FU 0, iters [0, 1]           for i@j@ (0,32)
//     for j (0,8)                          ->               A = ...
//       A = ...
//
// The empty list, which records have for stages without spatial axes, puts a loop of one iteration in front. Ansor
// drops the reduction loops of such a stage from its state; here they stay.

#include "schedule/steps/apply_step.h"

#include "language/expr/interval.h"
#include "schedule/iteration_graph.h"
#include "schedule/steps/step_checks.h"
#include "schedule/steps/suggestions.h"

#include <algorithm>

namespace loopscope {

namespace {

constexpr int64_t kLongestFused = int64_t(1) << 48;
// A fused loop is named after its parts, and so are the parts of a split: every pair of the two doubles the name.
constexpr size_t kLongestName = 4096;

Refused checkFused(const LoopState &state, const FuseStep &step, size_t i) {
    const Stage &stage = state.stage(step.stage);
    const IterId id = step.iters[i];
    const auto refused = [&](ScheduleRule rule, std::vector<Suggestion> legal) {
        return refusal(rule, "FU", state, step.stage, id, std::move(legal));
    };
    if (step.iters.size() > 1 && isScanLoop(stage, stage.iters[id.index()]))
        return refused(ScheduleRule::ScanStaysOneLoop,
                       {loopsThat(state, step.stage, [&](const Iter &loop) { return !isScanLoop(stage, loop); })});
    if (i > 0 && id.value != step.iters[i - 1].value + 1) {
        const IterId before = step.iters[i - 1];
        LegalLoops next{step.stage, {}};
        if (before.index() + 1 < stage.iters.size()) next.loops.emplace_back(before.value + 1);
        ScheduleRefusal apart = refused(ScheduleRule::FusedConsecutive, {next});
        apart.otherLoop = named(state, step.stage, before);
        return apart;
    }
    if (i + 1 < step.iters.size() && state.hasAttachedAt(step.stage, id)) {
        const StageId attached = state.attachedAt(step.stage, id)[0];
        ScheduleRefusal carries = refused(ScheduleRule::FusedCarryNothing, {ApplyFirst{ComputeRootStep{attached}}});
        carries.otherStage = named(state, attached);
        return carries;
    }
    const IterKind kind = stage.iters[id.index()].kind;
    const IterKind first = stage.iters[step.iters[0].index()].kind;
    if (kind == first || kind == IterKind::Special || first == IterKind::Special) return std::nullopt;
    ScheduleRefusal mixed = refused(ScheduleRule::FusedOfOneKind, {loopsThat(state, step.stage, [&](const Iter &iter) {
                                        return iter.kind == first || iter.kind == IterKind::Special;
                                    })});
    mixed.otherLoop = named(state, step.stage, step.iters[0]);
    return mixed;
}

Refused checkFuse(const LoopState &state, const FuseStep &step) {
    if (Refused refused = checkLoops(state, "FU", step.stage)) return refused;
    const Stage &stage = state.stage(step.stage);
    if (step.iters.empty()) {
        const bool spatial = std::any_of(stage.iters.begin(), stage.iters.end(),
                                         [](const Iter &iter) { return iter.kind == IterKind::Spatial; });
        if (!spatial) return std::nullopt;
        return refusal(ScheduleRule::FusesSomething, "FU", state, step.stage, {allLoops(state, step.stage)});
    }
    for (size_t i = 0; i < step.iters.size(); ++i) {
        if (Refused refused = checkPlainIter(state, "FU", step.stage, step.iters[i])) return refused;
        if (Refused refused = checkFused(state, step, i)) return refused;
    }
    const auto count = static_cast<int64_t>(step.iters.size());
    int64_t extent = 1;
    int64_t fitting = 0; // so many from the first on have few enough iterations
    for (const IterId id : step.iters) {
        extent = mulSaturating(extent, stage.iters[id.index()].extent);
        if (extent <= kLongestFused) ++fitting;
    }
    if (extent > kLongestFused) {
        ScheduleRefusal much = refusal(ScheduleRule::FusedIterationLimit, "FU", state, step.stage, step.iters[0],
                                       {LegalNumbers{1, fitting}});
        much.beside = count;
        much.limit = kLongestFused;
        return much;
    }
    size_t nameLength = step.iters.size();
    for (const IterId id : step.iters) nameLength += stage.iters[id.index()].name.size();
    if (nameLength <= kLongestName) return std::nullopt;
    ScheduleRefusal named = refusal(ScheduleRule::FusedNameLimit, "FU", state, step.stage);
    named.beside = count;
    named.asked = static_cast<int64_t>(nameLength);
    named.limit = static_cast<int64_t>(kLongestName);
    return named;
}

void insertUnitLoop(StateEditor &editor, StageId id) {
    Stage &stage = editor.edit(id);
    Iter unit;
    unit.extent = 1;
    unit.kind = IterKind::Special;
    unit.node = stage.nodeCount++;
    stage.iters.insert(stage.iters.begin(), std::move(unit));
    editor.moveAttachments(id, [](int at) { return at + 1; });
}

} // namespace

Refused applyStep(StateEditor &editor, const FuseStep &step) {
    if (Refused refused = checkFuse(editor.state, step)) return refused;
    if (step.iters.empty()) {
        insertUnitLoop(editor, step.stage);
        return std::nullopt;
    }
    Stage &stage = editor.edit(step.stage);
    const size_t first = step.iters.front().index();
    const size_t count = step.iters.size();
    Iter fused = {};
    fused.extent = 1;
    fused.kind = stage.iters[first].kind;
    fused.node = stage.iters[first].node;
    size_t nameLength = count;
    for (size_t i = first; i < first + count; ++i) nameLength += stage.iters[i].name.size();
    fused.name.reserve(nameLength);
    fused.originals.reserve(count);
    for (size_t i = first; i < first + count; ++i) {
        Iter &part = stage.iters[i];
        fused.name += part.name;
        fused.name += '@';
        fused.originals.push_back(std::move(part.name));
        fused.extent *= part.extent; // stays 0 = unknown when any is
        if (part.kind != fused.kind) fused.kind = IterKind::Mixed;
        if (i == first) continue;
        IterRelation relation;
        relation.kind = IterRelation::Kind::Fuse;
        relation.outer = fused.node;
        relation.inner = part.node;
        relation.parent = fused.node = stage.nodeCount++;
        stage.relations.push_back(relation);
    }
    stage.iters[first] = std::move(fused);
    const auto begin = stage.iters.begin() + static_cast<ptrdiff_t>(first);
    stage.iters.erase(begin + 1, begin + static_cast<ptrdiff_t>(count));
    const int from = static_cast<int>(first);
    const int last = from + static_cast<int>(count) - 1;
    editor.moveAttachments(step.stage, [=](int at) { return at > last ? at - (last - from) : std::min(at, from); });
    return std::nullopt;
}

} // namespace loopscope
