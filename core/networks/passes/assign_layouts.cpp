#include "networks/passes/assign_layouts.h"

#include "networks/graph/function_builder.h"
#include "networks/op/infer_types.h"
#include "networks/passes/pass_context.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace loopscope {

namespace {

constexpr std::string_view kTransformSuffix = ".transform";

std::vector<int64_t> asNumbers(const std::vector<size_t> &axes) { return {axes.begin(), axes.end()}; }

/// Whether all that moves are axes of extent 1: then the elements lie as they did.
bool movesNothing(const std::vector<int64_t> &dims, const std::vector<size_t> &permutation) {
    std::vector<size_t> moved;
    for (const size_t axis : permutation)
        if (dims[axis] != 1) moved.push_back(axis);
    return std::is_sorted(moved.begin(), moved.end());
}

bool transposesBy(const GraphFunction &function, const Node &node, const std::vector<size_t> &permutation) {
    if (node.op != "transpose" || function.type(node.outputs[0]).dims.size() != permutation.size()) return false;
    return useOf(function, node).integers("permutation") == asNumbers(permutation);
}

class LayoutWriter {
  public:
    LayoutWriter(const GraphFunction &from, const LayoutTable &table, ThreadPool &pool, PassReport &report)
        : m_from(from), m_table(table), m_pool(pool), m_report(report), m_to(from.name()), m_copy(from, m_to),
          m_last(from.valueCount()), m_first(from.valueCount()) {
        for (const ValueId result : from.results()) m_results.push_back(result);
    }

    FunctionPtr write() {
        size_t number = 0;
        for (const Block &block : m_from.blocks()) {
            m_to.beginBlock(block.kind);
            for (size_t i = 0; i < block.nodes.size(); ++i, ++number) writeNode(NodeId(number));
        }
        for (const ValueId result : m_results) first(result);
        m_copy.copyResults();
        return std::move(m_to).finish();
    }

  private:
    void writeNode(NodeId id) {
        const Node &node = m_from.node(id);
        if (m_table[id.index()] == DataLayout::ChannelsLast) return writeLast(node);
        const bool isResult = std::find(m_results.begin(), m_results.end(), node.outputs[0]) != m_results.end();
        // What somebody put there to have channels last is there already.
        if (!isResult && node.op == "transpose" && m_last[node.inputs[0].index()] &&
            transposesBy(m_from, node, axesIn(DataLayout::ChannelsLast, m_from.type(node.inputs[0]).dims.size()))) {
            m_copy.map(node.outputs[0], *m_last[node.inputs[0].index()]);
            m_report.events.push_back(
                {"assignLayouts", node.name, {}, "what it reads is computed with channels last as it is"});
            return;
        }
        for (const ValueId input : node.inputs)
            if (input.value >= 0) first(input);
        m_copy.copyNode(id);
    }

    void writeLast(const Node &node) {
        LaidOutNode written = laidOut(m_from, node, DataLayout::ChannelsLast);
        std::vector<ValueId> inputs;
        for (size_t i = 0; i < node.inputs.size(); ++i) inputs.push_back(operand(node, i, written.operands[i]));
        std::vector<std::string> names;
        for (const ValueId output : node.outputs)
            names.push_back(fmt::format("{}.{}", m_from.value(output).name, dataLayoutName(DataLayout::ChannelsLast)));
        const NodeId added = m_to.addNode(
            {node.name, node.op, std::move(inputs), {}, std::move(written.attributes), node.sources}, names);
        typed(added);
        for (size_t i = 0; i < node.outputs.size(); ++i)
            m_last[node.outputs[i].index()] = m_to.soFar().node(added).outputs[i];
        m_report.events.push_back({"assignLayouts", node.name, node.name, "it is computed with channels last"});
    }

    ValueId operand(const Node &node, size_t at, OperandForm form) {
        const ValueId value = node.inputs[at];
        if (value.value < 0) return value;
        const size_t rank = m_from.type(node.outputs[0]).dims.size();
        switch (form) {
        case OperandForm::AsItIs:
            return first(value);
        case OperandForm::Data:
            return last(value);
        case OperandForm::Kernel:
            return moved(value, rank, kernelAxesIn(DataLayout::ChannelsLast, rank), m_kernels);
        case OperandForm::Broadcast:
            break;
        }
        return moved(value, rank, axesIn(DataLayout::ChannelsLast, rank), m_extended);
    }

