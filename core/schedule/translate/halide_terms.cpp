#include "schedule/translate/halide_terms.h"

#include "language/te/scatter.h"
#include "schedule/iteration_graph.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <ranges>

namespace loopscope {

bool halideReorders(const Op &op) {
    const Combiner &combiner = op.reduction->combiner;
    if (isScatter(op)) return false; // the proof is for terms that go to one place
    if (combiner.result.size() > 1 || reduceKind(combiner) == ReduceKind::Other) return false;
    // Halide 14 takes bfloat16 for float16 when it looks for the proof, and ends.
    return op.output().dtype != DType::Bool && op.output().dtype != DType::BFloat16;
}

bool changesTermOrder(const Stage &stage) {
    if (std::ranges::any_of(stage.iters, [](const Iter &iter) { return iter.kind == IterKind::Mixed; })) return false;
    std::vector<int> order;
    for (size_t node = stage.op->axes.size(); node < axisCount(*stage.op); ++node)
        order.push_back(static_cast<int>(node));
    for (const IterRelation &relation : stage.relations) {
        const bool splits = relation.kind == IterRelation::Kind::Split;
        const auto at = std::ranges::find(order, splits ? relation.parent : relation.outer);
        if (at == order.end()) continue; // over elements
        if (splits) {
            *at = relation.outer;
            order.insert(at + 1, relation.inner);
            continue;
        }
        if (at + 1 == order.end() || *(at + 1) != relation.inner) return true;
        *at = relation.parent;
        order.erase(at + 1);
    }
    std::vector<int> wanted;
    for (const Iter &iter : stage.iters)
        if (iter.kind == IterKind::Reduction) wanted.push_back(iter.node);
    return wanted != order;
}

HalideTerms halideTerms(const Stage &stage, const StageBounds &bounds, const std::string &prefix, Identifiers &names) {
    const auto extent = [&](int node) { return bounds.nodeExtent[static_cast<size_t>(node)]; };
    HalideTerms terms;
    std::map<int, std::string> values;
    for (const Iter &iter : std::views::reverse(stage.iters)) {
        if (iter.kind != IterKind::Reduction) continue;
        terms.names.push_back(names.fresh(prefix + "_" + iter.name));
        terms.ranges.push_back(fmt::format("{{0, {}}}", extent(iter.node)));
        terms.loops[iter.node] = values[iter.node] = terms.names.back();
    }
    for (const IterRelation &relation : std::views::reverse(stage.relations)) {
        const bool splits = relation.kind == IterRelation::Kind::Split;
        if (!values.contains(splits ? relation.outer : relation.parent)) continue; // over elements
        const int64_t inner = extent(relation.inner);
        if (!splits) {
            values[relation.outer] = fmt::format("({} / {})", values[relation.parent], inner);
            values[relation.inner] = fmt::format("({} % {})", values[relation.parent], inner);
            continue;
        }
        values[relation.parent] = fmt::format("({} * {} + {})", values[relation.outer], inner, values[relation.inner]);
        if (extent(relation.outer) * inner > extent(relation.parent))
            terms.inside.push_back(fmt::format("{} < {}", values[relation.parent], extent(relation.parent)));
    }
    for (size_t axis = 0; axis < stage.op->reduction->axes.size(); ++axis) {
        const std::string &value = values.at(static_cast<int>(stage.op->axes.size() + axis));
        // Halide looks at what a term reads even where the term does not count.
        terms.axes.push_back(terms.inside.empty()
                                 ? value
                                 : fmt::format("min({}, {})", value, stage.op->reduction->axes[axis].extent - 1));
    }
    return terms;
}

} // namespace loopscope
