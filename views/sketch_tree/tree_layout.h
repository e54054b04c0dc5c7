#pragma once
// Where the nodes of a sketch tree go: columns by depth from left to right, rows in the order it happened, a state in
// the middle of what came from it, all finished sketches under one another in the last column, so that their numbers
// compare like a table. A tree whose order is given needs no search for a good drawing as a graph does; this takes a
// millisecond for thousands of nodes, so that opening and closing a branch costs nothing and moves nothing else about.

#include "views/sketch_tree/shown_tree.h"

#include <QPainterPath>
#include <QRectF>
#include <QSizeF>

#include <vector>

namespace loopscope {

struct TreeBox {
    QSizeF size;
    double anchor = 0;    // from the top: height at which edges meet the box
    double bodyWidth = 0; // of the box at that height, where edges leave
    QSizeF label;         // of the edge that leads here; it stands about the middle of its height
    bool last = false;    // a finished sketch: in the last column
};
struct TreeSpacing {
    double row = 14;
    double curve = 34; // between a column and the labels behind it
    double arrow = 10; // between a label and the box it leads to
    /// A state stands in the middle of what came from it, which shows the shape of a small tree at a glance; in a tall
    /// one it stands beside the first, or one would see nothing but lines leading away.
    int mostCentred = 8; // rows of a small tree
};
struct TreePlaces {
    std::vector<QRectF> boxes;
    std::vector<QRectF> labels;
    std::vector<QPainterPath> edges;
    QRectF bounds;
};

TreePlaces placeTree(const ShownTree &tree, const std::vector<TreeBox> &boxes, const TreeSpacing &spacing);

} // namespace loopscope
