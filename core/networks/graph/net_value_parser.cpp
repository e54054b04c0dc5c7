#include "networks/graph/net_value_parser.h"

#include "base/nearest_name.h"
#include "networks/graph/net_literals.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace loopscope {

namespace {

constexpr int kDeepestDim = 64;

std::vector<std::string> typeNames() {
    std::vector<std::string> names;
    for (int type = 0; type <= static_cast<int>(DType::Float64); ++type)
        names.emplace_back(dtypeName(static_cast<DType>(type)));
    return names;
}

} // namespace

Dim NetValueParser::bounded(const NetToken &place, const Dim &dim, const Dim &a, const Dim &b, char operation) {
    if (!a.isConstant() || !b.isConstant()) return dim;
    int64_t exact = 0;
    const bool over = operation == '+'   ? __builtin_add_overflow(a.value(), b.value(), &exact)
                      : operation == '-' ? __builtin_sub_overflow(a.value(), b.value(), &exact)
                                         : __builtin_mul_overflow(a.value(), b.value(), &exact);
    if (over)
        throw m_cursor.error(place, fmt::format("{} {} {} does not fit 64 bits", a.value(), operation, b.value()));
    return exact;
}

Dim NetValueParser::dim(bool symbols, int depth) {
    if (depth > kDeepestDim)
        throw m_cursor.error(m_cursor.peek(), fmt::format("parentheses are nested more than {} deep", kDeepestDim));
    const NetToken first = m_cursor.peek();
    const bool negative = m_cursor.accept("-");
    // The only integer whose digits do not fit without their sign.
    const bool smallest = negative && m_cursor.peek().text == "9223372036854775808";
    Dim total = smallest ? Dim(INT64_MIN) : dimProduct(symbols, depth);
    if (smallest)
        m_cursor.next();
    else if (negative)
        total = bounded(first, Dim(0) - total, 0, total, '-');
    for (;;) {
        const NetToken place = m_cursor.peek();
        if (!place.is("+") && !place.is("-")) return total;
        m_cursor.next();
        const Dim right = dimProduct(symbols, depth);
        if (total.terms() + right.terms() > kMaxDimTerms) throw m_cursor.error(place, "this sum has too many terms");
        const bool plus = place.is("+");
        total = bounded(place, plus ? total + right : total - right, total, right, plus ? '+' : '-');
    }
}

Dim NetValueParser::dimProduct(bool symbols, int depth) {
    Dim total = dimFactor(symbols, depth);
    for (;;) {
        const NetToken place = m_cursor.peek();
        if (!place.is("*") && !place.is("//")) return total;
        m_cursor.next();
        const Dim right = dimFactor(symbols, depth);
        if (place.is("//")) {
            total = floorDivDims(place, total, right);
            continue;
        }
        if (total.terms() * right.terms() > kMaxDimTerms || total.text().size() + right.text().size() > 4096)
            throw m_cursor.error(place, "this product has too many terms");
        total = bounded(place, total * right, total, right, '*');
    }
}

Dim NetValueParser::floorDivDims(const NetToken &place, const Dim &a, const Dim &b) {
    if (b.isConstant() && b.value() < 1)
        throw m_cursor.error(place, fmt::format("the divisor is {}; it has to be at least 1", b.value()));
    return Dim::floorDiv(a, b);
}

