#include "networks/op/reference.h"

#include "base/check.h"
#include "networks/graph/dim_match.h"
#include "networks/graph/statement.h"
#include "networks/graph/verify.h"
#include "networks/op/check_node.h"
#include "networks/op/integer_division.h"
#include "networks/op/kernel_roundings.h"
#include "networks/op/operator.h"
#include "networks/op/run_statements.h"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace loopscope {

namespace {

/// What inference sees of a value that is there.
InputFact factOf(const WideTensor &tensor) {
    InputFact fact = {true, {tensor.dtype, asDims(tensor.dims)}, nullptr, std::nullopt};
    const bool small = tensor.dims.size() <= 1 && tensor.integers.size() <= static_cast<size_t>(kMaxKnownElements);
    if (!isFloat(tensor.dtype) && small) fact.elements = Dims(tensor.integers.begin(), tensor.integers.end());
    return fact;
}

std::optional<std::string> tooLarge(const Node &node, const std::vector<InferredOutput> &outputs, int64_t most) {
    for (const InferredOutput &output : outputs) {
        const auto dims = constantDims(output.type.dims);
        if (dims && std::any_of(dims->begin(), dims->end(), [](int64_t dim) { return dim < 0; }))
            return fmt::format("{}: the result {} has a negative extent", nodeText(node), dimsText(output.type.dims));
        const int64_t count = dims ? elementCount(*dims) : 0;
        if (count < 0 || count > most)
            return fmt::format("{}: the result {} has more than {} elements", nodeText(node),
                               dimsText(output.type.dims), most);
    }
    return std::nullopt;
}

/// Outputs none of which has an element need no evaluation, and whatever their other dims are does no harm.
std::optional<std::vector<WideTensor>> withoutElements(const std::vector<InferredOutput> &outputs) {
    std::vector<WideTensor> tensors;
    for (const InferredOutput &output : outputs) {
        auto dims = constantDims(output.type.dims);
        if (!dims || elementCount(*dims) != 0) return std::nullopt;
        tensors.push_back(WideTensor::zeros(output.type.dtype, *std::move(dims)));
    }
    return tensors;
}

/// What a function and those that it calls have in common.
struct SharedRun {
    const Module *module; // null: statements are refused
    ThreadPool &pool;
    int64_t tripsLeft;
};

std::vector<WideTensor> wide(std::span<const HostTensor> tensors) {
    std::vector<WideTensor> all;
    for (const HostTensor &tensor : tensors) all.push_back(WideTensor::of(tensor));
    return all;
}

class ReferenceRun {
  public:
    /// All of them outlive it.
    ReferenceRun(const GraphFunction &function, const ReferenceOptions &options, SharedRun &shared)
        : m_function(function), m_options(options), m_shared(shared), m_values(function.valueCount()),
          m_lastReader(function.valueCount()), m_kept(function.valueCount(), options.keepAll) {
        for (const ValueId id : function.results()) m_kept[id.index()] = true;
        for (const ValueId id : options.wanted) m_kept[id.index()] = true;
        for (size_t i = 0; i < function.nodeCount(); ++i)
            for (const ValueId input : function.node(NodeId(i)).inputs)
                if (input.value >= 0) m_lastReader[input.index()] = NodeId(i);
    }

    Outcome<ReferenceValues> run(std::span<const HostTensor> inputs) {
        if (auto large = tooLargeInput(inputs)) return Refusal{*std::move(large)};
        if (auto wrong = steps(wide(inputs))) return Refusal{*std::move(wrong)};
        ReferenceValues kept;
        for (size_t i = 0; i < m_values.size(); ++i) {
            const ValueId id(i);
            const bool constant = m_function.isConstant(id);
            const bool asked = m_kept[i] && (!constant || !m_options.keepAll || isAsked(id));
            if (asked) kept.emplace(id, std::move(*value(id)));
        }
        return kept;
    }

    /// As often as they are results.
    Outcome<std::vector<WideTensor>> results(std::vector<WideTensor> inputs) {
        if (auto wrong = steps(std::move(inputs))) return Refusal{*std::move(wrong)};
        std::vector<WideTensor> all;
        for (const ValueId result : m_function.results()) all.push_back(*value(result));
        return all;
    }

