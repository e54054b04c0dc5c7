#pragma once
// What a search thread tells the UI thread: filled on one side whenever something happens, emptied on the other in
// batches, in order.

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

namespace loopscope {

template <typename Event> class EventQueue {
  public:
    void put(Event event) {
        const std::lock_guard lock(m_mutex);
        m_events.push_back(std::move(event));
    }
    /// Those since the last call, at most `most`.
    std::vector<Event> take(size_t most) {
        const std::lock_guard lock(m_mutex);
        const size_t count = std::min(most, m_events.size() - m_taken);
        const auto first = m_events.begin() + static_cast<ptrdiff_t>(m_taken);
        std::vector<Event> taken(std::make_move_iterator(first),
                                 std::make_move_iterator(first + static_cast<ptrdiff_t>(count)));
        m_taken += count;
        if (m_taken == m_events.size()) {
            m_events.clear();
            m_taken = 0;
        }
        return taken;
    }

  private:
    std::mutex m_mutex;
    std::vector<Event> m_events;
    size_t m_taken = 0; // of m_events
};

} // namespace loopscope
