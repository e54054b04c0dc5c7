#include "views/text/line_match.h"

#include <algorithm>

namespace loopscope {

namespace {

/// Half-open ranges of lines still to be compared.
struct Gap {
    int aFirst, aEnd, bFirst, bEnd;
};

class Matcher {
  public:
    Matcher(const std::vector<uint32_t> &a, const std::vector<uint32_t> &b, const std::atomic<bool> *cancel)
        : m_a(a), m_b(b), m_cancel(cancel), m_match(a.size(), -1) {}

    std::vector<int> run() {
        m_gaps.push_back({0, static_cast<int>(m_a.size()), 0, static_cast<int>(m_b.size())});
        while (!m_gaps.empty()) {
            if (cancelled()) return {};
            Gap gap = m_gaps.back();
            m_gaps.pop_back();
            trim(gap);
            if (gap.aFirst == gap.aEnd || gap.bFirst == gap.bEnd) continue;
            if (!anchor(gap)) compare(gap);
        }
        return cancelled() ? std::vector<int>() : std::move(m_match);
    }

  private:
    [[nodiscard]] bool cancelled() const { return m_cancel != nullptr && *m_cancel; }
    [[nodiscard]] bool same(int i, int j) const { return m_a[static_cast<size_t>(i)] == m_b[static_cast<size_t>(j)]; }
    void pair(int i, int j) { m_match[static_cast<size_t>(i)] = j; }

    void trim(Gap &gap) {
        while (gap.aFirst < gap.aEnd && gap.bFirst < gap.bEnd && same(gap.aFirst, gap.bFirst))
            pair(gap.aFirst++, gap.bFirst++);
        while (gap.aFirst < gap.aEnd && gap.bFirst < gap.bEnd && same(gap.aEnd - 1, gap.bEnd - 1))
            pair(--gap.aEnd, --gap.bEnd);
    }

    /// Lines that occur once on both sides, in the longest order both agree on; what is between them becomes new gaps.
    bool anchor(const Gap &gap) {
        struct Seen {
            int a = 0, b = 0, at = 0; // how often on either side; where in b
        };
        std::unordered_map<uint32_t, Seen> seen;
        for (int i = gap.aFirst; i < gap.aEnd; ++i) ++seen[m_a[static_cast<size_t>(i)]].a;
        for (int j = gap.bFirst; j < gap.bEnd; ++j) {
            const auto found = seen.find(m_b[static_cast<size_t>(j)]);
            if (found == seen.end()) continue;
            ++found->second.b;
            found->second.at = j;
        }
        std::vector<std::pair<int, int>> once;
        for (int i = gap.aFirst; i < gap.aEnd; ++i) {
            const Seen &line = seen[m_a[static_cast<size_t>(i)]];
            if (line.a == 1 && line.b == 1) once.emplace_back(i, line.at);
        }
        if (once.empty()) return false;
        // Longest ascending sequence in b: the top of every pile, and the card it was laid on.
        std::vector<int> piles;
        std::vector<int> below(once.size(), -1);
        for (size_t c = 0; c < once.size(); ++c) {
            const auto pile = std::lower_bound(piles.begin(), piles.end(), once[c].second, [&](int top, int line) {
                return once[static_cast<size_t>(top)].second < line;
            });
            if (pile != piles.begin()) below[c] = *(pile - 1);
            if (pile == piles.end())
                piles.push_back(static_cast<int>(c));
            else
                *pile = static_cast<int>(c);
        }
        std::vector<int> chain;
        for (int c = piles.back(); c >= 0; c = below[static_cast<size_t>(c)]) chain.push_back(c);
        Gap rest = gap;
        for (auto c = chain.rbegin(); c != chain.rend(); ++c) {
            const auto [i, j] = once[static_cast<size_t>(*c)];
            pair(i, j);
            m_gaps.push_back({rest.aFirst, i, rest.bFirst, j});
            rest.aFirst = i + 1;
            rest.bFirst = j + 1;
        }
        m_gaps.push_back(rest);
        return true;
    }

