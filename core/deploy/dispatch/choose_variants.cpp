#include "deploy/dispatch/choose_variants.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <limits>

namespace loopscope {

namespace {

/// A point for itself is worth a row where it gains so much.
constexpr double kWorthARow = 0.97;
/// So near to the fastest a variant may run where another is, as fewer guards are worth something, too.
constexpr double kNearlyFastest = 1.05;
/// A variant is worth its place where it gains so much.
constexpr double kWorthAVariant = 0.01;
/// Where general kernels take so much longer than the static one, that one may be a variant, too.
constexpr double kWorthStatic = 1.1;

class CoverSearch {
  public:
    CoverSearch(const CrossMatrix &matrix, const std::vector<KernelVariant> &variants,
                const std::vector<double> &weights)
        : m_matrix(matrix), m_variants(variants), m_weights(weights),
          m_open(variants.empty() ? 0 : variants[0].kernel.holds.size(), true),
          m_best(matrix.sizes.size(), std::numeric_limits<double>::infinity()) {}

    Outcome<std::vector<size_t>> search(size_t most) {
        while (std::ranges::find(m_open, true) != m_open.end()) add(mostCovering());
        // Sizes that only a static kernel holds for are beside those that may be chosen: there is no choice.
        const auto singles = static_cast<size_t>(
            std::ranges::count_if(m_chosen, [&](size_t one) { return !m_variants[one].kernel.takesSize(); }));
        if (m_chosen.size() - singles > most)
            return Refusal{fmt::format("{} variants are needed for all sizes, and {} may be chosen",
                                       m_chosen.size() - singles, most)};
        most += singles;
        while (m_chosen.size() < most) {
            const auto next = mostGaining();
            if (next == m_variants.size()) break;
            add(next);
        }
        return m_chosen;
    }

  private:
    [[nodiscard]] double ratio(size_t variant, size_t point) const {
        const auto &seconds = m_matrix.seconds[variant][point];
        return seconds ? *seconds / m_matrix.fixed[point] : std::numeric_limits<double>::infinity();
    }
    void add(size_t variant) {
        m_chosen.push_back(variant);
        for (size_t i = 0; i < m_open.size(); ++i) m_open[i] = m_open[i] && !m_variants[variant].kernel.holds[i];
        for (size_t p = 0; p < m_best.size(); ++p) m_best[p] = std::min(m_best[p], ratio(variant, p));
    }
    [[nodiscard]] double costWith(size_t variant) const {
        double cost = 0;
        for (size_t p = 0; p < m_best.size(); ++p) {
            constexpr double unreached = 100; // at points that another will have to hold for
            cost += m_weights[p] * std::min(unreached, std::min(m_best[p], ratio(variant, p)));
        }
        return cost;
    }
    [[nodiscard]] size_t mostCovering() const {
        size_t best = 0;
        int64_t bestCount = -1;
        for (size_t v = 0; v < m_variants.size(); ++v) {
            int64_t count = 0;
            for (size_t i = 0; i < m_open.size(); ++i) count += m_open[i] && m_variants[v].kernel.holds[i] ? 1 : 0;
            if (count > bestCount || (count == bestCount && costWith(v) < costWith(best))) {
                best = v;
                bestCount = count;
            }
        }
        return best;
    }
    [[nodiscard]] size_t mostGaining() const {
        size_t best = m_variants.size();
        double now = 0;
        for (size_t p = 0; p < m_best.size(); ++p) now += m_weights[p] * m_best[p];
        double least = now * (1 - kWorthAVariant);
        for (size_t v = 0; v < m_variants.size(); ++v) {
            const double cost = costWith(v);
            if (cost >= least) continue;
            least = cost;
            best = v;
        }
        return best;
    }

    const CrossMatrix &m_matrix;
    const std::vector<KernelVariant> &m_variants;
    const std::vector<double> &m_weights;
    std::vector<bool> m_open; // sizes that no chosen variant holds for
    std::vector<double> m_best;
    std::vector<size_t> m_chosen;
};

/// Rows for the sizes between two points and the second of these.
class RowMaker {
  public:
    RowMaker(const CrossMatrix &matrix, const KernelVariants &variants, const std::vector<size_t> &chosen)
        : m_matrix(matrix), m_variants(variants), m_chosen(chosen) {}

