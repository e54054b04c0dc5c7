#include "codegen/layout/nest_cost.h"

#include "codegen/layout/touched_lines.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace loopscope {

/// By access, node, whether the node's own loop runs, and sample (-1: all other loops at their beginning).
struct KnownTouches {
    std::map<std::tuple<size_t, int, bool, int>, TouchedBytes> all;
};

namespace {

constexpr int kNothingRuns = -2; // as a node

/// Levels with more lines are taken as if any line could lie anywhere: their sets are many, and chosen by a hash.
constexpr int64_t kMaxLinesWithSets = 32768;
constexpr int kSamples = 4;

/// What accesses touch, as they are placed; `shared`: of those that lie as they do from the beginning.
class Touches {
  public:
    Touches(const AccessNest &nest, const std::vector<const PlacedTensor *> &placed, std::vector<bool> moved,
            KnownTouches &shared)
        : m_nest(nest), m_placed(placed), m_moved(std::move(moved)), m_shared(shared) {}

    [[nodiscard]] const PlacedTensor &placed(size_t a) const { return *m_placed[a]; }
    /// While the loops inside `node` run, and its own when asked for.
    const TouchedBytes &of(size_t a, int node, bool itself, int sample = -1) {
        auto &known = (m_moved[a] ? m_own : m_shared).all;
        const auto [found, isNew] = known.try_emplace({a, node, itself, sample});
        if (isNew)
            found->second = touchedBytes(m_nest, m_nest.accesses[a], placed(a), running(node, itself), at(sample));
        return found->second;
    }

  private:
    [[nodiscard]] std::vector<bool> running(int node, bool itself) const {
        std::vector<bool> runs(m_nest.loops.size(), false);
        for (size_t loop = 0; node != kNothingRuns && loop < runs.size(); ++loop)
            runs[loop] = m_nest.inside(static_cast<int>(loop), node) && (itself || static_cast<int>(loop) != node);
        return runs;
    }

    [[nodiscard]] std::vector<int64_t> at(int sample) const {
        std::vector<int64_t> at;
        for (size_t loop = 0; loop < m_nest.loops.size(); ++loop) {
            const auto turn = static_cast<int64_t>((static_cast<size_t>(sample) * (2 * loop + 1)) % kSamples);
            at.push_back(sample < 0 ? 0 : m_nest.loops[loop].extent * (2 * turn + 1) / (2 * kSamples));
        }
        return at;
    }

    const AccessNest &m_nest;
    const std::vector<const PlacedTensor *> &m_placed;
    const std::vector<bool> m_moved; // by access
    KnownTouches &m_shared;
    KnownTouches m_own;
};

class MissCounter {
  public:
    MissCounter(const AccessNest &nest, const MemoryLevel &level, Touches &touches)
        : m_nest(nest), m_level(level), m_touches(touches) {}

    /// Of each access, over the whole program; of those in `only` (null: all).
    std::vector<double> misses(const std::vector<bool> *only) {
        std::vector<double> counts(m_nest.accesses.size(), 0.0);
        for (size_t a = 0; a < counts.size(); ++a)
            if (only == nullptr || (*only)[a]) counts[a] = missesOf(a);
        return counts;
    }

  private:
    [[nodiscard]] bool inRegisters(size_t a, int node) const {
        const int held = m_nest.accesses[a].held;
        return held >= 0 && node >= 0 && m_nest.inside(node, held);
    }

    [[nodiscard]] double linesOf(size_t a, int node, bool itself) const {
        return m_touches.of(a, node, itself).lines(m_level.lineBytes);
    }

    /// Which part of the lines of each access is still there after one iteration of `node` (-1: of everything).
    const std::vector<double> &keptOver(int node) {
        const auto found = m_kept.find(node);
        if (found != m_kept.end()) return found->second;
        std::vector<size_t> accesses;
        for (size_t a = 0; a < m_nest.accesses.size(); ++a)
            if (m_nest.inside(m_nest.accesses[a].around, node) && !inRegisters(a, node)) accesses.push_back(a);
        std::vector<double> kept(m_nest.accesses.size(), 0.0);
        double lines = 0;
        for (const size_t a : accesses) lines += linesOf(a, node, false);
        if (m_level.lines() > kMaxLinesWithSets || m_level.sets() == 1) {
            const double room = lines <= static_cast<double>(m_level.lines()) ? 1.0 : 0.0;
            for (const size_t a : accesses) kept[a] = room;
        } else if (lines <= static_cast<double>(maxLines())) {
            // Where a line falls depends on where the loops outside stand.
            const int samples = lines * kSamples <= static_cast<double>(maxLines()) ? kSamples : 1;
            for (int sample = 0; sample < samples; ++sample) addKept(accesses, node, sample, samples, kept);
        }
        for (size_t a = 0; a < kept.size(); ++a)
            if (inRegisters(a, node)) kept[a] = 1;
        return m_kept.emplace(node, std::move(kept)).first->second;
    }

