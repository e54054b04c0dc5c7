#include "language/dag/stays_in_memory.h"
#include "schedule/script/schedule_script.h"
#include "schedule/stage_facts.h"
#include "search/annotate/annotate_rule.h"

#include <algorithm>

namespace loopscope {

namespace {

bool endsWithLevelZero(const std::string &name) { return name.size() >= 2 && name.ends_with(".0"); }

/// Walks the loops of `target` from the outside and adds the places; false when the walk met an obstacle.
void addPlaces(const LoopState &state, StageId target, bool tiledPlaces, bool attached, std::vector<AttachPoint> &out) {
    const Stage &stage = state.stage(target);
    bool reduceSeen = false;
    for (size_t i = 0; i < stage.iters.size(); ++i) {
        const Iter &iter = stage.iters[i];
        if (iter.kind == IterKind::Reduction) {
            reduceSeen = true;
            if (!tiledPlaces) return;
        } else if (reduceSeen && iter.kind == IterKind::Spatial) {
            return; // inside the reduction nothing may be computed between two tiles of it
        }
        if (iter.annotation == Annotation::Unroll) return;
        if (iter.extent == 1) continue;
        if (attached && iter.kind == IterKind::Spatial && endsWithLevelZero(iter.name)) continue;
        out.push_back({target, IterId(i)});
        if (state.hasAttachedAt(target, IterId(i))) return;
    }
}

void addOuterPlaces(const LoopState &state, StageId target, std::vector<AttachPoint> &out) {
    const Stage &stage = state.stage(target);
    for (size_t i = 0; i < stage.iters.size(); ++i) {
        const Iter &iter = stage.iters[i];
        if (iter.kind == IterKind::Reduction || iter.annotation == Annotation::Unroll) return;
        if (state.hasAttachedAt(target, IterId(i))) return;
        if (iter.extent == 1) continue;
        out.push_back({target, IterId(i)});
    }
}

/// A copy of an input can be made once for a tile of the outer loops, of the reduction, or of the spatial loops inside
/// it but the innermost (which would read it only once): the places of panels in matrix libraries.
void addCopyPlaces(const LoopState &state, StageId target, std::vector<AttachPoint> &out) {
    const Stage &stage = state.stage(target);
    int level = 0; // runs of loops of one kind passed
    std::vector<AttachPoint> ofLevel;
    const auto endLevel = [&] {
        if (level < 2 && !ofLevel.empty()) out.push_back(ofLevel.back());
        if (level == 2 && !ofLevel.empty()) out.insert(out.end(), ofLevel.begin(), ofLevel.end() - 1);
        ofLevel.clear();
        ++level;
    };
    for (size_t i = 0; i < stage.iters.size() && level < 3; ++i) {
        const Iter &iter = stage.iters[i];
        if (iter.annotation == Annotation::Unroll) break;
        if (i > 0 && iter.kind != stage.iters[i - 1].kind) endLevel();
        if (level < 3 && iter.extent != 1) ofLevel.push_back({target, IterId(i)});
    }
}

/// The step that computes the stage where a lock wants it; nothing where it is computed there.
Outcome<std::optional<Step>> constrainedStep(const LoopState &state, StageId id, const std::string &place,
                                             const std::vector<AttachPoint> &places) {
    const Stage &stage = state.stage(id);
    const AttachPoint now = state.attachedTo(id);
    std::vector<Step> steps = {ComputeRootStep{id}};
    if (stage.location == ComputeLocation::Attached) steps.front() = ComputeAtStep{id, now.stage, now.iter};
    for (const AttachPoint &point : places) steps.emplace_back(ComputeAtStep{id, point.stage, point.iter});
    if (stage.location == ComputeLocation::Attached) {
        if (!hasReduceIter(stage)) steps.emplace_back(ComputeInlineStep{id});
        steps.emplace_back(ComputeRootStep{id});
    }
    for (size_t i = 0; i < steps.size(); ++i)
        if (sameLine(scriptLine(state, steps[i]), place))
            return i == 0 ? std::optional<Step>() : std::optional<Step>(steps[i]);
    return Refusal{"the lock `" + place + "` names a place the stage cannot have here"};
}

Outcome<LoopState> chooseComputeLocation(const AnnotateContext &context, LoopState state) {
    if (!context.options.changeComputeLocation || context.onlyOpen) return state;
    bool moved = false;
    for (int s = static_cast<int>(state.stageCount()) - 1; s >= 0; --s) {
        const StageId id(s);
        const Stage &stage = state.stage(id);
        if (stage.op->isPlaceholder() || stage.location == ComputeLocation::Inlined) continue;
        if (isTiled(stage) || state.dag()->access(id.index()).needsMultiLevelTiling) continue;
        if (staysInMemory(*stage.op)) continue;
        const auto places = computeLocations(state, id);
        const bool copy = copiesInput(state, id);
        if (copy && places.empty()) continue;
        const size_t choice = copy ? 2 + context.random.index(places.size()) : context.random.index(places.size() + 2);
        std::optional<Step> step;
        const StageConstraint *constraint = constraintOf(context, state, id);
        if (constraint != nullptr && constraint->closed && !constraint->place) continue;
        if (constraint != nullptr && constraint->place) {
            auto there = constrainedStep(state, id, *constraint->place, places);
            if (!there) return there.refusal();
            step = std::move(there).value();
        } else if (choice == 0) {
            if (!hasReduceIter(stage) && stage.location == ComputeLocation::Attached) step = ComputeInlineStep{id};
        } else if (choice == 1) {
            if (stage.location != ComputeLocation::Root) step = ComputeRootStep{id};
        } else {
            step = ComputeAtStep{id, places[choice - 2].stage, places[choice - 2].iter};
        }
        if (!step) continue;
        auto changed = state.apply(std::move(*step));
        if (!changed) return changed.refusal();
        state = std::move(changed).value();
        moved = true;
    }
    if (!moved) return state;
    return boundedState(state, context.scratch);
}

} // namespace

std::vector<AttachPoint> computeLocations(const LoopState &state, StageId stage) {
    std::vector<AttachPoint> places;
    const StageId target = singleConsumerRoot(state, stage);
    if (target.value < 0) return places;
    if (copiesInput(state, stage)) {
        addCopyPlaces(state, target, places);
        return places;
    }
    const bool attached = state.stage(target).location == ComputeLocation::Attached;
    addPlaces(state, target, isTiled(state.stage(target)), attached, places);
    if (attached) addOuterPlaces(state, state.attachedTo(target).stage, places);
    return places;
}

const AnnotateRule kChooseComputeLocation = {"ChangeComputeLocation", chooseComputeLocation};

} // namespace loopscope
