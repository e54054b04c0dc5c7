#include "op/reference.h"

#include "check.h"
#include "op/check_node.h"
#include "op/operator.h"

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
    const bool small = tensor.dims.size() <= 1 && tensor.integers.size() <= static_cast<size_t>(kMostKnownElements);
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

class ReferenceRun {
  public:
    ReferenceRun(const GraphFunction &function, const ReferenceOptions &options)
        : m_function(function), m_options(options), m_values(function.valueCount()),
          m_lastReader(function.valueCount()), m_kept(function.valueCount(), options.keepAll), m_pool(options.threads) {
        for (const ValueId id : function.results()) m_kept[id.index()] = true;
        for (const ValueId id : options.wanted) m_kept[id.index()] = true;
        for (size_t i = 0; i < function.nodeCount(); ++i)
            for (const ValueId input : function.node(NodeId(i)).inputs)
                if (input.value >= 0) m_lastReader[input.index()] = NodeId(i);
    }

    Outcome<ReferenceValues> run(std::span<const HostTensor> inputs) {
        if (const auto wrong = take(inputs)) return Refusal{*wrong};
        for (size_t i = 0; i < m_function.nodeCount(); ++i)
            if (auto wrong = step(NodeId(i))) return Refusal{*std::move(wrong)};
        ReferenceValues kept;
        for (size_t i = 0; i < m_values.size(); ++i) {
            const ValueId id(i);
            const bool constant = m_function.isConstant(id);
            const bool asked = m_kept[i] && (!constant || !m_options.keepAll || isAsked(id));
            if (asked) kept.emplace(id, std::move(*value(id)));
        }
        return kept;
    }

  private:
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

    std::optional<std::string> take(std::span<const HostTensor> inputs) {
        const std::vector<ValueId> &parameters = m_function.parameters();
        if (inputs.size() != parameters.size())
            return fmt::format("{} takes {} inputs, {} are given", m_function.name(), parameters.size(), inputs.size());
        std::map<std::string, int64_t, std::less<>> symbols;
        for (size_t i = 0; i < inputs.size(); ++i) { // symbols are told by the dims that are nothing else
            const auto &type = m_function.value(parameters[i]).type;
            for (size_t axis = 0; type && axis < std::min(type->dims.size(), inputs[i].rank()); ++axis) {
                const Dim &dim = type->dims[axis];
                const std::vector<std::string> names = dim.symbols();
                if (names.size() == 1 && dim == Dim::symbol(names[0]))
                    symbols.try_emplace(names[0], inputs[i].dims()[axis]);
            }
        }
        for (size_t i = 0; i < inputs.size(); ++i) {
            if (auto wrong = mismatch(parameters[i], inputs[i], symbols)) return wrong;
            m_values[parameters[i].index()] = WideTensor::of(inputs[i]);
        }
        return std::nullopt;
    }

    std::optional<std::string> mismatch(ValueId parameter, const HostTensor &input,
                                        const std::map<std::string, int64_t, std::less<>> &symbols) const {
        const Value &of = m_function.value(parameter);
        const std::string given = typeText({input.dtype(), asDims(input.dims())});
        bool fits = of.type && of.type->dtype == input.dtype() && of.type->dims.size() == input.rank();
        for (size_t axis = 0; fits && axis < input.rank(); ++axis) {
            const auto extent = of.type->dims[axis].evaluate(symbols);
            fits = extent && *extent == input.dims()[axis];
        }
        if (fits && input.elements() > m_options.mostElements)
            return fmt::format("input '{}' {} has more than {} elements", of.name, given, m_options.mostElements);
        if (fits) return std::nullopt;
        return fmt::format("input '{}' is {}, it has to be {}", of.name, given, of.type ? typeText(*of.type) : "typed");
    }

    std::optional<std::string> step(NodeId id) {
        const Node &node = m_function.node(id);
        std::vector<const WideTensor *> inputs;
        try {
            for (const ValueId input : node.inputs) inputs.push_back(input.value < 0 ? nullptr : &*value(input));
            auto outputs = evaluateNode(node, inputs, m_pool, m_options.mostElements);
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
    std::vector<std::optional<WideTensor>> m_values;
    std::vector<NodeId> m_lastReader;
    std::vector<bool> m_kept;
    ThreadPool m_pool;
};

} // namespace

Outcome<std::vector<WideTensor>> evaluateNode(const Node &node, std::span<const WideTensor *const> inputs,
                                              ThreadPool &pool, int64_t mostElements) {
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
    if (auto large = tooLarge(node, *inferred, mostElements)) return Refusal{*std::move(large)};
    if (auto nothing = withoutElements(*inferred)) return *std::move(nothing);
    return of->evaluate(use, inputs, pool);
}

Outcome<ReferenceValues> runReference(const GraphFunction &function, std::span<const HostTensor> inputs,
                                      const ReferenceOptions &options) {
    return ReferenceRun(function, options).run(inputs);
}

} // namespace loopscope
