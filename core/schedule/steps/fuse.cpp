#include "schedule/steps/fuse.h"

#include "expr/interval.h"
#include "schedule/steps/step_checks.h"

namespace loopscope {

namespace {

Refused checkFuse(const LoopState &state, const FuseStep &step) {
    if (Refused refused = checkLoops(state, "FU", step.stage)) return refused;
    if (step.iters.empty()) {
        if (state.stage(step.stage).op->axes.empty()) return std::nullopt;
        return refuse("FU names no loop of {}: name at least one (the empty list is for stages without spatial axes)",
                      stageText(state, step.stage));
    }
    const Stage &stage = state.stage(step.stage);
    for (size_t i = 0; i < step.iters.size(); ++i) {
        const IterId id = step.iters[i];
        if (Refused refused = checkPlainIter(state, "FU", step.stage, id)) return refused;
        if (i > 0 && id.value != step.iters[i - 1].value + 1)
            return refuse(
                "FU cannot fuse {} with loop {} before it: fused loops are consecutive, outermost first; reorder "
                "(RE) them next to each other",
                loopText(state, step.stage, id), step.iters[i - 1].value);
        if (i + 1 < step.iters.size() && state.hasAttachedAt(step.stage, id))
            return refuse(
                "FU cannot fuse {} with loops inside it: {} is attached at it; only the last fused loop may carry "
                "attached stages",
                loopText(state, step.stage, id), stageText(state, state.attachedAt(step.stage, id)[0]));
        const IterKind kind = stage.iters[id.index()].kind;
        const IterKind first = stage.iters[step.iters[0].index()].kind;
        if (kind != first && kind != IterKind::Special && first != IterKind::Special)
            return refuse(
                "FU cannot fuse {} with {}: one is spatial and the other reduces, so the result would have no "
                "place to start the sum; fuse loops of one kind",
                loopText(state, step.stage, id), loopText(state, step.stage, step.iters[0]));
    }
    int64_t extent = 1;
    for (const IterId id : step.iters) extent = mulSaturating(extent, stage.iters[id.index()].extent);
    constexpr int64_t longest = int64_t(1) << 48;
    if (extent > longest)
        return refuse("FU cannot fuse {} loops from {} on: together they have more than {} iterations; fuse fewer",
                      step.iters.size(), loopText(state, step.stage, step.iters[0]), longest);
    // A fused loop is named after its parts, and so are the parts of a split: every pair of the two doubles the name.
    size_t nameLength = step.iters.size();
    for (const IterId id : step.iters) nameLength += stage.iters[id.index()].name.size();
    constexpr size_t longestName = 4096;
    if (nameLength > longestName)
        return refuse(
            "FU cannot fuse {} loops of {}: the name of the fused loop would have {} characters, at most {} are "
            "kept; split and fuse fewer times",
            step.iters.size(), stageText(state, step.stage), nameLength, longestName);
    return std::nullopt;
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
