#include "harness/scripted_measurer.h"

#include "schedule/steps_json.h"

#include <cmath>

namespace loopscope {

double scriptedSeconds(const Steps &steps) {
    double cost = 1;
    for (const auto &step : steps) {
        if (const auto *split = std::get_if<SplitStep>(&step); split && !split->lengths.empty())
            cost += std::abs(std::log2(static_cast<double>(split->lengths.back())) - 3);
        if (const auto *annotate = std::get_if<AnnotateStep>(&step))
            cost *= annotate->annotation == Annotation::Parallel ? 0.5 : 0.9;
    }
    return cost * 1e-3;
}

void ScriptedMeasurer::measure(const std::vector<Steps> &candidates,
                               const std::function<void(size_t index, const Trial &trial)> &onTrial,
                               const std::atomic<bool> *cancel) {
    batches.push_back(candidates.size());
    for (size_t i = 0; i < candidates.size(); ++i) {
        if (before) before(measured.size());
        if (cancel && *cancel) return;
        Trial trial;
        trial.steps = candidates[i];
        trial.error = fault ? fault(candidates[i]) : TrialError::None;
        if (trial.valid()) {
            trial.seconds.assign(3, scriptedSeconds(candidates[i]));
        } else {
            trial.reason = "the script says so";
        }
        measured.push_back(stepsText(candidates[i]));
        onTrial(i, trial);
    }
}

std::vector<std::vector<double>> ScriptedMeasurer::measureInterleaved(const std::vector<Steps> &candidates, int rounds,
                                                                      const std::atomic<bool> *cancel) {
    std::vector<std::vector<double>> seconds;
    for (const auto &steps : candidates) {
        compared.push_back(stepsText(steps));
        seconds.emplace_back(cancel && *cancel ? 0 : rounds, scriptedSeconds(steps));
    }
    return seconds;
}

} // namespace loopscope
