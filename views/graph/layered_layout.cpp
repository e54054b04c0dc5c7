#include "views/graph/layered_layout.h"

#include "views/graph/layers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace loopscope {

namespace {

constexpr double kPointWidth = 10; // of the place where a long edge crosses a layer
constexpr double kPortShare = 0.5; // of a node's width over which the edges that meet there are spread
// How far along a bend its label stands. Those near the end of an edge stand lower than those near the beginning of
// another, so that two that meet at a node do not lie on each other.
constexpr double kLabelNearBegin = 0.28;
constexpr double kLabelNearEnd = 0.72;

/// Of the curve from a down to b.
QPointF onBend(QPointF a, QPointF b, double share) {
    const double half = (b.y() - a.y()) / 2, rest = 1 - share;
    const double first = rest * rest * rest, second = 3 * rest * rest * share;
    const double third = 3 * rest * share * share, fourth = share * share * share;
    return a * first + (a + QPointF(0, half)) * second + (b - QPointF(0, half)) * third + b * fourth;
}

/// Places along a layer, after Brandes and Köpf ("Fast and Simple Horizontal Coordinate Assignment", 2001): nodes are
/// aligned with a neighbour in the middle of those above (or below), chains of aligned ones stand in one column, and
/// the columns are pushed together. Four such placings, by side and direction, are averaged.
class Columns {
  public:
    Columns(const Layers &layers, std::vector<double> widths, double gap)
        : m_layers(layers), m_widths(std::move(widths)), m_gap(gap) {
        findConflicts();
    }

    std::vector<double> places() {
        std::array<std::vector<double>, 4> all;
        for (size_t way = 0; way < all.size(); ++way) all[way] = placed(way < 2, way % 2 == 0);
        // All as wide as the narrowest of them, by the side they were pushed to.
        std::array<std::pair<double, double>, 4> ends;
        size_t narrowest = 0;
        for (size_t way = 0; way < all.size(); ++way) {
            double low = std::numeric_limits<double>::infinity(), high = -low;
            for (size_t i = 0; i < all[way].size(); ++i) {
                low = std::min(low, all[way][i] - m_widths[i] / 2);
                high = std::max(high, all[way][i] + m_widths[i] / 2);
            }
            ends[way] = {low, high};
            if (high - low < ends[narrowest].second - ends[narrowest].first) narrowest = way;
        }
        std::vector<double> result(m_widths.size());
        for (size_t way = 0; way < all.size(); ++way) {
            const double by =
                way % 2 == 0 ? ends[narrowest].first - ends[way].first : ends[narrowest].second - ends[way].second;
            for (double &x : all[way]) x += by;
        }
        for (size_t i = 0; i < result.size(); ++i) {
            std::array<double, 4> four{all[0][i], all[1][i], all[2][i], all[3][i]};
            std::sort(four.begin(), four.end());
            result[i] = (four[1] + four[2]) / 2;
        }
        return result;
    }

  private:
    /// An edge of a node that crosses one between two points of long edges gives way: those stay straight.
    void findConflicts() {
        for (size_t layer = 1; layer < m_layers.layers.size(); ++layer) {
            const std::vector<int> &row = m_layers.layers[layer];
            int inner = -1; // place above of the last inner edge
            size_t scanned = 0;
            for (size_t i = 0; i < row.size(); ++i) {
                const int above = innerAbove(row[i]);
                if (above < 0 && i + 1 < row.size()) continue;
                const int limit = above >= 0 ? place(above) : static_cast<int>(m_layers.layers[layer - 1].size());
                for (; scanned <= i; ++scanned)
                    for (const int other : m_layers.above[static_cast<size_t>(row[scanned])])
                        if ((place(other) < inner || place(other) > limit) &&
                            !(m_layers.isPoint(other) && m_layers.isPoint(row[scanned])))
                            m_conflicts.insert({other, row[scanned]});
                inner = limit;
            }
        }
    }
    [[nodiscard]] int innerAbove(int node) const {
        const auto &above = m_layers.above[static_cast<size_t>(node)];
        return m_layers.isPoint(node) && !above.empty() && m_layers.isPoint(above.front()) ? above.front() : -1;
    }
    [[nodiscard]] int place(int node) const { return m_layers.placeOf[static_cast<size_t>(node)]; }

