#include "run_kernel.h"

#include "output.h"

#include "base/outcome.h"
#include "interrupt.h"
#include "measure/kernel_answer.h"
#include "runner_choice.h"
#include "schedule/stage_facts.h"
#include "search/grouping_scheduler.h"
#include "search/scheduler.h"

#include <cstdio>
#include <fmt/format.h>
#include <utility>

namespace loopscope {

namespace {

/// What the interpreter computes in some seconds.
constexpr double kFewPoints = 3e7;
constexpr double kLongEnough = 600; // seconds: nobody else waits for this kernel

double pointsOf(const ComputeDag &dag) {
    double points = 0;
    for (const OpPtr &op : dag.ops()) {
        if (op->isPlaceholder()) continue;
        const SpaceSize size = spaceSize(*op);
        points += static_cast<double>(size.spatial) * static_cast<double>(size.reduce);
    }
    return points;
}

/// With the layout of weights that belongs to it.
ChosenSchedule scheduleToRun(const RunOptions &options, const LoadedTask &loaded) {
    if (options.by.empty() || options.by == "naive")
        return chooseSchedule(options.record, loaded, options.workload.json); // naive where there is no record
    SilentObserver nobody;
    GroupingScheduler scheduler(groupingOptionsOf(options.grouping, loaded.task.target));
    auto state = scheduler.schedule(loaded.task, nobody, nullptr);
    if (!state) throw Error(options.workload.file, 0, 0, state.why());
    return {"the grouped schedule", std::nullopt, std::move(*state), static_cast<int>(LayoutRewrite::Pretransformed)};
}

} // namespace

RanKernel runKernelOf(const RunOptions &options, LoadedTask &loaded, const std::vector<TensorValue> &inputs,
                      int threads) {
    Task &task = loaded.task;
    MeasureOptions measure;
    applyRunner({}, task.target, measure);
    measure.buildTimeout = measure.runTimeout = kLongEnough;
    const ChosenSchedule chosen = scheduleToRun(options, loaded);
    task.layoutRewrite = static_cast<LayoutRewrite>(chosen.layoutRewrite);
    watchForInterrupts();
    auto answer = runOnInputs(task, chosen.state.steps(), inputs, measure, &interruptFlag());
    if (!answer) throw Error(fmt::format("run: the kernel of {}: {}", chosen.name, answer.why()));
    for (const std::string &note : answer->notes) sayLine(note);

    const double points = pointsOf(*task.dag);
    const bool checked = options.check || points <= kFewPoints;
    AnswerDifference difference;
    if (checked) difference = differenceOf(*task.dag, *answer, interpret(*task.dag, inputs, threads));
    if (!difference.problem.empty())
        throw Error(fmt::format("run: the kernel of {} differs from the interpreter: {}; nothing was written",
                                chosen.name, difference.problem));
    const Trial &trial = answer->trial;
    const std::string notChecked = fmt::format(
        "not checked: the interpreter would compute {:.3g} elements beside it; --check has it do so", points);
    const double flops = task.dag->flops();
    const auto speed = gigaflops(flops, trial.cost());
    RanKernel ran;
    ran.text = fmt::format("the kernel of {}: {}{}{}; {}\n", chosen.name, timeText(trial.cost()),
                           speedText(flops, trial.cost()), trial.unstable ? " (unstable)" : "",
                           checked ? fmt::format("right, largest error {:.3g} of the tolerance against the interpreter",
                                                 difference.maxError)
                                   : notChecked);
    using Json = nlohmann::ordered_json;
    ran.json = {{"schedule", chosen.name},
                {"record", chosen.record ? Json(*chosen.record) : Json(nullptr)},
                {"seconds", trial.seconds},
                {"cost", trial.cost()},
                {"gflops", speed ? Json(*speed) : Json(nullptr)},
                {"unstable", trial.unstable},
                {"checked", checked},
                {"error", checked ? Json(difference.maxError) : Json(nullptr)}};
    ran.outputs = std::move(answer->outputs);
    return ran;
}

} // namespace loopscope
