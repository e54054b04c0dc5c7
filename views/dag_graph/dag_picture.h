#pragma once
// The graph as it is drawn: which stages are nodes of their own and which are folded into a chain, what the arrows say,
// and where everything lies. Pure; made in a job.

#include "views/dag_graph/node_box.h"
#include "views/graph/graph_layout.h"

#include <set>

namespace loopscope {

struct PictureOptions {
    bool collapse = false;
    std::set<QString> expanded; // chains shown link by link all the same, by name of their first stage
    NodeFonts fonts;
};

struct PictureNode {
    std::vector<int> stages; // one, or the links of a folded chain
    std::vector<int> inputs; // placeholders folded into it
    bool folded = false;
    NodeBox box;
    QRectF rect; // once laid out
};

struct PictureEdge {
    int from = 0; // node
    int to = 0;
    std::vector<int> reads; // DagFacts::reads
    QString label;
    QPainterPath path;
    QPointF labelCentre;
};

/// A chain shown link by link although chains are folded: a frame that folds it again.
struct ChainFrame {
    QString name; // of its first stage
    std::vector<int> nodes;
    QRectF rect;
};

struct DagPicture {
    DagFactsPtr facts;
    PictureOptions options;
    std::vector<PictureNode> nodes;
    std::vector<PictureEdge> edges;
    std::vector<ChainFrame> frames;
    std::vector<int> nodeOf; // stage -> node
    QRectF bounds;
    bool labels = true; // large graphs have no room for them
};
using DagPicturePtr = std::shared_ptr<const DagPicture>;

inline constexpr double kEdgeLabelWidest = 220;
inline constexpr size_t kCollapseAbove = 40; // stages, unless the user chose otherwise

/// Without places.
DagPicture dagPicture(DagFactsPtr facts, const PictureOptions &options);
/// Throws Error as layoutGraph does; null when cancelled.
DagPicturePtr layOut(DagPicture picture, const std::atomic<bool> &cancelled);

} // namespace loopscope
