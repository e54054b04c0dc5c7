#pragma once
// Which lines of two texts belong together. Lines that occur once in both texts are anchors first (patience diff), as a
// program's own loops and labels are better landmarks than its braces; what lies between is compared by Myers' greedy
// algorithm. Where that would take too long, a stretch counts as replaced as a whole: an answer in time is worth more
// than the shortest one. Lines are numbers here, equal numbers are equal lines.

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace loopscope {

/// Equal texts get equal numbers.
class LineNumbers {
  public:
    uint32_t of(std::string_view line);

  private:
    std::unordered_map<std::string, uint32_t> m_numbers;
};

/// For every line of `a` the line of `b` it is the same as, or -1; ascending where it is not -1. Empty when cancelled
/// and `a` is not.
std::vector<int> matchLines(const std::vector<uint32_t> &a, const std::vector<uint32_t> &b,
                            const std::atomic<bool> *cancel = nullptr);

} // namespace loopscope