  private:
    std::optional<std::string> steps(std::vector<WideTensor> inputs) {
        if (auto wrong = take(std::move(inputs))) return wrong;
        for (size_t i = 0; i < m_function.nodeCount(); ++i)
            if (auto wrong = step(NodeId(i))) return wrong;
        return std::nullopt;
    }

    [[nodiscard]] bool isAsked(ValueId id) const {
        const auto among = [&](const std::vector<ValueId> &ids) {
            return std::find(ids.begin(), ids.end(), id) != ids.end();
        };
        return among(m_function.results()) || among(m_options.wanted);
    }

    /// Constants become wide when they are first read.
    std::optional<WideTensor> &value(ValueId id) {
        std::optional<WideTensor> &held = m_values[id.index()];
        if (!held) {
            const HostTensor *constant = m_function.constant(id);
            LOOPSCOPE_CHECK(constant, m_function.value(id).name);
            held = WideTensor::of(*constant);
        }
        return held;
    }

    /// Before there is a wide copy of it.
    [[nodiscard]] std::optional<std::string> tooLargeInput(std::span<const HostTensor> inputs) const {
        for (size_t i = 0; i < std::min(inputs.size(), m_function.parameters().size()); ++i)
            if (inputs[i].elements() > m_options.maxElements)
                return fmt::format("input '{}' {} has more than {} elements",
                                   m_function.value(m_function.parameters()[i]).name,
                                   typeText({inputs[i].dtype(), asDims(inputs[i].dims())}), m_options.maxElements);
        return std::nullopt;
    }

    std::optional<std::string> take(std::vector<WideTensor> inputs) {
        const std::vector<ValueId> &parameters = m_function.parameters();
        if (inputs.size() != parameters.size())
            return fmt::format("{} takes {} inputs, {} are given", m_function.name(), parameters.size(), inputs.size());
        Dims pattern;
        std::vector<int64_t> actual;
        std::vector<size_t> inputOf;
        for (size_t i = 0; i < inputs.size(); ++i) {
            const auto &type = m_function.value(parameters[i]).type;
            if (!type || type->dtype != inputs[i].dtype || type->dims.size() != inputs[i].dims.size())
                return mismatch(parameters[i], inputs[i]);
            pattern.insert(pattern.end(), type->dims.begin(), type->dims.end());
            actual.insert(actual.end(), inputs[i].dims.begin(), inputs[i].dims.end());
            inputOf.resize(pattern.size(), i);
        }
        if (const auto wrong = matchDims(pattern, actual, m_symbols))
            return mismatch(parameters[inputOf[wrong->axis]], inputs[inputOf[wrong->axis]]);
        for (size_t i = 0; i < inputs.size(); ++i) m_values[parameters[i].index()] = std::move(inputs[i]);
        return std::nullopt;
    }

    [[nodiscard]] std::string mismatch(ValueId parameter, const WideTensor &input) const {
        const Value &of = m_function.value(parameter);
        return fmt::format("input '{}' is {}, it has to be {}", of.name, typeText({input.dtype, asDims(input.dims)}),
                           of.type ? typeText(*of.type) : "typed");
    }

    Outcome<std::vector<WideTensor>> roundedOutputsOf(const Node &node, std::vector<const WideTensor *> inputs) {
        const auto stream = static_cast<uint64_t>(node.outputs.empty() ? 0 : node.outputs[0].value);
        const std::vector<WideTensor> read = readWithRoundings(node, inputs, *m_options.roundings, stream);
        for (size_t i = 0; i < read.size(); ++i)
            if (inputs[i]) inputs[i] = &read[i];
        auto outputs = evaluateNode(node, inputs, m_shared.pool, m_options.maxElements);
        if (!outputs) return outputs;
        for (WideTensor &output : *outputs) roundToItsType(output);
        return outputs;
    }

