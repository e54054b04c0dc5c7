#include "search/sketch/tile_structure.h"

#include "base/check.h"
#include "search/sketch/sketch_facts.h"
#include "search/sketch/sketch_rule.h"

#include <algorithm>

namespace loopscope {

namespace {
constexpr const char *kNoSplitAtInner = "auto_scheduler_no_split_at_inner";
}

std::pair<LoopState, std::vector<StepId>> tileStage(const LoopState &state, StageId stage, std::string_view structure,
                                                    int innermost) {
    const auto spatialLevels = static_cast<size_t>(std::count(structure.begin(), structure.end(), 'S'));
    const auto reduceLevels = static_cast<size_t>(std::count(structure.begin(), structure.end(), 'R'));
    LOOPSCOPE_CHECK(spatialLevels + reduceLevels == structure.size() && spatialLevels > 0 && reduceLevels > 0,
                    std::string(structure));
    const auto unsplit = listedNames(state, stage, kNoSplitAtInner);
    // Positions of the parts, level by level; `at` follows the growing list of iterators.
    std::vector<std::vector<int>> spatial(spatialLevels);
    std::vector<std::vector<int>> reduce(reduceLevels);
    std::vector<StepId> spatialSplits;
    LoopState result = state;
    int at = 0;
    int last = -1; // position of the innermost part
    std::vector<int> wholeSpatial;
    std::vector<int> wholeReduce;
    const auto &iters = state.stage(stage).iters;
    for (size_t i = 0; i < iters.size(); ++i) {
        const Iter &iter = iters[i];
        const bool isSpatial = iter.kind == IterKind::Spatial;
        if (unsplit.contains(iter.name)) {
            (isSpatial ? wholeSpatial : wholeReduce).push_back(at++);
            continue;
        }
        auto &levels = isSpatial ? spatial : reduce;
        if (levels.size() > 1) {
            if (isSpatial) spatialSplits.emplace_back(result.steps().size());
            result = applied(result, SplitStep{stage, IterId(at), iter.extent,
                                               std::vector<int64_t>(levels.size() - 1, kUnfilled), true});
        }
        for (auto &level : levels) level.push_back(at++);
        if (static_cast<int>(i) == innermost) last = at - 1;
    }
    spatial.back().insert(spatial.back().begin(), wholeSpatial.begin(), wholeSpatial.end());
    reduce.back().insert(reduce.back().begin(), wholeReduce.begin(), wholeReduce.end());
    const auto moved = std::find(spatial.back().begin(), spatial.back().end(), last);
    if (moved != spatial.back().end()) std::rotate(moved, moved + 1, spatial.back().end());
    ReorderStep order{stage, {}};
    size_t nextSpatial = 0;
    size_t nextReduce = 0;
    for (const char letter : structure)
        for (const int position : letter == 'S' ? spatial[nextSpatial++] : reduce[nextReduce++])
            order.order.emplace_back(position);
    return {applied(result, std::move(order)), std::move(spatialSplits)};
}

std::vector<int> levelsToFollow(const LoopState &state, StageId stage, StageId consumer, std::string_view structure,
                                const std::vector<int> &wanted) {
    if (std::count(structure.begin(), structure.end(), 'S') < 2) return {}; // no loop is split
    const auto splitIters = [&](StageId id) {
        const auto unsplit = listedNames(state, id, kNoSplitAtInner);
        const auto &iters = state.stage(id).iters;
        return static_cast<size_t>(std::count_if(iters.begin(), iters.end(), [&](const Iter &iter) {
            return iter.kind == IterKind::Spatial && !unsplit.contains(iter.name);
        }));
    };
    const auto &iters = state.stage(consumer).iters;
    const bool spatial =
        std::all_of(iters.begin(), iters.end(), [](const Iter &iter) { return iter.kind == IterKind::Spatial; });
    const size_t splits = splitIters(stage);
    const size_t following = splitIters(consumer);
    if (!spatial || splits == 0 || following > splits) return {};
    std::vector<int> levels;
    for (const int level : wanted) {
        const auto parts = static_cast<size_t>(level);
        const bool isSpatial = parts <= structure.size() && structure[parts - 1] == 'S';
        if (isSpatial && parts * splits <= iters.size() + parts * following) levels.push_back(level);
    }
    return levels;
}

LoopState followTiling(const LoopState &state, StageId stage, const std::vector<StepId> &splits, int levels) {
    const auto unsplit = listedNames(state, stage, kNoSplitAtInner);
    std::vector<std::vector<int>> parts(static_cast<size_t>(levels) + 1);
    LoopState result = state;
    int at = 0;
    size_t next = 0;
    for (const Iter &iter : state.stage(stage).iters) {
        LOOPSCOPE_CHECK(iter.kind == IterKind::Spatial, "a consumer that follows a tiling has spatial loops only");
        if (unsplit.contains(iter.name)) {
            parts.back().push_back(at++);
            continue;
        }
        LOOPSCOPE_CHECK(next < splits.size(), "more loops than splits to follow");
        result = applied(result, FollowSplitStep{stage, IterId(at), splits[next++], levels});
        if (iter.annotation == Annotation::Unroll || iter.annotation == Annotation::Vectorize)
            result = applied(result, AnnotateStep{stage, IterId(at + levels), iter.annotation});
        if (iter.annotation == Annotation::Parallel)
            result = applied(result, AnnotateStep{stage, IterId(at), iter.annotation});
        for (auto &part : parts) part.push_back(at++);
    }
    ReorderStep order{stage, {}};
    for (const auto &part : parts)
        for (const int position : part) order.order.emplace_back(position);
    return applied(result, std::move(order));
}

} // namespace loopscope