    [[nodiscard]] size_t maxLines() const { return static_cast<size_t>(std::max<int64_t>(8192, 2 * m_level.lines())); }

    void addKept(const std::vector<size_t> &accesses, int node, int sample, int samples,
                 std::vector<double> &kept) const {
        std::vector<std::vector<int64_t>> lines;
        std::vector<int64_t> all;
        for (const size_t a : accesses) {
            lines.push_back(m_touches.of(a, node, false, sample).lineNumbers(m_level.lineBytes, 2 * maxLines()));
            all.insert(all.end(), lines.back().begin(), lines.back().end());
        }
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        const int64_t sets = m_level.sets();
        std::vector<int64_t> used(static_cast<size_t>(sets), 0);
        for (const int64_t line : all) ++used[static_cast<size_t>(line % sets)];
        for (size_t i = 0; i < accesses.size(); ++i) {
            if (lines[i].empty()) continue;
            const auto there = std::count_if(lines[i].begin(), lines[i].end(), [&](int64_t line) {
                return used[static_cast<size_t>(line % sets)] <= m_level.ways;
            });
            kept[accesses[i]] +=
                static_cast<double>(there) / static_cast<double>(lines[i].size()) / static_cast<double>(samples);
        }
    }

    /// The loop of which one iteration lies between two uses of what `access` touches in `loop`.
    [[nodiscard]] int loopBetweenUses(const NestAccess &access, int loop) const {
        int node = loop;
        for (;;) {
            int child = -1;
            int children = 0;
            for (size_t i = 0; i < m_nest.loops.size(); ++i)
                if (m_nest.loops[i].parent == node) {
                    child = static_cast<int>(i);
                    ++children;
                }
            if (children != 1 || !m_nest.inside(access.around, child) || m_nest.dependsOn(access, child)) return node;
            node = child;
        }
    }

    /// An access before this one that touches the same tensor in the same iteration of `node`, and in no deeper one.
    [[nodiscard]] double linesOfEarlier(size_t a, int node) const {
        const NestAccess &access = m_nest.accesses[a];
        double most = 0;
        for (size_t b = 0; b < a; ++b) {
            const NestAccess &other = m_nest.accesses[b];
            if (other.tensor != access.tensor || &m_touches.placed(b) != &m_touches.placed(a) ||
                !m_nest.inside(other.around, node))
                continue;
            bool deeper = false;
            for (size_t i = 0; i < m_nest.loops.size(); ++i)
                deeper =
                    deeper || (m_nest.loops[i].parent == node && m_nest.inside(access.around, static_cast<int>(i)) &&
                               m_nest.inside(other.around, static_cast<int>(i)));
            if (!deeper) most = std::max(most, linesOf(b, node, false));
        }
        return most;
    }

    double missesOf(size_t a) {
        const NestAccess &access = m_nest.accesses[a];
        std::vector<int> path = m_nest.pathOf(access.around);
        double lines = linesOf(a, kNothingRuns, false);
        double misses = lines;
        const auto shareWithEarlier = [&](int node) {
            const double earlier = linesOfEarlier(a, node);
            if (earlier > 0) misses = std::max(misses - keptOver(node)[a] * std::min(earlier, lines), 0.0);
        };
        for (; !path.empty(); path.pop_back()) {
            const int loop = path.back();
            if (!m_nest.inside(access.loop, loop) || !m_nest.repeats(access, loop)) { // it runs once for all of them
                shareWithEarlier(loop);
                continue;
            }
            shareWithEarlier(loop);
            const double trips = static_cast<double>(m_nest.loops[static_cast<size_t>(loop)].extent);
            const double over = std::min(linesOf(a, loop, true), trips * lines);
            const double kept = keptOver(loopBetweenUses(access, loop))[a];
            const double again = std::max(misses - kept * lines, 0.0);
            misses = kept * std::min(over, trips * misses) + trips * again;
            lines = over;
        }
        shareWithEarlier(-1);
        return misses;
    }

