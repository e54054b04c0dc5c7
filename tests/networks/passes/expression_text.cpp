#include "expression_text.h"

#include "base/outcome.h"
#include "base/random.h"
#include "networks/graph/function_builder.h"
#include "networks/op/infer_types.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fmt/format.h>
#include <map>

namespace loopscope::test {

namespace {

class Reader {
  public:
    Reader(const std::string &given, const std::string &text) : m_text(given), m_builder("main") {
        while (!atEnd()) {
            declaration();
            if (!accept(',')) break;
        }
        if (!atEnd()) fail("a declaration");
        m_text = text;
        m_at = 0;
        do part();
        while (accept('|'));
        if (!atEnd()) fail("a bar or the end");
    }
    FunctionPtr finish() && { return std::move(m_builder).finish(); }

  private:
    [[noreturn]] void fail(const std::string &wanted) const {
        throw Error(fmt::format("'{}' at {}: {} expected", m_text, m_at, wanted));
    }
    void skip() {
        while (m_at < m_text.size() && std::isspace(static_cast<unsigned char>(m_text[m_at]))) ++m_at;
    }
    bool atEnd() {
        skip();
        return m_at >= m_text.size();
    }
    bool accept(char c) {
        skip();
        if (m_at >= m_text.size() || m_text[m_at] != c) return false;
        ++m_at;
        return true;
    }
    void need(char c) {
        if (!accept(c)) fail(std::string(1, c));
    }
    std::string word() {
        skip();
        const size_t from = m_at;
        while (m_at < m_text.size() && (std::isalnum(static_cast<unsigned char>(m_text[m_at])) || m_text[m_at] == '_'))
            ++m_at;
        if (from == m_at) fail("a name");
        return m_text.substr(from, m_at - from);
    }
    std::string number() {
        skip();
        const size_t from = m_at;
        while (m_at < m_text.size() && std::string("+-.0123456789einf").find(m_text[m_at]) != std::string::npos) ++m_at;
        if (from == m_at) fail("a number");
        return m_text.substr(from, m_at - from);
    }
    static bool isFloating(const std::string &number) { return number.find_first_of(".i") != std::string::npos; }

    void declaration() {
        const std::string name = word();
        need(':');
        std::string type = word();
        const bool constant = type == "const";
        if (constant) type = word();
        TensorType of = {*dtypeFromName(type), {}};
        need('[');
        if (!accept(']')) {
            do {
                skip();
                if (std::isalpha(static_cast<unsigned char>(m_text[m_at])))
                    of.dims.push_back(Dim::symbol(word()));
                else
                    of.dims.push_back(Dim(std::stoll(number())));
            } while (accept(','));
            need(']');
        }
        m_values[name] = constant ? m_builder.addConstant(name, seededTensor(of, name.size() + 17 * name[0], 0.5, 1.5))
                                  : m_builder.addParameter(name, of);
    }

    void part() {
        const size_t from = m_at;
        skip();
        if (std::isalpha(static_cast<unsigned char>(m_text[m_at]))) {
            std::vector<std::string> names = {word()};
            while (accept(',')) names.push_back(word());
            if (accept('=')) {
                const std::vector<ValueId> values = call(word(), names);
                for (size_t i = 0; i < names.size(); ++i) m_values[names[i]] = values[i];
                return;
            }
        }
        m_at = from;
        m_builder.addResult(expression());
    }

    ValueId expression() {
        skip();
        if (accept('[')) return m_builder.addConstant("shape", vectorOf(']', true));
        if (accept('{')) return m_builder.addConstant("vector", vectorOf('}', false));
        if (std::isalpha(static_cast<unsigned char>(m_text[m_at]))) {
            const std::string name = word();
            if (accept('(')) {
                --m_at;
                return call(name, {})[0];
            }
            const auto known = m_values.find(name);
            if (known == m_values.end()) fail("a known value instead of " + name);
            return known->second;
        }
        return m_builder.addConstant("number", HostTensor::scalar(DType::Float32, std::stod(number())));
    }

    HostTensor vectorOf(char end, bool integers) {
        std::vector<int64_t> whole;
        std::vector<float> numbers;
        if (!accept(end)) {
            do {
                const std::string text = number();
                if (integers)
                    whole.push_back(std::stoll(text));
                else
                    numbers.push_back(std::stof(text));
            } while (accept(','));
            need(end);
        }
        return integers ? integerTensor({static_cast<int64_t>(whole.size())}, whole)
                        : floatTensor({static_cast<int64_t>(numbers.size())}, numbers);
    }

    Attribute attribute() {
        skip();
        if (accept('"')) {
            const size_t from = m_at;
            m_at = m_text.find('"', from);
            const std::string text = m_text.substr(from, m_at - from);
            ++m_at;
            return text;
        }
        if (accept('[')) return vectorOf(']', true).integerValues();
        if (accept('{')) return vectorOf('}', false).numbers();
        const std::string text = number();
        if (isFloating(text)) return std::stod(text);
        return static_cast<int64_t>(std::stoll(text));
    }

