#include "search/sketch/sketch_facts.h"

#include "dag/access.h"

#include <algorithm>

namespace loopscope {

namespace {

const OpAccess &accessOf(const LoopState &state, StageId stage) { return state.dag()->access(stage.index()); }

void collectThrough(const LoopState &state, StageId stage, bool consumers, std::set<int> &found) {
    const OpAccess &access = accessOf(state, stage);
    for (const int next : consumers ? access.consumers : access.producers) {
        if (state.stage(StageId(next)).location == ComputeLocation::Inlined) {
            collectThrough(state, StageId(next), consumers, found);
        } else {
            found.insert(next);
        }
    }
}

/// Scans the steps backwards, undoing the renumbering of stage insertions, for a step of type T on the stage.
template <typename T> bool hasStepOn(const LoopState &state, StageId stage) {
    int id = stage.value;
    const Steps &steps = state.steps();
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
        if (const auto *wanted = std::get_if<T>(&*step); wanted && wanted->stage.value == id) return true;
        const bool inserts = std::holds_alternative<CacheReadStep>(*step) ||
                             std::holds_alternative<CacheWriteStep>(*step) ||
                             std::holds_alternative<RfactorStep>(*step);
        if (inserts && stageOf(*step).value < id) --id;
    }
    return false;
}

bool reducesAcrossThreads(const Stage &stage) {
    return std::any_of(stage.iters.begin(), stage.iters.end(), [](const Iter &iter) {
        return iter.annotation == Annotation::ThreadX && iter.kind == IterKind::Reduction;
    });
}

} // namespace

std::set<int> consumersOf(const LoopState &state, StageId stage) {
    std::set<int> found;
    collectThrough(state, stage, true, found);
    return found;
}

std::set<int> producersOf(const LoopState &state, StageId stage) {
    std::set<int> found;
    collectThrough(state, stage, false, found);
    return found;
}

bool hasReduceIter(const LoopState &state, StageId stage) {
    const auto &iters = state.stage(stage).iters;
    return std::any_of(iters.begin(), iters.end(), [](const Iter &iter) {
        return iter.kind != IterKind::Spatial && iter.kind != IterKind::Special;
    });
}

bool needsTiling(const LoopState &state, StageId stage) { return accessOf(state, stage).needsMultiLevelTiling; }
bool isOutput(const LoopState &state, StageId stage) { return accessOf(state, stage).isOutput; }
bool hasCacheWrite(const LoopState &state, StageId stage) { return hasStepOn<CacheWriteStep>(state, stage); }
bool hasRfactor(const LoopState &state, StageId stage) { return hasStepOn<RfactorStep>(state, stage); }

bool hasCrossThreadReduction(const LoopState &state, StageId stage) {
    if (reducesAcrossThreads(state.stage(stage))) return true;
    for (size_t other = 0; other < state.stageCount(); ++other)
        if (state.attachedTo(StageId(other)).stage == stage && reducesAcrossThreads(state.stage(StageId(other))))
            return true;
    return false;
}

std::optional<StageId> elementwiseConsumer(const LoopState &state, StageId stage) {
    const auto consumers = consumersOf(state, stage);
    if (consumers.size() != 1) return std::nullopt;
    const StageId target(*consumers.begin());
    const std::string &name = state.stage(target).op->name;
    const std::string_view shared = ".shared";
    if (name.size() >= shared.size() && name.ends_with(shared)) return std::nullopt;
    if (!elementwiseMatch(*state.dag(), stage.value, target.value)) return std::nullopt;
    if (hasReduceIter(state, stage) && hasReduceIter(state, target)) return std::nullopt;
    return target;
}

std::optional<StageId> consumerRoot(const LoopState &state, StageId stage) {
    const auto consumers = consumersOf(state, stage);
    if (consumers.empty()) return std::nullopt;
    if (consumers.size() == 1) return StageId(*consumers.begin());
    std::optional<StageId> common;
    for (const int consumer : consumers) {
        StageId root(consumer);
        if (state.stage(root).location == ComputeLocation::Attached) root = state.attachedTo(root).stage;
        if (common && *common != root) return std::nullopt;
        common = root;
    }
    return common;
}

IterationSpace iterationSpace(const LoopState &state, StageId stage) {
    IterationSpace space;
    for (const auto &iter : state.stage(stage).iters) {
        if (iter.kind == IterKind::Spatial) space.spatial *= static_cast<double>(iter.extent);
        if (iter.kind == IterKind::Reduction) space.reduce *= static_cast<double>(iter.extent);
    }
    return space;
}

std::set<std::string> listedNames(const LoopState &state, StageId stage, const std::string &attribute) {
    const Attrs &attrs = state.stage(stage).op->attrs;
    const auto found = attrs.find(attribute);
    if (found == attrs.end()) return {};
    if (const auto *list = std::get_if<std::vector<std::string>>(&found->second)) return {list->begin(), list->end()};
    if (const auto *one = std::get_if<std::string>(&found->second)) return {*one};
    return {};
}

std::vector<StepId> splitStepsOf(const LoopState &state, StageId stage) {
    std::vector<StepId> found;
    int id = stage.value;
    const Steps &steps = state.steps();
    for (size_t i = steps.size(); i > 0; --i) {
        const Step &step = steps[i - 1];
        if (const auto *split = std::get_if<SplitStep>(&step); split && split->stage.value == id)
            found.emplace_back(i - 1);
        const bool inserts = std::holds_alternative<CacheReadStep>(step) ||
                             std::holds_alternative<CacheWriteStep>(step) || std::holds_alternative<RfactorStep>(step);
        if (inserts && stageOf(step).value < id) --id;
    }
    return found;
}

bool alwaysInlined(const LoopState &state, StageId stage, bool gpu) {
    if (state.stage(stage).op->isPlaceholder() || isOutput(state, stage) || hasReduceIter(state, stage)) return false;
    return gpu || accessOf(state, stage).strictlyInlineable;
}

} // namespace loopscope
