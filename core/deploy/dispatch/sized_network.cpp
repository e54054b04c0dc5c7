#include "deploy/dispatch/sized_network.h"

#include "base/thread_pool.h"
#include "language/tensor/wide_tensor.h"
#include "networks/graph/function_builder.h"
#include "networks/op/infer_types.h"
#include "networks/op/operator.h"
#include "networks/op/reference.h"
#include "networks/op_compute/kernel_dag.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mutex>
#include <set>
#include <utility>

namespace loopscope {

namespace {

bool hasOpenDims(const GraphFunction &function, ValueId value) {
    return std::ranges::any_of(function.type(value).dims, [](const Dim &dim) { return !dim.isConstant(); });
}

/// What is large is computed by kernels, whatever of.
bool isSmallValue(const GraphFunction &function, ValueId value) {
    const auto &type = function.value(value).type;
    const auto dims = type ? constantDims(type->dims) : std::nullopt;
    return dims && elementCount(*dims) >= 1 && elementCount(*dims) <= kMaxKnownElements;
}

/// By node: whether the size alone decides what it computes, and that is small; with nodes of constants that such read.
std::vector<bool> nodesOfSize(const GraphFunction &function) {
    std::vector<bool> known(function.nodeCount(), false);
    std::vector<bool> ofSize(function.nodeCount(), false);
    for (size_t n = 0; n < ofSize.size(); ++n) {
        const Node &node = function.node(NodeId(n));
        const Operator *of = findOperator(node.op);
        if (of == nullptr || of->evaluate == nullptr) continue;
        if (!std::ranges::all_of(node.outputs, [&](ValueId output) { return isSmallValue(function, output); }))
            continue;
        const bool shape = node.op == "shape";
        known[n] = true;
        ofSize[n] = shape;
        for (const ValueId input : node.inputs) {
            if (shape || input.value < 0 || function.isConstant(input)) continue;
            const NodeId producer = function.value(input).producer;
            known[n] = known[n] && producer.value >= 0 && known[producer.index()];
            ofSize[n] = ofSize[n] || (producer.value >= 0 && ofSize[producer.index()]);
        }
        ofSize[n] = ofSize[n] && known[n];
    }
    for (size_t n = ofSize.size(); n-- > 0;) {
        if (!ofSize[n] || function.node(NodeId(n)).op == "shape") continue;
        for (const ValueId input : function.node(NodeId(n)).inputs)
            if (input.value >= 0 && function.value(input).producer.value >= 0)
                ofSize[function.value(input).producer.index()] = true;
    }
    return ofSize;
}

/// Those that a result or another node is, or reads; in the order of their nodes.
std::vector<ValueId> valuesWanted(const GraphFunction &function, const std::vector<bool> &ofSize) {
    std::set<int> wanted;
    const auto want = [&](ValueId value) {
        const NodeId producer = value.value < 0 ? NodeId() : function.value(value).producer;
        if (producer.value >= 0 && ofSize[producer.index()]) wanted.insert(value.value);
    };
    for (size_t n = 0; n < ofSize.size(); ++n)
        if (!ofSize[n]) std::ranges::for_each(function.node(NodeId(n)).inputs, want);
    std::ranges::for_each(function.results(), want);
    std::vector<ValueId> values;
    for (size_t n = 0; n < ofSize.size(); ++n)
        for (const ValueId output : function.node(NodeId(n)).outputs)
            if (wanted.contains(output.value)) values.push_back(output);
    return values;
}

FunctionPtr withoutNodesOfSize(const GraphFunction &function, const std::vector<bool> &ofSize,
                               const std::vector<ValueId> &wanted) {
    FunctionBuilder builder(function.name());
    FunctionCopy copy(function, builder);
    for (const ValueId value : wanted)
        copy.map(value, builder.addParameter(function.value(value).name, function.type(value)));
    size_t n = 0;
    for (const Block &block : function.blocks()) {
        builder.beginBlock(block.kind);
        for (size_t at = 0; at < block.nodes.size(); ++at, ++n)
            if (!ofSize[n]) copy.copyNode(NodeId(n));
    }
    copy.copyResults();
    return std::move(builder).finish();
}

} // namespace

/// What there is for each size, made when it is first asked for.
class SizedNetwork::Numbered {
  public:
    Numbered(FunctionPtr original, FunctionPtr function, std::string symbol, std::vector<bool> ofSize,
             std::vector<ValueId> wanted)
        : m_original(std::move(original)), m_function(std::move(function)), m_symbol(std::move(symbol)),
          m_ofSize(std::move(ofSize)), m_wanted(std::move(wanted)) {}

