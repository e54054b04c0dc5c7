#include "language/dag/edge_access.h"

#include "base/check.h"

#include <algorithm>
#include <fmt/format.h>

namespace loopscope {

namespace {

double product(const std::vector<int64_t> &extents) {
    double all = 1;
    for (const int64_t extent : extents) all *= static_cast<double>(extent);
    return all;
}

std::vector<int64_t> axisExtents(const Op &op) {
    std::vector<int64_t> extents;
    for (const Axis &axis : op.axes) extents.push_back(axis.extent);
    if (op.reduction)
        for (const Axis &axis : op.reduction->axes) extents.push_back(axis.extent);
    return extents;
}

std::string readText(const LoadAccess &load) {
    std::string indices;
    for (const IndexForm &index : load.indices) indices += (indices.empty() ? "" : ", ") + toText(index.expr);
    return fmt::format("{}[{}]", tensorText(*load.tensor), indices);
}

/// Dimension `d` of the producer over all loads of the edge.
DimAccess dimAccess(const std::vector<const LoadAccess *> &loads, size_t d, const Op &consumer,
                    const std::vector<int64_t> &extents) {
    DimAccess dim;
    const size_t spatial = consumer.axes.size();
    std::vector<int64_t> starts; // of the loads against each other
    for (const LoadAccess *load : loads) {
        const IndexForm &index = load->indices[d];
        if (!index.affine) {
            dim.affine = false;
            return dim;
        }
        int64_t taps = 1;
        int64_t span = 1;
        int64_t start = index.constant;
        int moving = 0;
        for (const auto &[axis, coefficient] : index.terms) {
            const int64_t extent = extents[static_cast<size_t>(axis)];
            if (static_cast<size_t>(axis) < spatial) {
                ++moving;
                dim.stride = coefficient;
                continue;
            }
            taps *= extent;
            span += std::abs(coefficient) * (extent - 1);
            start += std::min<int64_t>(coefficient, 0) * (extent - 1);
        }
        dim.moves = dim.moves || moving > 0;
        if (moving != 1) dim.stride = 0;
        dim.taps = std::max(dim.taps, std::min(taps, span)); // two reduce axes may meet in one place
        dim.span = std::max(dim.span, span);
        if (std::find(starts.begin(), starts.end(), start) == starts.end()) starts.push_back(start);
    }
    if (starts.size() > 1) {
        const auto [first, last] = std::minmax_element(starts.begin(), starts.end());
        dim.span += *last - *first;
        dim.taps = std::min(dim.span, dim.taps * static_cast<int64_t>(starts.size()));
    }
    return dim;
}

/// Every index is one axis of its own, nothing else.
bool readsEachOnce(const LoadAccess &load, const Op &consumer) {
    if (consumer.reduceRank() > 0 || load.indices.size() != consumer.axes.size()) return false;
    std::vector<bool> seen(consumer.axes.size(), false);
    for (const IndexForm &index : load.indices) {
        if (!index.affine || index.terms.size() > 1) return false;
        if (index.terms.empty()) continue; // an axis of extent 1 is none
        const auto &[axis, coefficient] = index.terms.front();
        if (coefficient != 1 || seen[static_cast<size_t>(axis)]) return false;
        seen[static_cast<size_t>(axis)] = true;
    }
    return true;
}

bool samePlace(const LoadAccess &load) {
    for (size_t d = 0; d < load.indices.size(); ++d) {
        const IndexForm &index = load.indices[d];
        if (index.constant != 0) return false;
        if (!index.terms.empty() && index.terms.front().first != static_cast<int>(d)) return false;
    }
    return true;
}

} // namespace

EdgeAccess edgeAccess(const ComputeDag &dag, int producer, int consumer) {
    EdgeAccess edge;
    edge.producer = producer;
    edge.consumer = consumer;
    const Op &reader = dag.op(static_cast<size_t>(consumer));
    const std::vector<int64_t> extents = axisExtents(reader);
    std::vector<const LoadAccess *> loads; // with distinct texts
    for (const LoadAccess &load : dag.access(static_cast<size_t>(consumer)).loads) {
        if (load.producer != producer) continue;
        std::string text = readText(load);
        if (std::find(edge.reads.begin(), edge.reads.end(), text) != edge.reads.end()) continue;
        edge.reads.push_back(std::move(text));
        loads.push_back(&load);
    }
    LOOPSCOPE_CHECK(!loads.empty(), "the consumer reads the producer");

    std::vector<bool> used(extents.size(), false);
    for (const LoadAccess *load : loads)
        for (const IndexForm &index : load->indices) {
            if (!index.affine) edge.gathers = true;
            for (const auto &[axis, coefficient] : index.terms) used[static_cast<size_t>(axis)] = true;
        }
    const size_t rank = loads.front()->indices.size();
    for (size_t d = 0; d < rank; ++d) edge.dims.push_back(dimAccess(loads, d, reader, extents));
    for (size_t axis = 0; axis < extents.size(); ++axis) {
        if (axis < reader.axes.size()) {
            edge.broadcast = edge.broadcast || (!edge.gathers && !used[axis] && extents[axis] > 1);
        } else {
            edge.reduces = edge.reduces || used[axis];
        }
    }
    const double elements = product(dag.op(static_cast<size_t>(producer)).shape());
    edge.reuse = product(extents) * static_cast<double>(loads.size()) / std::max(elements, 1.0);
    if (loads.size() == 1 && !edge.broadcast && readsEachOnce(*loads.front(), reader))
        (samePlace(*loads.front()) ? edge.elementwise : edge.reordered) = true;
    return edge;
}

std::string EdgeAccess::text() const {
    if (elementwise) return "element by element";
    if (reordered) return "each element once, at another place";
    std::vector<std::string> parts;
    std::string window;
    for (const DimAccess &dim : dims)
        if (dim.slides()) window += fmt::format("{}{}", window.empty() ? "" : " x ", dim.taps);
    if (!window.empty()) parts.push_back(window + " window");
    if (gathers) parts.emplace_back("at computed places");
    if (reuse > 1.005) {
        parts.push_back(fmt::format("each element {:.{}f} times", reuse,
                                    reuse >= 10 || reuse == static_cast<double>(static_cast<int64_t>(reuse)) ? 0 : 1));
    } else {
        parts.emplace_back(reuse > 0.995 ? "each element once" : "a part of the elements");
    }
    if (reduces) parts.emplace_back("reduced");
    if (broadcast) parts.emplace_back("broadcast");
    return fmt::format("{}", fmt::join(parts, ", "));
}

} // namespace loopscope