Dim NetValueParser::dimFactor(bool symbols, int depth) {
    const NetToken token = m_cursor.peek();
    if (m_cursor.accept("(")) {
        Dim inner = dim(symbols, depth + 1);
        m_cursor.expect(")", "for the one that was opened");
        return inner;
    }
    if (token.kind == NetTokenKind::Integer) {
        m_cursor.next();
        int64_t value = 0;
        if (std::from_chars(token.text.data(), token.text.data() + token.text.size(), value).ec != std::errc())
            throw m_cursor.error(token, "this integer does not fit 64 bits: 9223372036854775807 is the largest");
        return value;
    }
    if (m_cursor.acceptName("floordiv")) {
        m_cursor.expect("(", "behind floordiv");
        const Dim a = dim(symbols, depth + 1);
        m_cursor.expect(",", "between dividend and divisor");
        const Dim b = dim(symbols, depth + 1);
        m_cursor.expect(")", "behind the divisor");
        return floorDivDims(token, a, b);
    }
    const bool quoted = symbols && token.kind == NetTokenKind::Text;
    if (token.kind != NetTokenKind::Name && !quoted) throw m_cursor.unexpected(symbols ? "a dim" : "an integer");
    m_cursor.next();
    const std::string name = quoted ? netUnquoted(token.text) : std::string(token.text);
    const NetBinding *binding = quoted ? nullptr : m_scopes.find(name);
    if (binding && std::holds_alternative<int64_t>(binding->meaning)) return std::get<int64_t>(binding->meaning);
    if (symbols) {
        const auto given = m_given.find(name);
        if (!m_useGiven || given == m_given.end()) return Dim::symbol(name);
        given->second.met = true;
        return given->second.number;
    }
    throw m_cursor.error(
        token, binding ? fmt::format("`{}` is not an integer", name)
                       : fmt::format("no integer is called `{}`{}", name, suggestion(name, m_scopes.visible())));
}

int64_t NetValueParser::integer() { return dim(false).value(); }

double NetValueParser::bits(int bytes) {
    m_cursor.expect("(", "behind bits");
    const NetToken token = m_cursor.peek();
    if (token.kind != NetTokenKind::Bits) throw m_cursor.unexpected("hexadecimal digits behind 0x");
    m_cursor.next();
    uint64_t word = 0;
    std::from_chars(token.text.data() + 2, token.text.data() + token.text.size(), word, 16);
    if (bytes < 8 && word >> (8 * bytes) != 0)
        throw m_cursor.error(token, fmt::format("these are more than {} bits", 8 * bytes));
    m_cursor.expect(")", "behind the bits");
    return std::bit_cast<double>(word);
}

std::variant<int64_t, double> NetValueParser::numeric() {
    const size_t begin = m_cursor.at();
    const bool negative = m_cursor.accept("-");
    const double sign = negative ? -1 : 1;
    const NetToken token = m_cursor.peek();
    if (token.kind == NetTokenKind::Number) {
        m_cursor.next();
        double value = 0;
        const auto result = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
        if (result.ec != std::errc()) throw m_cursor.error(token, "this number does not fit a float64");
        return sign * value;
    }
    if (m_cursor.acceptName("inf")) return sign * std::numeric_limits<double>::infinity();
    if (m_cursor.acceptName("nan")) return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
    if (!negative && m_cursor.acceptName("bits")) return bits(8);
    if (token.kind == NetTokenKind::Name)
        if (const NetBinding *binding = m_scopes.find(std::string(token.text)))
            if (const auto *number = std::get_if<double>(&binding->meaning)) {
                m_cursor.next();
                return sign * *number;
            }
    m_cursor.moveTo(begin);
    return integer();
}

double NetValueParser::number() {
    const auto value = numeric();
    if (const auto *whole = std::get_if<int64_t>(&value)) return static_cast<double>(*whole);
    return std::get<double>(value);
}

TensorType NetValueParser::type() {
    const NetToken token = m_cursor.peek();
    const std::string name = m_cursor.takeName("a type such as float32[1, 3]");
    const std::optional<DType> dtype = dtypeFromName(name);
    if (!dtype)
        throw m_cursor.error(token, fmt::format("no type is called `{}`{}", name, suggestion(name, typeNames())));
    m_cursor.expect("[", "behind the element type, with the dims");
    TensorType type = {*dtype, {}};
    while (!m_cursor.accept("]")) {
        if (!type.dims.empty()) m_cursor.expect(",", "or `]` behind a dim");
        const NetToken place = m_cursor.peek();
        type.dims.push_back(dim(true));
        if (type.dims.back().isConstant() && type.dims.back().value() < 0)
            throw m_cursor.error(place, fmt::format("a dim is at least 0, not {}", type.dims.back().value()));
    }
    return type;
}

