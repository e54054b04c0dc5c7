#include "networks/op/integer_division.h"

#include "networks/op/reference.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loopscope {

namespace {

bool divides(const Node &node) { return (node.op == "div" || node.op == "mod") && node.inputs.size() == 2; }

/// Whether all that comes of the value, element by element, are choices of a `where`.
class Choices {
  public:
    explicit Choices(const GraphFunction &function) : m_function(function), m_readers(function.readers()) {}

    bool take(ValueId value, int depth = 0) const {
        constexpr int kDeepest = 16;
        const auto &results = m_function.results();
        const auto &readers = m_readers[value.index()];
        if (readers.empty() || depth > kDeepest || std::find(results.begin(), results.end(), value) != results.end())
            return false;
        return std::all_of(readers.begin(), readers.end(), [&](NodeId id) {
            const Node &reader = m_function.node(id);
            if (reader.op == "where") return reader.inputs[0] != value;
            const Operator *of = findOperator(reader.op);
            const bool elementwise = of != nullptr && !of->host && of->pattern <= PatternKind::Broadcast;
            return elementwise && reader.outputs.size() == 1 && take(reader.outputs[0], depth + 1);
        });
    }

  private:
    const GraphFunction &m_function;
    std::vector<std::vector<NodeId>> m_readers;
};

} // namespace

std::optional<ValueId> checkedDivisor(const GraphFunction &function, const Node &node) {
    if (!divides(node)) return std::nullopt;
    const ValueId divisor = node.inputs[1];
    if (isFloat(function.type(divisor).dtype)) return std::nullopt;
    if (const HostTensor *constant = function.constant(divisor)) {
        const std::vector<int64_t> elements = constant->integerValues();
        if (std::find(elements.begin(), elements.end(), 0) == elements.end()) return std::nullopt;
    }
    if (Choices(function).take(node.outputs[0])) return std::nullopt;
    return divisor;
}

std::optional<std::string> zeroAmong(std::span<const int64_t> elements, const std::vector<int64_t> &dims,
                                     const std::string &name) {
    const auto zero = std::find(elements.begin(), elements.end(), 0);
    if (zero == elements.end()) return std::nullopt;
    if (dims.empty()) return fmt::format(", the value of '{}'", name);
    std::vector<int64_t> index(dims.size());
    int64_t rest = zero - elements.begin();
    for (size_t d = dims.size(); d-- > 0; rest /= dims[d]) index[d] = rest % dims[d];
    return fmt::format(" at index [{}] of '{}'", fmt::join(index, ", "), name);
}

std::string divisionByZeroText(const std::string &node, const std::string &where) {
    return fmt::format("{}: an integer is divided by 0{}; a `where` behind it may choose another value there", node,
                       where);
}

bool dividesIntegers(const Node &node, std::span<const WideTensor *const> inputs) {
    return divides(node) && inputs.size() == 2 && inputs[1] != nullptr && !isFloat(inputs[1]->dtype);
}

Outcome<std::vector<WideTensor>> evaluateDivision(const GraphFunction &function, const Node &node,
                                                  std::span<const WideTensor *const> inputs, ThreadPool &pool,
                                                  int64_t maxElements) {
    const WideTensor &divisor = *inputs[1];
    const auto zero = zeroAmong(divisor.integers, divisor.dims, function.value(node.inputs[1]).name);
    if (!zero) return evaluateNode(node, inputs, pool, maxElements);
    if (!Choices(function).take(node.outputs[0])) return Refusal{divisionByZeroText(nodeText(node), *zero)};
    // By 1 instead, and times 0.
    WideTensor other = divisor;
    WideTensor factor = divisor;
    for (size_t i = 0; i < divisor.integers.size(); ++i) {
        other.integers[i] = divisor.integers[i] == 0 ? 1 : divisor.integers[i];
        factor.integers[i] = divisor.integers[i] == 0 ? 0 : 1;
    }
    const WideTensor *parts[] = {inputs[0], &other};
    const auto quotient = evaluateNode(node, parts, pool, maxElements);
    if (!quotient) return quotient.refusal();
    Node product = node;
    product.op = "mul";
    product.attributes.clear();
    const WideTensor *factors[] = {&quotient->front(), &factor};
    return evaluateNode(product, factors, pool, maxElements);
}

} // namespace loopscope
