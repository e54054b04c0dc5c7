#include "deploy/plan/placement.h"

#include "base/random.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace loopscope {

namespace {

/// Memory that is already taken, as far as it matters to one buffer.
struct TakenRange {
    size_t begin = 0;
    size_t end = 0;
};

class ArenaSearch {
  public:
    ArenaSearch(std::span<const BufferLifetime> buffers, const BufferPlacementOptions &options)
        : m_buffers(buffers), m_random(options.seed, 0x61726e61), m_least(livePeak(buffers)) {
        const size_t count = std::max<size_t>(buffers.size(), 1);
        // A placement looks at pairs of buffers.
        m_budget = std::min(options.maxPlacements, std::max<size_t>(20, 400'000'000 / (count * count)));
    }

    BufferPlacement run() {
        tryGreedyOrders();
        for (size_t tried = 0; tried < m_budget && m_best.arenaBytes > m_least; ++tried) tryNeighbour();
        return m_best;
    }

  private:
    using Less = std::function<bool(const BufferLifetime &, const BufferLifetime &)>;

    void tryGreedyOrders() {
        const auto area = [](const BufferLifetime &b) { return b.bytes * (b.last - b.first + 1); };
        const Less orders[] = {
            [](const auto &a, const auto &b) { return a.bytes > b.bytes; },
            [&](const auto &a, const auto &b) { return area(a) > area(b); },
            [](const auto &a, const auto &b) { return a.last - a.first > b.last - b.first; },
            [](const auto &a, const auto &b) { return a.first < b.first; },
        };
        for (const Less &less : orders) {
            std::vector<size_t> order(m_buffers.size());
            std::iota(order.begin(), order.end(), size_t{0});
            std::stable_sort(order.begin(), order.end(),
                             [&](size_t a, size_t b) { return less(m_buffers[a], m_buffers[b]); });
            take(std::move(order));
        }
    }

    /// One that reaches the end of the arena goes before others, or two change places.
    void tryNeighbour() {
        std::vector<size_t> order = m_order;
        if (m_random.below(4) != 0) {
            std::vector<size_t> atTheEnd;
            for (size_t i = 0; i < order.size(); ++i)
                if (m_best.offsets[order[i]] + alignedBytes(m_buffers[order[i]].bytes) == m_best.arenaBytes)
                    atTheEnd.push_back(i);
            const size_t from = atTheEnd[m_random.index(atTheEnd.size())];
            const size_t to = m_random.index(from + 1);
            const auto begin = order.begin();
            std::rotate(begin + static_cast<ptrdiff_t>(to), begin + static_cast<ptrdiff_t>(from),
                        begin + static_cast<ptrdiff_t>(from) + 1);
        } else {
            std::swap(order[m_random.index(order.size())], order[m_random.index(order.size())]);
        }
        take(std::move(order));
    }

    /// Equal ones are taken, too: the way out of a plateau.
    void take(std::vector<size_t> order) {
        BufferPlacement placement = placeInOrder(m_buffers, order);
        if (!m_order.empty() && placement.arenaBytes > m_best.arenaBytes) return;
        m_best = std::move(placement);
        m_order = std::move(order);
    }

    std::span<const BufferLifetime> m_buffers;
    Random m_random;
    size_t m_least;
    size_t m_budget;
    std::vector<size_t> m_order;
    BufferPlacement m_best;
};

} // namespace

BufferPlacement placeInOrder(std::span<const BufferLifetime> buffers, std::span<const size_t> order) {
    BufferPlacement placement;
    placement.offsets.resize(buffers.size(), 0);
    std::vector<TakenRange> taken;
    for (size_t i = 0; i < order.size(); ++i) {
        const BufferLifetime &buffer = buffers[order[i]];
        taken.clear();
        for (size_t j = 0; j < i; ++j) {
            const BufferLifetime &other = buffers[order[j]];
            const size_t offset = placement.offsets[order[j]];
            if (other.meets(buffer)) taken.push_back({offset, offset + alignedBytes(other.bytes)});
        }
        std::sort(taken.begin(), taken.end(), [](const auto &a, const auto &b) { return a.begin < b.begin; });
        size_t at = 0;
        for (const TakenRange &range : taken) {
            if (at + alignedBytes(buffer.bytes) <= range.begin) break;
            at = std::max(at, range.end);
        }
        placement.offsets[order[i]] = at;
        placement.arenaBytes = std::max(placement.arenaBytes, at + alignedBytes(buffer.bytes));
    }
    return placement;
}

BufferPlacement placeBuffers(std::span<const BufferLifetime> buffers, const BufferPlacementOptions &options) {
    if (buffers.empty()) return {};
    return ArenaSearch(buffers, options).run();
}

} // namespace loopscope
