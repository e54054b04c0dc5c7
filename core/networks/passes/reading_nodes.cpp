#include "networks/passes/reading_nodes.h"

#include <algorithm>

namespace loopscope {

void ReadingNodes::begin(size_t values, size_t readings) {
    m_begun = true;
    m_lists.resize(values);
    m_readings.reserve(readings);
}

void ReadingNodes::addValue() {
    if (m_begun) m_lists.emplace_back();
}

void ReadingNodes::add(ValueId value, NodeId node) {
    if (!m_begun) return;
    List &list = m_lists[value.index()];
    const int added = static_cast<int>(m_readings.size());
    m_readings.push_back({node, -1});
    (list.last >= 0 ? m_readings[static_cast<size_t>(list.last)].next : list.first) = added;
    list.last = added;
}

void ReadingNodes::move(ValueId from, ValueId to) {
    if (!m_begun) return;
    const List moved = std::exchange(m_lists[from.index()], {});
    if (moved.first < 0) return;
    List &list = m_lists[to.index()];
    (list.last >= 0 ? m_readings[static_cast<size_t>(list.last)].next : list.first) = moved.first;
    list.last = moved.last;
}

std::vector<NodeId> ReadingNodes::sortedOnce(std::vector<NodeId> nodes) {
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
}

} // namespace loopscope