    /// With channels first, as the function has it.
    ValueId first(ValueId value) {
        const auto &there = m_last[value.index()];
        const NodeId producer = m_from.value(value).producer;
        const bool written = producer.value >= 0 && m_table[producer.index()] == DataLayout::ChannelsLast;
        if (!written) return m_copy.mapped(value);
        if (!m_first[value.index()]) {
            const size_t rank = m_from.type(value).dims.size();
            m_first[value.index()] =
                transform(*there, inverseOf(axesIn(DataLayout::ChannelsLast, rank)), m_from.value(value).name);
            m_copy.map(value, *m_first[value.index()]);
        }
        return *m_first[value.index()];
    }

    ValueId last(ValueId value) {
        std::optional<ValueId> &there = m_last[value.index()];
        if (there) return *there;
        const std::vector<size_t> axes = axesIn(DataLayout::ChannelsLast, m_from.type(value).dims.size());
        const NodeId producer = m_from.value(value).producer;
        if (producer.value >= 0 && transposesBy(m_from, m_from.node(producer), inverseOf(axes)))
            there = first(m_from.node(producer).inputs[0]); // it was brought here from channels last
        else
            there = moved(value, axes.size(), axes, m_data);
        return *there;
    }

    using Moved = std::map<int, ValueId>;

    /// The value with its axes in another order, after axes of extent 1 were put before them up to `rank`; once.
    ValueId moved(ValueId value, size_t rank, const std::vector<size_t> &axes, Moved &known) {
        const auto [at, fresh] = known.try_emplace(value.value, ValueId());
        if (!fresh) return at->second;
        const std::string name =
            fmt::format("{}.{}", m_from.value(value).name, dataLayoutName(DataLayout::ChannelsLast));
        if (const HostTensor *constant = m_from.constant(value)) {
            return at->second = m_to.addConstant(name, laidOutConstant(*constant, rank, axes));
        }
        ValueId now = first(value);
        if (const size_t missing = rank - m_from.type(value).dims.size(); missing > 0) {
            std::vector<int64_t> before(missing);
            std::iota(before.begin(), before.end(), int64_t{0});
            const std::string extended = m_from.value(value).name + ".extended";
            now = added("unsqueeze", extended, {now}, {{"axes", std::move(before)}}, extended);
        }
        return at->second = transform(now, axes, name);
    }

    HostTensor laidOutConstant(const HostTensor &constant, size_t rank, const std::vector<size_t> &axes) {
        std::vector<int64_t> dims = constant.dims();
        dims.insert(dims.begin(), rank - dims.size(), 1);
        if (constant.isSplat()) return HostTensor::splatOf(constant, permuted(dims, axes));
        WideTensor wide = WideTensor::of(constant.dense());
        wide.dims = std::move(dims);
        return withAxes(wide, axes, m_pool).narrow();
    }

    ValueId transform(ValueId now, const std::vector<size_t> &axes, const std::string &name) {
        const std::string node = name + std::string(kTransformSuffix);
        if (const auto dims = constantDims(m_to.soFar().type(now).dims); dims && movesNothing(*dims, axes)) {
            const std::vector<int64_t> shape = permuted(*dims, axes);
            HostTensor target = HostTensor::zeros(DType::Int64, {static_cast<int64_t>(shape.size())});
            WideTensor wide = WideTensor::of(target);
            wide.integers = shape;
            const ValueId dimsValue = m_to.addConstant(name + ".dims", wide.narrow());
            return added("reshape", node, {now, dimsValue}, {}, name);
        }
        return added("transpose", node, {now}, {{"permutation", asNumbers(axes)}}, name);
    }

    ValueId added(const std::string &op, const std::string &node, std::vector<ValueId> inputs, Attributes attributes,
                  const std::string &output) {
        const NodeId id = m_to.addNode({node, op, std::move(inputs), {}, std::move(attributes), {}}, {output});
        typed(id);
        return m_to.soFar().node(id).outputs[0];
    }

