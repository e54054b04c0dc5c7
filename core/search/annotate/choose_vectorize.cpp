#include "schedule/stage_facts.h"
#include "script/script_words.h"
#include "search/annotate/annotate_rule.h"

#include <algorithm>
#include <optional>

namespace loopscope {

namespace {

constexpr double kSplitChance = 0.75; // of a loop that is long enough; a few stay as they are
constexpr int64_t kMostRegisters = 4; // of one vector loop: so many sums wait for each other in turn

/// Elements of the longest vector loop that is no fusion of several.
int64_t longestVector(const AnnotateContext &context, const LoopState &state, StageId stage) {
    if (!context.options.splitForVectors) return context.options.maxVectorizeSize;
    const int bytes = std::max(4, dtypeBytes(state.stage(stage).op->output().dtype));
    const int64_t lanes = std::max(1, context.target.vectorBytes / bytes);
    return std::max<int64_t>(context.options.maxVectorizeSize, kMostRegisters * lanes);
}

/// Beyond Ansor: the innermost loop of a stage that no rule tiled is often a whole row, too long for a vector, and
/// what it computes may be such that the compiler cannot help (exp). Splits it where a vector may be; refused only for
/// our own mistakes.
Outcome<LoopState> splitForVectors(const AnnotateContext &context, LoopState state, StageId id) {
    const Stage &stage = state.stage(id);
    if (!context.options.splitForVectors || stage.iters.empty()) return state;
    const Iter &last = stage.iters.back();
    const IterId inner(stage.iters.size() - 1);
    if (stage.op->axes.empty() || last.name != stage.op->axes.back().name() || last.kind != IterKind::Spatial ||
        last.annotation != Annotation::None || state.hasAttachedAt(id, inner) ||
        last.extent <= context.options.maxVectorizeSize)
        return state;
    std::vector<int64_t> lengths;
    for (int64_t length = 4; length <= longestVector(context, state, id); length *= 2)
        if (last.extent % length == 0) lengths.push_back(length);
    const auto fullest = std::max_element(lengths.begin(), lengths.end());
    const int64_t whole = longestVector(context, state, id) / kMostRegisters;
    if ((fullest == lengths.end() || *fullest < whole) && context.options.guardedTiles && last.extent >= 2 * whole)
        lengths.assign(1, whole); // its rest is guarded
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
Outcome<std::optional<LoopState>> splitAsWished(const LoopState &state, StageId id, const WishedStage &wished) {
    const Stage &stage = state.stage(id);
    if (stage.iters.empty()) return std::optional<LoopState>(state);
    const Iter &last = stage.iters.back();
    const std::string name = scriptName(last.name);
    const std::vector<int64_t> *lengths = wished.lengthsOf(name);
    const int64_t inner = lengths != nullptr && lengths->size() == 2 ? lengths->back() : 0;
    if (inner > 0) {
        auto split = state.apply(SplitStep{id, IterId(stage.iters.size() - 1), last.extent, {inner}, true});
        if (!split) return split.refusal();
        return std::optional<LoopState>(std::move(split).value());
    }
    const bool whole = wished.closed || wished.vector == name;
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

Outcome<LoopState> apply(const AnnotateContext &context, LoopState state) {
    for (size_t s = 0; s < state.stageCount(); ++s) {
        const StageId id(s);
        if (state.stage(id).op->isPlaceholder() || state.stage(id).location == ComputeLocation::Inlined) continue;
        if (context.onlyOpen && hasVectorLoop(state.stage(id))) continue;
        const WishedStage *wished = wishedOf(context, state, id);
        std::optional<LoopState> asWished;
        if (wished != nullptr) {
            auto split = splitAsWished(state, id, *wished);
            if (!split) return split.refusal();
            asWished = std::move(split).value();
        }
        if (wished != nullptr && wished->closed && !wished->vector) {
            if (asWished) state = *std::move(asWished);
            continue;
        }
        auto split =
            asWished ? Outcome<LoopState>(*std::move(asWished)) : splitForVectors(context, std::move(state), id);
        if (!split) return split;
        state = std::move(split).value();
        int count = vectorisable(context, state, id);
        if (wished != nullptr && wished->vector) {
            count = innermostCalled(state.stage(id), *wished->vector);
            if (count == 0)
                return Refusal{"a lock wants the loop " + *wished->vector + " as vectors, which is not innermost here"};
        }
        if (count == 0) continue;
        if (count > 1 && (wished == nullptr || !wished->vector))
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

const AnnotateRule kChooseVectorize = {"Vectorization", apply};

} // namespace loopscope