Attribute NetValueParser::list(const NetToken &opening) {
    std::vector<int64_t> integers;
    std::vector<double> numbers;
    std::vector<std::string> texts;
    bool anyNumber = false;
    if (m_cursor.peek().is("]"))
        throw m_cursor.error(opening, "an empty list says what it is a list of: ints [], numbers [] or texts []");
    while (!m_cursor.accept("]")) {
        if (!integers.empty() || !texts.empty()) m_cursor.expect(",", "or `]` behind an element");
        const NetToken token = m_cursor.peek();
        if (token.kind == NetTokenKind::Text) {
            m_cursor.next();
            texts.push_back(netUnquoted(token.text));
        } else {
            const auto value = numeric();
            const auto *whole = std::get_if<int64_t>(&value);
            anyNumber = anyNumber || !whole;
            integers.push_back(whole ? *whole : 0);
            numbers.push_back(whole ? static_cast<double>(*whole) : std::get<double>(value));
        }
        if (!texts.empty() && !integers.empty()) throw m_cursor.error(token, "a list holds texts or numbers, not both");
    }
    if (!texts.empty()) return texts;
    if (anyNumber) return numbers;
    return integers;
}

Attribute NetValueParser::attribute() {
    const NetToken token = m_cursor.peek();
    if (token.kind == NetTokenKind::Text) {
        m_cursor.next();
        return netUnquoted(token.text);
    }
    if (m_cursor.accept("[")) return list(token);
    if (m_cursor.acceptName("tensor")) return tensor("");
    if (token.isName("ints") || token.isName("numbers") || token.isName("texts")) {
        m_cursor.next();
        m_cursor.expect("[", "of an empty list");
        m_cursor.expect("]", "of an empty list");
        if (token.text == "ints") return std::vector<int64_t>();
        if (token.text == "numbers") return std::vector<double>();
        return std::vector<std::string>();
    }
    if (token.kind == NetTokenKind::Name)
        if (const NetBinding *binding = m_scopes.find(std::string(token.text)))
            if (const auto *text = std::get_if<std::string>(&binding->meaning)) {
                m_cursor.next();
                return *text;
            }
    const auto value = numeric();
    if (const auto *whole = std::get_if<int64_t>(&value)) return *whole;
    return std::get<double>(value);
}

ValueId NetValueParser::value(bool leftOut) {
    const NetToken token = m_cursor.peek();
    if (leftOut && m_cursor.acceptName("_")) return {};
    const std::string name = m_cursor.takeName("a value");
    const NetBinding *binding = m_scopes.find(name);
    if (!binding && m_scopes.isHidden(name))
        throw m_cursor.error(token, fmt::format("`{}` is known in its block only; `yield {}` behind that lets others "
                                                "read it",
                                                name, name));
    if (!binding)
        throw m_cursor.error(token,
                             fmt::format("no value is called `{}`{}", name, suggestion(name, m_scopes.visible())));
    const auto *value = std::get_if<ValueId>(&binding->meaning);
    if (!value) throw m_cursor.error(token, fmt::format("`{}` is not a value of the network", name));
    if (value->value < 0 && !leftOut)
        throw m_cursor.error(token, fmt::format("`{}` was left out, and a value is needed here", name));
    return *value;
}

NetMeaning NetValueParser::argument() {
    const NetToken token = m_cursor.peek();
    if (m_cursor.acceptName("_")) return ValueId();
    if (token.kind == NetTokenKind::Name || token.kind == NetTokenKind::Text) {
        const bool quoted = token.kind == NetTokenKind::Text;
        const std::string name = quoted ? netUnquoted(token.text) : std::string(token.text);
        const NetBinding *binding = m_scopes.find(name);
        if (binding && !std::holds_alternative<int64_t>(binding->meaning)) {
            m_cursor.next();
            return binding->meaning;
        }
        if (quoted) {
            m_cursor.next();
            return name;
        }
    }
    const auto value = numeric();
    if (const auto *whole = std::get_if<int64_t>(&value)) return *whole;
    return std::get<double>(value);
}

} // namespace loopscope
