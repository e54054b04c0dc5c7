#pragma once
// Two texts laid beside each other: every row holds a line of the left, of the right, or of both. What is compared may
// be less than what is shown (blanks or register names may not count), and lines can be left out on both sides alike.
// Made off the UI thread; immutable then.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loopscope {

/// Same filters for both sides.
struct DiffFilter {
    bool ignoreBlanks = false;
    bool ignoreRegisters = false; // assembly and LLVM IR: which register holds a value
    bool hideDirectives = false;  // the same: what is no instruction and no label
    bool operator==(const DiffFilter &) const = default;
};

/// A side's lines. `keys`, when given, decide which lines belong together (as steps do by loop, not by factors).
struct SideText {
    std::string text; // UTF-8, lines ended by \n
    std::vector<std::string> keys;
    int firstNumber = 1;
    std::vector<int> numbers = {}; // of the lines, ascending; empty: from firstNumber on
};

/// Beside: lines in different languages, which are not compared.
enum class DiffKind : uint8_t { Same, Changed, Removed, Added, Skipped, Beside };
inline constexpr int kDiffKinds = static_cast<int>(DiffKind::Beside) + 1;

struct AlignedRow {
    int left = -1; // line shown there, index into lines(side); -1 = none
    int right = -1;
    DiffKind kind = DiffKind::Same;
    int skipped = 0; // Skipped: how many rows it stands for
};

class AlignedText {
  public:
    /// Null when cancelled.
    static std::shared_ptr<const AlignedText> make(SideText left, SideText right, const DiffFilter &filter,
                                                   const std::atomic<bool> *cancel = nullptr);

    /// The same for texts in different languages, no line of which says what one of the other does: lines with one key
    /// stand beside each other, in order; those with an empty one wherever there is room. Nothing counts as different.
    static std::shared_ptr<const AlignedText> beside(SideText left, SideText right, const DiffFilter &filter,
                                                     const std::atomic<bool> *cancel = nullptr);

    enum Side : uint8_t { Left, Right };
    [[nodiscard]] const std::vector<AlignedRow> &rows() const { return m_rows; }
    [[nodiscard]] std::string_view line(Side side, int index) const;
    [[nodiscard]] int number(Side side, int index) const {
        return m_sides[side].lines[static_cast<size_t>(index)].number;
    }
    [[nodiscard]] int lineCount(Side side) const { return static_cast<int>(m_sides[side].lines.size()); }
    /// The line with that number, or the last before it; -1 none.
    [[nodiscard]] int lineOfNumber(Side side, int number) const;
    [[nodiscard]] const std::string &text(Side side) const { return m_sides[side].text; }
    [[nodiscard]] int byteOf(Side side, int index) const { return m_sides[side].lines[static_cast<size_t>(index)].at; }
    /// First row of every stretch that differs.
    [[nodiscard]] const std::vector<int> &differences() const { return m_differences; }
    [[nodiscard]] int count(DiffKind kind) const { return m_counts[static_cast<size_t>(kind)]; }
    [[nodiscard]] int longest() const { return m_longest; } // bytes of the longest line
    /// The same with long stretches of equal rows folded into one, `context` rows kept around what differs.
    [[nodiscard]] std::shared_ptr<const AlignedText> folded(int context) const;
    /// As one text: every line behind a blank, "-" (left alone) or "+".
    [[nodiscard]] std::string unified() const;

  private:
    struct Line {
        int at = 0;
        int length = 0;
        int number = 0;
    };
    struct Lines {
        std::string text;
        std::vector<Line> lines;
        std::vector<uint32_t> keys; // which belong together
        std::vector<uint32_t> same; // which are equal
    };
    /// False when cancelled.
    bool take(SideText &left, SideText &right, const DiffFilter &filter, const std::atomic<bool> *cancel);
    void align(const std::vector<int> &match, const std::atomic<bool> *cancel);
    void pairUp(int leftFirst, int leftEnd, int rightFirst, int rightEnd);
    void put(int left, int right, DiffKind kind) { m_rows.push_back({left, right, kind, 0}); }
    void summarise();

    Lines m_sides[2];
    std::vector<AlignedRow> m_rows;
    std::vector<int> m_differences;
    int m_counts[kDiffKinds] = {};
    int m_longest = 0;
};

/// Parts (first byte, length) of two lines that differ, word by word.
struct ChangedParts {
    std::vector<std::pair<int, int>> left;
    std::vector<std::pair<int, int>> right;
};
ChangedParts changedParts(std::string_view left, std::string_view right);

} // namespace loopscope
