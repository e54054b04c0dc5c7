// How one stage reads another, in the words of the field: elementwise, broadcast, window, gather, and how often each
// element is used. The facts are the core's (language/dag/edge_access.h); here they get the names of the axes.

#include "views/dag_graph/dag_facts.h"

#include "language/dag/edge_access.h"
#include "language/expr/walk.h"
#include "views/session/text.h"

#include <algorithm>
#include <set>

namespace loopscope {

namespace {

/// "padded[n, rc, y + ry, x + rx]": no parentheses round a whole index.
QString readText(const std::string &read) {
    const QString text = qt(read);
    const qsizetype begin = text.indexOf(u'[') + 1, end = text.lastIndexOf(u']');
    QStringList indices;
    int depth = 0;
    qsizetype from = begin;
    const auto take = [&](qsizetype to) {
        QString index = text.mid(from, to - from).trimmed();
        if (index.startsWith(u'(') && index.endsWith(u')') && index.count(u'(') == 1)
            index = index.mid(1, index.size() - 2);
        indices << index;
        from = to + 1;
    };
    for (qsizetype i = begin; i < end; ++i) {
        if (text[i] == u'(' || text[i] == u'[') ++depth;
        if (text[i] == u')' || text[i] == u']') --depth;
        if (text[i] == u',' && depth == 0) take(i);
    }
    if (end > begin) take(end);
    return QStringLiteral("%1[%2]").arg(text.left(begin - 1), indices.join(QStringLiteral(", ")));
}

/// Windows slide: a spatial axis and a reduce axis move one index together, or several loads lie side by side.
QString windowText(const EdgeAccess &edge) {
    QStringList sizes, strides;
    for (const DimAccess &dim : edge.dims) {
        if (!dim.slides()) continue;
        sizes << QString::number(dim.taps);
        strides << QString::number(std::max<int64_t>(1, std::abs(dim.stride)));
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

struct AxesOfLoads {
    std::set<int> used;
    bool sameOrder = true;
    bool loadsInside = false;
};

AxesOfLoads axesOfLoads(const OpAccess &access, int producer) {
    AxesOfLoads axes;
    for (const LoadAccess &load : access.loads) {
        if (load.producer != producer) continue;
        axes.sameOrder = axes.sameOrder && load.sameOrder;
        for (const IndexForm &index : load.indices) {
            axes.loadsInside = axes.loadsInside || containsLoad(index.expr);
            for (const auto &[axis, coefficient] : index.terms) axes.used.insert(axis);
        }
    }
    return axes;
}

QString names(const std::vector<Axis> &axes, size_t from, const std::set<int> &used, bool wanted) {
    QStringList list;
    for (size_t i = 0; i < axes.size(); ++i)
        if (axes[i].extent > 1 && used.contains(static_cast<int>(from + i)) == wanted) list << qt(axes[i].name());
    return list.join(QStringLiteral(", "));
}

QString howText(const ComputeDag &dag, const EdgeAccess &edge) {
    if (edge.elementwise) return QStringLiteral("elementwise");
    const Op &reader = dag.op(static_cast<size_t>(edge.consumer));
    const AxesOfLoads axes = axesOfLoads(dag.access(static_cast<size_t>(edge.consumer)), edge.producer);
    if (edge.reordered) return axes.sameOrder ? QStringLiteral("shifted") : QStringLiteral("transposed");
    if (edge.gathers) return axes.loadsInside ? QStringLiteral("gather") : QStringLiteral("computed indices");
    QString text = windowText(edge);
    if (text.isEmpty() && edge.reduces) {
        const QString over = names(reader.reduction->axes, reader.axes.size(), axes.used, true);
        text = over.isEmpty() ? QStringLiteral("reduced") : QStringLiteral("reduced over %1").arg(over);
    }
    if (text.isEmpty() && edge.broadcast)
        text = QStringLiteral("broadcast over %1").arg(names(reader.axes, 0, axes.used, false));
    if (text.isEmpty()) text = axes.sameOrder ? QStringLiteral("strided") : QStringLiteral("reordered");
    if (edge.reads.size() > 1) return QStringLiteral("%1 reads, %2").arg(edge.reads.size()).arg(text);
    return text;
}

} // namespace

ReadFact readFact(const ComputeDag &dag, int from, int to) {
    const EdgeAccess edge = edgeAccess(dag, from, to);
    ReadFact fact;
    fact.from = from;
    fact.to = to;
    QStringList texts;
    for (const std::string &read : edge.reads) texts << readText(read);
    fact.indices = texts.join(u'\n');
    fact.how = howText(dag, edge);
    // A border that is skipped makes the average look like reuse.
    fact.reuse = edge.elementwise || edge.reordered ? 1 : edge.reuse;
    fact.direct = edge.elementwise;
    return fact;
}

} // namespace loopscope
