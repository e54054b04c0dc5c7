#include "search/annotate/gpu_lengths.h"

#include <algorithm>

namespace loopscope {

namespace {

/// Of small extents without divisors one draw in sixty makes a warp of threads. A draw takes less than a microsecond,
/// a refused schedule is lost.
constexpr int kDraws = 1024;
constexpr size_t kVirtualLevel = 0; // among the lengths of a split, the outermost loop not counted
constexpr size_t kThreadLevel = 1;
constexpr int64_t kMaxElements = 1 << 20; // of a product, so that it does not overflow

bool isOpen(const SplitStep &split) {
    return std::find(split.lengths.begin(), split.lengths.end(), kUnfilled) != split.lengths.end();
}

struct TileProducts {
    int64_t virtuals = 1;
    int64_t threads = 1;
    int64_t perThread = 1; // results a thread computes, those of its virtual threads included
};

TileProducts productsOf(const Steps &steps, const std::vector<size_t> &splits) {
    TileProducts products;
    for (const size_t at : splits) {
        const auto &lengths = std::get<SplitStep>(steps[at]).lengths;
        for (size_t level = 0; level < lengths.size(); ++level) {
            int64_t &product = level == kThreadLevel ? products.threads : products.perThread;
            product = std::min(kMaxElements, product * std::max<int64_t>(1, lengths[level]));
            if (level == kVirtualLevel)
                products.virtuals = std::min(kMaxElements, products.virtuals * std::max<int64_t>(1, lengths[level]));
        }
    }
    return products;
}

/// The stage's loop right inside of the one split gets that annotation within the next steps.
bool innerBecomes(const Steps &steps, size_t at, Annotation wanted) {
    constexpr size_t kNear = 3;
    const auto &split = std::get<SplitStep>(steps[at]);
    for (size_t i = at + 1; i < std::min(steps.size(), at + 1 + kNear) && stageOf(steps[i]) == split.stage; ++i)
        if (const auto *annotate = std::get_if<AnnotateStep>(&steps[i]);
            annotate != nullptr && annotate->iter.value == split.iter.value + 1)
            return annotate->annotation == wanted;
    return false;
}

bool isPlainSplit(const Steps &steps, size_t at) {
    const auto *split = std::get_if<SplitStep>(&steps[at]);
    return split != nullptr && split->lengths.size() == 1 && split->innerToOuter && split->extent > 1;
}

} // namespace

bool splitsThreads(const Steps &steps, size_t at) {
    return isPlainSplit(steps, at) && innerBecomes(steps, at, Annotation::ThreadX);
}

bool splitsFetch(const Steps &steps, size_t at) {
    return isPlainSplit(steps, at) && innerBecomes(steps, at, Annotation::Vectorize) && at > 0 &&
           std::holds_alternative<FuseStep>(steps[at - 1]) && stageOf(steps[at - 1]) == stageOf(steps[at]);
}

std::vector<size_t> tileSplits(const Steps &steps, size_t at, std::string_view structure) {
    const auto levels = static_cast<size_t>(std::count(structure.begin(), structure.end(), 'S'));
    const auto belongs = [&](size_t i) {
        const auto *split = std::get_if<SplitStep>(&steps[i]);
        return split != nullptr && levels > 2 && split->lengths.size() + 1 == levels &&
               split->stage == stageOf(steps[at]);
    };
    std::vector<size_t> splits;
    if (!belongs(at)) return splits;
    size_t first = at;
    while (first > 0 && belongs(first - 1)) --first;
    for (size_t i = first; i < steps.size() && belongs(i); ++i) splits.push_back(i);
    return splits;
}

bool tilesFit(const Steps &steps, const std::vector<size_t> &splits, const Target &target) {
    int64_t results = 1;
    for (const size_t at : splits)
        results = std::min(kMaxElements, results * std::max<int64_t>(1, std::get<SplitStep>(steps[at]).extent));
    const TileProducts made = productsOf(steps, splits);
    return made.virtuals <= target.hardware.maxVthreadExtent &&
           made.threads >= std::min<int64_t>(target.hardware.warpSize, results) &&
           made.threads <= target.hardware.maxThreadsPerBlock && made.perThread <= target.gpu.registersPerThread;
}

void fillTiles(const AnnotateContext &context, Steps &steps, const std::vector<size_t> &splits,
               const std::vector<std::vector<int64_t>> &constrained, const TileLimits &limits) {
    std::vector<std::vector<int64_t>> decided;
    std::vector<size_t> open;
    for (const size_t at : splits) {
        const auto &split = std::get<SplitStep>(steps[at]);
        if (!isOpen(split)) continue;
        std::vector<int64_t> kept(split.lengths.size() + 1);
        if (split.innerToOuter && at < constrained.size() && !constrained[at].empty()) kept = constrained[at];
        for (size_t k = 0; k < split.lengths.size(); ++k)
            if (split.lengths[k] != kUnfilled) kept[k + 1] = split.lengths[k];
        open.push_back(at);
        decided.push_back(std::move(kept));
    }
    const int draws = context.options.freeThreads ? kDraws : 1;
    for (int draw = 0; draw < draws; ++draw) {
        for (size_t i = 0; i < open.size(); ++i) {
            auto &split = std::get<SplitStep>(steps[open[i]]);
            split.lengths = drawTileLengthsAround(split.extent, decided[i], limits, context.random);
        }
        if (tilesFit(steps, splits, context.target)) return;
    }
}

std::vector<int64_t> threadCounts(int64_t extent, const Target &target) {
    std::vector<int64_t> counts;
    const int64_t warp = std::max(1, target.hardware.warpSize);
    for (int64_t threads = warp; threads <= target.hardware.maxThreadsPerBlock; threads *= 2)
        if (threads == warp || threads <= extent) counts.push_back(threads);
    if (counts.empty()) counts.push_back(std::max(1, target.hardware.maxThreadsPerBlock));
    return counts;
}

int64_t drawThreads(int64_t extent, const Target &target, const SearchOptions &options, Random &random) {
    if (!options.freeThreads) return target.hardware.warpSize;
    const std::vector<int64_t> counts = threadCounts(extent, target);
    return counts[random.index(counts.size())];
}

StorageAlignStep alignedRows(StageId stage, size_t rank, DType dtype) {
    // One row of banks and the widest load of a thread further: neighbours of a column are 16 bytes apart, and what
    // threads load at once stays aligned.
    constexpr int kBankRow = 128;
    constexpr int kWidestLoad = 16;
    const int bytes = std::max(1, dtypeBytes(dtype));
    return {stage, IterId(rank - 2), kBankRow / bytes, std::max(1, kWidestLoad / bytes)};
}

std::optional<StorageAlignStep> drawAlignment(const LoopState &state, StageId stage, const Target &target,
                                              const SearchOptions &options, Random &random) {
    const Stage &copy = state.stage(stage);
    const size_t rank = copy.op->axes.size();
    if (!options.freeThreads || !target.isGpu() || rank < 2 || copy.iters.size() != rank) return std::nullopt;
    // Rows of an odd number of words lie in other banks already; a tile of one row or column has no neighbours.
    if (copy.iters[rank - 1].extent % 4 != 0 || copy.iters[rank - 2].extent < 2) return std::nullopt;
    if (random.below(4) != 0) return std::nullopt;
    return alignedRows(stage, rank, copy.op->output().dtype);
}

std::vector<int64_t> fetchVectors(int64_t run, DType dtype, const Target &target) {
    std::vector<int64_t> vectors;
    const int64_t most = std::max<int64_t>(1, target.hardware.vectorUnitBytes / std::max(1, dtypeBytes(dtype)));
    for (int64_t vector = 1; vector <= most && run % vector == 0; vector *= 2) vectors.push_back(vector);
    return vectors;
}

int64_t drawFetchVector(int64_t run, DType dtype, const Target &target, const SearchOptions &options, Random &random) {
    if (!options.freeThreads) return 1;
    const std::vector<int64_t> vectors = fetchVectors(run, dtype, target);
    return vectors[random.index(vectors.size())];
}

} // namespace loopscope
