#include "views/session/network_timing.h"

#include "base/isolate/run_program.h"
#include "base/outcome.h"
#include "deploy/network/build.h"
#include "deploy/network/task_records.h"
#include "deploy/plan/plan_file.h"
#include "deploy/plan_worker/plan_worker.h"
#include "measure/timing/machine_use.h"
#include "views/session/network_profile.h"
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
    NetworkTiming timing;
    timing.kernels = built->plan.kernels.size();
    for (const PlanKernel &kernel : built->plan.kernels)
        timing.recorded += kernel.schedule.starts_with("record") ? 1 : 0;
    const WorkFolder folder("network");
    PlanRunRequest request = planRunRequest(*kernels.function, folder.file("network.plan"), target.hardware.numCores);
    writePlan(built->plan, request.plan);
    const auto profile = runPlanInWorker(request, &cancelled);
    if (cancelled) return {};
    if (!profile) throw Error(profile.why());
    timing.seconds = profile->whole.median;
    return timing;
}

} // namespace loopscope
