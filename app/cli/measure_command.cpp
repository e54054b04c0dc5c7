#include "measure_command.h"

#include "base/outcome.h"
#include "check_candidates.h"
#include "measure/measurer.h"
#include "output.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace loopscope {

int runMeasure(const MeasureCommandOptions &options) {
    LoadedTask loaded = loadTask(options.workload);
    if (options.runner.executor()) return runCheckCandidates(options, loaded);
    const ChosenSchedule chosen = requiredSchedule(options.record, loaded, options.workload.json);
    loaded.task.layoutRewrite = static_cast<LayoutRewrite>(chosen.layoutRewrite);
    MeasureOptions measureOptions;
    applyRunner(options.runner, loaded.task.target, measureOptions);
    if (options.repeats > 0) {
        measureOptions.sampling.minSamples = options.repeats;
        measureOptions.sampling.maxSamples = options.repeats;
        measureOptions.sampling.maxTimingSeconds = 3600;
        measureOptions.runTimeout = 3600;
    }
    Trial trial;
    const auto measurer = makeWorkerMeasurer(loaded.task, measureOptions);
    measurer->measure({chosen.state.steps()}, [&](size_t, const Trial &finished) { trial = finished; });
    for (const std::string &note : measurer->notes()) sayLine(note);
    if (!trial.valid()) throw Error(fmt::format("{}: {}: {}", chosen.name, trialErrorName(trial.error), trial.reason));

    const auto [least, most] = std::minmax_element(trial.seconds.begin(), trial.seconds.end());
    const double median = trial.median();
    const double cost = trial.cost();
    const double spread = (*most - *least) / median;
    const double flops = loaded.task.dag->flops();
    const auto speed = gigaflops(flops, cost);
    std::string out;
    if (options.workload.json) {
        const nlohmann::ordered_json json = {
            {"workload", loaded.workload.name},
            {"record", chosen.record ? nlohmann::ordered_json(*chosen.record) : nlohmann::ordered_json(nullptr)},
            {"seconds", trial.seconds},
            {"cost", cost},
            {"median", median},
            {"spread", spread},
            {"gflops", speed ? nlohmann::ordered_json(*speed) : nlohmann::ordered_json(nullptr)},
            {"unstable", trial.unstable},
            {"error", trial.maxError}};
        out = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    } else {
        for (size_t i = 0; i < trial.seconds.size(); ++i)
            out += fmt::format("repeat {:2}  {}\n", i, timeText(trial.seconds[i]));
        out += fmt::format("best three {}{}; median {}, spread {:.1f} %{}\n", timeText(cost), speedText(flops, cost),
                           timeText(median), 100 * spread,
                           trial.unstable ? " (unstable: the best samples do not agree within 3 %)" : "");
        out += fmt::format("largest error {:.3g} of the tolerance against the reference\n", trial.maxError);
    }
    writeOutput(out);
    return 0;
}

} // namespace loopscope
