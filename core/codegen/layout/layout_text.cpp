// Reading the text of layouts. The grammar stands in layout.h.

#include "base/nearest_name.h"
#include "codegen/layout/layout.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <system_error>

namespace loopscope {

namespace {

bool isDigits(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// What stands in one pair of brackets.
struct PieceText {
    std::string_view whole;
    std::string_view name;
    int64_t block = 0; // behind %
    int64_t step = 1;  // behind /
    int64_t padding = 0;
};

class PieceReader {
  public:
    explicit PieceReader(std::string_view text) : m_rest(text) { m_piece.whole = text; }

    Outcome<PieceText> read() {
        const size_t end = std::min(m_rest.find_first_of("%/+"), m_rest.size());
        m_piece.name = m_rest.substr(0, end);
        m_rest.remove_prefix(end);
        if (m_piece.name.empty())
            return Refusal{fmt::format("layout: `[{}]` names no axis; write `[AXIS]`, `[AXIS/16]`, `[AXIS%16]` or "
                                       "`[16]`",
                                       m_piece.whole)};
        if (isDigits(m_piece.name)) {
            const std::optional<int64_t> block = number(m_piece.name);
            if (!block) return tooLong();
            m_piece.block = *block;
            m_piece.name = {};
        }
        for (const char sign : {'%', '/', '+'}) {
            if (m_rest.empty() || m_rest.front() != sign) continue;
            m_rest.remove_prefix(1);
            const size_t length = std::min(m_rest.find_first_not_of("0123456789"), m_rest.size());
            const std::string_view digits = m_rest.substr(0, length);
            if (digits.empty())
                return Refusal{
                    fmt::format("layout: a whole number is expected behind `{}` in `[{}]`", sign, m_piece.whole)};
            const std::optional<int64_t> value = number(digits);
            if (!value) return tooLong();
            if (sign == '%' && (m_piece.name.empty() || *value == 0))
                return Refusal{fmt::format("layout: `[{}]`: `%` takes the place in a block of an axis, as in `[j%16]`",
                                           m_piece.whole)};
            (sign == '%' ? m_piece.block : sign == '/' ? m_piece.step : m_piece.padding) = *value;
            m_rest.remove_prefix(length);
        }
        if (!m_rest.empty())
            return Refusal{fmt::format("layout: `{}` in `[{}]` is not understood; %, / and + may follow a name, each "
                                       "once and in this order",
                                       m_rest, m_piece.whole)};
        return m_piece;
    }

  private:
    static std::optional<int64_t> number(std::string_view digits) {
        int64_t value = 0;
        const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (result.ec != std::errc{} || value > (int64_t{1} << 40)) return std::nullopt;
        return value;
    }
    [[nodiscard]] Refusal tooLong() const {
        return Refusal{fmt::format("layout: a number in `[{}]` is beyond 2^40", m_piece.whole)};
    }

    std::string_view m_rest;
    PieceText m_piece;
};

std::string_view withoutBlanks(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return text;
}

Outcome<std::vector<PieceText>> piecesOf(std::string_view text) {
    std::vector<PieceText> pieces;
    for (std::string_view rest = withoutBlanks(text); !rest.empty(); rest = withoutBlanks(rest)) {
        const size_t close = rest.find(']');
        if (rest.front() != '[' || close == std::string_view::npos)
            return Refusal{fmt::format("layout: `{}` is not understood; a layout is a list of pieces in brackets, as "
                                       "in `[j/16][k][16]`",
                                       rest)};
        const std::string_view inside = rest.substr(1, close - 1);
        rest.remove_prefix(close + 1);
        if (inside.empty() && pieces.empty() && rest.empty()) break; // `[]`
        const auto piece = PieceReader(inside).read();
        if (!piece) return piece.refusal();
        pieces.push_back(piece.value());
    }
    return pieces;
}

/// The number of the axis a piece is of.
Outcome<int> axisOf(const PieceText &piece, const std::vector<PieceText> &all, const std::vector<std::string> &names,
                    size_t depth) {
    if (!piece.name.empty()) {
        const auto found = std::find(names.begin(), names.end(), piece.name);
        if (found != names.end()) return static_cast<int>(found - names.begin());
        std::string legal;
        for (const std::string &name : names) legal += (legal.empty() ? "" : ", ") + name;
        return Refusal{
            fmt::format("layout: `[{}]`: the tensor has no axis {}; its axes are {}", piece.whole, piece.name, legal)};
    }
    std::optional<int> axis;
    for (const PieceText &other : all) {
        if (&other == &piece || other.step != piece.block || depth == 0) continue;
        const auto of = axisOf(other, all, names, depth - 1); // `[64/16]` is cut into blocks of 16, too
        if (!of) continue;
        if (axis)
            return Refusal{
                fmt::format("layout: `[{}]` may be of two axes; write `[AXIS%{}]`", piece.whole, piece.block)};
        axis = of.value();
    }
    if (axis) return *axis;
    return Refusal{fmt::format("layout: `[{}]` is of no axis: none is cut into blocks of {}, as `[AXIS/{}]` says",
                               piece.whole, piece.block, piece.block)};
}

} // namespace

Outcome<Layout> parseLayout(std::string_view text, std::vector<int64_t> shape,
                            const std::vector<std::string> &axisNames) {
    std::vector<std::string> names;
    for (size_t d = 0; d < shape.size(); ++d)
        names.push_back(d < axisNames.size() ? axisNames[d] : fmt::format("d{}", d));
    if (withoutBlanks(text).empty())
        return Refusal{"layout: a list of pieces in brackets is expected, as in `[j/16][k][16]`"};
    const auto read = piecesOf(text);
    if (!read) return read.refusal();
    std::vector<LayoutPiece> pieces;
    for (const PieceText &piece : read.value()) {
        const auto axis = axisOf(piece, read.value(), names, read->size());
        if (!axis) return axis.refusal();
        pieces.push_back({.axis = axis.value(), .step = piece.step, .padding = piece.padding});
    }
    auto layout = Layout::of(std::move(shape), std::move(pieces));
    if (!layout) return layout;
    // What is said behind % must be what the steps of the axis come to.
    for (size_t p = 0; p < read->size(); ++p) {
        const int64_t said = read.value()[p].block;
        const int64_t block = layout->blockOf(p);
        if (said == block) continue;
        const std::string &name = names[static_cast<size_t>(layout->pieces()[p].axis)];
        return Refusal{block == 0
                           ? fmt::format("layout: `[{}]` is a place in a block of {}, but {} is not cut into "
                                         "such blocks; `[{}/{}]` is missing",
                                         read.value()[p].whole, said, name, name, said)
                           : fmt::format("layout: `[{}]`: the next larger block of {} has {} elements; write "
                                         "`[{}%{}{}]`",
                                         read.value()[p].whole, name, block, name, block,
                                         read.value()[p].step > 1 ? fmt::format("/{}", read.value()[p].step) : "")};
    }
    return layout;
}

} // namespace loopscope