    std::vector<DispatchRow> make() {
        for (size_t p = 0; p < m_matrix.sizes.size(); ++p) addRows(p);
        return std::move(m_rows);
    }

  private:
    /// Between points: what it takes grows with the rows that it computes, which are those of whole tiles where it
    /// pads.
    [[nodiscard]] double predicted(size_t chosen, int64_t size) const {
        const GeneralKernel &kernel = m_variants.variants[m_chosen[chosen]].kernel;
        if (!kernel.holdsAt(size)) return std::numeric_limits<double>::infinity();
        const auto rowsAt = [&](int64_t of) { return (of + kernel.tile - 1) / kernel.tile * kernel.tile; };
        const auto rows = static_cast<double>(rowsAt(size));
        std::optional<std::pair<double, double>> below; // rows, seconds
        std::optional<std::pair<double, double>> above;
        for (size_t p = 0; p < m_matrix.sizes.size(); ++p) {
            const auto &seconds = m_matrix.seconds[m_chosen[chosen]][p];
            if (!seconds) continue;
            const auto at = static_cast<double>(rowsAt(m_matrix.sizes[p]));
            if (at <= rows && (!below || at > below->first || *seconds < below->second)) below = {at, *seconds};
            if (at >= rows && (!above || (at == above->first && *seconds < above->second))) above = {at, *seconds};
        }
        if (!below && !above) return std::numeric_limits<double>::infinity();
        if (!below) return above->second * rows / above->first;
        if (!above) return below->second * rows / below->first;
        if (above->first == below->first) return std::min(above->second, below->second);
        return below->second + (above->second - below->second) * (rows - below->first) / (above->first - below->first);
    }

