#include "networks/graph/verify.h"

#include "networks/graph/verify_statements.h"

#include <fmt/format.h>
#include <string_view>
#include <unordered_map>

namespace loopscope {

namespace {

/// Checks one function and collects what is wrong with it.
class FunctionVerifier {
  public:
    FunctionVerifier(const GraphFunction &function, size_t most, std::vector<std::string> &problems)
        : m_function(function), m_most(most), m_problems(problems), m_defined(function.valueCount(), false) {}

    void run() {
        if (m_function.name().empty()) add("it has no name");
        names();
        parameters();
        constants();
        for (size_t i = 0; i < m_function.nodeCount(); ++i) node(NodeId(i));
        results();
        for (size_t i = 0; i < m_function.valueCount(); ++i)
            if (!m_defined[i]) add(fmt::format("{} is neither a parameter nor a constant nor made by a node", text(i)));
    }

  private:
    [[nodiscard]] std::string text(size_t value) const {
        const std::string &name = m_function.value(ValueId(value)).name;
        return name.empty() ? fmt::format("value number {}", value) : fmt::format("value `{}`", name);
    }
    [[nodiscard]] std::string text(ValueId value) const { return text(value.index()); }
    [[nodiscard]] bool exists(ValueId value) const {
        return value.value >= 0 && value.index() < m_function.valueCount();
    }
    void add(const std::string &sentence) {
        if (m_problems.size() >= m_most) return;
        m_problems.push_back(fmt::format("function `{}`: {}", m_function.name(), sentence));
    }

    void names() {
        std::unordered_map<std::string_view, size_t> seen;
        seen.reserve(m_function.valueCount());
        for (size_t i = 0; i < m_function.valueCount(); ++i) {
            const Value &value = m_function.value(ValueId(i));
            if (value.name.empty()) add(fmt::format("value number {} has no name", i));
            if (const auto [at, isNew] = seen.try_emplace(value.name, i); !isNew && !value.name.empty())
                add(fmt::format("values number {} and {} have the same name `{}`", at->second, i, value.name));
            if (value.type) type(i, *value.type);
        }
    }

    void type(size_t value, const TensorType &type) {
        for (const Dim &dim : type.dims)
            if (dim.isConstant() && dim.value() < 0)
                add(fmt::format("{} has a negative dim in its type {}", text(value), typeText(type)));
    }

    void parameters() {
        for (const ValueId parameter : m_function.parameters()) {
            if (!exists(parameter)) {
                add(fmt::format("parameter number {} does not exist", parameter.value));
                continue;
            }
            const Value &value = m_function.value(parameter);
            if (m_defined[parameter.index()]) add(fmt::format("{} is a parameter twice", text(parameter)));
            m_defined[parameter.index()] = true;
            if (value.constant) add(fmt::format("parameter `{}` is a constant, too", value.name));
            if (value.producer.value >= 0) add(fmt::format("parameter `{}` has a producer", value.name));
            if (!value.type) add(fmt::format("parameter `{}` has no type", value.name));
        }
    }

    void constants() {
        for (size_t i = 0; i < m_function.valueCount(); ++i) {
            const Value &value = m_function.value(ValueId(i));
            if (!value.constant) continue;
            m_defined[i] = true;
            if (value.producer.value >= 0) add(fmt::format("constant `{}` has a producer", value.name));
            const TensorType held = {value.constant->dtype(), asDims(value.constant->dims())};
            if (!value.type)
                add(fmt::format("constant `{}` has no type", value.name));
            else if (*value.type != held)
                add(fmt::format("constant `{}` has the type {} and holds {}", value.name, typeText(*value.type),
                                typeText(held)));
        }
    }

    void node(NodeId id) {
        const Node &node = m_function.node(id);
        if (node.name.empty()) add(fmt::format("node number {} ({}) has no name", id.value, node.op));
        if (node.op.empty()) add(fmt::format("node '{}' has no operator", node.name));
        for (const ValueId input : node.inputs) {
            if (input.value == -1) continue;
            if (!exists(input))
                add(fmt::format("{} reads value number {}, which does not exist", nodeText(node), input.value));
            else if (!m_defined[input.index()])
                add(fmt::format("{} reads {} before it is made", nodeText(node), text(input)));
        }
        if (node.outputs.empty()) add(fmt::format("{} makes no value", nodeText(node)));
        for (const ValueId output : node.outputs) this->output(id, node, output);
        if (node.attributes.contains("")) add(fmt::format("{} has an attribute without a name", nodeText(node)));
    }

    void output(NodeId id, const Node &node, ValueId output) {
        if (!exists(output)) {
            add(fmt::format("{} makes value number {}, which does not exist", nodeText(node), output.value));
            return;
        }
        if (m_defined[output.index()])
            add(fmt::format("{} makes {}, which has a value already", nodeText(node), text(output)));
        m_defined[output.index()] = true;
        if (m_function.value(output).producer != id)
            add(fmt::format("{} makes {}, whose producer is said to be node number {}", nodeText(node), text(output),
                            m_function.value(output).producer.value));
    }

    void results() {
        if (m_function.results().empty()) add("it has no result");
        for (const ValueId result : m_function.results()) {
            if (!exists(result))
                add(fmt::format("result number {} does not exist", result.value));
            else if (!m_defined[result.index()])
                add(fmt::format("its result {} is never made", text(result)));
        }
    }

    const GraphFunction &m_function;
    size_t m_most;
    std::vector<std::string> &m_problems;
    std::vector<bool> m_defined; // so far
};

} // namespace

std::vector<std::string> graphProblems(const GraphFunction &function, size_t most) {
    std::vector<std::string> problems;
    FunctionVerifier(function, most, problems).run();
    return problems;
}

std::vector<std::string> graphProblems(const Module &module, size_t most) {
    std::vector<std::string> problems;
    const auto add = [&](std::string sentence) {
        if (problems.size() < most) problems.push_back(std::move(sentence));
    };
    std::unordered_map<std::string_view, size_t> seen;
    for (const FunctionPtr &function : module.functions) {
        if (!function) {
            add("the network has a function that is not there");
            continue;
        }
        if (++seen[function->name()] == 2)
            add(fmt::format("the network has two functions of the name `{}`", function->name()));
        FunctionVerifier(*function, most, problems).run();
    }
    if (!seen.contains("main")) add("the network has no function `main`");
    if (!problems.empty()) return problems; // of what does not exist nothing more can be said
    for (const StatementProblem &problem : statementProblems(module))
        add(fmt::format("function `{}`: {}", problem.function, problem.sentence));
    return problems;
}

} // namespace loopscope
