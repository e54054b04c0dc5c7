// VectorizeWeights (beyond Ansor, on in searches on a CPU): a reduction whose innermost axis is short, such as the
// seven columns of a late convolution in NCHW, is also tiled with another axis innermost: the one that runs through
// nothing but weights. Vectors then hold output channels, rows and columns are what the register tile repeats each
// loaded weight for, and each element of the data is one broadcast, as in the blocked layouts of convolution libraries.
// The weights' layout is free, so that they are packed as they are read; the tile of results is ours, so that lowering
// lays it out along the vectors (transposeBuffers) and the fused consumer puts it in the order that was asked for.

#include "language/dag/layout_free.h"
#include "search/sketch/consumer_fusion.h"
#include "search/sketch/sketch_facts.h"

#include <algorithm>

namespace loopscope {

namespace {

struct AxisChoice {
    int axis = -1;
    std::string why;
};

bool usesAxis(const LoadAccess &load, int axis) {
    for (const IndexForm &index : load.indices) {
        if (!index.affine) return true; // it may
        for (const auto &[of, coefficient] : index.terms)
            if (of == axis && coefficient != 0) return true;
    }
    return false;
}

/// The tensor read is a weight of free layout, or made of one element by element (a kernel that is mirrored first).
bool isFreeWeight(const LoopState &state, StageId stage, const LoadAccess &load) {
    if (listedNames(state, stage, "layout_free_placeholders").contains(load.tensor->name)) return true;
    if (load.tensor->op->isPlaceholder() || load.tensor->op->reduction) return false;
    const auto &behind = state.dag()->access(static_cast<size_t>(load.producer)).loads;
    return behind.size() == 1 && behind.front().tensor->op->isPlaceholder() &&
           isLayoutFree(*state.dag(), behind.front().tensor);
}

/// The longest axis that moves through weights of free layout alone, which in turn do not know the innermost axis.
AxisChoice weightAxis(const LoopState &state, StageId stage) {
    const Op &op = *state.stage(stage).op;
    const auto &loads = state.dag()->access(stage.index()).loads;
    const auto isFree = [&](const LoadAccess &load) { return isFreeWeight(state, stage, load); };
    if (std::none_of(loads.begin(), loads.end(), isFree)) return {-1, "no input of it has a free layout"};
    const int innermost = static_cast<int>(op.axes.size()) - 1;
    AxisChoice best{-1, "no axis but the innermost runs through its weights alone"};
    int64_t longest = 1;
    for (int axis = 0; axis < innermost; ++axis) {
        const int64_t extent = op.axes[static_cast<size_t>(axis)].extent;
        if (extent <= longest) continue;
        bool weights = false;
        bool others = false;
        for (const LoadAccess &load : loads) {
            if (!usesAxis(load, axis)) continue;
            const bool isWeight = isFree(load) && !usesAxis(load, innermost);
            (isWeight ? weights : others) = true;
        }
        if (!weights || others) continue;
        longest = extent;
        best = {axis, {}};
    }
    return best;
}

RuleAnswer meetsVectorizeWeights(const SketchContext &context, const LoopState &state, StageId stage) {
    if (!needsTiling(state, stage)) return {Verdict::Skip, "it has no data reuse to tile for"};
    const StageId consumer = singleElementwiseConsumer(state, stage);
    if (consumer.value < 0) return {Verdict::Skip, "no single element-wise consumer puts its results in order"};
    const AxisChoice choice = weightAxis(state, stage);
    if (choice.axis < 0) return {Verdict::Skip, choice.why};
    if (fusionLevels(context, state, stage, consumer).empty())
        return {Verdict::Skip,
                "its tiles do not line up with the loops of its consumer " + state.stage(consumer).op->name};
    const std::string name(state.stage(stage).iters[static_cast<size_t>(choice.axis)].name);
    return {Verdict::Apply, "tiled with " + name + " innermost, along which its weights are packed"};
}

SketchResults vectorizeWeights(const SketchContext &context, const LoopState &state, StageId stage) {
    return tileIntoConsumer(context, state, stage, singleElementwiseConsumer(state, stage),
                            weightAxis(state, stage).axis);
}

} // namespace

const SketchRule kVectorizeWeights = {"VectorizeWeights", meetsVectorizeWeights, vectorizeWeights};

} // namespace loopscope