    const AccessNest &m_nest;
    const MemoryLevel &m_level;
    Touches &m_touches;
    std::map<int, std::vector<double>> m_kept; // by loop
};

int64_t pagesUp(int64_t bytes) { return (bytes + 4095) / 4096 * 4096; }

/// Loads or stores of an access, and lanes that are put into vectors one by one.
void countAccesses(const AccessNest &nest, const NestAccess &access, const PlacedTensor &placement,
                   const MemoryModel &model, LayoutCost &cost) {
    double trips = access.count;
    for (int at = access.loop; at >= 0; at = nest.loops[static_cast<size_t>(at)].parent)
        if (nest.repeats(access, at)) trips *= static_cast<double>(nest.loops[static_cast<size_t>(at)].extent);
    int vector = -1;
    for (int at = access.around; at >= 0; at = nest.loops[static_cast<size_t>(at)].parent)
        if (nest.loops[static_cast<size_t>(at)].vectorized) vector = at;
    const int64_t bytes = nest.tensors[static_cast<size_t>(access.tensor)].elementBytes;
    double gathered = 0;
    if (vector >= 0) {
        bool counted = false; // among the trips
        for (int at = access.loop; at >= 0; at = nest.loops[static_cast<size_t>(at)].parent)
            counted = counted || at == vector;
        const int64_t lanes =
            std::min(nest.loops[static_cast<size_t>(vector)].extent, std::max<int64_t>(model.vectorBytes / bytes, 1));
        std::vector<int64_t> at(nest.loops.size(), 0);
        const int64_t first = offsetAt(access, placement.layout, at);
        at[static_cast<size_t>(vector)] = lanes - 1;
        const int64_t span = offsetAt(access, placement.layout, at) - first;
        if (counted && (span == 0 || span == lanes - 1)) trips /= static_cast<double>(lanes);
        if (counted && span != 0 && span != lanes - 1) gathered = trips;
    }
    cost.accesses = trips;
    cost.cycles = trips * model.accessCycles + gathered * model.laneCycles;
}

} // namespace

LayoutCost operator+(LayoutCost a, const LayoutCost &b) {
    if (a.misses.empty()) a.misses.assign(b.misses.size(), 0.0);
    for (size_t i = 0; i < b.misses.size(); ++i) a.misses[i] += b.misses[i];
    a.accesses += b.accesses;
    a.cycles += b.cycles;
    return a;
}

NestCost::NestCost(const AccessNest &nest, const MemoryModel &model)
    : m_nest(nest), m_model(model), m_known(std::make_shared<KnownTouches>()) {
    for (const NestTensor &tensor : nest.tensors) {
        m_placed.push_back({.layout = Layout::identity(tensor.shape), .base = m_end});
        m_end += pagesUp(m_placed.back().layout.physicalSize() * tensor.elementBytes);
    }
    for (const NestAccess &access : nest.accesses) m_placementOf.push_back(static_cast<size_t>(access.tensor));
}

void NestCost::place(const std::vector<int> &accesses, const Layout &layout, bool moved) {
    if (accesses.empty()) return;
    const auto first = static_cast<size_t>(accesses.front());
    const int64_t bytes = m_nest.tensors[static_cast<size_t>(m_nest.accesses[first].tensor)].elementBytes;
    m_placed.push_back({.layout = layout, .base = moved ? m_end : placementOf(accesses.front()).base});
    if (moved) m_end += pagesUp(layout.physicalSize() * bytes);
    for (const int access : accesses) m_placementOf[static_cast<size_t>(access)] = m_placed.size() - 1;
}

std::vector<LayoutCost> NestCost::perAccess(const std::vector<bool> *only) const {
    std::vector<const PlacedTensor *> placed;
    for (const size_t at : m_placementOf) placed.push_back(&m_placed[at]);
    std::vector<LayoutCost> costs(m_nest.accesses.size());
    for (size_t a = 0; a < costs.size(); ++a) countAccesses(m_nest, m_nest.accesses[a], *placed[a], m_model, costs[a]);
    std::vector<bool> moved;
    for (const size_t at : m_placementOf) moved.push_back(at >= m_nest.tensors.size());
    Touches touches(m_nest, placed, std::move(moved), *m_known);
    for (const MemoryLevel &level : m_model.levels) {
        const std::vector<double> misses = MissCounter(m_nest, level, touches).misses(only);
        for (size_t a = 0; a < costs.size(); ++a) {
            costs[a].misses.push_back(misses[a]);
            costs[a].cycles += misses[a] * level.missCycles;
        }
    }
    return costs;
}

LayoutCost NestCost::total() const {
    LayoutCost sum;
    for (const LayoutCost &cost : perAccess()) sum = std::move(sum) + cost;
    return sum;
}

LayoutCost copyCost(const Layout &layout, int64_t elementBytes, const MemoryModel &model) {
    LayoutCost best;
    for (const bool blocked : {false, true}) {
        const AccessNest nest = copyNestOf(layout, elementBytes, blocked);
        NestCost cost(nest, model);
        const LayoutCost total = cost.total();
        if (!blocked || total.cycles < best.cycles) best = total;
    }
    return best;
}

} // namespace loopscope
