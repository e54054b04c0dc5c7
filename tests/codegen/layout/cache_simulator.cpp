#include "cache_simulator.h"

#include "codegen/layout/touched_lines.h"

#include <algorithm>

namespace loopscope {

namespace {

class Cache {
  public:
    explicit Cache(const MemoryLevel &level) : m_level(level), m_sets(static_cast<size_t>(level.sets())) {}

    bool misses(int64_t byte) {
        const int64_t line = byte / m_level.lineBytes;
        std::vector<int64_t> &set = m_sets[static_cast<size_t>(line % m_level.sets())];
        const auto found = std::find(set.begin(), set.end(), line);
        const bool miss = found == set.end();
        if (!miss)
            set.erase(found);
        else if (static_cast<int64_t>(set.size()) == m_level.ways)
            set.erase(set.begin());
        set.push_back(line);
        m_count += miss ? 1 : 0;
        return miss;
    }
    [[nodiscard]] double count() const { return m_count; }

  private:
    const MemoryLevel &m_level;
    std::vector<std::vector<int64_t>> m_sets; // the last used last
    double m_count = 0;
};

class Simulation {
  public:
    Simulation(const AccessNest &nest, const NestCost &placed, const MemoryModel &model)
        : m_nest(nest), m_placed(placed), m_at(nest.loops.size(), 0) {
        for (const MemoryLevel &level : model.levels) m_caches.emplace_back(level);
        m_pages = model.levels.size() - 1;
    }

    SimulatedMisses run() {
        runBody(-1);
        SimulatedMisses result;
        for (const Cache &cache : m_caches) result.misses.push_back(cache.count());
        result.accesses = m_accesses;
        return result;
    }

  private:
    /// The child of `node` that an access lies in; -1: it runs in the body itself.
    [[nodiscard]] int childOf(int node, int loop) const {
        for (int at = loop; at >= 0; at = m_nest.loops[static_cast<size_t>(at)].parent)
            if (m_nest.loops[static_cast<size_t>(at)].parent == node) return at == node ? -1 : at;
        return -1;
    }

    void runBody(int node) {
        int done = -1;
        for (size_t a = 0; a < m_nest.accesses.size(); ++a) {
            const NestAccess &access = m_nest.accesses[a];
            if (!m_nest.inside(access.loop, node)) continue;
            const int child = access.loop == node ? -1 : childOf(node, access.loop);
            if (child < 0) {
                touch(a);
            } else if (child != done) {
                done = child;
                const int64_t extent = m_nest.loops[static_cast<size_t>(child)].extent;
                for (int64_t i = 0; i < extent; ++i) {
                    m_at[static_cast<size_t>(child)] = i;
                    runBody(child);
                }
                m_at[static_cast<size_t>(child)] = 0;
            }
        }
    }

    void touch(size_t a) {
        const NestAccess &access = m_nest.accesses[a];
        for (int loop = access.around; loop >= 0; loop = m_nest.loops[static_cast<size_t>(loop)].parent)
            if (m_at[static_cast<size_t>(loop)] > 0 && !m_nest.repeats(access, loop)) return; // in a register
        const PlacedTensor &placement = m_placed.placementOf(static_cast<int>(a));
        const int64_t bytes = m_nest.tensors[static_cast<size_t>(access.tensor)].elementBytes;
        const int64_t byte = placement.base + offsetAt(access, placement.layout, m_at) * bytes;
        ++m_accesses;
        m_caches[m_pages].misses(byte);
        for (size_t level = 0; level < m_pages; ++level)
            if (!m_caches[level].misses(byte)) return;
    }

    const AccessNest &m_nest;
    const NestCost &m_placed;
    std::vector<int64_t> m_at;
    std::vector<Cache> m_caches;
    size_t m_pages = 0;
    double m_accesses = 0;
};

} // namespace

SimulatedMisses simulate(const AccessNest &nest, const NestCost &placed, const MemoryModel &model) {
    return Simulation(nest, placed, model).run();
}

} // namespace loopscope
