#include "schedule/script/script_words.h"
#include "schedule/stage_facts.h"
#include "search/annotate/annotate_rule.h"

#include <algorithm>
#include <optional>

namespace loopscope {

namespace {

constexpr double kSplitChance = 0.75; // of a loop that is long enough; a few stay as they are
constexpr int64_t kMaxRegisters = 4;  // of one vector loop: so many sums wait for each other in turn

/// Elements of the longest vector loop that is no fusion of several.
int64_t longestVector(const AnnotateContext &context, const LoopState &state, StageId stage) {
    if (!context.options.splitForVectors) return context.options.maxVectorizeSize;
    const int bytes = std::max(4, dtypeBytes(state.stage(stage).op->output().dtype));
    const int64_t lanes = std::max(1, context.target.vectorBytes / bytes);
    return std::max<int64_t>(context.options.maxVectorizeSize, kMaxRegisters * lanes);
}

/// Of the vector loops that a row of the stage may be split into; none where it stays as long as it is.
std::vector<int64_t> vectorLengths(const AnnotateContext &context, const LoopState &state, StageId id, int64_t row) {
    std::vector<int64_t> lengths;
    if (row <= context.options.maxVectorizeSize) return lengths;
    for (int64_t length = 4; length <= longestVector(context, state, id); length *= 2)
        if (row % length == 0) lengths.push_back(length);
    const auto fullest = std::max_element(lengths.begin(), lengths.end());
    const int64_t whole = longestVector(context, state, id) / kMaxRegisters;
    if ((fullest == lengths.end() || *fullest < whole) && context.options.guardedTiles && row >= 2 * whole)
        lengths.assign(1, whole); // its rest is guarded
    return lengths;
}

bool isRowOf(const Stage &stage, const Iter &iter) {
    return !stage.op->axes.empty() && iter.name == stage.op->axes.back().name() && iter.kind == IterKind::Spatial &&
           iter.annotation == Annotation::None;
}

/// Neighbours along the last axis of the stage are neighbours, or a step apart, in all it reads.
bool readsAlongRows(const LoopState &state, StageId id) {
    const int last = static_cast<int>(state.stage(id).op->axes.size()) - 1;
    const auto moves = [&](const IndexForm &index) {
        return !index.affine || std::ranges::any_of(index.terms, [&](const auto &term) { return term.first == last; });
    };
    const auto &loads = state.dag()->access(id.index()).loads;
    return std::ranges::all_of(loads, [&](const LoadAccess &load) {
        return load.indices.empty() || (load.indices.back().affine && moves(load.indices.back()) &&
                                        std::none_of(load.indices.begin(), load.indices.end() - 1, moves));
    });
}

/// Beyond Ansor: of a reduction that no rule tiled, such as the windows of a pooling, a piece of a row goes inside the
/// loops that reduce, so that it can be a vector with its sums, or extremes, in registers.
Outcome<LoopState> rowInsideReduction(const AnnotateContext &context, LoopState state, StageId id) {
    const Stage &stage = state.stage(id);
    size_t reduce = stage.iters.size();
    while (reduce > 0 && stage.iters[reduce - 1].kind == IterKind::Reduction) --reduce;
    if (reduce == 0 || reduce == stage.iters.size() || !isRowOf(stage, stage.iters[reduce - 1]) ||
        !readsAlongRows(state, id))
        return state;
    for (size_t i = reduce - 1; i < stage.iters.size(); ++i)
        if (state.hasAttachedAt(id, IterId(i))) return state;
    const int64_t row = stage.iters[reduce - 1].extent;
    const std::vector<int64_t> lengths = vectorLengths(context, state, id, row);
    const bool whole = row > 1 && row <= longestVector(context, state, id);
    if ((lengths.empty() && !whole) || context.random.uniform() >= kSplitChance) return state;
    size_t inner = reduce - 1;
    if (!lengths.empty()) {
        const int64_t length = lengths[context.random.index(lengths.size())];
        auto split = state.apply(SplitStep{id, IterId(inner), row, {length}, true});
        if (!split) return split;
        state = std::move(split).value();
        ++inner;
    }
    ReorderStep order{id, {}};
    for (size_t i = 0; i < state.stage(id).iters.size(); ++i)
        if (i != inner) order.order.emplace_back(i);
    order.order.emplace_back(inner);
    return state.apply(std::move(order));
}

/// Beyond Ansor: the innermost loop of a stage that no rule tiled is often a whole row, too long for a vector, and
/// what it computes may be such that the compiler cannot help (exp). Splits it where a vector may be; refused only for
/// our own mistakes.
Outcome<LoopState> splitForVectors(const AnnotateContext &context, LoopState state, StageId id) {
    const Stage &stage = state.stage(id);
    if (!context.options.splitForVectors || stage.iters.empty()) return state;
    const Iter &last = stage.iters.back();
    const IterId inner(stage.iters.size() - 1);
    if (last.kind == IterKind::Reduction) return rowInsideReduction(context, std::move(state), id);
    if (!isRowOf(stage, last) || state.hasAttachedAt(id, inner)) return state;
    const std::vector<int64_t> lengths = vectorLengths(context, state, id, last.extent);
    if (lengths.empty() || context.random.uniform() >= kSplitChance) return state;
    const int64_t length = lengths[context.random.index(lengths.size())];
    return state.apply(SplitStep{id, inner, last.extent, {length}, true});
}

/// The innermost loops whose fusion is called so: how many; 0 where there are no such loops.
int innermostCalled(const Stage &stage, const std::string &name) {
    std::string fused;
    for (size_t i = stage.iters.size(); i > 0; --i) {
        const Iter &iter = stage.iters[i - 1];
        fused = iter.name + "@" + fused;
        if (scriptName(i == stage.iters.size() ? iter.name : fused) == name)
            return static_cast<int>(stage.iters.size() - i + 1);
    }
    return 0;
}

/// Splits the innermost loop where locks want it split and the sketch does not; nothing where they leave it to chance.
Outcome<std::optional<LoopState>> splitAsConstrained(const LoopState &state, StageId id,
                                                     const StageConstraint &constraint) {
    const Stage &stage = state.stage(id);
    if (stage.iters.empty()) return std::optional<LoopState>(state);
    const Iter &last = stage.iters.back();
    const std::string name = scriptName(last.name);
    const std::vector<int64_t> *lengths = constraint.lengthsOf(name);
    const int64_t inner = lengths != nullptr && lengths->size() == 2 ? lengths->back() : 0;
    if (inner > 0) {
        auto split = state.apply(SplitStep{id, IterId(stage.iters.size() - 1), last.extent, {inner}, true});
        if (!split) return split.refusal();
        return std::optional<LoopState>(std::move(split).value());
    }
    const bool whole = constraint.closed || constraint.vector == name;
    return whole ? std::optional<LoopState>(state) : std::optional<LoopState>();
}

bool hasVectorLoop(const Stage &stage) {
    return std::any_of(stage.iters.begin(), stage.iters.end(),
                       [](const Iter &iter) { return iter.annotation == Annotation::Vectorize; });
}

/// How many innermost loops could be fused into one vector loop.
int vectorisable(const AnnotateContext &context, const LoopState &state, StageId id) {
    const Stage &stage = state.stage(id);
    int count = 0;
    int64_t product = 1;
    for (size_t i = stage.iters.size(); i > 0; --i) {
        const Iter &iter = stage.iters[i - 1];
        if (state.hasAttachedAt(id, IterId(i - 1))) break;
        if (iter.kind == IterKind::Reduction || iter.kind == IterKind::Mixed || iter.annotation != Annotation::None)
            break;
        product *= iter.extent;
        if (product > (count == 0 ? longestVector(context, state, id) : context.options.maxVectorizeSize)) break;
        ++count;
        if (isTiled(stage)) break; // the parts of one tile level lie apart in memory
    }
    return count;
}

Outcome<LoopState> chooseVectorize(const AnnotateContext &context, LoopState state) {
    for (size_t s = 0; s < state.stageCount(); ++s) {
        const StageId id(s);
        if (state.stage(id).op->isPlaceholder() || state.stage(id).location == ComputeLocation::Inlined) continue;
        if (context.onlyOpen && hasVectorLoop(state.stage(id))) continue;
        const StageConstraint *constraint = constraintOf(context, state, id);
        std::optional<LoopState> asConstrained;
        if (constraint != nullptr) {
            auto split = splitAsConstrained(state, id, *constraint);
            if (!split) return split.refusal();
            asConstrained = std::move(split).value();
        }
        if (constraint != nullptr && constraint->closed && !constraint->vector) {
            if (asConstrained) state = *std::move(asConstrained);
            continue;
        }
        auto split = asConstrained ? Outcome<LoopState>(*std::move(asConstrained))
                                   : splitForVectors(context, std::move(state), id);
        if (!split) return split;
        state = std::move(split).value();
        int count = vectorisable(context, state, id);
        if (constraint != nullptr && constraint->vector) {
            count = innermostCalled(state.stage(id), *constraint->vector);
            if (count == 0)
                return Refusal{"a lock wants the loop " + *constraint->vector +
                               " as vectors, which is not innermost here"};
        }
        if (count == 0) continue;
        if (count > 1 && (constraint == nullptr || !constraint->vector))
            count = 1 + static_cast<int>(context.random.index(static_cast<size_t>(count) - 1));
        const auto first = static_cast<int>(state.stage(id).iters.size()) - count;
        if (count > 1) {
            FuseStep fuse{id, {}};
            for (int i = 0; i < count; ++i) fuse.iters.emplace_back(first + i);
            auto fused = state.apply(std::move(fuse));
            if (!fused) return fused;
            state = std::move(fused).value();
        }
        if (state.stage(id).iters[static_cast<size_t>(first)].extent == 1) continue;
        auto vectorised = state.apply(AnnotateStep{id, IterId(first), Annotation::Vectorize});
        if (!vectorised) return vectorised;
        state = std::move(vectorised).value();
    }
    return state;
}

} // namespace

const AnnotateRule kChooseVectorize = {"Vectorization", chooseVectorize};

} // namespace loopscope
