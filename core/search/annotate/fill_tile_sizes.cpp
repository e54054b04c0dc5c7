#include "search/annotate/annotate_rule.h"
#include "search/annotate/gpu_lengths.h"
#include "search/annotate/tile_factors.h"

#include <algorithm>
#include <string_view>

namespace loopscope {

namespace {

/// Splits of the spatial loops of one tiled stage, from that step on: as many levels as the structure has for them.
std::vector<size_t> tilesFrom(const Steps &steps, size_t first, std::string_view structure) {
    const auto levels = static_cast<size_t>(std::count(structure.begin(), structure.end(), 'S'));
    std::vector<size_t> splits;
    for (size_t i = first; i < steps.size(); ++i) {
        const auto *split = std::get_if<SplitStep>(&steps[i]);
        if (split == nullptr || split->lengths.size() + 1 != levels || split->stage != stageOf(steps[first])) break;
        splits.push_back(i);
    }
    return splits;
}

} // namespace

Steps fillTileSizes(const AnnotateContext &context, const Steps &sketch,
                    const std::vector<std::vector<int64_t>> &wished) {
    const TileLimits limits{context.options.maxInnermostSplitFactor, context.options.guardedTiles};
    Steps steps = sketch;
    for (size_t i = 0; i < steps.size(); ++i) {
        auto *split = std::get_if<SplitStep>(&steps[i]);
        if (!split || std::find(split->lengths.begin(), split->lengths.end(), kUnfilled) == split->lengths.end())
            continue;
        if (context.target.isGpu() && split->lengths.size() > 2) {
            const std::vector<size_t> tiles = tilesFrom(steps, i, context.options.sketch.gpuTiling);
            if (!tiles.empty()) {
                fillTiles(context, steps, tiles, wished, limits);
                i = tiles.back();
                continue;
            }
        }
        std::vector<int64_t> kept(split->lengths.size() + 1);
        if (split->innerToOuter && i < wished.size() && !wished[i].empty()) kept = wished[i];
        for (size_t k = 0; k < split->lengths.size(); ++k)
            if (split->lengths[k] != kUnfilled) kept[k + 1] = split->lengths[k];
        split->lengths = drawTileLengthsAround(split->extent, kept, limits, context.random);
    }
    return steps;
}

} // namespace loopscope
