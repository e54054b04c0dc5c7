// Moves a factor between two levels of one split loop; for lengths that do not divide the extent, draws the tuple
// afresh.

#include "search/annotate/gpu_lengths.h"
#include "search/annotate/tile_factors.h"
#include "search/evolve/mutation.h"

#include <algorithm>
#include <numeric>

namespace loopscope {

namespace {

/// The levels of a split whose length may change, the outermost is 0.
std::vector<size_t> freeLevels(const MutationContext &context, size_t step, size_t levels) {
    std::vector<size_t> order(levels);
    std::iota(order.begin(), order.end(), size_t{0});
    if (context.locked != nullptr) std::erase_if(order, [&](size_t k) { return context.locked->length(step, k); });
    return order;
}

std::optional<std::vector<int64_t>> moveFactor(const SplitStep &split, int64_t product, int64_t limit,
                                               std::vector<size_t> order, Random &random) {
    std::vector<int64_t> levels = {split.extent / product};
    levels.insert(levels.end(), split.lengths.begin(), split.lengths.end());
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.index(i)]);
    for (size_t i = 0; i < order.size(); ++i) {
        const size_t from = order[i];
        if (levels[from] <= 1) continue;
        const size_t to = order[(i + 1) % order.size()];
        auto factors = divisors(levels[from]);
        factors.erase(factors.begin()); // 1
        if (to + 1 == levels.size())
            while (!factors.empty() && factors.back() * levels[to] > limit) factors.pop_back();
        if (factors.empty()) continue;
        const int64_t factor = factors[random.index(factors.size())];
        levels[from] /= factor;
        levels[to] *= factor;
        levels.erase(levels.begin());
        return levels;
    }
    return std::nullopt;
}

/// All lengths but those that are locked.
std::vector<int64_t> drawnAfresh(const MutationContext &context, size_t step, const SplitStep &split,
                                 const TileLimits &limits) {
    std::vector<int64_t> decided(split.lengths.size() + 1);
    if (context.locked != nullptr) {
        int64_t product = 1;
        for (const int64_t length : split.lengths) product *= length;
        if (product > 0 && context.locked->length(step, 0)) decided[0] = (split.extent + product - 1) / product;
        for (size_t k = 1; k < decided.size(); ++k)
            if (context.locked->length(step, k)) decided[k] = split.lengths[k - 1];
    }
    return drawTileLengthsAround(split.extent, decided, limits, context.random);
}

std::optional<Steps> mutateTileSize(const MutationContext &context, const Steps &steps) {
    const TileLimits usual{context.options.maxInnermostSplitFactor, context.options.guardedTiles};
    const std::vector<bool> again = splitAgain(context.dag, steps);
    const auto limitsOf = [&](size_t step) {
        return again.empty() || !again[step]
                   ? usual
                   : TileLimits{std::max(usual.maxInnermost, std::get<SplitStep>(steps[step]).extent), usual.guarded};
    };
    std::vector<size_t> candidates;
    for (size_t i = 0; i < steps.size(); ++i) {
        const auto *split = std::get_if<SplitStep>(&steps[i]);
        if (context.locked != nullptr && split && freeLevels(context, i, split->lengths.size() + 1).size() < 2)
            continue;
        if (context.target.isGpu() && (splitsThreads(steps, i) || splitsFetch(steps, i))) continue; // MutateThreads
        if (split && split->extent > 1 && split->innerToOuter && !split->lengths.empty() &&
            split->lengths.back() <= limitsOf(i).maxInnermost)
            candidates.push_back(i);
    }
    if (candidates.empty()) return std::nullopt;
    const int attempts = context.target.isGpu() ? 16 : 4; // a GPU's tiles have more limits to break
    for (int attempt = 0; attempt < attempts; ++attempt) {
        const size_t at = candidates[context.random.index(candidates.size())];
        const auto &split = std::get<SplitStep>(steps[at]);
        const TileLimits limits = limitsOf(at);
        int64_t product = 1;
        for (const int64_t length : split.lengths) product *= length;
        std::optional<std::vector<int64_t>> lengths;
        const bool exact = product > 0 && split.extent % product == 0;
        if (exact && (tilesExactly(split.extent, limits) || context.random.below(2) == 0))
            lengths = moveFactor(split, product, limits.maxInnermost, freeLevels(context, at, split.lengths.size() + 1),
                                 context.random);
        if (!lengths && !tilesExactly(split.extent, limits)) lengths = drawnAfresh(context, at, split, limits);
        if (!lengths || *lengths == split.lengths) continue;
        Steps child = steps;
        std::get<SplitStep>(child[at]).lengths = std::move(*lengths);
        if (!again.empty()) child = withFittingLengths(context.dag, std::move(child));
        if (context.target.isGpu() && context.options.freeThreads) {
            const std::vector<size_t> tiles = tileSplits(child, at, context.options.sketch.gpuTiling);
            if (!tiles.empty() && !tilesFit(child, tiles, context.target)) continue;
        }
        return child;
    }
    return std::nullopt;
}

} // namespace

const Mutation kMutateTileSize = {"tile-size", 0.85, mutateTileSize};

} // namespace loopscope
