#include "views/start_page/network_stamp.h"

#include "views/session/text.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace loopscope {

namespace {

constexpr int kMaxLayers = 12; // of dots

/// How deep each node lies: below everything it reads; parameters at 0.
std::vector<int> depthsOf(const GraphFunction &function) {
    std::vector<int> depths(function.nodeCount(), 1);
    for (size_t i = 0; i < depths.size(); ++i)
        for (const ValueId input : function.node(NodeId(static_cast<int>(i))).inputs)
            if (input.value >= 0 && function.value(input).producer.value >= 0)
                depths[i] = std::max(depths[i], depths[function.value(input).producer.index()] + 1);
    return depths;
}

bool multiplies(const std::string &op) {
    return op.starts_with("conv") || op.starts_with("dense") || op.ends_with("matmul");
}

} // namespace

DagStamp drawNetwork(const GraphFunction &function) {
    DagStamp picture;
    picture.stages = static_cast<int>(function.nodeCount());
    const std::vector<int> depths = depthsOf(function);
    const int deepest = depths.empty() ? 0 : *std::ranges::max_element(depths);
    const int layers = std::min(deepest + 1, kMaxLayers);
    picture.layers = layers;
    const auto layerOf = [&](int depth) { return depth == 0 ? 0 : 1 + (depth - 1) * (layers - 1) / deepest; };

    // Nodes of one depth stand beside each other: those of one layer and one such place are one dot.
    std::map<int, int> besideAtDepth;
    std::map<std::pair<int, int>, int> dots; // by layer and place
    const auto dotOf = [&](int depth) {
        const auto [at, added] =
            dots.emplace(std::pair(layerOf(depth), besideAtDepth[depth]++), static_cast<int>(picture.nodes.size()));
        if (added) {
            picture.nodes.emplace_back();
            picture.nodes.back().kind = DagStamp::Kind::Elementwise;
        }
        return at->second;
    };
    std::vector<int> dotOfValue(function.valueCount(), -1);
    for (const ValueId parameter : function.parameters()) {
        const int dot = dotOf(0);
        picture.nodes[static_cast<size_t>(dot)].kind = DagStamp::Kind::Input;
        dotOfValue[parameter.index()] = dot;
    }
    std::set<std::pair<int, int>> edges;
    for (size_t i = 0; i < depths.size(); ++i) {
        const Node &node = function.node(NodeId(static_cast<int>(i)));
        const int dot = dotOf(depths[i]);
        if (multiplies(node.op)) picture.nodes[static_cast<size_t>(dot)].kind = DagStamp::Kind::Reduction;
        for (const ValueId input : node.inputs)
            if (input.value >= 0 && dotOfValue[input.index()] >= 0 && dotOfValue[input.index()] != dot)
                edges.emplace(dotOfValue[input.index()], dot);
        for (const ValueId output : node.outputs) dotOfValue[output.index()] = dot;
    }
    for (const ValueId result : function.results())
        if (const int dot = dotOfValue[result.index()]; dot >= 0) picture.nodes[static_cast<size_t>(dot)].output = true;
    picture.edges.assign(edges.begin(), edges.end());

    std::map<int, int> widths;
    for (const auto &[place, dot] : dots) widths[place.first] = std::max(widths[place.first], place.second + 1);
    for (const auto &[place, dot] : dots) {
        picture.nodes[static_cast<size_t>(dot)].at = {(place.second + 0.5) / widths[place.first],
                                                      (place.first + 0.5) / std::max(1, layers)};
        picture.widest = std::max(picture.widest, widths[place.first]);
    }
    return picture;
}

QString networkFacts(const GraphFunction &function) {
    double bytes = 0;
    for (size_t i = 0; i < function.valueCount(); ++i)
        if (const HostTensor *constant = function.constant(ValueId(static_cast<int>(i))))
            bytes += static_cast<double>(constant->byteSize());
    return QStringLiteral("%1 \u00b7 %2")
        .arg(countedText(function.nodeCount(), "node"), bytesText(static_cast<int64_t>(bytes)));
}

} // namespace loopscope