    /// E. W. Myers, "An O(ND) difference algorithm and its variations", 1986: furthest reaching paths for ever more
    /// differences. The paths are kept, so their number is bounded; the furthest one then counts, and what is behind it
    /// is a gap of its own.
    void compare(const Gap &gap) {
        constexpr int kMaxDifferences = 1200;
        const int n = gap.aEnd - gap.aFirst;
        const int m = gap.bEnd - gap.bFirst;
        const int most = std::min(n + m, kMaxDifferences);
        std::vector<int> reach(static_cast<size_t>(2 * most + 3), 0); // by diagonal x - y, in the middle 0
        const auto at = [most](int diagonal) { return static_cast<size_t>(diagonal + most + 1); };
        std::vector<std::vector<int>> history;
        for (int d = 0; d <= most; ++d) {
            if (cancelled()) return;
            for (int k = -d; k <= d; k += 2) {
                const bool down = k == -d || (k != d && reach[at(k - 1)] < reach[at(k + 1)]);
                int x = down ? reach[at(k + 1)] : reach[at(k - 1)] + 1;
                int y = x - k;
                while (x < n && y < m && same(gap.aFirst + x, gap.bFirst + y)) {
                    ++x;
                    ++y;
                }
                reach[at(k)] = x;
                if (x >= n && y >= m) {
                    walkBack(gap, history, d, k, n, m);
                    return;
                }
            }
            history.emplace_back(reach.begin() + static_cast<ptrdiff_t>(at(-d)),
                                 reach.begin() + static_cast<ptrdiff_t>(at(d)) + 1);
        }
        int best = -most;
        int far = -1;
        for (int k = -most; k <= most; k += 2) {
            const int x = reach[at(k)];
            if (x > n || x - k > m || 2 * x - k <= far) continue;
            best = k;
            far = 2 * x - k;
        }
        const int x = reach[at(best)];
        const int y = x - best;
        history.pop_back(); // that of `most` itself
        walkBack(gap, history, most, best, x, y);
        m_gaps.push_back({gap.aFirst + x, gap.aEnd, gap.bFirst + y, gap.bEnd});
    }

    /// Pairs what the path of `d` differences to (x, y) on diagonal k passes; history[e] has the reach of diagonals -e
    /// to e after e differences.
    void walkBack(const Gap &gap, const std::vector<std::vector<int>> &history, int d, int k, int x, int y) {
        for (; d > 0; --d) {
            const std::vector<int> &before = history[static_cast<size_t>(d) - 1];
            const auto reached = [&](int diagonal) {
                const int index = diagonal + d - 1;
                return index >= 0 && index < static_cast<int>(before.size()) ? before[static_cast<size_t>(index)] : -1;
            };
            const bool down = k == -d || (k != d && reached(k - 1) < reached(k + 1));
            const int from = down ? k + 1 : k - 1;
            const int x0 = reached(from);
            const int startX = down ? x0 : x0 + 1; // of the run of equal lines
            while (x > startX) pair(gap.aFirst + --x, gap.bFirst + --y);
            x = x0;
            y = x0 - from;
            k = from;
        }
        while (x > 0) pair(gap.aFirst + --x, gap.bFirst + --y);
    }

    const std::vector<uint32_t> &m_a;
    const std::vector<uint32_t> &m_b;
    const std::atomic<bool> *m_cancel;
    std::vector<int> m_match;
    std::vector<Gap> m_gaps; // instead of recursion, which repeated text could take arbitrarily deep
};

} // namespace

uint32_t LineNumbers::of(std::string_view line) {
    return m_numbers.try_emplace(std::string(line), static_cast<uint32_t>(m_numbers.size())).first->second;
}

std::vector<int> matchLines(const std::vector<uint32_t> &a, const std::vector<uint32_t> &b,
                            const std::atomic<bool> *cancel) {
    return Matcher(a, b, cancel).run();
}

} // namespace loopscope