    /// Aligned with what stands above (or below), from the left (or the right).
    [[nodiscard]] std::vector<double> placed(bool down, bool fromLeft) const {
        const size_t count = m_widths.size();
        std::vector<int> root(count), next(count);
        std::iota(root.begin(), root.end(), 0);
        std::iota(next.begin(), next.end(), 0);
        const auto &neighbours = down ? m_layers.above : m_layers.below;
        const size_t depth = m_layers.layers.size();
        std::vector<int> sorted;
        for (size_t step = 1; step < depth; ++step) {
            const std::vector<int> &row = m_layers.layers[down ? step : depth - 1 - step];
            int last = fromLeft ? -1 : std::numeric_limits<int>::max();
            for (size_t i = 0; i < row.size(); ++i) {
                const int node = fromLeft ? row[i] : row[row.size() - 1 - i];
                sorted = neighbours[static_cast<size_t>(node)];
                if (sorted.empty()) continue;
                std::sort(sorted.begin(), sorted.end(), [this](int a, int b) { return place(a) < place(b); });
                const size_t low = (sorted.size() - 1) / 2, high = sorted.size() / 2;
                const std::array<size_t, 2> medians = fromLeft ? std::array{low, high} : std::array{high, low};
                for (const size_t median : medians) {
                    if (next[static_cast<size_t>(node)] != node) break; // aligned already
                    const int other = sorted[median];
                    const auto edge = down ? std::pair{other, node} : std::pair{node, other};
                    const bool free = fromLeft ? place(other) > last : place(other) < last;
                    if (!free || m_conflicts.contains(edge)) continue;
                    next[static_cast<size_t>(other)] = node;
                    root[static_cast<size_t>(node)] = root[static_cast<size_t>(other)];
                    next[static_cast<size_t>(node)] = root[static_cast<size_t>(node)];
                    last = place(other);
                }
            }
        }
        return compacted(root, fromLeft);
    }

    /// Columns as near to the left as their neighbours allow, then as near to the right neighbour as that allows; the
    /// other way round from the right.
    [[nodiscard]] std::vector<double> compacted(const std::vector<int> &root, bool fromLeft) const {
        struct Gap {
            int to;
            double apart;
        };
        const size_t count = m_widths.size();
        std::vector<std::vector<Gap>> after(count), before(count);
        std::vector<int> open(count, 0), order;
        for (const std::vector<int> &row : m_layers.layers)
            for (size_t i = 0; i + 1 < row.size(); ++i) {
                const auto a = static_cast<size_t>(fromLeft ? row[i] : row[i + 1]);
                const auto b = static_cast<size_t>(fromLeft ? row[i + 1] : row[i]);
                const double apart = (m_widths[a] + m_widths[b]) / 2 + m_gap;
                after[static_cast<size_t>(root[a])].push_back({root[b], apart});
                before[static_cast<size_t>(root[b])].push_back({root[a], apart});
                ++open[static_cast<size_t>(root[b])];
            }
        for (size_t i = 0; i < count; ++i)
            if (root[i] == static_cast<int>(i) && open[i] == 0) order.push_back(static_cast<int>(i));
        for (size_t at = 0; at < order.size(); ++at)
            for (const Gap &gap : after[static_cast<size_t>(order[at])])
                if (--open[static_cast<size_t>(gap.to)] == 0) order.push_back(gap.to);
        std::vector<double> x(count, 0);
        for (const int column : order)
            for (const Gap &gap : before[static_cast<size_t>(column)])
                x[static_cast<size_t>(column)] =
                    std::max(x[static_cast<size_t>(column)], x[static_cast<size_t>(gap.to)] + gap.apart);
        for (auto column = order.rbegin(); column != order.rend(); ++column) {
            double nearest = std::numeric_limits<double>::infinity();
            for (const Gap &gap : after[static_cast<size_t>(*column)])
                nearest = std::min(nearest, x[static_cast<size_t>(gap.to)] - gap.apart);
            if (std::isfinite(nearest))
                x[static_cast<size_t>(*column)] = std::max(x[static_cast<size_t>(*column)], nearest);
        }
        std::vector<double> result(count);
        for (size_t i = 0; i < count; ++i)
            result[i] = fromLeft ? x[static_cast<size_t>(root[i])] : -x[static_cast<size_t>(root[i])];
        return result;
    }

    const Layers &m_layers;
    std::vector<double> m_widths;
    double m_gap;
    std::set<std::pair<int, int>> m_conflicts; // node above, node below
};

/// From the left to the right in the order of where they go, so that edges do not cross at a node.
struct Ports {
    std::vector<double> out, in; // by edge: how far from the node's centre

    Ports(const GraphInput &input, const std::vector<QPointF> &nodes, const std::vector<double> &firstX,
          const std::vector<double> &lastX)
        : out(input.edges.size()), in(input.edges.size()) {
        std::vector<std::vector<size_t>> from(nodes.size()), to(nodes.size());
        for (size_t i = 0; i < input.edges.size(); ++i) {
            from[static_cast<size_t>(input.edges[i].from)].push_back(i);
            to[static_cast<size_t>(input.edges[i].to)].push_back(i);
        }
        for (size_t node = 0; node < nodes.size(); ++node) {
            spread(from[node], firstX, input.nodes[node].size.width(), out);
            spread(to[node], lastX, input.nodes[node].size.width(), in);
        }
    }

