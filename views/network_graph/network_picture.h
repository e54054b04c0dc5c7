#pragma once
// The graph as it is drawn: which nodes are boxes of their own and which are folded, what stands in each box, what the
// arrows say, and where everything lies. Pure; made in a job.

#include "views/graph/graph_layout.h"
#include "views/network_graph/folds.h"
#include "views/network_graph/overlay.h"

#include <QFont>
#include <QPainterPath>

#include <set>

namespace loopscope {

struct NetworkFonts {
    QFont bold;
    QFont small;
    bool operator==(const NetworkFonts &) const = default;
};
NetworkFonts networkFonts(); // UI thread

struct NetworkPictureOptions {
    FoldBy fold = FoldBy::Nothing;
    std::set<QString> expanded;      // folds that are shown node by node all the same, by key
    bool labels = true;              // shapes on the arrows
    Overlay overlay = Overlay::None; // a row of each box
    OverlaySource known;             // what the overlay is of
    NetworkFonts fonts;
};

struct BoxText {
    QString text;
    QPointF at; // of its upper left corner
    bool bold = false;
    bool quiet = false;
};

struct NetworkBox {
    std::vector<int> nodes; // of the facts; one, or those of a fold
    int fold = -1;          // in NetworkPicture::folds; -1: a node of its own
    BoxKind kind = BoxKind::Other;
    std::vector<BoxText> texts;
    QString title;
    QRectF rect;
};

struct NetworkArrow {
    int from = 0; // boxes
    int to = 0;
    std::vector<int> flows; // of the facts
    QString label;
    QPainterPath path;
    QPointF labelCentre;
};

/// A fold that is shown node by node: a frame that folds it again.
struct FoldFrame {
    int fold = 0;
    std::vector<int> boxes;
    QRectF rect;
};

struct NetworkPicture {
    NetworkFactsPtr facts;
    NetworkPictureOptions options;
    std::vector<Fold> folds;
    std::vector<NetworkBox> boxes;
    std::vector<NetworkArrow> arrows;
    std::vector<FoldFrame> frames;
    std::vector<int> boxOf; // by node of the facts
    QRectF bounds;
    OverlayValues values; // what the colours say
};
using NetworkPicturePtr = std::shared_ptr<const NetworkPicture>;

/// Without places.
NetworkPicture networkPicture(NetworkFactsPtr facts, std::vector<Fold> folds, const NetworkPictureOptions &options);
/// Null when cancelled.
NetworkPicturePtr layOut(NetworkPicture picture, const std::atomic<bool> &cancelled);

} // namespace loopscope
