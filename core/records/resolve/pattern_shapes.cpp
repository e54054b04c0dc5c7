#include "records/resolve/pattern_shapes.h"

#include <algorithm>
#include <cctype>
#include <span>
#include <string_view>
#include <utility>

namespace loopscope {

namespace {

constexpr size_t kMaxExtras = 8;
constexpr size_t kMaxPartitions = 32;
constexpr size_t kMaxRank = 6;

struct PatternSides {
    std::vector<std::vector<std::string>> inputs;
    std::vector<std::string> out;
    bool anyOut = false;
};

std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> all;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find(' ', at), text.size());
        if (end > at) all.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return all;
}

PatternSides sidesOf(const OpPattern &pattern) {
    PatternSides sides;
    const size_t arrow = pattern.shapes.find("->");
    std::string_view rest = std::string_view(pattern.shapes).substr(0, arrow);
    while (true) {
        const size_t comma = rest.find(',');
        sides.inputs.push_back(words(rest.substr(0, comma)));
        if (comma == std::string_view::npos) break;
        rest.remove_prefix(comma + 1);
    }
    sides.out = words(std::string_view(pattern.shapes).substr(arrow + 2));
    sides.anyOut = sides.out.size() == 1 && sides.out[0] == "*";
    return sides;
}

bool isNumber(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool bindToken(std::string_view token, int64_t value, Extents &extents) {
    if (isNumber(token)) return value == std::stoll(std::string(token));
    if (const size_t times = token.find('*'); times != std::string_view::npos) {
        const auto left = extents.find(token.substr(0, times));
        const auto right = extents.find(token.substr(times + 1));
        return left != extents.end() && right != extents.end() && left->second * right->second == value;
    }
    if (const size_t plus = token.find('+'); plus != std::string_view::npos) {
        value -= std::stoll(std::string(token.substr(plus + 1)));
        token = token.substr(0, plus);
    }
    if (value < 1) return false;
    return extents.emplace(token, value).first->second == value;
}

bool bindShape(const std::vector<std::string> &tokens, std::span<const int64_t> shape, Extents &extents) {
    if (tokens.size() != shape.size()) return false;
    for (size_t d = 0; d < tokens.size(); ++d)
        if (!bindToken(tokens[d], shape[d], extents)) return false;
    return true;
}

/// Is a tensor of the shape an operand of what has the other: broadcast, or a value for every channel of the second
/// dimension?
bool standsBehind(const Shape &shape, const Shape &of) {
    return broadcastsInto(shape, of) || (shape.size() == 1 && of.size() > 2 && shape[0] == of[1]);
}

/// Ways to cut the numbers into shapes that stand behind one of the two.
void partition(std::span<const int64_t> numbers, const Shape &one, const Shape &other, std::vector<Shape> &sofar,
               std::vector<std::vector<Shape>> &all) {
    if (all.size() >= kMaxPartitions || sofar.size() > kMaxExtras) return;
    if (numbers.empty()) {
        all.push_back(sofar);
        return;
    }
    // Operands of full rank are the rule.
    for (size_t rank = std::min(numbers.size(), std::max(one.size(), other.size())); rank >= 1; --rank) {
        const Shape shape(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(rank));
        if (!standsBehind(shape, one) && !standsBehind(shape, other)) continue;
        sofar.push_back(shape);
        partition(numbers.subspan(rank), one, other, sofar, all);
        sofar.pop_back();
    }
}

class Matcher {
  public:
    Matcher(const PatternSides &sides, const TaskKey &key) : m_sides(sides), m_key(key) {}

    std::vector<ShapeMatch> match() {
        if (m_key.nested) {
            matchNested(false);
            matchNested(true);
        } else if (m_sides.anyOut) {
            for (size_t rank = 0; rank <= kMaxRank; ++rank) matchFlat(0, rank);
        } else {
            matchFlat(0, m_sides.out.size());
            matchFlat(m_sides.out.size(), m_sides.out.size());
        }
        return std::move(m_matches);
    }

  private:
    void matchNested(bool lead) {
        const std::vector<Shape> &shapes = m_key.shapes;
        const size_t first = lead ? 1 : 0;
        if (shapes.size() < first + m_sides.inputs.size() + 1 || (lead && m_sides.anyOut)) return;
        ShapeMatch match;
        match.lead = lead;
        for (size_t i = 0; i < m_sides.inputs.size(); ++i) {
            if (!bindShape(m_sides.inputs[i], shapes[first + i], match.extents)) return;
            match.inputs.push_back(shapes[first + i]);
        }
        match.out = shapes.back();
        if (!m_sides.anyOut && !bindShape(m_sides.out, match.out, match.extents)) return;
        if (lead) match.extras.push_back(shapes[0]);
        match.extras.insert(match.extras.end(),
                            shapes.begin() + static_cast<std::ptrdiff_t>(first + match.inputs.size()),
                            shapes.end() - 1);
        if (match.extras.size() > kMaxExtras) return;
        for (const Shape &extra : match.extras)
            if (!standsBehind(extra, match.out) && !standsBehind(extra, match.inputs[0])) return;
        m_matches.push_back(std::move(match));
    }

    void matchFlat(size_t leadRank, size_t outRank) {
        std::span<const int64_t> numbers = m_key.numbers;
        if (numbers.size() < leadRank + outRank || (leadRank > 0 && m_sides.anyOut)) return;
        ShapeMatch match;
        match.lead = leadRank > 0;
        const auto take = [&numbers](size_t count) {
            const std::span<const int64_t> taken = numbers.first(count);
            numbers = numbers.subspan(count);
            return Shape(taken.begin(), taken.end());
        };
        const std::span<const int64_t> out = numbers.last(outRank);
        match.out.assign(out.begin(), out.end());
        numbers = numbers.first(numbers.size() - outRank);
        Shape lead;
        if (match.lead) {
            lead = take(leadRank);
            if (!broadcastsInto(lead, match.out)) return;
        }
        for (const std::vector<std::string> &tokens : m_sides.inputs) {
            if (numbers.size() < tokens.size()) return;
            match.inputs.push_back(take(tokens.size()));
            if (!bindShape(tokens, match.inputs.back(), match.extents)) return;
        }
        if (!m_sides.anyOut && !bindShape(m_sides.out, match.out, match.extents)) return;
        std::vector<Shape> sofar;
        std::vector<std::vector<Shape>> ways;
        partition(numbers, match.out, m_sides.anyOut ? match.inputs[0] : match.out, sofar, ways);
        for (std::vector<Shape> &way : ways) {
            ShapeMatch one = match;
            one.extras = std::move(way);
            if (one.lead) one.extras.insert(one.extras.begin(), lead);
            m_matches.push_back(std::move(one));
        }
    }

    const PatternSides &m_sides;
    const TaskKey &m_key;
    std::vector<ShapeMatch> m_matches;
};

} // namespace

