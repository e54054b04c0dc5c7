#include "networks/partition/fusion_groups.h"

#include <algorithm>

namespace loopscope {

FusionGroups::FusionGroups(const FusionGraph &graph)
    : m_graph(graph), m_groups(graph.vertices.size()), m_tooLarge(graph.vertices.size(), false),
      m_seen(graph.vertices.size(), 0) {
    for (size_t v = 0; v < m_groups.size(); ++v) {
        const FusionVertex &vertex = graph.vertices[v];
        m_groups[v] = {v, vertex.kind, vertex.size, {}};
        if (vertex.kind == PatternKind::OutputFusable) m_groups[v].anchor = v;
    }
}

size_t FusionGroups::rootOf(size_t vertex) {
    while (m_groups[vertex].parent != vertex) {
        size_t &parent = m_groups[vertex].parent;
        parent = m_groups[parent].parent; // the way is half as long next time
        vertex = parent;
    }
    return vertex;
}

void FusionGroups::merge(size_t child, size_t parent) {
    child = rootOf(child);
    parent = rootOf(parent);
    if (child == parent) return;
    Group &into = m_groups[parent];
    into.size += m_groups[child].size;
    m_groups[child].parent = parent;
    if (m_groups[child].anchor) {
        into.anchor = m_groups[child].anchor;
        into.kind = std::max(into.kind, m_groups[child].kind);
    }
}

template <typename Each> void FusionGroups::eachOnTheWay(size_t from, size_t to, const Each &each) {
    ++m_walk;
    std::vector<size_t> stack = {from};
    m_seen[from] = m_walk;
    while (!stack.empty()) {
        const size_t at = stack.back();
        stack.pop_back();
        if (!each(at)) return;
        if (at == to) continue;
        const std::vector<FusionEdge> &readers = m_graph.vertices[at].readers;
        for (size_t r = readers.size(); r-- > 0;) {
            const size_t reader = readers[r].reader;
            if (m_seen[reader] == m_walk) continue;
            m_seen[reader] = m_walk;
            stack.push_back(reader);
        }
    }
}

template <typename Allowed>
std::optional<size_t> FusionGroups::firstNot(size_t from, size_t to, const Allowed &allowed) {
    std::optional<size_t> found;
    eachOnTheWay(from, to, [&](size_t at) {
        if (at != from && !allowed(kindOfGroup(at), at == to)) found = at;
        return !found;
    });
    return found;
}

bool FusionGroups::tooManyWith(size_t from, size_t to) {
    size_t sum = m_groups[rootOf(to)].size;
    eachOnTheWay(from, to, [&](size_t at) {
        if (at != to) sum += m_groups[at].size;
        return sum <= kMaxVertices;
    });
    return sum > kMaxVertices;
}

void FusionGroups::fuse(size_t from, size_t to) {
    std::vector<size_t> members;
    eachOnTheWay(from, to, [&](size_t at) {
        if (at != to) members.push_back(at);
        return true;
    });
    for (const size_t member : members) merge(member, to);
}

void FusionGroups::tryFusing(size_t vertex, int phase) {
    const PatternKind kind = m_groups[vertex].kind;
    const FusionVertex &of = m_graph.vertices[vertex];
    if (kind == PatternKind::Opaque || !of.dominator) return;
    const size_t to = *of.dominator;
    if (tooManyWith(vertex, to)) {
        m_tooLarge[vertex] = rootOf(vertex) != rootOf(to);
        return;
    }
    const auto injective = [](PatternKind k, bool) { return k <= PatternKind::Injective; };
    if (phase == 2) {
        // Into tuples that have themselves gone into what reads them.
        if (kind > PatternKind::Injective || kindOfGroup(to) > PatternKind::Injective) return;
        if (m_groups[to].kind == PatternKind::Tuple && !firstNot(vertex, to, injective)) fuse(vertex, to);
        return;
    }
    if (rootOf(vertex) == rootOf(to) || m_groups[to].kind == PatternKind::Tuple) return;
    if (kind == PatternKind::OutputFusable) {
        const auto broadcast = [](PatternKind k, bool) { return k <= PatternKind::Broadcast; };
        if (phase == 0 && of.way == PatternKind::Elementwise && !firstNot(vertex, to, broadcast)) fuse(vertex, to);
    } else if (kind <= PatternKind::Broadcast) {
        if (of.way > PatternKind::Reduction) return;
        const auto allowed = [](PatternKind k, bool last) {
            return k <= (last ? PatternKind::OutputFusable : PatternKind::Injective);
        };
        if (!firstNot(vertex, to, allowed)) fuse(vertex, to);
    } else if (kind == PatternKind::Injective || kind == PatternKind::Tuple) {
        if (phase == 1 && !firstNot(vertex, to, injective)) fuse(vertex, to);
    }
}

void FusionGroups::sweep() {
    for (const int phase : {0, 1, 2})
        for (size_t v = 0; v < m_groups.size(); ++v) tryFusing(v, phase);
}

std::optional<size_t> FusionGroups::obstacle(size_t vertex, PatternKind maxOnTheWay) {
    const auto &to = m_graph.vertices[vertex].dominator;
    if (!to) return std::nullopt;
    return firstNot(vertex, *to, [&](PatternKind kind, bool) { return kind <= maxOnTheWay; });
}

} // namespace loopscope
