#pragma once
// A corner of a tensor as it lies in memory: the place of each element, which cache line that is on, and what one line
// and one vector touch. Values; painting them is the widget's business.

#include "codegen/layout/layout.h"

#include <QString>

#include <cstdint>
#include <vector>

namespace loopscope {

/// Of which tensor, and which of its elements are drawn.
struct MemoryCorner {
    std::vector<QString> axes; // names
    int rows = 0;              // axis drawn downward
    int columns = 1;           // to the right
    int vectorAxis = 1;        // along which a vector reads
    int64_t elementBytes = 4;
    int64_t lineBytes = 64;
    int64_t lanes = 8;
    bool operator==(const MemoryCorner &) const = default;
};

struct MemoryCell {
    int64_t offset = 0; // in elements from the first
    int64_t line = 0;   // number of its cache line
    /// The next element in memory is drawn, too: its cell; -1: it is elsewhere.
    int next = -1;
};

class MemoryPicture {
  public:
    MemoryPicture() = default;
    MemoryPicture(Layout layout, MemoryCorner corner);

    [[nodiscard]] const Layout &layout() const { return m_layout; }
    [[nodiscard]] int rows() const { return m_rows; }
    [[nodiscard]] int columns() const { return m_columns; }
    [[nodiscard]] const std::vector<MemoryCell> &cells() const { return m_cells; } // rows first
    [[nodiscard]] bool empty() const { return m_cells.empty(); }

    /// Cells on the same cache line as that one.
    [[nodiscard]] std::vector<int> onLineOf(int cell) const;
    /// Cells of a vector that begins there; the part of it that is drawn.
    [[nodiscard]] std::vector<int> vectorFrom(int cell) const;
    /// Cache lines that the whole vector touches, drawn or not.
    [[nodiscard]] int linesOfVector(int cell) const;
    /// "B[k = 3, j = 5] at 3077, line 192; a vector of 8 along k: 8 lines"
    [[nodiscard]] QString cellText(const QString &tensor, int cell) const;

  private:
    [[nodiscard]] std::vector<int64_t> indexOf(int cell) const;

    Layout m_layout = Layout::identity({});
    MemoryCorner m_corner;
    int m_rows = 0;
    int m_columns = 0;
    std::vector<MemoryCell> m_cells;
};

/// Rows and columns first: the last two axes, downward and to the right.
MemoryCorner firstCorner(const std::vector<int64_t> &shape, std::vector<QString> axes, int64_t elementBytes);

} // namespace loopscope