    std::vector<ValueId> call(const std::string &op, std::vector<std::string> names) {
        Node node;
        node.op = op;
        need('(');
        if (!accept(')')) {
            do {
                if (accept('_'))
                    node.inputs.push_back({});
                else
                    node.inputs.push_back(expression());
            } while (accept(','));
            if (accept(';')) do {
                    const std::string name = word();
                    need('=');
                    node.attributes[name] = attribute();
                } while (accept(','));
            need(')');
        }
        if (names.empty()) names = {fmt::format("{}{}", op, ++m_counts[op])};
        node.name = names[0];
        node.sources = {node.name};
        const NodeId id = m_builder.addNode(std::move(node), names);
        return m_builder.soFar().node(id).outputs;
    }

    std::string m_text;
    size_t m_at = 0;
    FunctionBuilder m_builder;
    std::map<std::string, ValueId> m_values;
    std::map<std::string, int> m_counts;
};

std::string numberText(double number) {
    std::string text = fmt::format("{}", static_cast<float>(number));
    return text.find_first_of(".ein") == std::string::npos ? text + ".0" : text;
}

std::string attributeText(const Attribute &attribute) {
    if (const auto *integer = std::get_if<int64_t>(&attribute)) return fmt::format("{}", *integer);
    if (const auto *number = std::get_if<double>(&attribute)) return numberText(*number);
    if (const auto *text = std::get_if<std::string>(&attribute)) return '"' + *text + '"';
    std::string list;
    if (const auto *integers = std::get_if<std::vector<int64_t>>(&attribute)) {
        for (const int64_t integer : *integers) list += fmt::format("{}{}", list.empty() ? "" : ", ", integer);
        return "[" + list + "]";
    }
    if (const auto *numbers = std::get_if<std::vector<double>>(&attribute)) {
        for (const double number : *numbers) list += (list.empty() ? "" : ", ") + numberText(number);
        return "{" + list + "}";
    }
    return "?";
}

std::string valueText(const GraphFunction &function, ValueId id) {
    if (id.value < 0) return "_";
    const Value &value = function.value(id);
    if (value.constant) {
        const HostTensor &tensor = *value.constant;
        if (tensor.rank() == 0) return numberText(tensor.number(0));
        if (tensor.rank() > 1 || tensor.elements() > 8) return value.name;
        if (tensor.dtype() == DType::Int64) return attributeText(tensor.integerValues());
        // Numbers that somebody wrote are short.
        const std::vector<double> numbers = tensor.numbers();
        const bool written =
            std::all_of(numbers.begin(), numbers.end(), [](double number) { return numberText(number).size() <= 6; });
        return written ? attributeText(numbers) : value.name;
    }
    if (value.producer.value < 0) return value.name;
    const Node &node = function.node(value.producer);
    std::string text;
    for (const ValueId input : node.inputs) text += (text.empty() ? "" : ", ") + valueText(function, input);
    const char *separator = "; ";
    for (const auto &[name, attribute] : node.attributes) {
        text += fmt::format("{}{} = {}", separator, name, attributeText(attribute));
        separator = ", ";
    }
    text = fmt::format("{}({})", node.op, text);
    if (node.outputs.size() > 1)
        for (size_t i = 0; i < node.outputs.size(); ++i)
            if (node.outputs[i] == id) text += fmt::format(".{}", i);
    return text;
}

} // namespace

HostTensor seededTensor(const TensorType &type, uint64_t seed, double low, double high) {
    std::vector<int64_t> dims;
    for (const Dim &dim : type.dims) dims.push_back(dim.isConstant() ? dim.value() : 3);
    HostTensor tensor = HostTensor::zeros(type.dtype, dims);
    Random random(seed, 0);
    for (int64_t i = 0; i < tensor.elements(); ++i) {
        if (isFloat(type.dtype))
            tensor.setNumber(i, low + (high - low) * static_cast<double>(random.below(100001)) / 100000.0);
        else
            tensor.setInteger(i, type.dtype == DType::Bool ? i % 2 : i);
    }
    return tensor;
}

std::vector<HostTensor> seededInputs(const GraphFunction &function, uint64_t seed) {
    std::vector<HostTensor> inputs;
    for (const ValueId parameter : function.parameters())
        inputs.push_back(seededTensor(*function.value(parameter).type, seed + inputs.size()));
    return inputs;
}

FunctionPtr parseExpression(const std::string &given, const std::string &text) {
    auto typed = inferTypes(Reader(given, text).finish());
    if (!typed) throw Error(typed.why());
    return *typed;
}

Module moduleOf(const std::string &given, const std::string &text) {
    return {"test", "", {parseExpression(given, text)}};
}

std::string expressionText(const GraphFunction &function) {
    std::string text;
    for (const ValueId result : function.results()) text += (text.empty() ? "" : " | ") + valueText(function, result);
    return text;
}

} // namespace loopscope::test
