// Einstein's sums as transposes, sums and one matrix product for every further operand: "bhid,bhjd->bhij" is a product
// of matrices with b and h in front. Letters that stand in both operands and go on are in front, those that end are
// summed over.
#include "networks/onnx/handlers.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>

namespace loopscope {

namespace {

struct Equation {
    std::vector<std::string> operands; // letters of each
    std::string result;
};

Outcome<Equation> readEquation(std::string text, size_t operands) {
    std::erase(text, ' ');
    const auto bad = [&](std::string_view why) { return Refusal{fmt::format("the equation '{}' {}", text, why)}; };
    if (text.find("...") != std::string::npos) return bad("has an ellipsis, which is not supported; letters are");
    const size_t arrow = text.find("->");
    std::string left = text.substr(0, arrow);
    Equation equation;
    for (size_t at = 0; at <= left.size();) {
        const size_t comma = std::min(left.find(',', at), left.size());
        equation.operands.push_back(left.substr(at, comma - at));
        at = comma + 1;
    }
    if (arrow != std::string::npos) equation.result = text.substr(arrow + 2);
    for (const std::string &letters : equation.operands)
        for (const char letter : letters) {
            if ((letter < 'a' || letter > 'z') && (letter < 'A' || letter > 'Z'))
                return bad("has something else than letters");
            if (std::count(letters.begin(), letters.end(), letter) > 1)
                return bad(fmt::format("has {} twice in one operand, which is not supported", letter));
            // Without an arrow: what stands once, in alphabetical order.
            if (arrow == std::string::npos && std::count(left.begin(), left.end(), letter) == 1)
                equation.result += letter;
        }
    if (arrow == std::string::npos) std::sort(equation.result.begin(), equation.result.end());
    for (const char letter : equation.result)
        if (left.find(letter) == std::string::npos ||
            std::count(equation.result.begin(), equation.result.end(), letter) > 1)
            return bad(fmt::format("has {} in its result, which stands there twice or in no operand", letter));
    if (equation.operands.size() != operands)
        return bad(fmt::format("is for {} operands, and there are {}", equation.operands.size(), operands));
    return equation;
}

/// A value with a letter for each of its axes.
struct Labelled {
    ValueId value;
    std::string letters;
};

class Einsum {
  public:
    Einsum(NodeImport &node, Equation equation) : m_node(node), m_equation(std::move(equation)) {}

    Translated run() {
        for (size_t i = 0; i < m_equation.operands.size(); ++i)
            if (const auto refusal = readExtents(i)) return *refusal;
        Labelled left = {m_node.in(0), m_equation.operands[0]};
        for (size_t i = 1; i < m_equation.operands.size(); ++i) {
            Labelled right = {m_node.in(i), m_equation.operands[i]};
            std::string later = m_equation.result;
            for (size_t j = i + 1; j < m_equation.operands.size(); ++j) later += m_equation.operands[j];
            auto product = productOf(left, right, later);
            if (!product) return product.refusal();
            left = *std::move(product);
        }
        auto summed = sumOver(left, m_equation.result);
        if (!summed) return summed.refusal();
        return m_node.finish("transpose", {summed->value},
                             {{"permutation", permutation(summed->letters, m_equation.result)}});
    }

  private:
    std::optional<Refusal> readExtents(size_t i) {
        const Dims dims = m_node.dims(i);
        const std::string &letters = m_equation.operands[i];
        if (dims.size() != letters.size())
            return Refusal{fmt::format("operand {} is {}, and the equation has '{}' for it", i,
                                       typeText(m_node.type(m_node.in(i))), letters)};
        for (size_t axis = 0; axis < letters.size(); ++axis) {
            if (!dims[axis].isConstant())
                return Refusal{fmt::format("operand {} is {}; the dims of all operands must be known", i,
                                           typeText(m_node.type(m_node.in(i))))};
            const auto [at, added] = m_extents.emplace(letters[axis], dims[axis].value());
            if (!added && at->second != dims[axis].value())
                return Refusal{fmt::format("{} is {} in one operand and {} in another", letters[axis], at->second,
                                           dims[axis].value())};
        }
        return std::nullopt;
    }

