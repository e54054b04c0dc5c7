// How one stage reads another, in the words of the field: elementwise, broadcast, window, gather, and how often each
// element is used.

#include "views/dag_graph/dag_facts.h"

#include "expr/walk.h"
#include "views/session/text.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace loopscope {

namespace {

constexpr int64_t kMostValuesCounted = 1 << 14;

struct Reader {
    std::vector<AxisFact> axes; // spatial, then reduce
    size_t spatial = 0;

    explicit Reader(const Op &op) : spatial(op.axes.size()) {
        for (const Axis &axis : op.axes) axes.push_back({qt(axis.name()), axis.extent, false});
        if (op.reduction)
            for (const Axis &axis : op.reduction->axes) axes.push_back({qt(axis.name()), axis.extent, true});
    }
    [[nodiscard]] const AxisFact &axis(int number) const { return axes[static_cast<size_t>(number)]; }
    [[nodiscard]] double points() const {
        double product = 1;
        for (const AxisFact &axis : axes) product *= static_cast<double>(axis.extent);
        return product;
    }
};

/// "yy + ry" of "(yy + ry)".
QString indexText(Expr index) {
    QString text = qt(toText(index));
    if (text.startsWith(u'(') && text.endsWith(u')') && text.count(u'(') == 1) text = text.mid(1, text.size() - 2);
    return text;
}

QString loadText(const LoadAccess &load) {
    QStringList indices;
    for (const IndexForm &index : load.indices) indices << indexText(index.expr);
    return QStringLiteral("%1[%2]").arg(qt(tensorText(*load.tensor)), indices.join(QStringLiteral(", ")));
}

/// Values an index takes over all points: counted for small nests, bounded otherwise.
double distinctValues(const IndexForm &index, const Reader &reader, int64_t extent) {
    const auto bound = static_cast<double>(extent);
    if (!index.affine) return bound;
    double points = 1, least = 0, most = 0;
    for (const auto &[axis, coefficient] : index.terms) {
        const auto last = static_cast<double>(reader.axis(axis).extent - 1);
        points *= last + 1;
        (coefficient < 0 ? least : most) += static_cast<double>(coefficient) * last;
    }
    if (index.terms.size() < 2 || points > static_cast<double>(kMostValuesCounted))
        return std::min({bound, points, most - least + 1});
    std::set<int64_t> values{0};
    for (const auto &[axis, coefficient] : index.terms) {
        std::set<int64_t> next;
        for (const int64_t value : values)
            for (int64_t i = 0; i < reader.axis(axis).extent; ++i) next.insert(value + coefficient * i);
        values = std::move(next);
    }
    return std::min(bound, static_cast<double>(values.size()));
}

/// Elements of the tensor the load touches, as if its indices moved independently.
double elementsTouched(const LoadAccess &load, const Reader &reader) {
    double elements = 1, points = 1;
    std::set<int> axes;
    for (size_t d = 0; d < load.indices.size(); ++d) {
        elements *= distinctValues(load.indices[d], reader, load.tensor->shape[d]);
        for (const auto &[axis, coefficient] : load.indices[d].terms) axes.insert(axis);
    }
    bool affine = true;
    for (const IndexForm &index : load.indices) affine = affine && index.affine;
    if (!affine) return elements;
    for (const int axis : axes) points *= static_cast<double>(reader.axis(axis).extent); // a diagonal
    return std::max(1.0, std::min(elements, points));
}

QString joinedAxes(const std::vector<QString> &names) {
    QStringList list;
    for (const QString &name : names) list << name;
    return list.join(QStringLiteral(", "));
}

/// Windows slide: a spatial axis and a reduce axis move one index together.
QString windowText(const LoadAccess &load, const Reader &reader) {
    QStringList sizes, strides;
    for (const IndexForm &index : load.indices) {
        int64_t stride = 0, size = 0;
        for (const auto &[axis, coefficient] : index.terms) {
            if (static_cast<size_t>(axis) < reader.spatial)
                stride = std::max(stride, std::abs(coefficient));
            else
                size = std::max(size, reader.axis(axis).extent);
        }
        if (stride == 0 || size == 0) continue;
        sizes << QString::number(size);
        strides << QString::number(stride);
    }
    if (sizes.isEmpty()) return {};
    QString text = QStringLiteral("window %1").arg(sizes.join(QStringLiteral(" × ")));
    QStringList distinct = strides;
    distinct.removeDuplicates();
    if (distinct != QStringList{QStringLiteral("1")})
        text +=
            QStringLiteral(", stride %1").arg(distinct.size() == 1 ? distinct[0] : strides.join(QStringLiteral(" × ")));
    return text;
}

bool isIdentity(const LoadAccess &load, const Op &op) {
    if (!load.simple || load.axisDuplicated || load.indices.size() != op.axes.size()) return false;
    for (size_t d = 0; d < load.indices.size(); ++d)
        if (load.matchedAxis[d] != static_cast<int>(d) || !load.indices[d].affine || load.indices[d].constant != 0)
            return false;
    return true;
}

/// Spatial axes longer than 1 that no index uses: the same elements serve all their values.
std::vector<QString> axesOfReuse(const LoadAccess &load, const Reader &reader) {
    std::vector<QString> names;
    for (size_t axis = 0; axis < reader.spatial; ++axis) {
        const bool used = std::any_of(load.indices.begin(), load.indices.end(), [axis](const IndexForm &index) {
            return std::any_of(index.terms.begin(), index.terms.end(),
                               [axis](const auto &term) { return term.first == static_cast<int>(axis); });
        });
        if (!used && reader.axes[axis].extent > 1) names.push_back(reader.axes[axis].name);
    }
    return names;
}

std::vector<QString> reducedAxes(const LoadAccess &load, const Reader &reader) {
    std::set<int> axes;
    for (const IndexForm &index : load.indices)
        for (const auto &[axis, coefficient] : index.terms)
            if (static_cast<size_t>(axis) >= reader.spatial) axes.insert(axis);
    std::vector<QString> names;
    for (const int axis : axes) names.push_back(reader.axis(axis).name);
    return names;
}

QString howText(const LoadAccess &load, const Op &op, const Reader &reader) {
    const bool affine =
        std::all_of(load.indices.begin(), load.indices.end(), [](const IndexForm &index) { return index.affine; });
    if (!affine) {
        const bool gathers = std::any_of(load.indices.begin(), load.indices.end(),
                                         [](const IndexForm &index) { return containsLoad(index.expr); });
        return gathers ? QStringLiteral("gather") : QStringLiteral("computed indices");
    }
    if (isIdentity(load, op)) return QStringLiteral("elementwise");
    if (const QString window = windowText(load, reader); !window.isEmpty()) return window;
    if (const auto reduced = reducedAxes(load, reader); !reduced.empty())
        return QStringLiteral("reduced over %1").arg(joinedAxes(reduced));
    if (const auto reused = axesOfReuse(load, reader); !reused.empty())
        return QStringLiteral("broadcast over %1").arg(joinedAxes(reused));
    if (load.simple && !load.sameOrder) return QStringLiteral("transposed");
    if (load.simple && !load.axisDuplicated) {
        const bool shifted = std::any_of(load.indices.begin(), load.indices.end(),
                                         [](const IndexForm &index) { return index.constant != 0; });
        return shifted ? QStringLiteral("shifted") : QStringLiteral("elementwise");
    }
    return load.axisDuplicated ? QStringLiteral("diagonal") : QStringLiteral("strided");
}

} // namespace

ReadFact readFact(const ComputeDag &dag, int from, int to) {
    const Op &op = dag.op(static_cast<size_t>(to));
    const Reader reader(op);
    ReadFact fact;
    fact.from = from;
    fact.to = to;
    QStringList texts, hows;
    double reads = 0, touched = 0;
    for (const LoadAccess &load : dag.access(static_cast<size_t>(to)).loads) {
        if (load.producer != from) continue;
        const QString text = loadText(load);
        if (texts.contains(text)) continue; // read once, used twice
        texts << text;
        hows << howText(load, op, reader);
        reads += reader.points();
        touched = std::max(touched, elementsTouched(load, reader));
        fact.direct = fact.direct && isIdentity(load, op);
    }
    hows.removeDuplicates();
    fact.indices = texts.join(u'\n');
    fact.how = hows.join(QStringLiteral("; "));
    if (texts.size() > 1) fact.how = QStringLiteral("%1 reads: %2").arg(texts.size()).arg(fact.how);
    fact.reuse = touched > 0 ? reads / touched : 1;
    return fact;
}

} // namespace loopscope