bool broadcastsInto(const Shape &shape, const Shape &into) {
    if (shape.size() > into.size()) return false;
    for (size_t d = 0; d < shape.size(); ++d)
        if (shape[d] != 1 && shape[d] != into[into.size() - shape.size() + d]) return false;
    return true;
}

std::vector<std::string> shapeTokens(const OpPattern &pattern, size_t input) { return sidesOf(pattern).inputs[input]; }

namespace {

constexpr int64_t kMaxBlock = 64;

/// Every match once for each divisor; those of vectors first.
std::vector<ShapeMatch> withDivisors(std::vector<ShapeMatch> matches, const std::string &name, const std::string &of) {
    std::vector<ShapeMatch> all;
    for (const ShapeMatch &match : matches) {
        const int64_t extent = match.extents.at(of);
        std::vector<int64_t> divisors;
        for (const int64_t usual : {16, 8, 4, 32})
            if (extent % usual == 0) divisors.push_back(usual);
        for (int64_t block = std::min(extent, kMaxBlock); block >= 1; --block)
            if (extent % block == 0 && std::find(divisors.begin(), divisors.end(), block) == divisors.end())
                divisors.push_back(block);
        for (const int64_t block : divisors) {
            all.push_back(match);
            all.back().extents[name] = block;
        }
    }
    return all;
}

} // namespace

std::vector<ShapeMatch> matchShapes(const OpPattern &pattern, const TaskKey &key) {
    const PatternSides sides = sidesOf(pattern);
    std::vector<ShapeMatch> matches = Matcher(sides, key).match();
    for (const auto &[name, of] : pattern.divisors) matches = withDivisors(std::move(matches), name, of);
    return matches;
}

} // namespace loopscope
