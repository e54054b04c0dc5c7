#include "views/text/line_marks.h"

#include <algorithm>

namespace loopscope {

LineRanges rangesOf(std::vector<int> lines) {
    if (!std::is_sorted(lines.begin(), lines.end())) std::sort(lines.begin(), lines.end());
    LineRanges ranges;
    for (const int line : lines) {
        if (line <= 0) continue;
        if (!ranges.empty() && line <= ranges.back().last + 1)
            ranges.back().last = line;
        else
            ranges.push_back({line, line});
    }
    return ranges;
}

bool contains(const LineRanges &ranges, int line) {
    const auto after =
        std::upper_bound(ranges.begin(), ranges.end(), line, [](int at, const LineRange &r) { return at < r.first; });
    return after != ranges.begin() && std::prev(after)->last >= line;
}

int lineCount(const LineRanges &ranges) {
    int count = 0;
    for (const LineRange &range : ranges) count += range.last - range.first + 1;
    return count;
}

bool LineMarks::set(LineMark kind, LineRanges lines) {
    LineRanges &mine = m_ranges[static_cast<size_t>(kind)];
    if (mine == lines) return false;
    mine = std::move(lines);
    return true;
}

uint32_t LineMarks::at(int line) const {
    uint32_t bits = 0;
    for (size_t kind = 0; kind < m_ranges.size(); ++kind)
        if (contains(m_ranges[kind], line)) bits |= 1U << kind;
    return bits;
}

} // namespace loopscope
