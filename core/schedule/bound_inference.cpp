#include "schedule/bound_inference.h"

#include "language/expr/walk.h"
#include "schedule/bounds/regions.h"
#include "schedule/iteration_graph.h"
#include "schedule/steps/step_checks.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace loopscope {

namespace {

void writeRanges(Stage &stage, const StageBounds &bounds) {
    for (Iter &iter : stage.iters) {
        const auto node = static_cast<size_t>(iter.node);
        iter.extent = bounds.nodeExtent[node];
        iter.min = 0;
        if (node >= bounds.axes.size()) continue;
        const Expr min = bounds.axes[node].min;
        if (min && min->kind == ExprKind::IntImm) iter.min = min->intValue;
    }
}

bool rangesDiffer(const Stage &stage, const StageBounds &bounds) {
    for (const Iter &iter : stage.iters) {
        const auto node = static_cast<size_t>(iter.node);
        if (iter.extent != bounds.nodeExtent[node] || iter.min != 0) return true;
        if (node < bounds.axes.size() && bounds.axes[node].min) return true;
    }
    return false;
}

/// A thread-bound loop inside the attach point has no number there yet, though its memory scope tells that every thread
/// computes a region of its own.
std::optional<Refusal> unknownThread(const LoopState &state, const std::vector<StageBounds> &stages) {
    for (size_t i = 0; i < stages.size(); ++i) {
        const AttachPoint point = state.attachedTo(StageId(i));
        if (point.stage.value < 0 || stages[i].vars.empty()) continue;
        const auto visible = [&](Expr var) {
            for (AttachPoint at = point; at.stage.value >= 0; at = state.attachedTo(at.stage)) {
                const std::vector<Expr> &vars = stages[at.stage.index()].vars;
                const auto end = vars.begin() + at.iter.value + 1;
                if (std::any_of(vars.begin(), end, [&](Expr outer) { return outer.node() == var.node(); })) return true;
            }
            return false;
        };
        Expr hidden;
        for (const AxisRegion &axis : stages[i].axes)
            if (axis.min)
                postOrder(axis.min, [&](Expr e) {
                    if (e->kind == ExprKind::Var && !visible(e)) hidden = e;
                });
        if (hidden)
            return Refusal{fmt::format(
                "bounds of {} do not exist: it is attached at {}, outside loop {}, which is bound to a thread "
                "that its memory belongs to; attach it inside that loop, or bind no loop inside the attach point",
                named(state, StageId(i)).text(), named(state, point.stage, point.iter).text(), hidden->name())};
    }
    return std::nullopt;
}

} // namespace

Outcome<BoundedState> inferBounds(LoopState state, ArenaPtr arena) {
    if (!state.concrete())
        return Refusal{"bounds do not exist while a split length is open: fill all lengths of the splits first"};
    thread_local RegionInference inference; // keeps its memory from state to state
    if (std::optional<Refusal> refused = inference.run(state)) return *std::move(refused);

    std::optional<ArenaScope> scope;
    if (arena) scope.emplace(arena);
    thread_local std::vector<Expr> variables;
    variables.resize(inference.variableCount);
    bool threads = false;
    for (size_t i = 0; i < state.stageCount(); ++i) {
        const Stage &stage = state.stage(StageId(i));
        if (stage.op->isPlaceholder() || stage.location == ComputeLocation::Inlined) continue;
        for (const Iter &iter : stage.iters) threads = threads || isThread(iter.annotation);
        for (size_t leaf = 0; leaf < stage.iters.size(); ++leaf)
            variables[inference.stages[i].firstVariable + leaf] = makeVar(stage.iters[leaf].name);
    }

    std::vector<StageBounds> stages(state.stageCount());
    for (size_t i = 0; i < state.stageCount(); ++i) {
        const StageId id(i);
        const Stage &stage = state.stage(id);
        if (stage.op->isPlaceholder() || stage.location == ComputeLocation::Inlined) continue;
        const RegionInference::StageRegions &at = inference.stages[i];
        StageBounds &bounds = stages[i];
        bounds.axes.resize(axisCount(*stage.op));
        for (size_t a = 0; a < bounds.axes.size(); ++a) {
            bounds.axes[a].min = inference.pool.toExpr(inference.min[at.firstAxis + a], variables);
            bounds.axes[a].extent = inference.extent[at.firstAxis + a];
        }
        const auto nodes = inference.nodeExtent.begin() + static_cast<ptrdiff_t>(at.firstNode);
        bounds.nodeExtent.assign(nodes, nodes + stage.nodeCount);
        const auto vars = variables.begin() + static_cast<ptrdiff_t>(at.firstVariable);
        bounds.vars.assign(vars, vars + static_cast<ptrdiff_t>(stage.iters.size()));
        if (rangesDiffer(stage, bounds)) writeRanges(state.mutableStage(id), bounds);
    }
    if (threads)
        if (std::optional<Refusal> refused = unknownThread(state, stages)) return *std::move(refused);
    return BoundedState{std::move(state), std::move(stages), std::move(arena)};
}

} // namespace loopscope
