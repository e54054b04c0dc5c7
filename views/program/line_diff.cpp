#include "views/program/line_diff.h"

#include "views/text/line_match.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace loopscope {

namespace {

using Lines = std::vector<uint32_t>; // equal lines have equal numbers

class Numbering {
  public:
    Lines read(std::u16string_view text) {
        Lines lines;
        while (!text.empty()) {
            const size_t end = text.find(u'\n');
            std::u16string_view line = text.substr(0, end);
            line.remove_prefix(std::min(line.find_first_not_of(u" \t"), line.size()));
            lines.push_back(m_numbers.try_emplace(line, static_cast<uint32_t>(m_numbers.size())).first->second);
            text = end == std::u16string_view::npos ? std::u16string_view() : text.substr(end + 1);
        }
        return lines;
    }

  private:
    std::unordered_map<std::u16string_view, uint32_t> m_numbers;
};

} // namespace

LineDiff diffLines(std::u16string_view before, std::u16string_view after) {
    Numbering numbering;
    const Lines a = numbering.read(before);
    const Lines b = numbering.read(after);
    const std::vector<int> partners = matchLines(a, b);
    std::vector<bool> isKept(b.size(), false);
    for (const int partner : partners)
        if (partner >= 0) isKept[static_cast<size_t>(partner)] = true;

    LineDiff diff;
    std::vector<int> added;
    std::vector<int> removed;
    size_t i = 0;
    for (size_t j = 0; j <= b.size(); ++j) {
        if (j < b.size() && !isKept[j]) {
            added.push_back(static_cast<int>(j) + 1);
            continue;
        }
        // Lines of the old text that have no partner before this one.
        bool gone = false;
        while (i < a.size() && partners[i] < 0) {
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
