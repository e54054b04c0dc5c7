#include "views/start_page/dag_stamp.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <numeric>

namespace loopscope {

namespace {

/// A compute stands below everything it reads, an input right above its first reader.
std::vector<int> layersOf(const ComputeDag &dag) {
    std::vector<int> layer(dag.size(), 0);
    for (size_t i = 0; i < dag.size(); ++i) // producers come first
        for (const int producer : dag.access(i).producers)
            layer[i] = std::max(layer[i], layer[static_cast<size_t>(producer)] + 1);
    for (size_t i = 0; i < dag.size(); ++i) {
        if (!dag.op(i).isPlaceholder() || dag.access(i).consumers.empty()) continue;
        int first = layer[static_cast<size_t>(dag.access(i).consumers.front())];
        for (const int consumer : dag.access(i).consumers)
            first = std::min(first, layer[static_cast<size_t>(consumer)]);
        layer[i] = first - 1;
    }
    return layer;
}

} // namespace

DagStamp drawDag(const ComputeDag &dag) {
    DagStamp picture;
    picture.flops = dag.flops();
    const std::vector<int> layer = layersOf(dag);
    picture.layers = dag.size() == 0 ? 0 : *std::max_element(layer.begin(), layer.end()) + 1;
    std::vector<std::vector<int>> rows(static_cast<size_t>(picture.layers));
    for (size_t i = 0; i < dag.size(); ++i) rows[static_cast<size_t>(layer[i])].push_back(static_cast<int>(i));

    // Where a node would like to stand: in the middle of its readers, from the last layer upwards.
    std::vector<double> x(dag.size(), 0.5);
    for (size_t r = rows.size(); r-- > 0;) {
        auto &row = rows[r];
        const auto wanted = [&](int node) {
            const auto &consumers = dag.access(static_cast<size_t>(node)).consumers;
            if (consumers.empty()) return 0.5;
            double sum = 0;
            for (const int consumer : consumers) sum += x[static_cast<size_t>(consumer)];
            return sum / static_cast<double>(consumers.size());
        };
        std::stable_sort(row.begin(), row.end(), [&](int a, int b) { return wanted(a) < wanted(b); });
        for (size_t i = 0; i < row.size(); ++i)
            x[static_cast<size_t>(row[i])] = (static_cast<double>(i) + 0.5) / static_cast<double>(row.size());
        picture.widest = std::max(picture.widest, static_cast<int>(row.size()));
    }
    for (size_t i = 0; i < dag.size(); ++i) {
        DagStamp::Node node;
        node.at = {x[i], (layer[i] + 0.5) / picture.layers};
        const Op &op = dag.op(i);
        if (op.attrs.contains("const_matrix"))
            node.kind = DagStamp::Kind::Constant;
        else if (!op.isPlaceholder())
            node.kind = op.reduction ? DagStamp::Kind::Reduction : DagStamp::Kind::Elementwise;
        node.output = dag.access(i).isOutput;
        picture.stages += op.isPlaceholder() ? 0 : 1;
        picture.nodes.push_back(node);
        for (const int producer : dag.access(i).producers) picture.edges.emplace_back(producer, static_cast<int>(i));
    }
    return picture;
}

void paintDagStamp(QPainter &painter, const QRectF &area, const DagStamp &picture, const Theme &theme) {
    if (picture.nodes.empty()) return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const double row = area.height() / picture.layers;
    const double column = area.width() / std::max(1, picture.widest);
    const double radius = std::clamp(std::min(row * 0.30, column * 0.30), 1.6, 6.5);
    // Narrow graphs stay together instead of filling the whole width.
    const double width = std::min(area.width(), picture.widest * std::max(radius * 6, 26.0));
    const QRectF field(area.center().x() - width / 2, area.top(), width, area.height());
    const auto place = [&](const DagStamp::Node &node) {
        return QPointF(field.left() + node.at.x() * field.width(), field.top() + node.at.y() * field.height());
    };
    painter.setPen(QPen(theme.color(Role::Border), std::clamp(radius * 0.3, 0.8, 1.6)));
    for (const auto &[from, to] : picture.edges) {
        const QPointF a = place(picture.nodes[static_cast<size_t>(from)]);
        const QPointF b = place(picture.nodes[static_cast<size_t>(to)]);
        QPainterPath path(a);
        const double bend = (b.y() - a.y()) / 2;
        path.cubicTo(a + QPointF(0, bend), b - QPointF(0, bend), b);
        painter.drawPath(path);
    }
    for (const auto &node : picture.nodes) {
        const Role role = node.output                              ? Role::Output
                          : node.kind == DagStamp::Kind::Input     ? Role::Placeholder
                          : node.kind == DagStamp::Kind::Constant  ? Role::ConstantMatrix
                          : node.kind == DagStamp::Kind::Reduction ? Role::Reduction
                                                                   : Role::Compute;
        const QPointF at = place(node);
        if (node.kind == DagStamp::Kind::Input) {
            painter.setPen(QPen(theme.color(role), std::max(1.0, radius * 0.3)));
            painter.setBrush(theme.color(Role::Base));
            painter.drawEllipse(at, radius * 0.8, radius * 0.8);
            continue;
        }
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.color(role));
        if (node.kind == DagStamp::Kind::Reduction) // where the work is
            painter.drawRoundedRect(QRectF(at.x() - radius * 1.5, at.y() - radius, radius * 3, radius * 2),
                                    radius * 0.7, radius * 0.7);
        else
            painter.drawEllipse(at, radius, radius);
    }
    painter.restore();
}

} // namespace loopscope
