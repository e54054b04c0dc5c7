#pragma once
// Lengths that a GPU decides on: of tiles, such that a block has threads enough and not too many; of blocks where
// nothing is tiled; of what a thread fetches at once.

#include "base/random.h"
#include "language/target/target.h"
#include "schedule/step.h"
#include "search/annotate/annotate_rule.h"
#include "search/annotate/tile_factors.h"
#include "search/search_options.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace loopscope {

/// Fills the open lengths of the tile levels bound to virtual threads and threads (splits `first` to `last`, of the
/// spatial loops of one stage) such that both products are within the limits, where a number of draws finds such.
/// Beyond Ansor, which draws once and drops what has too few or too many.
void fillTiles(const AnnotateContext &context, Steps &steps, const std::vector<size_t> &splits,
               const std::vector<std::vector<int64_t>> &constrained, const TileLimits &limits);

/// Threads of a block over a loop that nothing tiles: one warp, as in Ansor, or, where options leave it free, some.
int64_t drawThreads(int64_t extent, const Target &target, const SearchOptions &options, Random &random);

/// Elements that a thread fetches at once of rows of `run` elements.
int64_t drawFetchVector(int64_t run, DType dtype, const Target &target, const SearchOptions &options, Random &random);

/// The splits of the spatial loops of one tiled stage that stand together with the split `at`; empty where it is none
/// of such.
std::vector<size_t> tileSplits(const Steps &steps, size_t at, std::string_view structure);
/// Blocks made by them have a warp of threads or all there are to have, and neither too many nor too many virtual ones.
bool tilesFit(const Steps &steps, const std::vector<size_t> &splits, const Target &target);

/// The split makes threads of a loop that nothing tiles, or of a reduction across threads.
bool splitsThreads(const Steps &steps, size_t at);
/// The split gives each thread of a fetch a vector.
bool splitsFetch(const Steps &steps, size_t at);

/// Rows of a tile in shared memory that are set apart, so that threads that read down a column do not meet in one bank:
/// a step before the loops of the stage are fused. Nothing where the draw says no, or where it could not help.
std::optional<StorageAlignStep> drawAlignment(const LoopState &state, StageId stage, const Target &target,
                                              const SearchOptions &options, Random &random);
/// The step that would align the rows of that stage.
StorageAlignStep alignedRows(StageId stage, size_t rank, DType dtype);

/// All that drawThreads may draw, ascending.
std::vector<int64_t> threadCounts(int64_t extent, const Target &target);
/// All that drawFetchVector may draw, ascending.
std::vector<int64_t> fetchVectors(int64_t run, DType dtype, const Target &target);

} // namespace loopscope
