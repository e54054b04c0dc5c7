#pragma once
// What it costs to compute one point of a node, in the units of Mullapudi et al. 2016: operations, among them loads and
// the additions in indices, and bytes moved, by the buffer they are of.

#include "schedule/grouping/pipeline.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace loopscope {

struct PointCost {
    int64_t arith = 0;
    std::vector<std::pair<BufferNumber, int64_t>> bytes; // by number, each once; the node's own stores among them
    int64_t placeBytes = 0;                              // loaded to find where to store, which is never weighed

    [[nodiscard]] int64_t allBytes() const;
    void addBytes(BufferNumber buffer, int64_t count);
};

/// Every node of an expression with how often it stands in the text (which is not written: nodes are shared); values of
/// lets count once. Outermost first, so that a let comes before what its variable stands in.
std::vector<std::pair<Expr, int64_t>> countedNodes(Expr e);
/// Whether the arithmetic in indices counts. Where loops are compiled it is next to nothing.
enum class IndexCost : uint8_t { Counted, Free };

/// Of one expression, as it is. With a lane, the axis along which vectors lie, what is dear in vectors costs more:
/// divisions, and loads of elements that do not lie next to each other.
PointCost costOfValue(const Pipeline &pipeline, Expr value, IndexCost indices = IndexCost::Counted, Expr lane = {});
/// Of the node, with these expressions in place of its own: each is simplified, and stored. Where indices are free the
/// loop along its stage's first axis, if there is one, is the lane. `places`: where; compiled loops find that once for
/// what is loaded and stored there, so that it costs nothing where indices are free.
PointCost costOfNode(const Pipeline &pipeline, int node, const std::vector<Expr> &values,
                     const std::vector<Expr> &places = {}, IndexCost indices = IndexCost::Counted);

} // namespace loopscope
