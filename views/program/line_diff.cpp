#include "views/program/line_diff.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

namespace loopscope {

namespace {

/// Beyond this many differences the shortest script is not worth its quadratic price.
constexpr int kMostEdits = 1500;

using Lines = std::vector<int>; // equal lines have equal numbers

class Numbering {
  public:
    Lines read(std::u16string_view text) {
        Lines lines;
        while (!text.empty()) {
            const size_t end = text.find(u'\n');
            std::u16string_view line = text.substr(0, end);
            line.remove_prefix(std::min(line.find_first_not_of(u" \t"), line.size()));
            lines.push_back(m_numbers.try_emplace(line, static_cast<int>(m_numbers.size())).first->second);
            text = end == std::u16string_view::npos ? std::u16string_view() : text.substr(end + 1);
        }
        return lines;
    }

  private:
    std::unordered_map<std::u16string_view, int> m_numbers;
};

struct Kept {
    std::vector<bool> before; // line is in both, in order
    std::vector<bool> after;
};

/// Myers' greedy shortest edit script between the parts that differ; false when it is too long.
bool shortestScript(const Lines &a, const Lines &b, int from, int endA, int endB, Kept &kept) {
    const int n = endA - from;
    const int m = endB - from;
    const int most = std::min(n + m, kMostEdits);
    std::vector<std::vector<int>> reached; // by number of edits: furthest x on each diagonal
    std::vector<int> furthest(static_cast<size_t>(2 * most + 3), 0);
    const auto at = [most](int diagonal) { return static_cast<size_t>(diagonal + most + 1); };
    int edits = 0;
    bool done = false;
    for (; edits <= most && !done; ++edits) {
        reached.push_back(furthest);
        for (int k = -edits; k <= edits; k += 2) {
            const bool down = k == -edits || (k != edits && furthest[at(k - 1)] < furthest[at(k + 1)]);
            int x = down ? furthest[at(k + 1)] : furthest[at(k - 1)] + 1;
            while (x < n && x - k < m && a[static_cast<size_t>(from + x)] == b[static_cast<size_t>(from + x - k)]) ++x;
            furthest[at(k)] = x;
            if (x >= n && x - k >= m) {
                done = true;
                break;
            }
        }
    }
    if (!done) return false;
    int x = n;
    int y = m;
    for (int d = edits - 1; d >= 0; --d) {
        const auto &v = reached[static_cast<size_t>(d)];
        const int k = x - y;
        const bool down = k == -d || (k != d && v[at(k - 1)] < v[at(k + 1)]);
        const int previous = down ? k + 1 : k - 1;
        const int startX = d == 0 ? 0 : v[at(previous)];
        const int startY = startX - previous;
        while (x > (d == 0 ? 0 : (down ? startX : startX + 1)) && y > (d == 0 ? 0 : (down ? startY + 1 : startY))) {
            --x;
            --y;
            kept.before[static_cast<size_t>(from + x)] = true;
            kept.after[static_cast<size_t>(from + y)] = true;
        }
        if (d > 0) {
            x = startX;
            y = startY;
        }
    }
    return true;
}

/// Good enough for texts that have little in common: a line stays when the other text has it too, as often.
void byOccurrence(const Lines &a, const Lines &b, Kept &kept) {
    std::map<int, int> there;
    for (size_t i = 0; i < a.size(); ++i)
        if (!kept.before[i]) ++there[a[i]];
    std::map<int, int> here;
    for (size_t i = 0; i < b.size(); ++i) {
        if (kept.after[i]) continue;
        const auto found = there.find(b[i]);
        if (found == there.end() || found->second == 0) continue;
        --found->second;
        ++here[b[i]];
        kept.after[i] = true;
    }
    for (size_t i = 0; i < a.size(); ++i)
        if (!kept.before[i] && here[a[i]] > 0) {
            --here[a[i]];
            kept.before[i] = true;
        }
}

} // namespace

LineDiff diffLines(std::u16string_view before, std::u16string_view after) {
    Numbering numbering;
    const Lines a = numbering.read(before);
    const Lines b = numbering.read(after);
    Kept kept{std::vector<bool>(a.size(), false), std::vector<bool>(b.size(), false)};
    size_t from = 0;
    while (from < a.size() && from < b.size() && a[from] == b[from]) {
        kept.before[from] = kept.after[from] = true;
        ++from;
    }
    size_t endA = a.size();
    size_t endB = b.size();
    while (endA > from && endB > from && a[endA - 1] == b[endB - 1]) {
        --endA;
        --endB;
        kept.before[endA] = kept.after[endB] = true;
    }
    if (!shortestScript(a, b, static_cast<int>(from), static_cast<int>(endA), static_cast<int>(endB), kept))
        byOccurrence(a, b, kept);

    LineDiff diff;
    std::vector<int> added;
    std::vector<int> removed;
    size_t i = 0;
    for (size_t j = 0; j <= b.size(); ++j) {
        if (j < b.size() && !kept.after[j]) {
            added.push_back(static_cast<int>(j) + 1);
            continue;
        }
        // Lines of the old text that have no partner before this one.
        bool gone = false;
        while (i < a.size() && !kept.before[i]) {
            ++i;
            ++diff.removedCount;
            gone = true;
        }
        if (gone) removed.push_back(std::max(1, static_cast<int>(j)));
        ++i; // the partner
    }
    diff.addedCount = static_cast<int>(added.size());
    // Lines that went away right before or after new ones were replaced by them.
    diff.added = rangesOf(std::move(added));
    for (const int line : removed) {
        const auto replaced = std::find_if(diff.added.begin(), diff.added.end(), [line](const LineRange &range) {
            return range.last == line || range.first == line + 1;
        });
        if (replaced == diff.added.end())
            diff.removedBelow.push_back({line, line});
        else if (diff.changed.empty() || !(diff.changed.back() == *replaced))
            diff.changed.push_back(*replaced);
    }
    return diff;
}

} // namespace loopscope
