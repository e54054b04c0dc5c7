#pragma once
// Which nodes read which value, while values are replaced and nodes removed: lists that are joined in no time. Begun by
// whoever first asks.

#include "networks/graph/function.h"

#include <utility>
#include <vector>

namespace loopscope {

class ReadingNodes {
  public:
    [[nodiscard]] bool begun() const { return m_begun; }
    void begin(size_t values, size_t readings);
    /// There is one value more; nothing before it is begun, as with the two below.
    void addValue();
    void add(ValueId value, NodeId node);
    /// Who read the one reads the other.
    void move(ValueId from, ValueId to);
    /// Each once, by number. Those that are not alive any more leave the list on the way, so that nobody passes them
    /// twice.
    template <typename Alive> std::vector<NodeId> of(ValueId value, Alive alive) {
        std::vector<NodeId> all;
        List kept;
        for (int at = m_lists[value.index()].first; at >= 0;) {
            Reading &reading = m_readings[static_cast<size_t>(at)];
            const int next = std::exchange(reading.next, -1);
            if (alive(reading.node)) {
                (kept.last >= 0 ? m_readings[static_cast<size_t>(kept.last)].next : kept.first) = at;
                kept.last = at;
                all.push_back(reading.node);
            }
            at = next;
        }
        m_lists[value.index()] = kept;
        return sortedOnce(std::move(all));
    }

  private:
    struct List {
        int first = -1;
        int last = -1;
    };
    struct Reading {
        NodeId node;
        int next = -1;
    };
    static std::vector<NodeId> sortedOnce(std::vector<NodeId> nodes);

    bool m_begun = false;
    std::vector<List> m_lists; // by value, through m_readings
    std::vector<Reading> m_readings;
};

} // namespace loopscope
