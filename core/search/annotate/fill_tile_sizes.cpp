#include "search/annotate/annotate_rule.h"
#include "search/annotate/gpu_lengths.h"
#include "search/annotate/tile_factors.h"

#include <algorithm>

namespace loopscope {

Steps fillTileSizes(const AnnotateContext &context, const Steps &sketch,
                    const std::vector<std::vector<int64_t>> &constrained) {
    const TileLimits limits{context.options.maxInnermostSplitFactor, context.options.guardedTiles};
    Steps steps = sketch;
    for (size_t i = 0; i < steps.size(); ++i) {
        auto *split = std::get_if<SplitStep>(&steps[i]);
        if (!split || std::find(split->lengths.begin(), split->lengths.end(), kUnfilled) == split->lengths.end())
            continue;
        if (context.target.isGpu()) {
            const std::vector<size_t> tiles = tileSplits(steps, i, context.options.sketch.gpuTiling);
            if (!tiles.empty()) {
                fillTiles(context, steps, tiles, constrained, limits);
                i = tiles.back();
                continue;
            }
        }
        std::vector<int64_t> kept(split->lengths.size() + 1);
        if (split->innerToOuter && i < constrained.size() && !constrained[i].empty()) kept = constrained[i];
        for (size_t k = 0; k < split->lengths.size(); ++k)
            if (split->lengths[k] != kUnfilled) kept[k + 1] = split->lengths[k];
        split->lengths = drawTileLengthsAround(split->extent, kept, limits, context.random);
    }
    return steps;
}

} // namespace loopscope
