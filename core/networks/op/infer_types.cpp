#include "networks/op/infer_types.h"

#include "base/check.h"
#include "networks/graph/statement.h"
#include "networks/graph/verify_statements.h"
#include "networks/op/check_node.h"
#include "networks/op/infer_statements.h"
#include "networks/op/small_values.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace loopscope {

namespace {

std::optional<Dims> elementsOf(const HostTensor &tensor) {
    if (isFloat(tensor.dtype()) || tensor.rank() > 1 || tensor.elements() > kMaxKnownElements) return std::nullopt;
    Dims elements;
    for (int64_t i = 0; i < tensor.elements(); ++i) elements.emplace_back(tensor.integer(i));
    return elements;
}

/// Whether a tensor of these dims may exist at all.
std::optional<std::string> wrongDims(const Dims &dims) {
    for (const Dim &dim : dims)
        if (dim.isConstant() && dim.value() < 0) return fmt::format("{} has a negative extent", dimsText(dims));
    if (const auto numbers = constantDims(dims); numbers && elementCount(*numbers) < 0)
        return fmt::format("{} has more elements than can be counted", dimsText(dims));
    return std::nullopt;
}

/// Whether what is declared says something else, not merely in another form.
bool contradicts(const TensorType &declared, const TensorType &inferred) {
    if (declared.dtype != inferred.dtype || declared.dims.size() != inferred.dims.size()) return true;
    for (size_t i = 0; i < declared.dims.size(); ++i) {
        const Dim difference = declared.dims[i] - inferred.dims[i];
        if (difference.isConstant() && difference.value() != 0) return true;
    }
    return false;
}

class TypeWalk {
  public:
    explicit TypeWalk(const GraphFunction &function, const StatementInference *statements = nullptr)
        : m_function(function), m_statements(statements) {
        m_facts.types.resize(function.valueCount());
        m_facts.elements.resize(function.valueCount());
        for (size_t i = 0; i < function.valueCount(); ++i) begin(ValueId(i));
    }

    /// Of a function whose statements break rules: what it says itself.
    FunctionFacts declared(std::vector<OpProblem> problems) && {
        for (size_t i = 0; i < m_function.nodeCount(); ++i) declare(m_function.node(NodeId(i)));
        for (OpProblem &problem : problems) m_facts.problems.push_back(std::move(problem));
        return std::move(m_facts);
    }

    FunctionFacts facts() && {
        for (size_t i = 0; i < m_function.nodeCount(); ++i) visit(NodeId(i));
        return std::move(m_facts);
    }

  private:
    void begin(ValueId id) {
        const Value &value = m_function.value(id);
        if (value.constant) {
            m_facts.types[id.index()] = TensorType{value.constant->dtype(), asDims(value.constant->dims())};
            m_facts.elements[id.index()] = elementsOf(*value.constant);
        } else if (value.producer.value < 0 && value.type) {
            if (const auto wrong = wrongDims(value.type->dims))
                problem({}, fmt::format("parameter '{}': {}", value.name, *wrong));
            else
                m_facts.types[id.index()] = value.type;
        } else if (value.producer.value < 0) {
            problem({}, fmt::format("parameter '{}' has no type", value.name));
        }
    }

    void visit(NodeId id) {
        const Node &node = m_function.node(id);
        if (statementKind(node)) return statement(id, node);
        const Operator *of = findOperator(node.op);
        if (!of) {
            problem(id, unknownOperatorText(node));
            return declare(node);
        }
        std::vector<std::string> wrong = problemsOf(node, *of);
        if (!wrong.empty()) {
            for (std::string &sentence : wrong) problem(id, std::move(sentence));
            return declare(node);
        }
        const auto known = inputsOf(node);
        if (!known) return declare(node); // told already
        const std::vector<InputFact> &inputs = *known;
        auto inferred = of->infer(OperatorUse(node, *of, inputs));
        if (!inferred) {
            problem(id, inferred.why());
            return declare(node);
        }
        LOOPSCOPE_CHECK(inferred->size() == node.outputs.size(), nodeText(node));
        for (size_t i = 0; i < node.outputs.size(); ++i) settle(id, node.outputs[i], std::move((*inferred)[i]));
        evaluate(node, *of, inputs);
    }