    Outcome<FunctionPtr> at(int64_t size) {
        const std::lock_guard lock(m_mutex);
        if (const auto found = m_functions.find(size); found != m_functions.end()) return found->second;
        FunctionPtr numbered = withNumbers(*m_function, {{m_symbol, size}});
        if (!m_wanted.empty()) {
            const auto values = valuesThere(size);
            if (!values) return values.refusal();
            numbered = withConstants(*numbered, *values);
        }
        return m_functions[size] = std::move(numbered);
    }

    Outcome<std::vector<HostTensor>> values(int64_t size) {
        if (m_wanted.empty()) return std::vector<HostTensor>();
        const std::lock_guard lock(m_mutex);
        return valuesThere(size);
    }

  private:
    Outcome<std::vector<HostTensor>> valuesThere(int64_t size) {
        if (const auto found = m_values.find(size); found != m_values.end()) return found->second;
        const FunctionPtr function = withNumbers(*m_original, {{m_symbol, size}});
        std::map<int, WideTensor> known;
        ThreadPool pool(1);
        for (size_t n = 0; n < m_ofSize.size(); ++n) {
            if (!m_ofSize[n]) continue;
            const Node &node = function->node(NodeId(n));
            std::vector<const WideTensor *> inputs;
            for (const ValueId input : node.inputs) {
                if (input.value >= 0 && function->isConstant(input) && !known.contains(input.value))
                    known[input.value] = WideTensor::of(*function->constant(input));
                // Of what a shape is asked of there are dims, and no elements.
                if (input.value >= 0 && node.op == "shape")
                    known.try_emplace(input.value, WideTensor{function->type(input).dtype,
                                                              constantDims(function->type(input).dims).value(),
                                                              {},
                                                              {}});
                inputs.push_back(input.value < 0 ? nullptr : &known.at(input.value));
            }
            auto computed = evaluateNode(node, inputs, pool);
            if (!computed) return Refusal{fmt::format("at {} = {}, {}", m_symbol, size, computed.why())};
            for (size_t i = 0; i < node.outputs.size(); ++i) known[node.outputs[i].value] = std::move((*computed)[i]);
        }
        std::vector<HostTensor> values;
        for (const ValueId value : m_wanted) values.push_back(known.at(value.value).narrow());
        return m_values[size] = std::move(values);
    }

    /// `values` as constants where expressions have elements as numbers.
    [[nodiscard]] FunctionPtr withConstants(const GraphFunction &function,
                                            const std::vector<HostTensor> &values) const {
        const std::vector<ValueId> &parameters = function.parameters();
        const size_t own = parameters.size() - values.size();
        FunctionParts parts = {function.name(), parameters, function.results(), function.blocks(), {}};
        for (size_t v = 0; v < function.valueCount(); ++v) parts.values.push_back(function.value(ValueId(v)));
        for (Block &block : parts.blocks)
            for (Node &node : block.nodes)
                for (size_t i = 0; i < node.inputs.size(); ++i) {
                    if (!readsNumbers(node, i)) continue;
                    const auto parameter = std::find(parameters.begin() + static_cast<std::ptrdiff_t>(own),
                                                     parameters.end(), node.inputs[i]);
                    if (parameter == parameters.end()) continue;
                    const auto number = static_cast<size_t>(parameter - parameters.begin());
                    Value constant = function.value(*parameter);
                    constant.name += fmt::format("/{}", parts.values.size());
                    constant.constant = values[number - own];
                    node.inputs[i] = ValueId(parts.values.size());
                    parts.values.push_back(std::move(constant));
                }
        return GraphFunction::fromParts(std::move(parts));
    }

