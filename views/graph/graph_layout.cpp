#include "views/graph/graph_layout.h"

#include "base/outcome.h"
#include "views/graph/dot_process.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPolygonF>

#include <algorithm>
#include <map>
#include <numeric>

namespace loopscope {

namespace {

constexpr double kPixelsPerInch = 72; // Graphviz' unit of coordinates is then a pixel

// Beyond these numbers of nodes the layout gives up a little quality for time: room for labels doubles the number of
// levels, and the simplex of the ranks and positions is what takes minutes on graphs of thousands.
constexpr size_t kNodesWithLabels = 300;
constexpr size_t kNodesWithoutLimits = 300;
constexpr size_t kNodesWithCurves = 1500;
/// dot puts a point of an edge on every level it crosses. One input that a thousand stages read makes half a million of
/// them; the longest edges are then left out of the layout and drawn straight through behind the nodes.
constexpr int64_t kMaxCrossings = 8000;

QByteArray inches(double pixels) { return QByteArray::number(pixels / kPixelsPerInch, 'f', 4); }

bool hasRoomForLabels(const GraphInput &input) { return input.nodes.size() <= kNodesWithLabels; }

QByteArray nodeText(size_t number, const LayoutNode &node) {
    return "n" + QByteArray::number(static_cast<qulonglong>(number)) + "[width=" + inches(node.size.width()) +
           ",height=" + inches(node.size.height()) + "];\n";
}

QByteArray edgeText(size_t number, const LayoutEdge &edge, bool withLabel) {
    QByteArray text = "n" + QByteArray::number(edge.from) + "->n" + QByteArray::number(edge.to) + "[id=e" +
                      QByteArray::number(static_cast<qulonglong>(number));
    if (edge.weight != 1) text += ",weight=" + QByteArray::number(edge.weight);
    // A table with a border is drawn, which is how its place comes back with all digits.
    if (withLabel && !edge.label.isEmpty())
        text += ",label=<<TABLE FIXEDSIZE=\"TRUE\" BORDER=\"1\" WIDTH=\"" +
                QByteArray::number(qRound(edge.label.width())) + "\" HEIGHT=\"" +
                QByteArray::number(qRound(edge.label.height())) + "\"><TR><TD></TD></TR></TABLE>>";
    return text + "];\n";
}

/// Level of each node: the longest way to it. A node of a cycle gets some level.
std::vector<int> levels(const GraphInput &input) {
    std::vector<std::vector<int>> readers(input.nodes.size());
    std::vector<int> open(input.nodes.size(), 0), level(input.nodes.size(), 0), ready;
    for (const LayoutEdge &edge : input.edges) {
        readers[static_cast<size_t>(edge.from)].push_back(edge.to);
        ++open[static_cast<size_t>(edge.to)];
    }
    for (size_t i = 0; i < open.size(); ++i)
        if (open[i] == 0) ready.push_back(static_cast<int>(i));
    while (!ready.empty()) {
        const auto node = static_cast<size_t>(ready.back());
        ready.pop_back();
        for (const int to : readers[node]) {
            const auto reader = static_cast<size_t>(to);
            level[reader] = std::max(level[reader], level[node] + 1);
            if (--open[reader] == 0) ready.push_back(to);
        }
    }
    return level;
}

/// By edge: dot shall lay it out. Every node keeps its shortest edge.
std::vector<bool> edgesForDot(const GraphInput &input) {
    const std::vector<int> level = levels(input);
    const auto span = [&](size_t edge) {
        const LayoutEdge &it = input.edges[edge];
        return std::abs(level[static_cast<size_t>(it.to)] - level[static_cast<size_t>(it.from)]);
    };
    std::vector<size_t> byLength(input.edges.size());
    std::iota(byLength.begin(), byLength.end(), size_t{0});
    std::stable_sort(byLength.begin(), byLength.end(), [&](size_t a, size_t b) { return span(a) < span(b); });
    std::vector<bool> kept(input.edges.size(), false), tied(input.nodes.size(), false);
    int64_t crossings = 0;
    for (const size_t edge : byLength) {
        const auto from = static_cast<size_t>(input.edges[edge].from), to = static_cast<size_t>(input.edges[edge].to);
        crossings += span(edge);
        kept[edge] = crossings <= kMaxCrossings || !tied[from] || !tied[to];
        tied[from] = tied[to] = true;
    }
    return kept;
}

QByteArray dotText(const GraphInput &input, const std::vector<bool> &forDot) {
    QByteArray text = "digraph g{rankdir=";
    text += input.leftToRight ? "LR" : "TB";
    text += ";nodesep=" + inches(input.nodeGap) + ";ranksep=" + inches(input.rankGap) + ";";
    if (input.nodes.size() > kNodesWithoutLimits) text += "nslimit=2;nslimit1=2;mclimit=0.3;";
    text += input.nodes.size() > kNodesWithCurves ? "splines=line;" : "splines=true;";
    text += "node[shape=box,fixedsize=true,label=\"\"];edge[dir=none];\n";

    std::map<int, QByteArray> groups, ranks;
    for (size_t i = 0; i < input.nodes.size(); ++i) {
        const LayoutNode &node = input.nodes[i];
        if (node.group >= 0)
            groups[node.group] += nodeText(i, node);
        else
            text += nodeText(i, node);
        if (node.rank >= 0) ranks[node.rank] += "n" + QByteArray::number(static_cast<qulonglong>(i)) + ";";
    }
    for (const auto &[group, nodes] : groups)
        text += "subgraph cluster" + QByteArray::number(group) + "{margin=" + QByteArray::number(input.nodeGap / 2) +
                ";\n" + nodes + "}\n";
    for (const auto &[rank, nodes] : ranks) text += "{rank=same;" + nodes + "}\n";
    for (size_t i = 0; i < input.edges.size(); ++i)
        if (forDot[i]) text += edgeText(i, input.edges[i], hasRoomForLabels(input));
    return text + "}\n";
}

/// What dot would draw, as lists of points; positions themselves come with five digits only. Graphviz' y points up.
QPolygonF drawnPoints(const QJsonArray &drawing, QLatin1String operation) {
    for (const auto &step : drawing) {
        const QJsonObject command = step.toObject();
        if (command[QLatin1String("op")].toString().compare(operation, Qt::CaseInsensitive) != 0) continue;
        QPolygonF points;
        for (const auto &value : command[QLatin1String("points")].toArray()) {
            const QJsonArray point = value.toArray();
            points << QPointF(point[0].toDouble(), -point[1].toDouble());
        }
        return points;
    }
    return {};
}

/// The last polygon: the border of the table, whose cells come first.
QPolygonF lastPolygon(const QJsonArray &drawing) {
    for (qsizetype i = drawing.size(); i-- > 0;) {
        const QPolygonF points = drawnPoints(QJsonArray{drawing[i]}, QLatin1String("p"));
        if (!points.isEmpty()) return points;
    }
    return {};
}

QPainterPath curve(const QPolygonF &points) {
    QPainterPath path;
    if (points.size() < 2) return path;
    path.moveTo(points[0]);
    qsizetype i = 1;
    for (; i + 2 < points.size(); i += 3) path.cubicTo(points[i], points[i + 1], points[i + 2]);
    for (; i < points.size(); ++i) path.lineTo(points[i]);
    return path;
}

int numberAfter(const QString &text, QChar letter) {
    bool ok = false;
    const int number = text.startsWith(letter) ? text.mid(1).toInt(&ok) : -1;
    return ok ? number : -1;
}

GraphLayout readLayout(const QByteArray &json, const GraphInput &input) {
    const QJsonObject root = QJsonDocument::fromJson(json).object();
    GraphLayout layout;
    layout.nodes.resize(input.nodes.size());
    layout.edges.resize(input.edges.size());
    layout.labels.resize(input.edges.size());
    size_t placed = 0;
    for (const auto &value : root[QLatin1String("objects")].toArray()) {
        const QJsonObject object = value.toObject();
        const int node = numberAfter(object[QLatin1String("name")].toString(), u'n');
        if (node < 0 || static_cast<size_t>(node) >= input.nodes.size()) continue;
        const auto index = static_cast<size_t>(node);
        const QSizeF size = input.nodes[index].size;
        const QPolygonF box = drawnPoints(object[QLatin1String("_draw_")].toArray(), QLatin1String("p"));
        if (box.isEmpty()) continue;
        layout.nodes[index] = box.boundingRect().center();
        layout.bounds |= QRectF(layout.nodes[index] - QPointF(size.width() / 2, size.height() / 2), size);
        ++placed;
    }
    if (placed != input.nodes.size()) throw Error("`dot` answered without a place for every node.");
    for (const auto &value : root[QLatin1String("edges")].toArray()) {
        const QJsonObject object = value.toObject();
        const int edge = numberAfter(object[QLatin1String("id")].toString(), u'e');
        if (edge < 0 || static_cast<size_t>(edge) >= input.edges.size()) continue;
        const auto index = static_cast<size_t>(edge);
        layout.edges[index] = curve(drawnPoints(object[QLatin1String("_draw_")].toArray(), QLatin1String("b")));
        const QPolygonF label = lastPolygon(object[QLatin1String("_ldraw_")].toArray());
        layout.labels[index] =
            label.isEmpty() ? layout.edges[index].pointAtPercent(0.5) : label.boundingRect().center();
        layout.bounds |= layout.edges[index].boundingRect();
        if (!label.isEmpty()) layout.bounds |= label.boundingRect();
    }
    return layout;
}

/// From the lower (right) side of one node to the upper (left) side of the other.
void drawLeftOut(const GraphInput &input, const std::vector<bool> &forDot, GraphLayout &layout) {
    for (size_t i = 0; i < input.edges.size(); ++i) {
        if (forDot[i]) continue;
        const auto from = static_cast<size_t>(input.edges[i].from), to = static_cast<size_t>(input.edges[i].to);
        const QSizeF a = input.nodes[from].size / 2, b = input.nodes[to].size / 2;
        const QPointF out = input.leftToRight ? QPointF(a.width(), 0) : QPointF(0, a.height());
        const QPointF in = input.leftToRight ? QPointF(b.width(), 0) : QPointF(0, b.height());
        const QPointF begin = layout.nodes[from] + out, end = layout.nodes[to] - in;
        const QPointF ahead = (input.leftToRight ? QPointF(1, 0) : QPointF(0, 1)) * (2 * input.rankGap);
        QPainterPath path(begin);
        path.cubicTo(begin + ahead, end - ahead, end);
        layout.labels[i] = path.pointAtPercent(0.5);
        layout.bounds |= path.boundingRect();
        layout.edges[i] = path;
    }
}

/// The upper left corner becomes the origin.
void moveToOrigin(GraphLayout &layout) {
    const QPointF by = -layout.bounds.topLeft();
    for (QPointF &node : layout.nodes) node += by;
    for (QPainterPath &edge : layout.edges) edge.translate(by);
    for (QPointF &label : layout.labels) label += by;
    layout.bounds.translate(by);
}

} // namespace

GraphLayout layoutGraph(const GraphInput &input, const std::atomic<bool> &cancelled) {
    if (input.nodes.empty() || cancelled) return {};
    const std::vector<bool> forDot = edgesForDot(input);
    const QByteArray answer = runDot(dotText(input, forDot), cancelled);
    if (answer.isEmpty() || cancelled) return {};
    GraphLayout layout = readLayout(answer, input);
    drawLeftOut(input, forDot, layout);
    moveToOrigin(layout);
    return layout;
}

} // namespace loopscope
