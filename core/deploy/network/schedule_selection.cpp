#include "deploy/network/schedule_selection.h"

#include "base/isolate/run_program.h"
#include "deploy/network/weights.h"
#include "deploy/plan/plan_file.h"
#include "deploy/plan_worker/selection_worker.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace loopscope {

namespace {

struct SelectionPlan {
    ExecutionPlan plan;
    PlanSelection selection;
};

/// Alternatives of a kernel stand next to each other, in the order of their task.
Outcome<SelectionPlan> selectionPlan(const GraphFunction &function, const Partition &partition,
                                     const MemoryPlan &memory, const std::vector<KernelTask> &tasks,
                                     const Target &target, const std::vector<TaskAlternatives> &alternatives) {
    SelectionPlan made;
    std::vector<PlanKernel> kernels;
    std::vector<std::vector<size_t>> kernelsOf(partition.kernels.size());
    std::vector<size_t> taskOf;
    for (size_t t = 0; t < tasks.size(); ++t) {
        double elements = 1;
        for (const Tensor *tensor : tasks[t].task.dag->args())
            if (!tensor->op->isPlaceholder()) {
                elements = 1;
                for (const int64_t extent : tensor->shape) elements *= static_cast<double>(extent);
            }
        made.selection.tasks.push_back({alternatives[t].size(), std::max(1.0, tasks[t].flops() / elements)});
        for (const PlanKernel &kernel : alternatives[t]) {
            for (const size_t of : tasks[t].kernels) kernelsOf[of].push_back(kernels.size());
            taskOf.push_back(t);
            kernels.push_back(kernel);
        }
    }
    auto hosts = hostKernels(function, partition);
    if (!hosts) return hosts.refusal();
    for (HostKernel &host : *hosts) {
        kernelsOf[host.kernel] = {kernels.size()};
        taskOf.push_back(SelectionPlace::kNoTask);
        kernels.push_back(std::move(host.code));
    }
    made.plan = makeExecutionPlan(function, partition, memory, std::move(kernels), kernelsOf, {});
    made.plan.target = target.text();
    for (size_t call = 0; call < made.plan.calls.size();) {
        const PlanCall &planned = made.plan.calls[call];
        SelectionPlace place{call};
        if (planned.action == KernelAction::Run) place.task = taskOf[planned.kernel];
        if (planned.action != KernelAction::Nothing) made.selection.places.push_back(place);
        call += place.task == SelectionPlace::kNoTask ? 1 : alternatives[place.task].size();
    }
    return made;
}

} // namespace

std::string SelectionTrial::text() const {
    const std::string what = fmt::format("{} ('{}'{})", kernel, nodes.empty() ? kernel : nodes.front(),
                                         kernels > 1 ? fmt::format(" and {} more", kernels - 1) : std::string());
    if (chosen == before) return fmt::format("{}: {} stays, of {}", what, before, alternatives);
    return fmt::format("{}: {} instead of {}, of {}: {:.4g} us with what follows, {:.4g} us before", what, chosen,
                       before, alternatives, seconds * 1e6, secondsBefore * 1e6);
}

Outcome<SelectionResult> selectSchedules(const GraphFunction &function, const Partition &partition,
                                         const MemoryPlan &memory, const std::vector<KernelTask> &tasks,
                                         const Target &target, const std::vector<TaskAlternatives> &alternatives,
                                         const SelectionOptions &options) {
    const WorkFolder folder("selection");
    SelectionRequest request;
    request.plan = folder.file("selection.plan");
    request.threads = target.hardware.numCores;
    request.rules = options.rules;
    {
        auto made = selectionPlan(function, partition, memory, tasks, target, alternatives);
        if (!made) return made.refusal();
        writePlan(made->plan, request.plan);
        request.selection = std::move(made->selection);
    }
    for (const HostTensor &input : seededInputs(function, InputKind::Uniform, options.seed)) {
        const HostTensor dense = input.dense();
        request.inputs.emplace_back(reinterpret_cast<const char *>(dense.bytes()), dense.byteSize());
    }
    const auto progress = [&](size_t done, size_t of, size_t task) {
        if (options.progress && task < alternatives.size()) options.progress(done, of, alternatives[task].front().name);
    };
    auto outcome = selectInWorker(request, progress, options.cancelled);
    if (!outcome) return outcome.refusal();
    if (outcome->tasks.size() != tasks.size())
        return Refusal{"the process in which schedules are selected spoke wrongly"};
    SelectionResult result;
    result.secondsBefore = outcome->secondsBefore;
    result.seconds = outcome->seconds;
    for (size_t t = 0; t < tasks.size(); ++t) {
        const SelectedTask &selected = outcome->tasks[t];
        if (selected.chosen >= alternatives[t].size())
            return Refusal{"the process in which schedules are selected spoke wrongly"};
        SelectionTrial trial;
        trial.kernel = alternatives[t].front().name;
        for (const NodeId node : partition.kernels[tasks[t].kernels.front()].nodes)
            trial.nodes.push_back(function.node(node).name);
        trial.kernels = tasks[t].kernels.size();
        trial.alternatives = alternatives[t].size();
        trial.before = alternatives[t].front().schedule;
        trial.chosen = alternatives[t][selected.chosen].schedule;
        trial.secondsBefore = selected.secondsBefore;
        trial.seconds = selected.seconds;
        for (size_t i = 0; i < std::min(selected.wrong.size(), selected.problems.size()); ++i)
            if (selected.wrong[i] < alternatives[t].size())
                trial.refusals.push_back(
                    fmt::format("{}: {}", alternatives[t][selected.wrong[i]].schedule, selected.problems[i]));
        result.chosen.push_back(selected.chosen);
        result.trials.push_back(std::move(trial));
    }
    return result;
}

} // namespace loopscope