    /// Nothing when one of them has no type.
    [[nodiscard]] std::optional<std::vector<InputFact>> inputsOf(const Node &node) const {
        std::vector<InputFact> inputs(node.inputs.size());
        for (size_t i = 0; i < inputs.size(); ++i) {
            const ValueId input = node.inputs[i];
            if (input.value < 0) continue;
            const std::optional<TensorType> &type = m_facts.types[input.index()];
            if (!type) return std::nullopt;
            const auto known = m_known.find(input);
            inputs[i] = {true, *type, known == m_known.end() ? m_function.constant(input) : &known->second,
                         m_facts.elements[input.index()]};
        }
        return inputs;
    }

    void statement(NodeId id, const Node &node) {
        if (!m_statements) {
            problem(id, fmt::format("{}: stands for other functions of the network, without which its types are not "
                                    "known",
                                    nodeText(node)));
            return declare(node);
        }
        const auto inputs = inputsOf(node);
        auto inferred = inputs ? m_statements->infer(node, *inputs) : std::nullopt;
        if (!inferred) return declare(node); // told already
        if (!*inferred) {
            problem(id, inferred->why());
            return declare(node);
        }
        for (size_t i = 0; i < node.outputs.size(); ++i) settle(id, node.outputs[i], std::move((**inferred)[i]));
    }

    /// What shapes may be computed with and is no integer, or is not told by inference.
    void evaluate(const Node &node, const Operator &of, const std::vector<InputFact> &inputs) {
        const bool known = std::ranges::all_of(
            inputs, [](const InputFact &input) { return !input.present || input.constant || input.elements; });
        if (inputs.empty() || !known) return;
        std::vector<TensorType> types;
        for (const ValueId output : node.outputs) {
            if (!m_facts.types[output.index()]) return;
            types.push_back(*m_facts.types[output.index()]);
        }
        if (!m_thread) m_thread.emplace(1);
        auto results = smallResults(node, of, inputs, types, *m_thread);
        for (size_t i = 0; results && i < node.outputs.size(); ++i) {
            const ValueId output = node.outputs[i];
            if (!m_facts.elements[output.index()]) m_facts.elements[output.index()] = elementsOf((*results)[i]);
            m_known.emplace(output, std::move((*results)[i]));
        }
    }

    /// What follows a node with a problem is looked at with what the function itself says.
    void declare(const Node &node) {
        for (const ValueId output : node.outputs)
            if (const auto &type = m_function.value(output).type; type && !wrongDims(type->dims))
                m_facts.types[output.index()] = type;
    }

    void settle(NodeId node, ValueId id, InferredOutput inferred) {
        const Value &value = m_function.value(id);
        if (const auto wrong = wrongDims(inferred.type.dims))
            return problem(node, fmt::format("{}: the result {}", nodeText(m_function.node(node)), *wrong));
        if (value.type && contradicts(*value.type, inferred.type))
            problem(node, fmt::format("{}: '{}' is declared as {}, it is {}", nodeText(m_function.node(node)),
                                      value.name, typeText(*value.type), typeText(inferred.type)));
        const bool small = !isFloat(inferred.type.dtype) && inferred.type.dims.size() <= 1;
        if (small && inferred.elements && inferred.elements->size() <= static_cast<size_t>(kMaxKnownElements))
            m_facts.elements[id.index()] = std::move(inferred.elements);
        m_facts.types[id.index()] = std::move(inferred.type);
    }

    void problem(NodeId node, std::string sentence) { m_facts.problems.push_back({node, std::move(sentence)}); }

    const GraphFunction &m_function;
    const StatementInference *m_statements;
    FunctionFacts m_facts;
    std::map<ValueId, HostTensor> m_known; // small ones of no constant
    std::optional<ThreadPool> m_thread;    // made where it is needed
};

bool hasTypes(const GraphFunction &function, const FunctionFacts &facts) {
    for (size_t i = 0; i < function.valueCount(); ++i)
        if (function.value(ValueId(i)).type != facts.types[i]) return false;
    return true;
}

} // namespace

