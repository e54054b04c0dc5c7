#include "schedule/stage_facts.h"

#include "language/expr/walk.h"
#include "language/te/scatter.h"
#include "schedule/iteration_graph.h"

#include <algorithm>

namespace loopscope {

namespace {

void sortDistinct(std::vector<StageId> &ids) {
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

void addConsumers(const LoopState &state, StageId id, std::vector<StageId> &out) {
    for (const int reader : state.dag()->access(id.index()).consumers) {
        if (state.stage(StageId(reader)).location == ComputeLocation::Inlined)
            addConsumers(state, StageId(reader), out);
        else
            out.emplace_back(reader);
    }
}

void addProducers(const LoopState &state, StageId id, std::vector<StageId> &out) {
    for (const int read : state.dag()->access(id.index()).producers) {
        if (state.stage(StageId(read)).location == ComputeLocation::Inlined)
            addProducers(state, StageId(read), out);
        else
            out.emplace_back(read);
    }
}

/// Whether a step of the wanted kind made the stage what it is: walks back, undoing the renumbering of inserted stages.
template <typename Wanted> bool madeBy(const LoopState &state, StageId id) {
    const Steps &steps = state.steps();
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
        const bool inserts = std::holds_alternative<CacheReadStep>(*step) ||
                             std::holds_alternative<CacheWriteStep>(*step) ||
                             std::holds_alternative<RfactorStep>(*step);
        if (!inserts) continue;
        if (stageOf(*step) < id)
            --id.value;
        else if (std::holds_alternative<Wanted>(*step) && stageOf(*step) == id)
            return true;
    }
    return false;
}

/// How often an index of the load that is no sum of axes names variables: so often what stands for them is repeated.
double maxVariables(const LoadAccess &load) {
    int most = 1;
    for (const IndexForm &index : load.indices) {
        if (index.affine) continue;
        int count = 0;
        postOrder(index.expr, [&](Expr e) { count += e->kind == ExprKind::Var ? 1 : 0; });
        most = std::max(most, count);
    }
    return most;
}

} // namespace

std::vector<StageId> consumers(const LoopState &state, StageId id) {
    std::vector<StageId> result;
    addConsumers(state, id, result);
    sortDistinct(result);
    return result;
}

std::vector<StageId> producers(const LoopState &state, StageId id) {
    std::vector<StageId> result;
    addProducers(state, id, result);
    sortDistinct(result);
    return result;
}

bool isTiled(const Stage &stage) {
    const std::optional<Scatter> scatter = scatterOf(*stage.op);
    return stage.iters.size() + (scatter ? scatter->places.size() : 0) != axisCount(*stage.op);
}

bool hasReduceIter(const Stage &stage) {
    return std::any_of(stage.iters.begin(), stage.iters.end(),
                       [](const Iter &iter) { return iter.kind == IterKind::Reduction; });
}

bool hasCrossThreadReduction(const LoopState &state, StageId id) {
    for (const Iter &iter : state.stage(id).iters)
        if (iter.annotation == Annotation::ThreadX && iter.kind == IterKind::Reduction) return true;
    for (size_t i = 0; i < state.stageCount(); ++i)
        if (state.attachedTo(StageId(i)).stage == id && hasCrossThreadReduction(state, StageId(i))) return true;
    return false;
}

SpaceSize spaceSize(const Op &op) {
    SpaceSize size;
    for (const Axis &axis : op.axes) size.spatial *= axis.extent;
    if (op.reduction)
        for (const Axis &axis : op.reduction->axes) size.reduce *= axis.extent;
    return size;
}

namespace {

template <typename IsInlined> bool inlinedFits(const ComputeDag &dag, IsInlined isInlined, StageId id) {
    const std::vector<LoadAccess> &own = dag.access(id.index()).loads;
    const auto repeatsNothing = [&](const LoadAccess &load) { return !isInlined(load.producer); };
    // The usual case: what is read once is read as often afterwards.
    if (own.size() <= 1 && std::all_of(own.begin(), own.end(), repeatsNothing)) return true;
    // Of each op: elements read by its body, inlined stages looked through. Only stages before a reader are read by it.
    std::vector<double> reads(dag.size(), 1);
    for (size_t op = 0; op < dag.size(); ++op) {
        const OpAccess &access = dag.access(op);
        if (access.loads.empty()) continue;
        double sum = 0;
        for (const LoadAccess &load : access.loads) {
            const bool repeated = load.producer == id.value || isInlined(load.producer);
            sum += repeated ? reads[static_cast<size_t>(load.producer)] * maxVariables(load) : 1;
        }
        reads[op] = sum;
        if (StageId(op) > id && sum > kMaxReads) return false;
    }
    return reads[id.index()] <= kMaxReads;
}

} // namespace

bool inliningFits(const LoopState &state, StageId id) {
    const auto isInlined = [&](int op) { return state.stage(StageId(op)).location == ComputeLocation::Inlined; };
    return inlinedFits(*state.dag(), isInlined, id);
}

bool inliningFits(const ComputeDag &dag, const std::vector<bool> &inlined, StageId id) {
    return inlinedFits(dag, [&](int op) { return inlined[static_cast<size_t>(op)]; }, id);
}

std::vector<std::string_view> originalIterNames(std::string_view name) {
    std::vector<std::string_view> result;
    while (!name.empty()) {
        const size_t end = name.find_first_of("@.");
        const std::string_view piece = name.substr(0, end);
        if (!piece.empty() && (piece[0] < '0' || piece[0] > '9')) result.push_back(piece);
        if (end == std::string_view::npos) break;
        name.remove_prefix(end + 1);
    }
    return result;
}

bool hasCacheRead(const LoopState &state, StageId id) { return madeBy<CacheReadStep>(state, id); }
bool hasCacheWrite(const LoopState &state, StageId id) { return madeBy<CacheWriteStep>(state, id); }
bool copiesInput(const LoopState &state, StageId id) {
    if (state.stage(id).scope.empty() || hasReduceIter(state.stage(id))) return false;
    const auto &read = state.dag()->access(id.index()).producers;
    return read.size() == 1 && read.front() + 1 == id.value && state.stage(StageId(read.front())).op->isPlaceholder() &&
           hasCacheRead(state, StageId(read.front()));
}

StageId singleElementwiseConsumer(const LoopState &state, StageId id) {
    const std::vector<StageId> readers = consumers(state, id);
    if (readers.size() != 1) return StageId();
    const Stage &reader = state.stage(readers[0]);
    if (reader.op->name.ends_with(".shared")) return StageId();
    if (hasReduceIter(state.stage(id)) && hasReduceIter(reader)) return StageId();
    return elementwiseMatch(*state.dag(), id.value, readers[0].value) ? readers[0] : StageId();
}

StageId singleConsumerRoot(const LoopState &state, StageId id) {
    const std::vector<StageId> readers = consumers(state, id);
    if (readers.empty()) return StageId();
    if (readers.size() == 1) return readers[0];
    StageId common;
    for (const StageId reader : readers) {
        const Stage &stage = state.stage(reader);
        const StageId root = stage.location == ComputeLocation::Attached ? state.attachedTo(reader).stage : reader;
        if (common.value >= 0 && root != common) return StageId();
        common = root;
    }
    return common;
}

StageId rootOf(const LoopState &state, StageId id) {
    while (state.attachedTo(id).stage.value >= 0) id = state.attachedTo(id).stage;
    return id;
}

} // namespace loopscope