    void typed(NodeId node) {
        if (const auto inferred = inferInto(m_to, node); !inferred) throw Error(inferred.why());
    }

    const GraphFunction &m_from;
    const LayoutTable &m_table;
    ThreadPool &m_pool;
    PassReport &m_report;
    FunctionBuilder m_to;
    FunctionCopy m_copy;
    std::vector<std::optional<ValueId>> m_last;  // by old value: with channels last, in the new function
    std::vector<std::optional<ValueId>> m_first; // the same, of what was computed with channels last
    std::vector<ValueId> m_results;
    Moved m_data;
    Moved m_kernels;
    Moved m_extended;
};

/// Nodes that are in one layout for as long as nothing between them is transformed.
class Components {
  public:
    explicit Components(size_t count) : m_of(count) { std::iota(m_of.begin(), m_of.end(), size_t{0}); }
    size_t of(size_t at) {
        while (m_of[at] != at) at = m_of[at] = m_of[m_of[at]];
        return at;
    }
    void join(size_t a, size_t b) { m_of[of(a)] = of(b); }

  private:
    std::vector<size_t> m_of;
};

} // namespace

bool isLayoutTransform(const Node &node) {
    return (node.op == "transpose" || node.op == "reshape") && node.name.ends_with(kTransformSuffix) &&
           node.sources.empty();
}

LayoutTable uniformLayouts(const GraphFunction &function, DataLayout layout) {
    LayoutTable table(function.nodeCount(), DataLayout::ChannelsFirst);
    if (layout == DataLayout::ChannelsFirst) return table;
    std::vector<LayoutRule> rules;
    for (size_t n = 0; n < function.nodeCount(); ++n) rules.push_back(layoutRuleOf(function, function.node(NodeId(n))));
    Components components(function.nodeCount());
    for (size_t n = 0; n < function.nodeCount(); ++n) {
        if (!rules[n].takesAny()) continue;
        for (const ValueId input : function.node(NodeId(n)).inputs) {
            if (input.value < 0) continue;
            const NodeId producer = function.value(input).producer;
            if (producer.value >= 0 && rules[producer.index()].takesAny()) components.join(n, producer.index());
        }
    }
    std::vector<bool> worthIt(function.nodeCount(), false);
    for (size_t n = 0; n < function.nodeCount(); ++n)
        if (rules[n].role == LayoutRole::Owning || rules[n].role == LayoutRole::Window)
            worthIt[components.of(n)] = true;
    for (size_t n = 0; n < function.nodeCount(); ++n)
        if (rules[n].takesAny() && worthIt[components.of(n)]) table[n] = layout;
    return table;
}

Outcome<FunctionPtr> withLayouts(const FunctionPtr &function, const LayoutTable &table, ThreadPool &pool,
                                 PassReport &report) {
    if (table.size() != function->nodeCount())
        return Refusal{
            fmt::format("there are layouts for {} nodes, the network has {}", table.size(), function->nodeCount())};
    if (std::all_of(table.begin(), table.end(), [](DataLayout one) { return one == DataLayout::ChannelsFirst; }))
        return function;
    for (size_t n = 0; n < table.size(); ++n) {
        if (table[n] == DataLayout::ChannelsFirst) continue;
        const Node &node = function->node(NodeId(n));
        if (const LayoutRule rule = layoutRuleOf(*function, node); !rule.takesAny())
            return Refusal{fmt::format("{} is to be computed with {}, and takes channels_first alone: {}",
                                       nodeText(node), dataLayoutName(table[n]), rule.why)};
    }
    return LayoutWriter(*function, table, pool, report).write();
}

GraphPass assignLayoutsPass(LayoutTable table) {
    return {{.name = "assignLayouts",
             .level = 0,
             .needs = {Fact::Types},
             .preserves = Facts::all(),
             .description = "operators written for the layouts that were chosen, with transforms where they differ"},
            ModuleRun([table = std::move(table)](const Module &module, GraphPassContext &context) -> Outcome<Module> {
                ThreadPool alone(1);
                const auto written = withLayouts(module.find(module.main().name()), table,
                                                 context.pool ? *context.pool : alone, context.report);
                if (!written) return written.refusal();
                return module.with(*written);
            })};
}

} // namespace loopscope