    FunctionPtr m_original;
    FunctionPtr m_function;
    std::string m_symbol;
    std::vector<bool> m_ofSize;    // by node of the original
    std::vector<ValueId> m_wanted; // of the original
    std::mutex m_mutex;
    std::map<int64_t, FunctionPtr> m_functions;
    std::map<int64_t, std::vector<HostTensor>> m_values;
};

Outcome<SizedNetwork> SizedNetwork::of(FunctionPtr function, FusionMode mode) {
    auto symbol = onlySymbol(*function);
    if (!symbol) return symbol.refusal();
    SizedNetwork made;
    made.m_symbol = std::move(symbol).value();
    made.m_inputs = function->parameters().size();
    std::vector<bool> ofSize = nodesOfSize(*function);
    std::vector<ValueId> wanted = valuesWanted(*function, ofSize);
    made.m_function =
        std::ranges::find(ofSize, true) == ofSize.end() ? function : withoutNodesOfSize(*function, ofSize, wanted);
    made.m_partition = partitionFunction(*made.m_function, mode);
    for (Kernel &kernel : made.m_partition.kernels) {
        if (!kernel.joins || !made.dependsOnSize(kernel)) continue;
        kernel.joins = false;
        kernel.whyCopied = "the sizes of its parts are open";
    }
    made.m_numbered = std::make_shared<Numbered>(std::move(function), made.m_function, made.m_symbol, std::move(ofSize),
                                                 std::move(wanted));
    return made;
}

bool SizedNetwork::dependsOnSize(const Kernel &kernel) const {
    const auto open = [&](ValueId value) { return hasOpenDims(*m_function, value); };
    if (std::ranges::any_of(kernel.inputs, open) || std::ranges::any_of(kernel.outputs, open)) return true;
    return std::ranges::any_of(kernel.nodes, [&](NodeId id) {
        const Node &node = m_function->node(id);
        if (std::ranges::any_of(node.outputs, open)) return true;
        for (size_t i = 0; i < node.inputs.size(); ++i)
            if (readsNumbers(node, i) && node.inputs[i].value >= 0 && !m_function->isConstant(node.inputs[i]))
                return true;
        return false;
    });
}

Outcome<FunctionPtr> SizedNetwork::at(int64_t size) const { return m_numbered->at(size); }
Outcome<std::vector<HostTensor>> SizedNetwork::values(int64_t size) const { return m_numbered->values(size); }

FunctionPtr withNumbers(const GraphFunction &function, const std::map<std::string, int64_t, std::less<>> &numbers) {
    FunctionParts parts;
    parts.name = function.name();
    parts.parameters = function.parameters();
    parts.results = function.results();
    parts.blocks = function.blocks();
    std::map<std::string, Dim, std::less<>> dims;
    for (const auto &[name, number] : numbers) dims.emplace(name, Dim(number));
    for (size_t v = 0; v < function.valueCount(); ++v) {
        Value value = function.value(ValueId(v));
        if (value.type)
            for (Dim &dim : value.type->dims)
                if (auto known = dim.substituted(dims)) dim = *std::move(known);
        parts.values.push_back(std::move(value));
    }
    return GraphFunction::fromParts(std::move(parts));
}

Outcome<std::string> onlySymbol(const GraphFunction &function) {
    std::set<std::string> symbols;
    for (const ValueId parameter : function.parameters())
        for (const Dim &dim : function.type(parameter).dims)
            for (std::string &symbol : dim.symbols()) symbols.insert(std::move(symbol));
    if (symbols.size() == 1) return *symbols.begin();
    if (symbols.empty())
        return Refusal{"all dims of the network's inputs are numbers; tables are for one whose inputs have a symbol "
                       "among their dims"};
    return Refusal{fmt::format("the network has the symbols {}; tables are for one, so give numbers to the others "
                               "(--dim {}=N)",
                               fmt::join(symbols, ", "), *symbols.begin())};
}

} // namespace loopscope