std::vector<OpProblem> checkAgainstCatalogue(const GraphFunction &function) {
    std::vector<OpProblem> problems;
    for (size_t i = 0; i < function.nodeCount(); ++i) {
        const Node &node = function.node(NodeId(i));
        const Operator *of = findOperator(node.op);
        if (!of)
            problems.push_back({NodeId(i), unknownOperatorText(node)});
        else
            for (std::string &sentence : problemsOf(node, *of)) problems.push_back({NodeId(i), std::move(sentence)});
    }
    return problems;
}

FunctionFacts inferFacts(const GraphFunction &function) { return TypeWalk(function).facts(); }

std::vector<FunctionFacts> inferFacts(const Module &module) {
    std::map<std::string, FunctionFacts, std::less<>> byName;
    const std::vector<StatementProblem> problems = statementProblems(module);
    if (problems.empty()) {
        Module typed = module;
        for (const FunctionPtr &function : calleesFirst(module)) {
            const StatementInference statements(typed, *function);
            FunctionFacts facts = TypeWalk(*function, &statements).facts();
            if (!hasTypes(*function, facts)) typed = typed.with(FunctionBuilder::retyped(*function, facts.types));
            byName.emplace(function->name(), std::move(facts));
        }
    }
    for (const FunctionPtr &function : module.functions) {
        if (byName.contains(function->name())) continue;
        std::vector<OpProblem> own;
        for (const StatementProblem &problem : problems)
            if (problem.function == function->name()) own.push_back({problem.node, problem.sentence});
        byName.emplace(function->name(), own.empty() && !firstStatement(*function)
                                             ? inferFacts(*function)
                                             : TypeWalk(*function).declared(std::move(own)));
    }
    std::vector<FunctionFacts> facts;
    for (const FunctionPtr &function : module.functions) facts.push_back(byName.at(function->name()));
    return facts;
}

Outcome<Module> inferTypes(const Module &module) {
    std::vector<FunctionFacts> facts = inferFacts(module);
    Module typed = module;
    for (size_t i = 0; i < facts.size(); ++i) {
        if (!facts[i].problems.empty()) return Refusal{facts[i].problems.front().sentence};
        FunctionPtr &function = typed.functions[i];
        if (!hasTypes(*function, facts[i])) function = FunctionBuilder::retyped(*function, std::move(facts[i].types));
    }
    return typed;
}

Outcome<FunctionPtr> inferTypes(const GraphFunction &function) {
    FunctionFacts facts = inferFacts(function);
    if (!facts.problems.empty()) return Refusal{facts.problems.front().sentence};
    return FunctionBuilder::retyped(function, std::move(facts.types));
}

Outcome<FunctionPtr> inferTypes(const FunctionPtr &function) {
    FunctionFacts facts = inferFacts(*function);
    if (!facts.problems.empty()) return Refusal{facts.problems.front().sentence};
    return hasTypes(*function, facts) ? function : FunctionBuilder::retyped(*function, std::move(facts.types));
}

OperatorUse useOf(const GraphFunction &function, const Node &node, const FunctionFacts *facts) {
    const Operator *of = findOperator(node.op);
    LOOPSCOPE_CHECK(of, node.op);
    std::vector<InputFact> inputs(node.inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
        const ValueId input = node.inputs[i];
        if (input.value < 0) continue;
        const HostTensor *constant = function.constant(input);
        inputs[i] = {true, function.type(input), constant, std::nullopt};
        if (facts)
            inputs[i].elements = facts->elements[input.index()];
        else if (constant)
            inputs[i].elements = elementsOf(*constant);
    }
    return {node, *of, std::move(inputs)};
}

Outcome<bool> inferInto(FunctionBuilder &builder, NodeId node) {
    const GraphFunction &function = builder.soFar();
    const Node &added = function.node(node);
    const Operator *of = findOperator(added.op);
    if (!of) return Refusal{unknownOperatorText(added)};
    if (const auto wrong = problemsOf(added, *of); !wrong.empty()) return Refusal{wrong.front()};
    const auto inferred = of->infer(useOf(function, added));
    if (!inferred) return inferred.refusal();
    for (size_t i = 0; i < added.outputs.size(); ++i) {
        if (const auto wrong = wrongDims((*inferred)[i].type.dims))
            return Refusal{fmt::format("{}: the result {}", nodeText(added), *wrong)};
        builder.setType(added.outputs[i], (*inferred)[i].type);
    }
    return true;
}

} // namespace loopscope
