#include "harness/scripted_measurer.h"

#include "schedule/steps_json.h"

#include <chrono>
#include <cmath>
#include <thread>

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
                               const MeasureWatch &watch) {
    {
        const std::lock_guard lock(m_mutex);
        batches.push_back(candidates.size());
    }
    const auto tell = [&](size_t i, TrialStage stage) {
        if (watch.onStage) watch.onStage(i, stage);
    };
    for (size_t i = 0; i < candidates.size(); ++i) tell(i, TrialStage::Building);
    for (size_t i = 0; i < candidates.size(); ++i) tell(i, TrialStage::Built);
    for (size_t i = 0; i < candidates.size(); ++i) {
        if (before) {
            std::unique_lock lock(m_mutex);
            const size_t ended = measured.size();
            lock.unlock();
            before(ended);
        }
        while (watch.paused() && !watch.cancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        if (watch.cancelled()) return;
        tell(i, TrialStage::Running);
        Trial trial;
        trial.steps = candidates[i];
        trial.error = fault ? fault(candidates[i]) : TrialError::None;
        if (trial.valid()) {
            trial.seconds = samples ? samples(candidates[i]) : std::vector<double>(3, scriptedSeconds(candidates[i]));
            trial.unstable = unstable && unstable(candidates[i]);
        } else {
            trial.reason = "the script says so";
        }
        {
            const std::lock_guard lock(m_mutex);
            measured.push_back(stepsText(candidates[i]));
        }
        tell(i, TrialStage::Ran);
        onTrial(i, trial);
    }
}

std::vector<TurnSamples> ScriptedMeasurer::measureInterleaved(const std::vector<Steps> &candidates, int rounds,
                                                              const MeasureWatch &watch) {
    std::vector<TurnSamples> turns;
    for (const auto &steps : candidates) {
        compared.push_back(stepsText(steps));
        if (interleaved && !watch.cancelled())
            turns.push_back({interleaved(steps, rounds)});
        else
            turns.push_back({std::vector<double>(watch.cancelled() ? 0 : rounds, scriptedSeconds(steps))});
    }
    return turns;
}

} // namespace loopscope
