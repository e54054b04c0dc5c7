#pragma once
// How a tensor lies in memory, as a value: each logical axis is cut into pieces by an ordered list of steps, and the
// pieces of all axes are put in one order, slowest to fastest. A piece may have cells behind its last one that nothing
// uses (row padding). Everything a data layout may be here is such a list: reordered axes, axes interleaved in blocks,
// blocks of several axes (NCHW8c), padded rows. What a layout is not: it never says in which order loops run.
//
// An index j of an axis with the steps 64 > 16 > 1 has the digits j div 64, (j mod 64) div 16, j mod 16. Steps need not
// divide each other or the extent; the last digits are then not all used, and such cells are never read.
//
// The text has a piece in each pair of brackets, slowest first, with blanks between them where one likes:
//
//     [k]          a whole axis
//     [j/16]       what remains of j above blocks of 16
//     [j%16]       place in a block of 16; `[16]` where no other axis has such blocks
//     [j%64/16]    blocks of 16 in a block of 64
//     [j+16]       with 16 unused cells behind the last
//     []           the layout of a scalar, or of a tensor with one element

#include "base/outcome.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct LayoutPiece {
    int axis = 0;        // of the tensor
    int64_t step = 1;    // by how much the index of the axis grows from one cell to the next
    int64_t padding = 0; // unused cells behind the last
    bool operator==(const LayoutPiece &) const = default;
};

class Layout {
  public:
    /// Row-major, as the workload has it.
    static Layout identity(std::vector<int64_t> shape);
    /// Refused: an axis that is not there or has no piece of step 1, a step that is there twice or longer than its
    /// axis, padding below 0.
    static Outcome<Layout> of(std::vector<int64_t> shape, std::vector<LayoutPiece> pieces);

    [[nodiscard]] const std::vector<int64_t> &shape() const { return m_shape; } // logical
    [[nodiscard]] const std::vector<LayoutPiece> &pieces() const { return m_pieces; }
    /// The digits piece p may have, and the cells it takes with its padding.
    [[nodiscard]] int64_t extentOf(size_t p) const;
    [[nodiscard]] int64_t cellsOf(size_t p) const { return extentOf(p) + m_pieces[p].padding; }
    /// The next slower step of its axis; 0 for the slowest piece of an axis.
    [[nodiscard]] int64_t blockOf(size_t p) const;
    /// In elements.
    [[nodiscard]] int64_t strideOf(size_t p) const;
    /// Cells of each piece: the shape of a tensor that is stored so.
    [[nodiscard]] std::vector<int64_t> physicalShape() const;
    [[nodiscard]] int64_t physicalSize() const;

    /// One number for each piece.
    [[nodiscard]] std::vector<int64_t> digitsOf(const std::vector<int64_t> &index) const;
    /// In elements from the first.
    [[nodiscard]] int64_t offsetOf(const std::vector<int64_t> &index) const;
    /// Inverse of offsetOf; empty where no element lies (a scalar's index is empty, too: it has offset 0 alone).
    [[nodiscard]] std::vector<int64_t> indexAt(int64_t offset) const;

    /// The same addresses with the fewest pieces: neighbours of one axis in order are one piece, pieces of a single
    /// cell go, and so does padding of the slowest, behind which nothing lies.
    [[nodiscard]] Layout canonical() const;
    /// Every element lies where the row-major tensor has it.
    [[nodiscard]] bool isIdentity() const;
    /// By address, whatever the pieces.
    [[nodiscard]] bool sameAddresses(const Layout &other) const;

    /// The axes' names in the text; where there are none, d0, d1, ...
    [[nodiscard]] std::string text(const std::vector<std::string> &axisNames = {}) const;

    bool operator==(const Layout &) const = default;

  private:
    Layout(std::vector<int64_t> shape, std::vector<LayoutPiece> pieces)
        : m_shape(std::move(shape)), m_pieces(std::move(pieces)) {}
    std::vector<int64_t> m_shape;
    std::vector<LayoutPiece> m_pieces;
};

/// Reads the text of a layout; the refusal names what cannot be read, and what may stand there.
Outcome<Layout> parseLayout(std::string_view text, std::vector<int64_t> shape,
                            const std::vector<std::string> &axisNames = {});

/// First laid out by `first`, then what is stored so (its physical shape) by `second`, in one.
Outcome<Layout> composed(const Layout &first, const Layout &second);

} // namespace loopscope
