#include "network/layout_costs.h"

#include "graph/function_builder.h"
#include "op/infer_types.h"
#include "passes/assign_layouts.h"
#include "passes/pass_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace loopscope {

namespace {

/// A function that does nothing but bring its parameter into the order of axes.
FunctionPtr transposition(const TensorType &type, const std::vector<size_t> &axes) {
    FunctionBuilder builder("main");
    const ValueId x = builder.addParameter("x", type);
    const NodeId node = builder.addNode(
        {"transform", "transpose", {x}, {}, {{"permutation", std::vector<int64_t>(axes.begin(), axes.end())}}, {}},
        {"y"});
    if (const auto inferred = inferInto(builder, node); !inferred) throw Error(inferred.why());
    builder.addResult(builder.soFar().node(node).outputs[0]);
    return std::move(builder).finish();
}

/// The node that a kernel's cost is told of: its anchor, or the last that stands for something in the network.
std::optional<NodeId> heartOf(const GraphFunction &function, const Kernel &kernel) {
    if (kernel.anchor.value >= 0) return kernel.anchor;
    for (auto at = kernel.nodes.rbegin(); at != kernel.nodes.rend(); ++at)
        if (!isLayoutTransform(function.node(*at))) return *at;
    return std::nullopt;
}

bool movesElements(const std::vector<int64_t> &dims, const std::vector<size_t> &axes) {
    size_t last = 0;
    for (const size_t axis : axes) {
        if (dims[axis] == 1) continue;
        if (axis < last) return true;
        last = axis;
    }
    return false;
}

std::string transformText(const TensorType &type, const std::vector<size_t> &axes) {
    return fmt::format("{} {}", typeText(type), fmt::join(axes, ","));
}

} // namespace

LayoutCosts::Written LayoutCosts::cut(FunctionPtr function) const {
    Written written;
    written.function = std::move(function);
    written.partition = partitionFunction(*written.function, m_request.fusion);
    written.tasks = networkTasks(*written.function, written.partition);
    return written;
}

std::optional<Refusal> LayoutCosts::want(const Written &written) {
    for (const NetworkTask &task : written.tasks) {
        if (!written.partition.kernels[task.kernels[0]].runs()) continue;
        if (!task.dag) return Refusal{task.whyNot};
        if (m_byKey.try_emplace(task.key, m_priced.size()).second)
            m_priced.push_back({task, std::nullopt, std::nullopt, {}});
    }
    return std::nullopt;
}

std::optional<Refusal> LayoutCosts::priceTasks() {
    std::vector<NetworkTask> tasks;
    for (const Priced &one : m_priced) tasks.push_back(one.task);
    TaskRecords records = recordsOfTasks(tasks, m_request.target, m_request.logs);
    m_notes = std::move(records.notes);
    m_pool.forEach(m_priced.size(), [&](size_t i, int) {
        Task task = makeTask(tasks[i].dag, m_request.target);
        task.layoutRewrite = LayoutRewrite::Pretransformed;
        const auto cycles = estimatedCycles(task, m_request.estimate);
        if (cycles)
            m_priced[i].cycles = *cycles;
        else
            m_priced[i].problem = cycles.why();
    });
    std::vector<double> ratios;
    for (size_t i = 0; i < m_priced.size(); ++i) {
        Priced &one = m_priced[i];
        one.record = std::move(records.best[i]);
        if (!one.record && !one.cycles) return Refusal{one.problem};
        if (one.record && one.cycles) ratios.push_back(one.record->seconds / *one.cycles);
    }
    m_known = ratios.size();
    if (ratios.empty()) return std::nullopt;
    const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
    std::nth_element(ratios.begin(), middle, ratios.end());
    m_scale = *middle;
    return std::nullopt;
}

PricedKernel LayoutCosts::costOf(const NetworkTask &task) const {
    const Priced &one = m_priced[m_byKey.at(task.key)];
    if (one.record)
        return {task.name, one.record->seconds, fmt::format("record {} of {}", one.record->name, one.record->log),
                true};
    return {task.name, *one.cycles * scale(), "estimate", false};
}

void LayoutCosts::keep(const Written &written, DataLayout layout) {
    for (const NetworkTask &task : written.tasks)
        for (const size_t k : task.kernels) {
            const Kernel &kernel = written.partition.kernels[k];
            const auto heart = heartOf(*written.function, kernel);
            if (!kernel.runs() || !heart || isLayoutTransform(written.function->node(*heart))) continue;
            m_kernels[{written.function->node(*heart).name, layout}] = costOf(task);
        }
}

Outcome<bool> LayoutCosts::price(const FunctionPtr &function) {
    std::vector<Written> writings;
    for (const DataLayout layout : kDataLayouts) {
        PassReport unread;
        auto written = withLayouts(function, uniformLayouts(*function, layout), m_pool, unread);
        if (!written) return written.refusal();
        writings.push_back(cut(std::move(written).value()));
        if (auto wrong = want(writings.back())) return *wrong;
    }
    // Transforms of all values that might need one, as networks of their own.
    std::map<std::string, Written> transforms;
    const auto addTransform = [&](const TensorType &type, const std::vector<size_t> &axes) {
        const auto dims = constantDims(type.dims);
        const std::string text = transformText(type, axes);
        if (dims && movesElements(*dims, axes) && !transforms.contains(text))
            transforms.emplace(text, cut(transposition(type, axes)));
    };
    for (size_t v = 0; v < function->valueCount(); ++v) {
        const Value &value = function->value(ValueId(v));
        if (!value.type || value.constant || value.type->dims.size() < 3) continue;
        const size_t rank = value.type->dims.size();
        const std::vector<size_t> axes = axesIn(DataLayout::ChannelsLast, rank);
        addTransform(*value.type, axes);
        addTransform({value.type->dtype, permuted(value.type->dims, axes)}, inverseOf(axes));
    }
    for (const auto &[text, written] : transforms)
        if (auto wrong = want(written)) return *wrong;
    if (auto wrong = priceTasks()) return *wrong;
    for (const DataLayout layout : kDataLayouts) keep(writings[static_cast<size_t>(layout)], layout);
    for (const auto &[text, written] : transforms) m_transforms[text] = costOf(written.tasks[0]);
    return true;
}

const PricedKernel *LayoutCosts::of(const std::string &node, DataLayout layout) const {
    const auto at = m_kernels.find({node, layout});
    return at == m_kernels.end() ? nullptr : &at->second;
}

PricedKernel LayoutCosts::transform(const TensorType &type, const std::vector<size_t> &axes) const {
    const auto at = m_transforms.find(transformText(type, axes));
    return at == m_transforms.end() ? PricedKernel{"transform", 0, "no element moves", false} : at->second;
}

} // namespace loopscope
