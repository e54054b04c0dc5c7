#include "views/session/network_timing.h"

#include "network/build.h"
#include "network/task_records.h"
#include "network/weights.h"
#include "outcome.h"
#include "plan/plan_runner.h"
#include "plan/profile.h"
#include "timing/machine_use.h"
#include "views/session/text.h"

#include <QFileInfo>

#include <optional>

namespace loopscope {

NetworkTiming timeNetwork(const NetworkKernels &kernels, const QString &log, const std::atomic<bool> &cancelled) {
    const Target target = parseTarget("llvm");
    std::vector<std::string> logs;
    if (QFileInfo::exists(log)) logs.push_back(std8(log));
    BuildOptions build;
    build.known = knownSchedules(kernels.tasks, recordsOfTasks(kernels.tasks, target, logs));
    std::optional<BuiltPlan> built;
    {
        const auto work = MachineUse::begin(MachineUse::Kind::Work, &cancelled);
        if (cancelled) return {};
        auto made = buildPlan(*kernels.function, kernels.partition, target, build);
        if (!made) throw Error(made.why());
        built = std::move(made).value();
    }
    if (cancelled) return {};
    PlanRunner runner(built->plan, {.threads = target.hardware.numCores});
    const std::vector<HostTensor> inputs = seededInputs(*kernels.function, InputKind::Uniform, 0);
    for (size_t i = 0; i < inputs.size(); ++i) runner.setInput(i, inputs[i]);
    NetworkTiming timing;
    timing.kernels = built->plan.kernels.size();
    for (const PlanKernel &kernel : built->plan.kernels)
        timing.recorded += kernel.schedule.starts_with("record") ? 1 : 0;
    const auto machine = MachineUse::begin(MachineUse::Kind::Timing, &cancelled);
    if (cancelled) return {};
    timing.seconds = profilePlan(runner, {.warmups = 2, .runs = 10}).whole.median;
    return timing;
}

} // namespace loopscope
