#include "deploy/plan/profile.h"

#include <algorithm>
#include <chrono>

namespace loopscope {

namespace {

using Clock = std::chrono::steady_clock;

double secondsBetween(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
}

CallProfile describe(const ExecutionPlan &plan, const PlanCall &call, int threads) {
    CallProfile profile;
    profile.name = call.name;
    profile.nodes = call.nodes;
    profile.sources = call.sources;
    if (call.action == KernelAction::Run) {
        const PlanKernel &kernel = plan.kernels[call.kernel];
        profile.key = kernel.key;
        profile.schedule = kernel.schedule;
        profile.flops = kernel.flops;
        profile.threads = std::min<int64_t>(threads, kernel.code.launch.threads);
    }
    for (const PlanTensor &output : call.outputs) profile.outputs.push_back(output.dims);
    const size_t written = call.action == KernelAction::Copy ? 1 : call.outputs.size();
    for (size_t i = 0; i < call.arguments.size(); ++i) {
        const PlanArgument &argument = call.arguments[i];
        if (i + written >= call.arguments.size())
            profile.bytesOut += argument.bytes;
        else if (argument.kind == StorageKind::Constant)
            profile.weightBytes += argument.bytes;
        else
            profile.bytesIn += argument.bytes;
    }
    return profile;
}

} // namespace

TimeSummary summaryOf(std::vector<double> seconds) {
    if (seconds.empty()) return {};
    std::sort(seconds.begin(), seconds.end());
    const auto at = [&](size_t quarter) { return seconds[quarter * (seconds.size() - 1) / 4]; };
    return {seconds.front(), at(2), at(1), at(3), seconds.size()};
}

double PlanProfile::sumOfCalls() const {
    double sum = 0;
    for (const CallProfile &call : calls) sum += call.time.median;
    return sum;
}

PlanProfile profilePlan(PlanRunner &runner, const ProfileOptions &options) {
    const ExecutionPlan &plan = runner.plan();
    const CallerStays staysThere;
    PlanProfile profile;
    profile.network = plan.network;
    profile.target = plan.target;
    profile.threads = runner.threads();
    std::vector<size_t> active;
    for (size_t i = 0; i < plan.calls.size(); ++i)
        if (plan.calls[i].action != KernelAction::Nothing) active.push_back(i);

    for (int i = 0; i < options.warmups; ++i) runner.run();
    std::vector<double> whole;
    std::vector<std::vector<double>> each(active.size());
    for (int run = 0; run < options.runs; ++run) {
        const auto begin = Clock::now();
        runner.run();
        auto last = Clock::now();
        whole.push_back(secondsBetween(begin, last));
        last = Clock::now();
        for (size_t i = 0; i < active.size(); ++i) {
            runner.runOne(active[i]);
            const auto now = Clock::now();
            each[i].push_back(secondsBetween(last, now));
            last = now;
        }
    }
    profile.whole = summaryOf(std::move(whole));
    for (size_t i = 0; i < active.size(); ++i) {
        profile.calls.push_back(describe(plan, plan.calls[active[i]], runner.threads()));
        profile.calls.back().time = summaryOf(std::move(each[i]));
    }
    return profile;
}

} // namespace loopscope
