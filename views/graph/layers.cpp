#include "views/graph/layers.h"

#include <algorithm>
#include <numeric>

namespace loopscope {

namespace {

constexpr int kSweeps = 12;
/// Points of long edges, per node: one input that a thousand nodes read would otherwise make half a million of them.
constexpr size_t kPointsPerNode = 24;

/// In an order in which each stands after what it reads; nodes of cycles are left out.
std::vector<int> ordered(const GraphInput &input, std::vector<std::vector<int>> &readers) {
    const size_t count = input.nodes.size();
    readers.assign(count, {});
    std::vector<int> open(count, 0), order;
    for (const LayoutEdge &edge : input.edges) {
        if (edge.from == edge.to) continue;
        readers[static_cast<size_t>(edge.from)].push_back(edge.to);
        ++open[static_cast<size_t>(edge.to)];
    }
    order.reserve(count);
    for (size_t i = 0; i < count; ++i)
        if (open[i] == 0) order.push_back(static_cast<int>(i));
    for (size_t at = 0; at < order.size(); ++at)
        for (const int reader : readers[static_cast<size_t>(order[at])])
            if (--open[static_cast<size_t>(reader)] == 0) order.push_back(reader);
    return order;
}

std::vector<int> levelsOf(const GraphInput &input) {
    std::vector<std::vector<int>> readers;
    const std::vector<int> order = ordered(input, readers);
    std::vector<int> level(input.nodes.size(), 0), reads(input.nodes.size(), 0);
    for (const int node : order)
        for (const int reader : readers[static_cast<size_t>(node)]) {
            int &of = level[static_cast<size_t>(reader)];
            of = std::max(of, level[static_cast<size_t>(node)] + 1);
            ++reads[static_cast<size_t>(reader)];
        }
    // What reads nothing stands just above the first that reads it.
    for (const int node : order) {
        const auto &of = readers[static_cast<size_t>(node)];
        if (reads[static_cast<size_t>(node)] > 0 || of.empty()) continue;
        int first = level[static_cast<size_t>(of.front())];
        for (const int reader : of) first = std::min(first, level[static_cast<size_t>(reader)]);
        level[static_cast<size_t>(node)] = std::max(0, first - 1);
    }
    return level;
}

int64_t crossingsBetween(const Layers &layers, size_t upper, std::vector<int> &tree) {
    // Pairs of edges whose ends are the other way round: counted from left to right with a tree of sums.
    const size_t width = layers.layers[upper + 1].size();
    tree.assign(width + 1, 0);
    int64_t crossed = 0, seen = 0;
    std::vector<int> ends;
    for (const int node : layers.layers[upper]) {
        ends.clear();
        for (const int other : layers.below[static_cast<size_t>(node)])
            ends.push_back(layers.placeOf[static_cast<size_t>(other)]);
        std::sort(ends.begin(), ends.end());
        for (const int end : ends) {
            int64_t left = 0; // seen ends up to this one
            for (auto i = static_cast<size_t>(end) + 1; i > 0; i -= i & (~i + 1)) left += tree[i];
            crossed += seen - left;
        }
        for (const int end : ends) {
            for (auto i = static_cast<size_t>(end) + 1; i <= width; i += i & (~i + 1)) ++tree[i];
            ++seen;
        }
    }
    return crossed;
}

void number(Layers &layers, size_t layer) {
    const std::vector<int> &row = layers.layers[layer];
    for (size_t i = 0; i < row.size(); ++i) layers.placeOf[static_cast<size_t>(row[i])] = static_cast<int>(i);
}

/// By the mean place of the neighbours on one side; what has none keeps its place.
void sortLayer(Layers &layers, size_t layer, const std::vector<std::vector<int>> &neighbours) {
    std::vector<int> &row = layers.layers[layer];
    std::vector<std::pair<double, int>> keyed;
    keyed.reserve(row.size());
    for (const int node : row) {
        const std::vector<int> &of = neighbours[static_cast<size_t>(node)];
        double sum = 0;
        for (const int other : of) sum += layers.placeOf[static_cast<size_t>(other)];
        keyed.emplace_back(of.empty() ? static_cast<double>(layers.placeOf[static_cast<size_t>(node)])
                                      : sum / static_cast<double>(of.size()),
                           node);
    }
    std::stable_sort(keyed.begin(), keyed.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    for (size_t i = 0; i < row.size(); ++i) row[i] = keyed[i].second;
    number(layers, layer);
}

} // namespace

Layers layersOf(const GraphInput &input) {
    Layers layers;
    layers.nodes = input.nodes.size();
    layers.layerOf = levelsOf(input);
    layers.above.resize(layers.nodes);
    layers.below.resize(layers.nodes);
    layers.points.resize(input.edges.size());
    layers.drawnStraight.assign(input.edges.size(), false);
    int deepest = 0;
    for (const int level : layers.layerOf) deepest = std::max(deepest, level);
    // Short edges first: it is the longest that go without points.
    std::vector<size_t> byLength(input.edges.size());
    std::iota(byLength.begin(), byLength.end(), size_t{0});
    const auto span = [&](size_t edge) {
        return layers.layerOf[static_cast<size_t>(input.edges[edge].to)] -
               layers.layerOf[static_cast<size_t>(input.edges[edge].from)];
    };
    std::stable_sort(byLength.begin(), byLength.end(), [&](size_t a, size_t b) { return span(a) < span(b); });
    size_t room = layers.nodes * kPointsPerNode;
    for (const size_t edge : byLength) {
        const int length = span(edge);
        if (length < 1 || static_cast<size_t>(length) > room + 1) {
            layers.drawnStraight[edge] = true;
            continue;
        }
        room -= static_cast<size_t>(length - 1);
        int last = input.edges[edge].from;
        const auto connect = [&](int next) {
            layers.below[static_cast<size_t>(last)].push_back(next);
            layers.above[static_cast<size_t>(next)].push_back(last);
            last = next;
        };
        for (int i = 1; i < length; ++i) {
            const int point = static_cast<int>(layers.layerOf.size());
            layers.layerOf.push_back(layers.layerOf[static_cast<size_t>(input.edges[edge].from)] + i);
            layers.above.emplace_back();
            layers.below.emplace_back();
            layers.points[edge].push_back(point);
            connect(point);
        }
        connect(input.edges[edge].to);
    }
    layers.placeOf.assign(layers.layerOf.size(), 0);
    layers.layers.resize(static_cast<size_t>(deepest) + 1);
    // The first order: as one walks down from each node at the top, so that what belongs together stands together.
    std::vector<bool> visited(layers.layerOf.size(), false);
    std::vector<int> stack;
    for (size_t begin = 0; begin < layers.layerOf.size(); ++begin) {
        if (visited[begin] || !layers.above[begin].empty()) continue;
        stack.push_back(static_cast<int>(begin));
        while (!stack.empty()) {
            const auto node = static_cast<size_t>(stack.back());
            stack.pop_back();
            if (visited[node]) continue;
            visited[node] = true;
            layers.layers[static_cast<size_t>(layers.layerOf[node])].push_back(static_cast<int>(node));
            for (auto next = layers.below[node].rbegin(); next != layers.below[node].rend(); ++next)
                if (!visited[static_cast<size_t>(*next)]) stack.push_back(*next);
        }
    }
    for (size_t layer = 0; layer < layers.layers.size(); ++layer) number(layers, layer);
    return layers;
}

int64_t crossings(const Layers &layers) {
    int64_t all = 0;
    std::vector<int> tree;
    for (size_t layer = 0; layer + 1 < layers.layers.size(); ++layer) all += crossingsBetween(layers, layer, tree);
    return all;
}

void orderLayers(Layers &layers, const std::atomic<bool> &cancelled) {
    auto best = layers.layers;
    int64_t least = crossings(layers);
    for (int sweep = 0; sweep < kSweeps && least > 0 && !cancelled; ++sweep) {
        if (sweep % 2 == 0)
            for (size_t layer = 1; layer < layers.layers.size(); ++layer) sortLayer(layers, layer, layers.above);
        else
            for (size_t layer = layers.layers.size() - 1; layer-- > 0;) sortLayer(layers, layer, layers.below);
        const int64_t now = crossings(layers);
        if (now >= least) continue;
        least = now;
        best = layers.layers;
    }
    layers.layers = std::move(best);
    for (size_t layer = 0; layer < layers.layers.size(); ++layer) number(layers, layer);
}

} // namespace loopscope
