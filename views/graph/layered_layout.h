#pragma once
// A layout of our own for graphs that run from top to bottom without cycles, as networks do: nodes in layers by the
// longest way to them, an order in each layer that crosses few edges, long edges straight. It takes milliseconds where
// dot takes seconds, needs no other program, and keeps no groups together.

#include "views/graph/graph_layout.h"

namespace loopscope {

/// Blocks for some milliseconds per thousand nodes; for a job's thread. An empty layout when cancelled. Edges that
/// close a cycle are drawn, but layers do not follow them. Groups, ranks, weights and rooms for labels are not looked
/// at: a label stands between two layers, near the node at whose side fewer edges meet, and finds room where `rankGap`
/// has.
GraphLayout layoutInLayers(const GraphInput &input, const std::atomic<bool> &cancelled);

} // namespace loopscope
