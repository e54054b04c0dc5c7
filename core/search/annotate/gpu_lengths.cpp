#include "search/annotate/gpu_lengths.h"

#include <algorithm>

namespace loopscope {

namespace {

constexpr int kDraws = 64;
constexpr size_t kVirtualLevel = 0; // among the lengths of a split, the outermost loop not counted
constexpr size_t kThreadLevel = 1;
constexpr int64_t kMostElements = 1 << 20; // of a product, so that it does not overflow

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
            product = std::min(kMostElements, product * std::max<int64_t>(1, lengths[level]));
            if (level == kVirtualLevel)
                products.virtuals = std::min(kMostElements, products.virtuals * std::max<int64_t>(1, lengths[level]));
        }
    }
    return products;
}

} // namespace

void fillTiles(const AnnotateContext &context, Steps &steps, const std::vector<size_t> &splits,
               const std::vector<std::vector<int64_t>> &wished, const TileLimits &limits) {
    const HardwareParams &hardware = context.target.hardware;
    std::vector<std::vector<int64_t>> decided;
    std::vector<size_t> open;
    for (const size_t at : splits) {
        const auto &split = std::get<SplitStep>(steps[at]);
        if (!isOpen(split)) continue;
        std::vector<int64_t> kept(split.lengths.size() + 1);
        if (split.innerToOuter && at < wished.size() && !wished[at].empty()) kept = wished[at];
        for (size_t k = 0; k < split.lengths.size(); ++k)
            if (split.lengths[k] != kUnfilled) kept[k + 1] = split.lengths[k];
        open.push_back(at);
        decided.push_back(std::move(kept));
    }
    int64_t results = 1;
    for (const size_t at : splits)
        results = std::min(kMostElements, results * std::max<int64_t>(1, std::get<SplitStep>(steps[at]).extent));
    const int64_t fewest = std::min<int64_t>(hardware.warpSize, results);
    const int draws = context.options.freeThreads ? kDraws : 1;
    for (int draw = 0; draw < draws; ++draw) {
        for (size_t i = 0; i < open.size(); ++i) {
            auto &split = std::get<SplitStep>(steps[open[i]]);
            split.lengths = drawTileLengthsAround(split.extent, decided[i], limits, context.random);
        }
        const TileProducts made = productsOf(steps, splits);
        if (made.virtuals <= hardware.maxVthreadExtent && made.threads >= fewest &&
            made.threads <= hardware.maxThreadsPerBlock && made.perThread <= context.target.gpu.registersPerThread)
            return;
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
