#pragma once
// The middle of a layered layout: which layer each node is in, points of long edges in the layers between, and the
// order in each layer.

#include "views/graph/graph_layout.h"

#include <atomic>
#include <vector>

namespace loopscope {

/// Nodes of the graph first, then the points of long edges.
struct Layers {
    size_t nodes = 0; // of the graph
    std::vector<int> layerOf;
    std::vector<int> placeOf;             // in its layer
    std::vector<std::vector<int>> layers; // from left to right
    std::vector<std::vector<int>> above;  // by node or point: what it is connected with in the layer above
    std::vector<std::vector<int>> below;
    std::vector<std::vector<int>> points; // by edge, from its beginning to its end: the points between
    std::vector<bool> drawnStraight;      // by edge: too long for points, or against the direction

    [[nodiscard]] bool isPoint(int node) const { return static_cast<size_t>(node) >= nodes; }
};

Layers layersOf(const GraphInput &input);
/// Crosses few edges: sweeps up and down by the mean place of neighbours, of which the best is kept.
void orderLayers(Layers &layers, const std::atomic<bool> &cancelled);
/// How often edges between neighbouring layers cross.
int64_t crossings(const Layers &layers);

} // namespace loopscope
