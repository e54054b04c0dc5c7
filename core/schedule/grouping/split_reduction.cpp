#include "schedule/grouping/split_reduction.h"

#include <algorithm>

namespace loopscope {

namespace {

constexpr int64_t kLine = 64;
/// Places that a cache has for lines whose addresses differ by a multiple of its size divided by them.
constexpr int64_t kWays = 8;
/// Fewer steps do not pay for loading and storing a block of results once more.
constexpr int64_t kMinSteps = 64;
/// What is fetched without cutting, against what is in the tile at all.
constexpr int64_t kMinReuse = 2;

/// What a box of a buffer takes of a cache. Rows apart by a large power of two share its places: it is as if they were
/// that long.
int64_t bytesInCache(std::span<const Interval> box, std::span<const Interval> whole, int64_t elementBytes,
                     int64_t cache) {
    int64_t run = elementBytes;
    size_t d = 0;
    while (d < box.size() && boxPoints(box.subspan(d, 1)) >= boxPoints(whole.subspan(d, 1)))
        run = mulSaturating(run, boxPoints(box.subspan(d++, 1)));
    if (d == box.size()) return run;
    const int64_t stride = mulSaturating(run, boxPoints(whole.subspan(d, 1)));
    run = mulSaturating(run, boxPoints(box.subspan(d, 1)));
    const int64_t runs = boxPoints(box.subspan(d + 1));
    if (runs == 1) return run;
    const int64_t apart = std::min(stride & -stride, cache / kWays);
    return mulSaturating(runs, std::max({run, kLine, apart}));
}

/// The longest piece of at most so many iterations, without a rest if one of half the length has none.
int64_t pieceOf(int64_t extent, int64_t most) {
    for (int64_t length = most; length > most / 2; --length)
        if (extent % length == 0) return length;
    return most;
}

} // namespace

int64_t stepsAtATime(const GroupEvaluation &evaluation, const MachineParameters &machine,
                     const std::vector<bool> &inlined, const ReductionTile &tile) {
    const Pipeline &pipeline = evaluation.pipeline();
    const PipelineNode &node = pipeline.node(tile.node);
    Box block = tile.loops;
    int64_t blocks = 1;
    int64_t results = 1;
    for (size_t loop = node.reduceLoops; loop < block.size(); ++loop) {
        const int64_t extent = block[loop].max - block[loop].min + 1;
        const int64_t size = std::min(tile.block[loop], extent);
        block[loop].max = block[loop].min + size - 1;
        blocks = mulSaturating(blocks, (extent + size - 1) / size);
        results = mulSaturating(results, extent);
    }
    const Regions ofTile = evaluation.readBy(tile.node, tile.loops, inlined);
    const Regions ofBlock = evaluation.readBy(tile.node, block, inlined);
    int64_t inCache = 0;
    int64_t once = 0;
    int64_t fetched = 0;
    for (size_t b = 0; b < pipeline.bufferCount(); ++b) {
        const auto buffer = static_cast<BufferNumber>(b);
        const bool computed = !pipeline.isInput(buffer);
        if (!ofTile.has(buffer) || buffer == node.stage || (computed && inlined[b])) continue;
        const bool local = computed && tile.local[b];
        const auto box = ofTile.box(buffer);
        const int64_t bytes = pipeline.bytesOf(buffer);
        inCache = addSaturating(
            inCache, bytesInCache(box, local ? box : evaluation.whole().box(buffer), bytes, machine.coreCache));
        once = addSaturating(once, mulSaturating(boxPoints(box), bytes));
        fetched = addSaturating(fetched, mulSaturating(blocks, mulSaturating(boxPoints(ofBlock.box(buffer)), bytes)));
    }
    if (inCache <= machine.coreCache) return 0;
    const int64_t extent = tile.loops[tile.cut].max - tile.loops[tile.cut].min + 1;
    int64_t stepsInside = 1; // of one iteration of the loop that is cut
    for (size_t loop = 0; loop < node.reduceLoops; ++loop)
        if (loop != tile.cut)
            stepsInside = mulSaturating(stepsInside, boxPoints(std::span(tile.loops).subspan(loop, 1)));
    const double share = 0.5 * static_cast<double>(machine.coreCache) / static_cast<double>(inCache);
    int64_t most = std::max<int64_t>(kMinSteps / stepsInside, 1);
    while (static_cast<double>(2 * most) <= share * static_cast<double>(extent)) most *= 2;
    if (2 * most > extent) return 0;
    const int64_t length = pieceOf(extent, most);
    // Every piece loads and stores all results.
    const int64_t moved = mulSaturating(mulSaturating(2 * results, pipeline.bytesOf(node.stage)), extent / length);
    return fetched < mulSaturating(kMinReuse, addSaturating(once, moved)) ? 0 : length;
}

} // namespace loopscope
