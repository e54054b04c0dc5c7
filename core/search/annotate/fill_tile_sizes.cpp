#include "search/annotate/annotate_rule.h"
#include "search/annotate/tile_factors.h"

#include <algorithm>

namespace loopscope {

Steps fillTileSizes(const AnnotateContext &context, const Steps &sketch) {
    const TileLimits limits{context.options.maxInnermostSplitFactor, context.options.guardedTiles};
    Steps steps = sketch;
    for (auto &step : steps) {
        auto *split = std::get_if<SplitStep>(&step);
        if (!split || std::find(split->lengths.begin(), split->lengths.end(), kUnfilled) == split->lengths.end())
            continue;
        split->lengths = drawTileLengths(split->extent, split->lengths.size(), limits, context.random);
    }
    return steps;
}

} // namespace loopscope