  private:
    static void spread(std::vector<size_t> &edges, const std::vector<double> &x, double width,
                       std::vector<double> &ports) {
        std::stable_sort(edges.begin(), edges.end(), [&](size_t a, size_t b) { return x[a] < x[b]; });
        const double count = static_cast<double>(edges.size());
        for (size_t i = 0; i < edges.size(); ++i)
            ports[edges[i]] = width * kPortShare * ((static_cast<double>(i) + 0.5) / count - 0.5);
    }
};

} // namespace

GraphLayout layoutInLayers(const GraphInput &input, const std::atomic<bool> &cancelled) {
    GraphLayout layout;
    if (input.nodes.empty() || cancelled) return layout;
    Layers layers = layersOf(input);
    orderLayers(layers, cancelled);
    if (cancelled) return layout;
    std::vector<double> widths(layers.layerOf.size(), kPointWidth);
    for (size_t i = 0; i < input.nodes.size(); ++i) widths[i] = input.nodes[i].size.width();
    const std::vector<double> x = Columns(layers, widths, input.nodeGap).places();
    if (cancelled) return layout;

    std::vector<double> top(layers.layers.size()), height(layers.layers.size(), 0);
    for (size_t i = 0; i < input.nodes.size(); ++i) {
        double &of = height[static_cast<size_t>(layers.layerOf[i])];
        of = std::max(of, input.nodes[i].size.height());
    }
    for (size_t layer = 1; layer < top.size(); ++layer) top[layer] = top[layer - 1] + height[layer - 1] + input.rankGap;
    for (size_t i = 0; i < input.nodes.size(); ++i) {
        const auto layer = static_cast<size_t>(layers.layerOf[i]);
        layout.nodes.emplace_back(x[i], top[layer] + height[layer] / 2);
        const QSizeF size = input.nodes[i].size;
        layout.bounds |= QRectF(layout.nodes[i] - QPointF(size.width() / 2, size.height() / 2), size);
    }
    std::vector<double> firstX(input.edges.size()), lastX(input.edges.size());
    for (size_t i = 0; i < input.edges.size(); ++i) {
        const std::vector<int> &points = layers.points[i];
        firstX[i] = x[static_cast<size_t>(points.empty() ? input.edges[i].to : points.front())];
        lastX[i] = x[static_cast<size_t>(points.empty() ? input.edges[i].from : points.back())];
    }
    const Ports ports(input, layout.nodes, firstX, lastX);
    std::vector<int> leaving(input.nodes.size(), 0);
    for (const LayoutEdge &edge : input.edges) ++leaving[static_cast<size_t>(edge.from)];
    layout.edges.resize(input.edges.size());
    layout.labels.resize(input.edges.size());
    for (size_t i = 0; i < input.edges.size(); ++i) {
        const auto from = static_cast<size_t>(input.edges[i].from), to = static_cast<size_t>(input.edges[i].to);
        const QPointF begin = layout.nodes[from] + QPointF(ports.out[i], input.nodes[from].size.height() / 2);
        const QPointF end = layout.nodes[to] + QPointF(ports.in[i], -input.nodes[to].size.height() / 2);
        QPainterPath path(begin);
        QPointF last = begin, half;
        const auto bend = [&](QPointF next) {
            const double half = (next.y() - last.y()) / 2;
            path.cubicTo(last + QPointF(0, half), next - QPointF(0, half), next);
            last = next;
        };
        const bool nearEnd = leaving[from] > 1;
        if (layers.drawnStraight[i]) {
            const QPointF ahead(0, 2 * input.rankGap);
            path.cubicTo(begin + ahead, end - ahead, end);
            half = path.pointAtPercent(0.5);
        } else {
            for (const int point : layers.points[i]) {
                const auto layer = static_cast<size_t>(layers.layerOf[static_cast<size_t>(point)]);
                const double at = x[static_cast<size_t>(point)];
                const QPointF before = last;
                bend({at, top[layer]});
                if (half.isNull()) half = onBend(before, last, kLabelNearBegin);
                last = {at, top[layer] + height[layer]};
                path.lineTo(last);
            }
            const QPointF before = last;
            bend(end);
            if (nearEnd)
                half = onBend(before, end, kLabelNearEnd);
            else if (half.isNull())
                half = onBend(before, end, kLabelNearBegin);
        }
        layout.labels[i] = half;
        layout.bounds |= path.boundingRect();
        layout.edges[i] = std::move(path);
    }
    const QPointF by = -layout.bounds.topLeft();
    for (QPointF &node : layout.nodes) node += by;
    for (QPainterPath &edge : layout.edges) edge.translate(by);
    for (QPointF &label : layout.labels) label += by;
    layout.bounds.translate(by);
    return layout;
}

} // namespace loopscope