    Outcome<std::vector<WideTensor>> outputsOf(const Node &node, const std::vector<const WideTensor *> &inputs) {
        if (dividesIntegers(node, inputs))
            return evaluateDivision(m_function, node, inputs, m_shared.pool, m_options.maxElements);
        if (!statementKind(node) && !m_options.roundings)
            return evaluateNode(node, inputs, m_shared.pool, m_options.maxElements);
        if (!statementKind(node)) return roundedOutputsOf(node, inputs);
        if (statementKind(node) == StatementKind::Cut) {
            Node slice = node;
            slice.op = "slice";
            return evaluateNode(slice, inputs, m_shared.pool, m_options.maxElements);
        }
        if (!m_shared.module)
            return Refusal{fmt::format("{}: stands for other functions of the network, and this one is run without "
                                       "them",
                                       nodeText(node))};
        StatementRun run = {*m_shared.module,
                            [this](const GraphFunction &function, std::vector<WideTensor> given) {
                                ReferenceOptions options;
                                options.maxElements = m_options.maxElements;
                                options.roundings = m_options.roundings;
                                options.packed = m_options.packed;
                                return ReferenceRun(function, options, m_shared).results(std::move(given));
                            },
                            m_symbols,
                            m_shared.tripsLeft,
                            m_options.maxTrips,
                            m_options.maxElements,
                            m_options.packed};
        return runStatement(m_function, node, inputs, run);
    }

    std::optional<std::string> step(NodeId id) {
        const Node &node = m_function.node(id);
        std::vector<const WideTensor *> inputs;
        try {
            for (const ValueId input : node.inputs) inputs.push_back(input.value < 0 ? nullptr : &*value(input));
            auto outputs = outputsOf(node, inputs);
            if (!outputs) return outputs.why();
            for (size_t i = 0; i < node.outputs.size(); ++i) {
                const ValueId output = node.outputs[i];
                if (m_options.onValue && !m_options.onValue(output, (*outputs)[i]))
                    return fmt::format("{}: stopped behind it", nodeText(node));
                if (m_kept[output.index()] || m_lastReader[output.index()].value >= 0)
                    m_values[output.index()] = std::move((*outputs)[i]);
            }
        } catch (const Error &error) {
            return fmt::format("{}: {}", nodeText(node), error.sentence());
        } catch (const std::bad_alloc &) {
            return fmt::format("{}: there is not enough memory", nodeText(node));
        }
        for (const ValueId input : node.inputs)
            if (input.value >= 0 && m_lastReader[input.index()] == id && !m_kept[input.index()])
                m_values[input.index()].reset();
        return std::nullopt;
    }

    const GraphFunction &m_function;
    const ReferenceOptions &m_options;
    SharedRun &m_shared;
    SymbolNumbers m_symbols;
    std::vector<std::optional<WideTensor>> m_values;
    std::vector<NodeId> m_lastReader;
    std::vector<bool> m_kept;
};

} // namespace

Outcome<std::vector<WideTensor>> evaluateNode(const Node &node, std::span<const WideTensor *const> inputs,
                                              ThreadPool &pool, int64_t maxElements) {
    const Operator *of = findOperator(node.op);
    if (!of) return Refusal{unknownOperatorText(node)};
    if (auto wrong = problemsOf(node, *of); !wrong.empty()) return Refusal{std::move(wrong.front())};
    std::vector<InputFact> facts;
    std::vector<HostTensor> scalars(inputs.size()); // floating point ones, on which a shape may depend (range)
    for (size_t i = 0; i < inputs.size(); ++i) {
        facts.push_back(inputs[i] ? factOf(*inputs[i]) : InputFact{});
        if (!inputs[i] || inputs[i]->floats.size() != 1) continue;
        scalars[i] = HostTensor::splat(DType::Float64, {}, inputs[i]->floats[0]);
        facts.back().constant = &scalars[i];
    }
    const OperatorUse use(node, *of, std::move(facts));
    const auto inferred = of->infer(use);
    if (!inferred) return inferred.refusal();
    if (auto large = tooLarge(node, *inferred, maxElements)) return Refusal{*std::move(large)};
    if (auto nothing = withoutElements(*inferred)) return *std::move(nothing);
    return of->evaluate(use, inputs, pool);
}

Outcome<ReferenceValues> runReference(const GraphFunction &function, std::span<const HostTensor> inputs,
                                      const ReferenceOptions &options) {
    ThreadPool pool(options.threads);
    SharedRun shared = {nullptr, pool, options.maxTrips};
    return ReferenceRun(function, options, shared).run(inputs);
}

Outcome<ReferenceValues> runReference(const Module &module, std::span<const HostTensor> inputs,
                                      const ReferenceOptions &options) {
    if (auto problems = graphProblems(module, 1); !problems.empty()) return Refusal{std::move(problems.front())};
    ThreadPool pool(options.threads);
    SharedRun shared = {&module, pool, options.maxTrips};
    return ReferenceRun(module.main(), options, shared).run(inputs);
}

} // namespace loopscope
