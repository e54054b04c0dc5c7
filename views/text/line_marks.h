#pragma once
// Which lines of a text stand out, and why: kept beside the text and asked for line by line, so that marking a loop of
// a hundred thousand instructions costs no more than marking one.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace loopscope {

/// In the order of precedence: where two meet, the later one decides the background.
enum class LineMark : uint8_t {
    Hovered, // the cursor is over the same thing in another text
    Inside,  // belongs to what is selected
    Selected,
    // Bars in the margin
    Added,        // not in the text it is compared with
    Changed,      // stands where other lines stood there
    RemovedBelow, // something stood between this line and the next
    Loop,         // body of a loop the eye should find: Loop and LoopOther alternate
    LoopOther,
};
inline constexpr int kLineMarks = static_cast<int>(LineMark::LoopOther) + 1;

struct LineRange {
    int first = 0; // from 1
    int last = 0;
    bool operator==(const LineRange &) const = default;
};
/// Ascending and apart from each other.
using LineRanges = std::vector<LineRange>;

/// Any order, repetitions allowed.
LineRanges rangesOf(std::vector<int> lines);
bool contains(const LineRanges &ranges, int line);
int lineCount(const LineRanges &ranges);

class LineMarks {
  public:
    /// False when nothing changed.
    bool set(LineMark kind, LineRanges lines);
    [[nodiscard]] const LineRanges &of(LineMark kind) const { return m_ranges[static_cast<std::size_t>(kind)]; }
    /// Bit i set: the line carries LineMark(i).
    [[nodiscard]] uint32_t at(int line) const;

  private:
    std::array<LineRanges, kLineMarks> m_ranges;
};

} // namespace loopscope
