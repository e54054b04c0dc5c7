#include "search/sketch/consumer_fusion.h"

#include "search/sketch/tile_structure.h"

namespace loopscope {

std::string_view tileStructure(const SketchContext &context) {
    return context.gpu() ? context.options.gpuTiling : context.options.cpuTiling;
}

std::vector<int> fusionLevels(const SketchContext &context, const LoopState &state, StageId stage, StageId consumer) {
    return levelsToFollow(state, stage, consumer, tileStructure(context),
                          context.gpu() ? std::vector<int>{3} : std::vector<int>{1, 2});
}

SketchResults tileIntoConsumer(const SketchContext &context, const LoopState &state, StageId stage, StageId consumer,
                               int innermost) {
    const auto [tiled, splits] = tileStage(state, stage, tileStructure(context), innermost);
    SketchResults results;
    for (const int level : fusionLevels(context, state, stage, consumer)) {
        LoopState result = followTiling(tiled, consumer, splits, level);
        const int target = level * static_cast<int>(splits.size()) - 1;
        result = applied(result, ComputeAtStep{stage, consumer, IterId(target)});
        results.emplace_back(std::move(result), before(stage));
    }
    return results;
}

} // namespace loopscope
