#pragma once
// Graphviz lays a directed graph out: sizes of nodes in, positions and edge curves out. `dot` runs as a process of its
// own, so that it can be cancelled at any time and costs nobody's window when it fails.

#include <QPainterPath>
#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <QString>

#include <atomic>
#include <utility>
#include <vector>

namespace loopscope {

struct LayoutNode {
    QSizeF size;    // pixels
    int group = -1; // nodes of one group are kept together (a cluster); -1 none
    int rank = -1;  // nodes of one rank lie on one level; -1 = as the edges say
};
struct LayoutEdge {
    int from = 0;
    int to = 0;
    QSizeF label; // room for a label; empty none
    double weight = 1;
};
struct GraphInput {
    std::vector<LayoutNode> nodes;
    std::vector<LayoutEdge> edges;
    bool leftToRight = false; // otherwise top to bottom
    double nodeGap = 24;      // pixels
    double rankGap = 40;
};
struct GraphLayout {
    std::vector<QPointF> nodes;      // centres, by node
    std::vector<QPainterPath> edges; // from the border of one node to the border of the other, by edge
    std::vector<QPointF> labels;     // centres, by edge
    QRectF bounds;
};

/// Blocks; for a job's thread. Throws Error when dot is not installed or fails. An empty layout when cancelled. Above a
/// few hundred nodes edges become straight (polyline) so that it stays within seconds.
GraphLayout layoutGraph(const GraphInput &input, const std::atomic<bool> &cancelled);

} // namespace loopscope
