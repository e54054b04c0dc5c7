#include "views/sketch_tree/tree_layout.h"

#include <algorithm>

namespace loopscope {

namespace {

/// A node with all below it, before it is put anywhere: offsets from its top.
struct Block {
    double height = 0;
    double anchor = 0;   // of the node itself
    double children = 0; // top of the first child's block
};

} // namespace

TreePlaces placeTree(const ShownTree &tree, const std::vector<TreeBox> &boxes, const TreeSpacing &spacing) {
    TreePlaces places;
    const size_t count = tree.nodes.size();
    if (count == 0) return places;

    // Rows: from the leaves up, then from the root down.
    const auto ends = std::count_if(tree.nodes.begin(), tree.nodes.end(),
                                    [](const ShownNode &node) { return node.children.empty(); });
    const bool centred = ends <= spacing.mostCentred;
    std::vector<Block> blocks(count);
    for (size_t i = count; i-- > 0;) {
        const auto &node = tree.nodes[i];
        const auto &box = boxes[i];
        const double above = std::max(box.anchor, box.label.height() / 2);
        const double below = std::max(box.size.height() - box.anchor, box.label.height() / 2);
        double height = 0;
        double first = 0;
        double last = 0;
        for (const int child : node.children) {
            const auto &block = blocks[static_cast<size_t>(child)];
            if (height > 0) height += spacing.row;
            last = height + block.anchor;
            if (height == 0) first = last;
            height += block.height;
        }
        const double middle = node.children.empty() ? above : centred ? (first + last) / 2 : first;
        Block &block = blocks[i];
        block.children = std::max(0.0, above - middle);
        block.anchor = block.children + middle;
        block.height = std::max(block.children + height, block.anchor + below);
    }

    // Columns.
    int depth = 0;
    for (const auto &node : tree.nodes) depth = std::max(depth, node.depth);
    std::vector<double> width(static_cast<size_t>(depth) + 1, 0);
    std::vector<double> label(width.size(), 0);
    for (size_t i = 0; i < count; ++i) {
        const auto column = static_cast<size_t>(tree.nodes[i].depth);
        if (!boxes[i].last) width[column] = std::max(width[column], boxes[i].size.width());
        label[column] = std::max(label[column], boxes[i].label.width());
    }
    std::vector<double> left(width.size(), 0);
    for (size_t column = 1; column < left.size(); ++column)
        left[column] = left[column - 1] + width[column - 1] + spacing.curve + label[column] + spacing.arrow;
    double lastLeft = 0;
    for (size_t i = 0; i < count; ++i)
        if (boxes[i].last) lastLeft = std::max(lastLeft, left[static_cast<size_t>(tree.nodes[i].depth)]);
    for (size_t column = 0; column < left.size(); ++column) // beside what is not finished
        if (width[column] > 0 && lastLeft > 0)
            lastLeft = std::max(lastLeft, left[column] + width[column] + spacing.row);

    places.boxes.resize(count);
    places.labels.resize(count);
    places.edges.resize(count);
    std::vector<double> top(count, 0);
    for (size_t i = 0; i < count; ++i) {
        const auto &node = tree.nodes[i];
        const auto &box = boxes[i];
        const auto column = static_cast<size_t>(node.depth);
        const double y = top[i] + blocks[i].anchor;
        places.boxes[i] = QRectF(QPointF(box.last ? lastLeft : left[column], y - box.anchor), box.size);
        places.bounds |= places.boxes[i];
        double childTop = top[i] + blocks[i].children;
        for (const int child : node.children) {
            top[static_cast<size_t>(child)] = childTop;
            childTop += blocks[static_cast<size_t>(child)].height + spacing.row;
        }
        if (node.parent < 0) continue;
        const auto from = static_cast<size_t>(node.parent);
        const double fromY = top[from] + blocks[from].anchor;
        const double fromX = places.boxes[from].left() + boxes[from].bodyWidth;
        const double bend = left[column - 1] + width[column - 1];
        const double labelLeft = left[column] - spacing.arrow - label[column];
        places.labels[i] = QRectF(QPointF(labelLeft, y - box.label.height() / 2), box.label);
        places.bounds |= places.labels[i];
        QPainterPath path(QPointF(fromX, fromY));
        path.lineTo(bend, fromY);
        const double middle = (bend + labelLeft) / 2;
        path.cubicTo(middle, fromY, middle, y, labelLeft, y);
        path.lineTo(places.boxes[i].left(), y);
        places.edges[i] = path;
    }
    return places;
}

} // namespace loopscope
