// KeepPrologue (beyond Ansor, on in searches on a CPU): a cheap stage that a tiled reduction reads, such as the scale
// and relu in front of a convolution, is also kept as a stage of its own, so that it can be computed tile by tile: once
// for many channels, and side by side in the order it is read, as matrix libraries pack panels. Inlined, which is all
// that Ansor tries, it is computed anew in every register tile.

#include "language/dag/access.h"
#include "search/sketch/sketch_facts.h"
#include "search/sketch/sketch_rule.h"

#include <algorithm>

namespace loopscope {

namespace {

/// A spatial axis of the reader moves none of its loads' indices: each element is read once for each of its values.
bool readAgain(const LoopState &state, StageId stage, StageId reader) {
    const Op &op = *state.stage(reader).op;
    for (size_t axis = 0; axis < op.axes.size(); ++axis) {
        if (op.axes[axis].extent < 2) continue;
        bool moves = false;
        for (const LoadAccess &load : state.dag()->access(reader.index()).loads) {
            if (load.producer != stage.value) continue;
            for (const IndexForm &index : load.indices)
                moves = moves || !index.affine || std::ranges::any_of(index.terms, [&](const auto &term) {
                            return term.first == static_cast<int>(axis);
                        });
        }
        if (!moves) return true;
    }
    return false;
}

/// Or what will be inlined into it.
bool computes(const LoopState &state, StageId stage, bool gpu) {
    while (state.stage(stage).op->body.front()->kind == ExprKind::Load) {
        const auto &read = state.dag()->access(stage.index()).producers;
        if (read.size() != 1 || !alwaysInlined(state, StageId(read.front()), gpu)) return false;
        stage = StageId(read.front());
    }
    return true;
}

/// With several, such as a chain of products, sketches would multiply.
bool hasOneTiledReduction(const LoopState &state) {
    int tiled = 0;
    for (size_t s = 0; s < state.stageCount(); ++s) tiled += needsTiling(state, StageId(s)) ? 1 : 0;
    return tiled == 1;
}

RuleAnswer meetsKeepPrologue(const SketchContext &context, const LoopState &state, StageId stage) {
    if (!alwaysInlined(state, stage, context.gpu())) return {Verdict::Skip, "it is not inlined without question"};
    if (!computes(state, stage, context.gpu())) return {Verdict::Skip, "it computes nothing"};
    const auto &readers = state.dag()->access(stage.index()).consumers;
    if (readers.size() != 1) return {Verdict::Skip, "not exactly one stage reads it"};
    const StageId reader(readers.front());
    const Stage &target = state.stage(reader);
    if (!needsTiling(state, reader) || !isTiled(target) || !hasReduceIter(target))
        return {Verdict::Skip, "its reader is no tiled reduction"};
    if (!hasOneTiledReduction(state)) return {Verdict::Skip, "it is not the only reduction that is tiled"};
    if (!readAgain(state, stage, reader)) return {Verdict::Skip, "its reader reads every element once"};
    return {Verdict::Apply, "computed in tiles, it is computed once for all that read it"};
}

/// Where it is computed is left to the annotation (see computeLocations).
SketchResults keepPrologue(const SketchContext &, const LoopState &state, StageId stage) {
    return {{state, before(stage)}};
}

} // namespace

const SketchRule kKeepPrologue = {"KeepPrologue", meetsKeepPrologue, keepPrologue};

} // namespace loopscope
