#include "views/dag_graph/dag_picture.h"

#include "views/graph/graph_edge_item.h"

#include <algorithm>
#include <map>

namespace loopscope {

namespace {

constexpr size_t kNodesWithLabels = 300;
constexpr double kFrameMargin = 10;

/// Main road straight: what computes is tied closer than what is merely read.
constexpr double kComputeWeight = 4;

QString labelOf(const DagFacts &facts, const std::vector<int> &reads) {
    QStringList lines;
    for (const int number : reads) {
        const ReadFact &read = facts.reads[static_cast<size_t>(number)];
        QStringList words{read.how};
        if (const QString reuse = reuseText(read.reuse); !reuse.isEmpty()) words << reuse;
        const QString first = words.join(QStringLiteral(" · "));
        if (!lines.contains(first)) lines << first;
    }
    if (lines.size() > 2) lines = {lines[0], QStringLiteral("and %1 more reads").arg(lines.size() - 1)};
    // One read has room for its indices, which an elementwise one does not need.
    if (reads.size() == 1) {
        const ReadFact &read = facts.reads[static_cast<size_t>(reads[0])];
        if (!read.direct) {
            const qsizetype lineBreak = read.indices.indexOf(u'\n');
            lines << (lineBreak < 0 ? read.indices : read.indices.left(lineBreak) + QStringLiteral(" …"));
        }
    }
    return lines.join(u'\n');
}

} // namespace

DagPicture dagPicture(DagFactsPtr facts, const PictureOptions &options) {
    DagPicture picture;
    picture.options = options;
    const size_t count = facts->stages.size();
    picture.nodeOf.assign(count, -1);

    // A folded chain stands where its last link would.
    std::map<int, Chain> foldedAt;
    std::vector<bool> folded(count, false);
    std::vector<Chain> frames;
    for (Chain &chain : options.collapse ? elementwiseChains(*facts) : std::vector<Chain>{}) {
        if (options.expanded.contains(facts->stages[static_cast<size_t>(chain.stages[0])].name)) {
            frames.push_back(chain);
            continue;
        }
        for (const int stage : chain.stages) folded[static_cast<size_t>(stage)] = true;
        for (const int input : chain.inputs) folded[static_cast<size_t>(input)] = true;
        foldedAt.emplace(chain.stages.back(), std::move(chain));
    }
    for (size_t i = 0; i < count; ++i) {
        PictureNode node;
        if (const auto chain = foldedAt.find(static_cast<int>(i)); chain != foldedAt.end()) {
            node.stages = chain->second.stages;
            node.inputs = chain->second.inputs;
            node.folded = true;
            node.box = chainBox(chain->second, *facts, options.fonts);
        } else if (folded[i]) {
            continue;
        } else {
            node.stages = {static_cast<int>(i)};
            node.box = stageBox(facts->stages[i], options.fonts);
        }
        const int number = static_cast<int>(picture.nodes.size());
        for (const int stage : node.stages) picture.nodeOf[static_cast<size_t>(stage)] = number;
        for (const int input : node.inputs) picture.nodeOf[static_cast<size_t>(input)] = number;
        picture.nodes.push_back(std::move(node));
    }
    for (const Chain &chain : frames) {
        ChainFrame frame;
        frame.name = facts->stages[static_cast<size_t>(chain.stages[0])].name;
        for (const int stage : chain.stages) frame.nodes.push_back(picture.nodeOf[static_cast<size_t>(stage)]);
        picture.frames.push_back(std::move(frame));
    }

    picture.labels = picture.nodes.size() <= kNodesWithLabels;
    std::map<std::pair<int, int>, size_t> edgeOf;
    for (size_t i = 0; i < facts->reads.size(); ++i) {
        const ReadFact &read = facts->reads[i];
        const int from = picture.nodeOf[static_cast<size_t>(read.from)];
        const int to = picture.nodeOf[static_cast<size_t>(read.to)];
        if (from == to) continue; // inside a folded chain
        const auto [at, isNew] = edgeOf.emplace(std::pair(from, to), picture.edges.size());
        if (isNew) {
            PictureEdge edge;
            edge.from = from;
            edge.to = to;
            picture.edges.push_back(std::move(edge));
        }
        picture.edges[at->second].reads.push_back(static_cast<int>(i));
    }
    if (picture.labels)
        for (PictureEdge &edge : picture.edges) edge.label = labelOf(*facts, edge.reads);
    picture.facts = std::move(facts);
    return picture;
}

DagPicturePtr layOut(DagPicture picture, const std::atomic<bool> &cancelled) {
    const double below = addedStageHeight(picture.options.fonts);
    GraphInput input;
    // Stages that the schedule adds hang below their node, so that choosing another schedule moves nothing.
    input.rankGap = 30 + below;
    for (const PictureNode &node : picture.nodes) {
        LayoutNode box;
        box.size = node.box.size;
        input.nodes.push_back(box);
    }
    for (size_t i = 0; i < picture.frames.size(); ++i)
        for (const int node : picture.frames[i].nodes)
            input.nodes[static_cast<size_t>(node)].group = static_cast<int>(i);
    const auto isInput = [&picture](int node) {
        const PictureNode &from = picture.nodes[static_cast<size_t>(node)];
        return picture.facts->stages[static_cast<size_t>(from.stages[0])].kind == StageKind::Placeholder;
    };
    for (const PictureEdge &edge : picture.edges) {
        LayoutEdge line;
        line.from = edge.from;
        line.to = edge.to;
        line.label = GraphEdgeItem::labelSize(edge.label, picture.options.fonts.small, kEdgeLabelWidest);
        line.weight = isInput(edge.from) ? 1 : kComputeWeight;
        input.edges.push_back(line);
    }
    GraphLayout layout = layoutGraph(input, cancelled);
    if (cancelled) return nullptr;
    for (size_t i = 0; i < picture.nodes.size(); ++i) {
        const QSizeF size = picture.nodes[i].box.size;
        picture.nodes[i].rect = {layout.nodes[i] - QPointF(size.width() / 2, size.height() / 2), size};
    }
    for (size_t i = 0; i < picture.edges.size(); ++i) {
        picture.edges[i].path = std::move(layout.edges[i]);
        picture.edges[i].labelCentre = layout.labels[i];
    }
    picture.bounds = layout.bounds.adjusted(0, 0, 0, below);
    for (ChainFrame &frame : picture.frames) {
        for (const int node : frame.nodes) frame.rect |= picture.nodes[static_cast<size_t>(node)].rect;
        frame.rect.adjust(-kFrameMargin, -kFrameMargin, kFrameMargin, kFrameMargin + below);
        picture.bounds |= frame.rect;
    }
    return std::make_shared<const DagPicture>(std::move(picture));
}

} // namespace loopscope
