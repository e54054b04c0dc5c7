#include "schedule/iteration_graph.h"

#include "language/te/scan.h"
#include "language/te/scatter.h"

#include <algorithm>

namespace loopscope {

namespace {

void replaceAll(std::string &text, std::string_view from, std::string_view to) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

std::string partName(const std::string &parent, size_t part) {
    std::string name;
    name.reserve(parent.size() + 3);
    name += parent;
    name += '.';
    if (part < 10)
        name += static_cast<char>('0' + part);
    else
        name += std::to_string(part);
    return name;
}

} // namespace

std::string cleanedName(std::string_view axisName) {
    std::string name(axisName);
    std::replace(name.begin(), name.end(), '.', '_');
    std::replace(name.begin(), name.end(), '@', '_');
    replaceAll(name, "outer", "o");
    replaceAll(name, "inner", "i");
    return name;
}

Stage naiveStage(OpPtr op) {
    Stage stage;
    if (!op->isPlaceholder()) {
        const size_t count = axisCount(*op);
        stage.nodeCount = static_cast<int>(count);
        stage.iters.reserve(std::max<size_t>(count, 8));
        const std::optional<Scan> scan = scanOf(*op);
        const std::optional<Scatter> scatter = scatterOf(*op);
        for (size_t i = 0; i < count; ++i) {
            if (scatter && scatter->along(i) != nullptr) continue;
            const Axis &axis = axisOf(*op, i);
            Iter &iter = stage.iters.emplace_back();
            iter.name = cleanedName(axis.name());
            iter.extent = axis.extent;
            const bool ordered = scan && scan->axis == i;
            iter.kind = i < op->axes.size() && !ordered ? IterKind::Spatial : IterKind::Reduction;
            iter.node = static_cast<int>(i);
        }
    }
    stage.op = std::move(op);
    return stage;
}

bool splitLeaf(Stage &stage, IterId iter, std::span<const int64_t> lengths, bool innerToOuter) {
    const size_t n = lengths.size();
    const size_t at = iter.index();
    if (stage.iters.capacity() < stage.iters.size() + n) stage.iters.reserve(2 * stage.iters.size() + n);
    stage.iters.insert(stage.iters.begin() + static_cast<ptrdiff_t>(at) + 1, n, Iter{});
    Iter *parts = &stage.iters[at];
    const IterKind kind = parts[0].kind;
    int64_t remaining = parts[0].extent;
    int64_t remainingMin = parts[0].min;
    int node = parts[0].node;
    const std::string base = std::move(parts[0].name);
    parts[0] = Iter{};
    for (size_t p = 0; p <= n; ++p) {
        parts[p].name = partName(base, p);
        parts[p].kind = kind;
    }

    bool open = false;
    stage.relations.reserve(stage.relations.size() + n);
    const auto setRange = [&](Iter &part, int64_t extent) {
        part.extent = extent;
        if (extent == 0) return;
        part.min = remainingMin;
        remainingMin = 0;
    };
    for (size_t step = 0; step < n; ++step) {
        const size_t j = innerToOuter ? n - 1 - step : step;
        const int64_t length = lengths[j];
        if (length == kUnfilled) {
            open = true;
            remaining = 0;
        }
        IterRelation relation;
        relation.parent = node;
        relation.outer = stage.nodeCount++;
        relation.inner = stage.nodeCount++;
        relation.length = length;
        relation.byFactor = innerToOuter;
        stage.relations.push_back(relation);
        Iter &part = parts[innerToOuter ? j + 1 : j];
        part.node = innerToOuter ? relation.inner : relation.outer;
        node = innerToOuter ? relation.outer : relation.inner;
        setRange(part, remaining > 0 ? length : 0);
        if (remaining > 0) remaining = (remaining + length - 1) / length;
    }
    Iter &implied = parts[innerToOuter ? 0 : n];
    implied.node = node;
    setRange(implied, remaining);
    return open;
}

void extentsDown(const Stage &stage, int64_t *extents, const char *threadBound) {
    for (size_t node = axisCount(*stage.op); node < static_cast<size_t>(stage.nodeCount); ++node) extents[node] = 1;
    for (const IterRelation &r : stage.relations) {
        if (r.kind == IterRelation::Kind::Fuse) {
            extents[r.parent] = extents[r.outer] * extents[r.inner];
            continue;
        }
        const int64_t length = std::max<int64_t>(r.length, 1);
        const int64_t parent = extents[r.parent];
        const int64_t rest = (parent + length - 1) / length;
        const int given = r.byFactor ? r.inner : r.outer;
        const bool keep = threadBound != nullptr && threadBound[given] != 0;
        extents[given] = keep ? length : std::min(length, parent);
        extents[r.byFactor ? r.outer : r.inner] = rest;
    }
}

std::vector<std::set<int>> axesOfLeaves(const Stage &stage) {
    std::vector<std::set<int>> axes(static_cast<size_t>(stage.nodeCount));
    for (size_t a = 0; a < axisCount(*stage.op) && a < axes.size(); ++a) axes[a] = {static_cast<int>(a)};
    for (const IterRelation &relation : stage.relations) {
        const auto at = [&](int node) -> std::set<int> & { return axes[static_cast<size_t>(node)]; };
        if (relation.kind == IterRelation::Kind::Split) {
            at(relation.outer) = at(relation.parent);
            at(relation.inner) = at(relation.parent);
        } else {
            at(relation.parent) = at(relation.outer);
            at(relation.parent).insert(at(relation.inner).begin(), at(relation.inner).end());
        }
    }
    std::vector<std::set<int>> leaves;
    for (const Iter &iter : stage.iters)
        leaves.push_back(iter.node >= 0 && iter.node < stage.nodeCount ? axes[static_cast<size_t>(iter.node)]
                                                                       : std::set<int>{});
    return leaves;
}

std::vector<std::string> nodeNames(const Stage &stage) {
    std::vector<std::string> names(static_cast<size_t>(stage.nodeCount));
    const size_t axes = axisCount(*stage.op);
    for (size_t i = 0; i < axes; ++i) names[i] = axisOf(*stage.op, i).name();
    const auto at = [&](int node) -> std::string & { return names[static_cast<size_t>(node)]; };
    for (const IterRelation &r : stage.relations) {
        if (r.kind == IterRelation::Kind::Fuse) {
            at(r.parent) = at(r.outer) + "." + at(r.inner) + ".fused";
        } else {
            at(r.outer) = at(r.parent) + ".outer";
            at(r.inner) = at(r.parent) + ".inner";
        }
    }
    return names;
}

} // namespace loopscope
