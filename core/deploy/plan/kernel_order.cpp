#include "deploy/plan/kernel_order.h"

#include "base/random.h"
#include "deploy/plan/lifetimes.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace loopscope {

namespace {

/// The peak first; then little memory on the way, which leads towards a lower peak where one step does not get there.
struct OrderCost {
    size_t peak = 0;
    double squares = 0;
    auto operator<=>(const OrderCost &) const = default;
};

/// Runs the kernels in memory: what exists before, during and after each.
class LiveBytes {
  public:
    explicit LiveBytes(const OrderProblem &problem)
        : m_problem(problem), m_readers(problem.bytes.size(), 0), m_exists(problem.bytes.size(), false) {
        for (const KernelTraffic &kernel : problem.kernels)
            for (const size_t buffer : kernel.reads) ++m_readers[buffer];
        m_left = m_readers;
    }

    void restart() {
        m_left = m_readers;
        m_exists.assign(m_exists.size(), false);
        m_live = 0;
    }

    struct During {
        size_t most = 0;
        size_t after = 0;
    };
    [[nodiscard]] During look(size_t kernel) const {
        const KernelTraffic &traffic = m_problem.kernels[kernel];
        size_t made = 0;
        for (const size_t buffer : traffic.writes)
            if (!m_exists[buffer]) made += alignedBytes(m_problem.bytes[buffer]);
        size_t freed = 0;
        size_t reused = 0;
        for (const size_t buffer : traffic.reads) {
            if (m_left[buffer] != 1) continue;
            const size_t bytes = alignedBytes(m_problem.bytes[buffer]);
            freed += bytes;
            const bool fits = traffic.writes.size() == 1 && bytes == made &&
                              std::find(traffic.mayOverwrite.begin(), traffic.mayOverwrite.end(), buffer) !=
                                  traffic.mayOverwrite.end();
            if (fits) reused = bytes;
        }
        size_t unread = 0;
        for (const size_t buffer : traffic.writes)
            if (m_left[buffer] == 0) unread += alignedBytes(m_problem.bytes[buffer]);
        return {m_live + made - reused, m_live + made - freed - unread};
    }
    During run(size_t kernel) {
        const During during = look(kernel);
        for (const size_t buffer : m_problem.kernels[kernel].reads) --m_left[buffer];
        for (const size_t buffer : m_problem.kernels[kernel].writes) m_exists[buffer] = true;
        m_live = during.after;
        return during;
    }

  private:
    const OrderProblem &m_problem;
    std::vector<size_t> m_readers;
    std::vector<size_t> m_left; // readers still to come
    std::vector<bool> m_exists; // a part of it was written
    size_t m_live = 0;
};

OrderCost costOf(LiveBytes &memory, std::span<const size_t> order) {
    memory.restart();
    OrderCost cost;
    for (const size_t kernel : order) {
        const size_t most = memory.run(kernel).most;
        cost.peak = std::max(cost.peak, most);
        cost.squares += static_cast<double>(most) * static_cast<double>(most);
    }
    return cost;
}

/// Always the kernel after which least is left, of those that can run; or the one that needs least while it runs.
std::vector<size_t> greedyOrder(const OrderProblem &problem, LiveBytes &memory, bool byMost) {
    const size_t count = problem.kernels.size();
    std::vector<size_t> waiting(count, 0);
    std::vector<std::vector<size_t>> next(count);
    std::vector<size_t> ready;
    for (size_t k = 0; k < count; ++k) {
        waiting[k] = problem.kernels[k].after.size();
        for (const size_t before : problem.kernels[k].after) next[before].push_back(k);
        if (waiting[k] == 0) ready.push_back(k);
    }
    memory.restart();
    std::vector<size_t> order;
    while (!ready.empty()) {
        size_t best = 0;
        auto least = std::pair(std::numeric_limits<size_t>::max(), std::numeric_limits<size_t>::max());
        for (size_t i = 0; i < ready.size(); ++i) {
            const auto during = memory.look(ready[i]);
            const auto rank = byMost ? std::pair(during.most, during.after) : std::pair(during.after, during.most);
            if (rank < least || (rank == least && ready[i] < ready[best])) {
                least = rank;
                best = i;
            }
        }
        const size_t kernel = ready[best];
        ready.erase(ready.begin() + static_cast<ptrdiff_t>(best));
        memory.run(kernel);
        order.push_back(kernel);
        for (const size_t follower : next[kernel])
            if (--waiting[follower] == 0) ready.push_back(follower);
    }
    return order;
}

bool respectsAll(const OrderProblem &problem, std::span<const size_t> order, std::vector<size_t> &position) {
    for (size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
    for (size_t k = 0; k < order.size(); ++k)
        for (const size_t before : problem.kernels[k].after)
            if (position[before] >= position[k]) return false;
    return true;
}

} // namespace

size_t peakOfOrder(const OrderProblem &problem, std::span<const size_t> order) {
    LiveBytes memory(problem);
    return costOf(memory, order).peak;
}

std::vector<size_t> orderForLowPeak(const OrderProblem &problem, uint64_t seed) {
    const size_t count = problem.kernels.size();
    LiveBytes memory(problem);
    std::vector<size_t> best(count);
    std::iota(best.begin(), best.end(), size_t{0});
    if (count < 2) return best;
    OrderCost least = costOf(memory, best);
    const auto take = [&](std::vector<size_t> order) {
        const OrderCost cost = costOf(memory, order);
        if (!(cost < least)) return;
        least = cost;
        best = std::move(order);
    };
    take(greedyOrder(problem, memory, false));
    take(greedyOrder(problem, memory, true));

    // A kernel, or some that follow one another (a branch), earlier or later.
    constexpr size_t kLongestBlock = 8;
    const size_t tries = std::clamp<size_t>(4'000'000 / (count + 1), 200, 4000);
    Random random(seed, 0x6f726472);
    std::vector<size_t> position(count);
    for (size_t i = 0; i < tries; ++i) {
        const size_t length = 1 + random.index(std::min(kLongestBlock, count - 1));
        const size_t from = random.index(count - length + 1);
        const size_t to = random.index(count - length + 1);
        if (from == to) continue;
        std::vector<size_t> order = best;
        const auto at = [&](size_t where) { return order.begin() + static_cast<ptrdiff_t>(where); };
        if (to < from)
            std::rotate(at(to), at(from), at(from + length));
        else
            std::rotate(at(from), at(from + length), at(to + length));
        if (respectsAll(problem, order, position)) take(std::move(order));
    }
    return best;
}

} // namespace loopscope
