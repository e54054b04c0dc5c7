#include "codegen/layout/layout.h"

#include "base/check.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace loopscope {

namespace {

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

std::string axisName(const std::vector<std::string> &names, int axis) {
    const auto at = static_cast<size_t>(axis);
    return at < names.size() ? names[at] : fmt::format("d{}", axis);
}

} // namespace

Layout Layout::identity(std::vector<int64_t> shape) {
    std::vector<LayoutPiece> pieces;
    for (size_t d = 0; d < shape.size(); ++d) pieces.push_back({.axis = static_cast<int>(d)});
    return {std::move(shape), std::move(pieces)};
}

Outcome<Layout> Layout::of(std::vector<int64_t> shape, std::vector<LayoutPiece> pieces) {
    for (const LayoutPiece &piece : pieces) {
        if (piece.axis < 0 || static_cast<size_t>(piece.axis) >= shape.size())
            return Refusal{fmt::format("layout: there is no axis {}; the tensor has {}", piece.axis, shape.size())};
        if (piece.padding < 0)
            return Refusal{
                fmt::format("layout: axis {} is padded by {} cells; 0 or more are legal", piece.axis, piece.padding)};
        const int64_t extent = shape[static_cast<size_t>(piece.axis)];
        if (piece.step < 1 || (piece.step > 1 && piece.step >= extent))
            return Refusal{fmt::format("layout: axis {} of extent {} has blocks of {}; blocks from 2 to {} are legal",
                                       piece.axis, extent, piece.step, std::max<int64_t>(extent - 1, 2))};
        if (std::count_if(pieces.begin(), pieces.end(), [&](const LayoutPiece &other) {
                return other.axis == piece.axis && other.step == piece.step;
            }) > 1)
            return Refusal{
                fmt::format("layout: axis {} has two pieces of step {}; one is legal", piece.axis, piece.step)};
    }
    for (size_t d = 0; d < shape.size(); ++d) {
        const bool whole = std::any_of(pieces.begin(), pieces.end(), [&](const LayoutPiece &piece) {
            return piece.axis == static_cast<int>(d) && piece.step == 1;
        });
        if (!whole && shape[d] > 1)
            return Refusal{fmt::format("layout: axis {} of extent {} has no piece that counts its elements; a piece "
                                       "of step 1 is needed",
                                       d, shape[d])};
    }
    return Layout(std::move(shape), std::move(pieces));
}

int64_t Layout::blockOf(size_t p) const {
    int64_t block = 0;
    for (const LayoutPiece &other : m_pieces)
        if (other.axis == m_pieces[p].axis && other.step > m_pieces[p].step && (block == 0 || other.step < block))
            block = other.step;
    return block;
}

int64_t Layout::extentOf(size_t p) const {
    const int64_t block = blockOf(p);
    return ceilDiv(block == 0 ? m_shape[static_cast<size_t>(m_pieces[p].axis)] : block, m_pieces[p].step);
}

int64_t Layout::strideOf(size_t p) const {
    int64_t stride = 1;
    for (size_t q = p + 1; q < m_pieces.size(); ++q) stride *= cellsOf(q);
    return stride;
}

std::vector<int64_t> Layout::physicalShape() const {
    std::vector<int64_t> shape(m_pieces.size());
    for (size_t p = 0; p < m_pieces.size(); ++p) shape[p] = cellsOf(p);
    return shape;
}

int64_t Layout::physicalSize() const {
    int64_t size = 1;
    for (size_t p = 0; p < m_pieces.size(); ++p) size *= cellsOf(p);
    return size;
}

std::vector<int64_t> Layout::digitsOf(const std::vector<int64_t> &index) const {
    LOOPSCOPE_CHECK(index.size() == m_shape.size(), "an index of another rank than its tensor");
    std::vector<size_t> coarseFirst(m_pieces.size());
    std::iota(coarseFirst.begin(), coarseFirst.end(), size_t{0});
    std::stable_sort(coarseFirst.begin(), coarseFirst.end(),
                     [&](size_t a, size_t b) { return m_pieces[a].step > m_pieces[b].step; });
    std::vector<int64_t> rest = index;
    std::vector<int64_t> digits(m_pieces.size());
    for (const size_t p : coarseFirst) {
        int64_t &left = rest[static_cast<size_t>(m_pieces[p].axis)];
        digits[p] = left / m_pieces[p].step;
        left %= m_pieces[p].step;
    }
    return digits;
}

int64_t Layout::offsetOf(const std::vector<int64_t> &index) const {
    const std::vector<int64_t> digits = digitsOf(index);
    int64_t offset = 0;
    for (size_t p = 0; p < m_pieces.size(); ++p) offset = offset * cellsOf(p) + digits[p];
    return offset;
}

