#include "deploy/network/layout_costs.h"

#include "deploy/network/layout_timing.h"
#include "deploy/plan/host_routine.h"
#include "networks/graph/function_builder.h"
#include "networks/op/infer_types.h"
#include "networks/passes/assign_layouts.h"
#include "networks/passes/pass_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace loopscope {

namespace {

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

FunctionPtr LayoutCosts::transformsOf(const GraphFunction &function) {
    FunctionBuilder builder("transforms");
    const auto add = [&](const TensorType &type, const std::vector<size_t> &axes) {
        const auto dims = constantDims(type.dims);
        const std::string text = transformText(type, axes);
        if (!dims || !movesElements(*dims, axes) || builder.nameTaken(text)) return;
        const ValueId x = builder.addParameter("of " + text, type);
        const NodeId node = builder.addNode(
            {text, "transpose", {x}, {}, {{"permutation", std::vector<int64_t>(axes.begin(), axes.end())}}, {}},
            {text});
        if (const auto inferred = inferInto(builder, node); !inferred) throw Error(inferred.why());
        builder.addResult(builder.soFar().node(node).outputs[0]);
    };
    for (size_t v = 0; v < function.valueCount(); ++v) {
        const Value &value = function.value(ValueId(v));
        if (!value.type || value.constant || value.type->dims.size() < 3) continue;
        const size_t rank = value.type->dims.size();
        const std::vector<size_t> axes = axesIn(DataLayout::ChannelsLast, rank);
        add(*value.type, axes);
        add({value.type->dtype, permuted(value.type->dims, axes)}, inverseOf(axes));
    }
    // What is a kernel of a convolution, and no constant.
    for (size_t n = 0; n < function.nodeCount(); ++n) {
        const Node &node = function.node(NodeId(n));
        if (node.op != "conv" || function.isConstant(node.inputs[1])) continue;
        const TensorType &type = function.type(node.inputs[1]);
        add(type, kernelAxesIn(DataLayout::ChannelsLast, type.dims.size()));
    }
    return std::move(builder).finish();
}

std::optional<Refusal> LayoutCosts::priceTasks(std::vector<Priced> &priced) {
    std::vector<NetworkTask> tasks;
    for (const Priced &one : priced) tasks.push_back(one.task);
    TaskRecords records = recordsOfTasks(tasks, m_request.target, m_request.logs);
    m_notes = std::move(records.notes);
    m_pool.forEach(priced.size(), [&](size_t i, int) {
        Task task = makeTask(tasks[i].dag, m_request.target);
        task.layoutRewrite = LayoutRewrite::Pretransformed;
        const auto cycles = estimatedCycles(task, m_request.estimate);
        if (cycles)
            priced[i].cycles = *cycles;
        else
            priced[i].problem = cycles.why();
    });
    std::vector<double> ratios;
    for (size_t i = 0; i < priced.size(); ++i) {
        Priced &one = priced[i];
        one.record = std::move(records.best[i]);
        if (!one.record && !one.cycles) return Refusal{one.problem};
        if (one.record && one.cycles) ratios.push_back(one.record->seconds / *one.cycles);
    }
    if (ratios.empty()) {
        // Nothing to scale by, and so records beside estimates would be compared with nothing.
        for (Priced &one : priced) one.record.reset();
        return std::nullopt;
    }
    m_known = ratios.size();
    const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
    std::nth_element(ratios.begin(), middle, ratios.end());
    m_scale = *middle;
    return std::nullopt;
}

Outcome<LayoutCosts::Costs> LayoutCosts::knownCosts(const std::vector<Written> &writings) {
    std::vector<Priced> priced;
    std::map<std::string, size_t> byKey; // of them
    // What the host computes costs the same in every layout: nothing, here.
    const auto runs = [](const Written &written, const NetworkTask &task) {
        const Kernel &kernel = written.partition.kernels[task.kernels[0]];
        return kernel.runs() && !isHostKernel(*written.function, kernel);
    };
    for (const Written &written : writings)
        for (const NetworkTask &task : written.tasks) {
            if (!runs(written, task)) continue;
            if (!task.dag) return Refusal{task.whyNot};
            if (byKey.try_emplace(task.key, priced.size()).second)
                priced.push_back({task, std::nullopt, std::nullopt, {}});
        }
    if (auto wrong = priceTasks(priced)) return *wrong;
    Costs costs;
    for (const Written &written : writings) {
        std::vector<PricedKernel> &kernels = costs.emplace_back(written.partition.kernels.size());
        for (const NetworkTask &task : written.tasks) {
            if (!runs(written, task)) continue;
            const Priced &one = priced[byKey.at(task.key)];
            PricedKernel kernel = {task.name, one.cycles.value_or(0) * m_scale.value_or(1), "estimate", false};
            if (one.record)
                kernel = {task.name, one.record->seconds,
                          fmt::format("record {} of {}", one.record->name, one.record->log), true};
            for (const size_t k : task.kernels) kernels[k] = kernel;
        }
    }
    return costs;
}

Outcome<LayoutCosts::Costs> LayoutCosts::timedCosts(const std::vector<Written> &writings) {
    std::vector<NetworkTask> tasks;
    std::vector<WritingToTime> timed;
    for (const Written &written : writings) {
        for (const NetworkTask &task : written.tasks) tasks.push_back(task);
        timed.push_back({written.function.get(), &written.partition});
    }
    const TaskRecords records = recordsOfTasks(tasks, m_request.target, m_request.logs);
    m_notes = records.notes;
    BuildOptions options;
    options.threads = m_pool.threads();
    options.known = knownSchedules(tasks, records);
    options.defaults = m_request.estimate;
    const auto times = timeKernels(timed, m_request.target, options, {.cancelled = m_request.cancelled});
    if (!times) return times.refusal();
    Costs costs;
    for (size_t w = 0; w < writings.size(); ++w) {
        std::vector<PricedKernel> &kernels = costs.emplace_back();
        for (size_t k = 0; k < (*times)[w].size(); ++k) {
            const TimedKernel &one = (*times)[w][k];
            kernels.push_back({writings[w].partition.kernels[k].name, one.seconds,
                               fmt::format("timed, {}", one.schedule == "default" ? "default schedule" : one.schedule),
                               true});
        }
    }
    return costs;
}

void LayoutCosts::keep(const Written &written, const std::vector<PricedKernel> &costs, DataLayout layout) {
    for (size_t k = 0; k < costs.size(); ++k) {
        const Kernel &kernel = written.partition.kernels[k];
        const auto heart = heartOf(*written.function, kernel);
        if (!kernel.runs() || !heart || isLayoutTransform(written.function->node(*heart))) continue;
        m_kernels[{written.function->node(*heart).name, layout}] = costs[k];
    }
}

Outcome<bool> LayoutCosts::price(const FunctionPtr &function) {
    std::vector<Written> writings;
    for (const DataLayout layout : kDataLayouts) {
        PassReport unread;
        auto written = withLayouts(function, uniformLayouts(*function, layout), m_pool, unread);
        if (!written) return written.refusal();
        writings.push_back(cut(std::move(written).value()));
    }
    writings.push_back(cut(transformsOf(*function)));
    const auto costs = m_request.timed ? timedCosts(writings) : knownCosts(writings);
    if (!costs) return costs.refusal();
    for (const DataLayout layout : kDataLayouts)
        keep(writings[static_cast<size_t>(layout)], (*costs)[static_cast<size_t>(layout)], layout);
    for (size_t n = 0; n < writings[1].function->nodeCount(); ++n)
        m_kernelsOf[writings[1].function->node(NodeId(n)).name].second = writings[1].partition.kernelOf[n];
    for (size_t n = 0; n < function->nodeCount(); ++n)
        m_kernelsOf[function->node(NodeId(n)).name].first = writings[0].partition.kernelOf[n];
    const Written &transforms = writings.back();
    for (size_t n = 0; n < transforms.function->nodeCount(); ++n)
        m_transforms[transforms.function->node(NodeId(n)).name] = costs->back()[transforms.partition.kernelOf[n]];
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