    [[nodiscard]] int64_t size(const std::string &letters) const {
        int64_t product = 1;
        for (const char letter : letters) product *= m_extents.at(letter);
        return product;
    }

    static std::vector<int64_t> permutation(const std::string &from, const std::string &to) {
        std::vector<int64_t> axes;
        for (const char letter : to) axes.push_back(static_cast<int64_t>(from.find(letter)));
        return axes;
    }

    /// Letters that do not stand in `kept` are summed over.
    Outcome<Labelled> sumOver(const Labelled &from, const std::string &kept) {
        std::vector<int64_t> axes;
        std::string rest;
        for (size_t axis = 0; axis < from.letters.size(); ++axis)
            if (kept.find(from.letters[axis]) == std::string::npos)
                axes.push_back(static_cast<int64_t>(axis));
            else
                rest += from.letters[axis];
        if (axes.empty()) return from;
        const auto sum = m_node.value("reduce_sum", {from.value}, {{"axes", axes}, {"keep_dims", int64_t{0}}});
        if (!sum) return sum.refusal();
        return Labelled{*sum, rest};
    }

    /// Axes in this order and then in groups, each one axis.
    Outcome<ValueId> grouped(const Labelled &from, const std::string &order, const std::vector<int64_t> &groups) {
        ValueId value = from.value;
        if (order != from.letters) {
            const auto moved = m_node.value("transpose", {value}, {{"permutation", permutation(from.letters, order)}});
            if (!moved) return moved;
            value = *moved;
        }
        return m_node.value("reshape", {value, m_node.integerConstant("groups", groups)}, {{"allow_zero", int64_t{1}}});
    }

    Outcome<Labelled> productOf(Labelled left, Labelled right, const std::string &later) {
        auto first = sumOver(left, right.letters + later);
        if (!first) return first.refusal();
        auto second = sumOver(right, left.letters + later);
        if (!second) return second.refusal();
        left = *std::move(first);
        right = *std::move(second);
        std::string batch;
        std::string ending;
        std::string rows;
        std::string columns;
        for (const char letter : left.letters) {
            if (right.letters.find(letter) == std::string::npos)
                rows += letter;
            else
                (later.find(letter) != std::string::npos ? batch : ending) += letter;
        }
        for (const char letter : right.letters)
            if (left.letters.find(letter) == std::string::npos) columns += letter;
        const auto a = grouped(left, batch + rows + ending, {size(batch), size(rows), size(ending)});
        if (!a) return a.refusal();
        const auto b = grouped(right, batch + ending + columns, {size(batch), size(ending), size(columns)});
        if (!b) return b.refusal();
        const auto product = m_node.value("matmul", {*a, *b});
        if (!product) return product.refusal();
        std::vector<int64_t> dims;
        for (const char letter : batch + rows + columns) dims.push_back(m_extents.at(letter));
        const auto apart =
            m_node.value("reshape", {*product, m_node.integerConstant("dims", dims)}, {{"allow_zero", int64_t{1}}});
        if (!apart) return apart.refusal();
        return Labelled{*apart, batch + rows + columns};
    }

    NodeImport &m_node;
    Equation m_equation;
    std::map<char, int64_t> m_extents;
};

Translated einsum(NodeImport &node) {
    if (!node.given("equation")) return Refusal{"attribute 'equation' is missing"};
    auto equation = readEquation(node.text("equation", ""), node.inputs().size());
    if (!equation) return equation.refusal();
    return Einsum(node, *std::move(equation)).run();
}

constexpr OnnxHandler kEinsum[] = {{"Einsum", 12, 1, kAnyNumber, "equation:s", einsum}};

} // namespace

std::span<const OnnxHandler> einsumHandlers() { return kEinsum; }

} // namespace loopscope