    void addRows(size_t point) {
        std::vector<DispatchRow> group;
        const int64_t most = m_matrix.sizes[point];
        const int64_t least = point == 0 ? 1 : m_matrix.sizes[point - 1] + 1;
        std::vector<bool> wanted(static_cast<size_t>(most), false);
        std::fill(wanted.begin() + static_cast<std::ptrdiff_t>(least - 1), wanted.end(), true);
        const auto add = [&](size_t i, const std::vector<bool> &allowed) {
            SizeGuard guard = guardFor(least, most, allowed, wanted);
            if (guard.rests.empty()) return;
            for (int64_t size = least; size <= most; ++size)
                if (guard.holds(size)) wanted[static_cast<size_t>(size - 1)] = false;
            group.push_back({std::move(guard), i});
        };
        // First where each is the fastest, or nearly; then whatever is left, by who is the fastest at most of it.
        std::vector<std::vector<bool>> near(m_chosen.size(), std::vector<bool>(static_cast<size_t>(most), false));
        std::vector<size_t> wins(m_chosen.size(), 0);
        for (int64_t size = least; size <= most; ++size) {
            double best = std::numeric_limits<double>::infinity();
            size_t winner = 0;
            for (size_t i = 0; i < m_chosen.size(); ++i)
                if (const double seconds = predicted(i, size); seconds < best) {
                    best = seconds;
                    winner = i;
                }
            ++wins[winner];
            for (size_t i = 0; i < m_chosen.size(); ++i)
                near[i][static_cast<size_t>(size - 1)] =
                    std::isfinite(best) && predicted(i, size) <= kNearlyFastest * best;
        }
        std::vector<size_t> order(m_chosen.size());
        for (size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::ranges::stable_sort(order, std::greater<>(), [&](size_t i) { return wins[i]; });
        for (const size_t i : order) add(i, near[i]);
        for (const size_t i : order) add(i, m_variants.variants[m_chosen[i]].kernel.holds);
        addRowForPoint(group, point);
        addGroup(std::move(group));
    }

    /// What is fastest at a point may hold for too few sizes around it to lead them.
    void addRowForPoint(std::vector<DispatchRow> &group, size_t point) const {
        const int64_t size = m_matrix.sizes[point];
        const auto secondsAt = [&](size_t i) { return m_matrix.seconds[m_chosen[i]][point]; };
        std::optional<size_t> best;
        for (size_t i = 0; i < m_chosen.size(); ++i)
            if (secondsAt(i) && (!best || *secondsAt(i) < *secondsAt(*best))) best = i;
        if (!best) return;
        const auto runs = std::ranges::find_if(group, [&](const DispatchRow &row) { return row.guard.holds(size); });
        if (runs != group.end() && secondsAt(runs->variant) &&
            *secondsAt(*best) >= kWorthARow * *secondsAt(runs->variant))
            return;
        // Whatever was meant for this size alone is never asked any more.
        std::erase_if(group, [&](const DispatchRow &row) {
            for (int64_t other = row.guard.least; other <= row.guard.most; ++other)
                if (other != size && row.guard.holds(other)) return false;
            return true;
        });
        group.insert(group.begin(), {{size, size, 1, {0}}, *best});
    }

    /// Rows between two points in an order that others between other points have, too, where order does not matter;
    /// neighbours that say the same become one, where the one ends before the other begins (rows for a point alone do
    /// not).
    void addGroup(std::vector<DispatchRow> group) {
        for (size_t pass = 1; pass < group.size(); ++pass)
            for (size_t i = 1; i < group.size(); ++i)
                if (group[i].variant < group[i - 1].variant && group[i].guard.disjointWith(group[i - 1].guard))
                    std::swap(group[i], group[i - 1]);
        const auto alike = [](const DispatchRow &a, const DispatchRow &b) {
            return a.variant == b.variant && a.guard.modulus == b.guard.modulus && a.guard.rests == b.guard.rests &&
                   a.guard.most + 1 == b.guard.least;
        };
        if (!m_last.empty() && std::ranges::equal(m_last, group, alike)) {
            for (size_t i = 0; i < group.size(); ++i)
                m_rows[m_rows.size() - group.size() + i].guard.most = group[i].guard.most;
        } else {
            m_rows.insert(m_rows.end(), group.begin(), group.end());
        }
        m_last = std::move(group);
    }

    const CrossMatrix &m_matrix;
    const KernelVariants &m_variants;
    const std::vector<size_t> &m_chosen;
    std::vector<DispatchRow> m_rows;
    std::vector<DispatchRow> m_last; // of the group before
};

} // namespace

void addStaticVariants(const KernelFamily &family, const std::vector<int64_t> &named, KernelVariants &variants,
                       CrossMatrix &matrix) {
    for (size_t p = 0; p < matrix.sizes.size(); ++p) {
        if (std::ranges::find(named, matrix.sizes[p]) == named.end()) continue;
        const bool near = std::ranges::any_of(
            matrix.seconds, [&](const auto &row) { return row[p] && *row[p] <= kWorthStatic * matrix.fixed[p]; });
        if (near) continue;
        const FixedKernel &fixed = variants.fixed[p];
        auto kernel = fixedKernel(family, fixed.schedule.steps, fixed.schedule.size);
        if (!kernel) continue;
        variants.variants.push_back(
            {std::move(kernel).value(),
             fmt::format("{} at {} = {}", fixed.schedule.source, family.symbol, fixed.schedule.size), fixed.code});
        matrix.seconds.emplace_back(matrix.sizes.size());
        matrix.seconds.back()[p] = matrix.fixed[p];
    }
}

Outcome<std::vector<size_t>> coverOf(const CrossMatrix &matrix, const std::vector<KernelVariant> &variants,
                                     const std::vector<double> &weights, size_t most) {
    return CoverSearch(matrix, variants, weights).search(most);
}

KernelTable tableOf(const CrossMatrix &matrix, const KernelVariants &variants, const std::vector<size_t> &chosen,
                    int64_t bound) {
    KernelTable table;
    for (const size_t v : chosen) {
        const KernelVariant &from = variants.variants[v];
        table.variants.push_back({from.kernel.hash, from.origin, from.kernel.multiple, from.kernel.tile,
                                  from.kernel.only, from.kernel.steps, matrix.seconds[v]});
    }
    table.rows = RowMaker(matrix, variants, chosen).make();
    table.fixedSeconds = matrix.fixed;
    for (const FixedKernel &one : variants.fixed) table.fixedSource.push_back(one.schedule.source);
    table.answers = matrix.answers;
    table.identical = matrix.identical;
    // The last row needs no guard: whatever comes to it is what it holds for.
    table.otherwise = table.rows.empty() ? 0 : table.rows.back().variant;
    const bool whole = !table.rows.empty() && table.rows.back().guard.most == bound;
    if (whole) table.rows.pop_back();
    return table;
}

} // namespace loopscope