std::vector<int64_t> Layout::indexAt(int64_t offset) const {
    std::vector<int64_t> index(m_shape.size(), 0);
    if (offset < 0 || offset >= physicalSize()) return {};
    int64_t within = offset;
    for (size_t p = m_pieces.size(); p-- > 0;) {
        index[static_cast<size_t>(m_pieces[p].axis)] += offset % cellsOf(p) * m_pieces[p].step;
        if (offset % cellsOf(p) >= extentOf(p)) return {};
        offset /= cellsOf(p);
    }
    for (size_t d = 0; d < index.size(); ++d)
        if (index[d] >= m_shape[d]) return {};
    // Digits of steps that do not divide each other can also name an element that lies elsewhere.
    std::vector<int64_t> digits = digitsOf(index);
    for (size_t p = m_pieces.size(); p-- > 0; within /= cellsOf(p))
        if (within % cellsOf(p) != digits[p]) return {};
    return index;
}

Layout Layout::canonical() const {
    Layout result = *this;
    for (bool changed = true; changed;) {
        changed = false;
        std::vector<LayoutPiece> &pieces = result.m_pieces;
        for (size_t p = 0; p < pieces.size() && !changed; ++p) {
            if (p == 0 && pieces[p].padding > 0) {
                pieces[p].padding = 0;
                changed = true;
            } else if (result.cellsOf(p) == 1) {
                pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(p));
                changed = true;
            } else if (p + 1 < pieces.size() && pieces[p + 1].axis == pieces[p].axis && pieces[p + 1].padding == 0 &&
                       result.blockOf(p + 1) == pieces[p].step && pieces[p].step % pieces[p + 1].step == 0) {
                const int64_t cells = result.cellsOf(p) * result.cellsOf(p + 1);
                pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(p));
                pieces[p].padding = 0;
                pieces[p].padding = cells - result.extentOf(p);
                changed = true;
            }
        }
    }
    return result;
}

bool Layout::isIdentity() const { return canonical().m_pieces == identity(m_shape).canonical().m_pieces; }

bool Layout::sameAddresses(const Layout &other) const {
    return m_shape == other.m_shape && canonical().m_pieces == other.canonical().m_pieces;
}

std::string Layout::text(const std::vector<std::string> &axisNames) const {
    std::string text;
    for (size_t p = 0; p < m_pieces.size(); ++p) {
        const LayoutPiece &piece = m_pieces[p];
        const int64_t block = blockOf(p);
        const auto others = std::count_if(m_pieces.begin(), m_pieces.end(),
                                          [&](const LayoutPiece &other) { return other.step == block; });
        text += '[';
        if (block > 0 && others == 1) // which is the next larger piece of its own axis
            text += std::to_string(block);
        else
            text += axisName(axisNames, piece.axis) + (block > 0 ? fmt::format("%{}", block) : "");
        if (piece.step > 1) text += fmt::format("/{}", piece.step);
        if (piece.padding > 0) text += fmt::format("+{}", piece.padding);
        text += ']';
    }
    return text.empty() ? "[]" : text;
}

Outcome<Layout> composed(const Layout &first, const Layout &second) {
    if (second.shape() != first.physicalShape())
        return Refusal{fmt::format("layouts are composed where the second takes what the first makes: {} cells in {} "
                                   "dimensions, not {} in {}",
                                   first.physicalSize(), first.pieces().size(),
                                   Layout::identity(second.shape()).physicalSize(), second.shape().size())};
    std::vector<LayoutPiece> pieces;
    for (size_t q = 0; q < second.pieces().size(); ++q) {
        const LayoutPiece &piece = second.pieces()[q];
        const LayoutPiece &from = first.pieces()[static_cast<size_t>(piece.axis)];
        const int64_t digits = first.extentOf(static_cast<size_t>(piece.axis)); // of the cells `second` cuts up
        const int64_t block = second.blockOf(q);
        if (piece.step > 1 && piece.step >= digits) { // its only digit is 0; what follows is padding
            if (pieces.empty()) continue;             // of the slowest, which moves nothing
            return Refusal{fmt::format("layouts are composed where blocks are shorter than what they cut; a block of "
                                       "{} cuts {} cells of axis {} and their padding",
                                       piece.step, digits, from.axis)};
        }
        const int64_t used = (block == 0 || block > digits ? digits : block);
        pieces.push_back({.axis = from.axis,
                          .step = from.step * piece.step,
                          .padding = second.cellsOf(q) - ceilDiv(used, piece.step)});
    }
    return Layout::of(first.shape(), std::move(pieces));
}

} // namespace loopscope
