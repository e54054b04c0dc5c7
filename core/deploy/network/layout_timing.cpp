#include "deploy/network/layout_timing.h"

#include "deploy/network/weights.h"
#include "deploy/plan/plan_runner.h"
#include "deploy/plan/profile.h"
#include "measure/timing/machine_use.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

namespace loopscope {

namespace {

/// Kernels by the name of a node of theirs, as profiles name them.
std::map<std::string, size_t> kernelsByNode(const WritingToTime &writing) {
    std::map<std::string, size_t> kernels;
    for (size_t n = 0; n < writing.function->nodeCount(); ++n)
        kernels[writing.function->node(NodeId(n)).name] = writing.partition->kernelOf[n];
    return kernels;
}

Refusal cancelledTiming() { return {"timing the kernels was cancelled"}; }

} // namespace

Outcome<std::vector<std::vector<TimedKernel>>> timeKernels(const std::vector<WritingToTime> &writings,
                                                           const Target &target, const BuildOptions &options,
                                                           const KernelTiming &timing) {
    std::deque<ExecutionPlan> plans; // runners hold on to them
    std::deque<PlanRunner> runners;
    std::vector<std::map<std::string, size_t>> numbers;
    std::vector<std::vector<TimedKernel>> timed;
    const auto stopped = [&] { return timing.cancelled != nullptr && timing.cancelled->load(); };
    for (const WritingToTime &writing : writings) {
        if (stopped()) return cancelledTiming();
        auto built = buildPlan(*writing.function, *writing.partition, target, options);
        if (!built) return built.refusal();
        plans.push_back(std::move(built->plan));
        runners.emplace_back(plans.back(), PlanRunOptions{.threads = target.hardware.numCores});
        const auto inputs = seededInputs(*writing.function, InputKind::Uniform, options.defaults.seed);
        for (size_t i = 0; i < inputs.size(); ++i) runners.back().setInput(i, inputs[i]);
        numbers.push_back(kernelsByNode(writing));
        timed.emplace_back(writing.partition->kernels.size());
    }
    const auto machine = MachineUse::begin(MachineUse::Kind::Timing, timing.cancelled);
    if (!machine) return cancelledTiming();
    for (int round = 0; round < timing.rounds; ++round)
        for (size_t w = 0; w < writings.size(); ++w) {
            if (stopped()) return cancelledTiming();
            const PlanProfile profile = profilePlan(runners[w], {.warmups = round == 0 ? 2 : 1, .runs = timing.runs});
            for (const CallProfile &call : profile.calls) {
                if (call.nodes.empty()) continue;
                TimedKernel &kernel = timed[w][numbers[w].at(call.nodes.front())];
                if (round == 0 || call.time.median < kernel.seconds) kernel.seconds = call.time.median;
                kernel.schedule = call.schedule;
            }
        }
    return timed;
}

} // namespace loopscope
