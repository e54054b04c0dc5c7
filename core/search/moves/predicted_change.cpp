#include "search/moves/predicted_change.h"

#include "search/candidate.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace loopscope {

namespace {

std::optional<double> change(double before, double after) {
    if (!(before > 0) || !(after > 0) || !std::isfinite(before) || !std::isfinite(after)) return std::nullopt;
    return after / before - 1;
}

} // namespace

std::vector<PredictedSchedule> predictedSchedules(const DagPtr &dag, std::vector<Steps> schedules, const Target &target,
                                                  CostModel *model, ThreadPool &pool) {
    std::vector<Candidate> candidates(schedules.size());
    std::vector<Scratch> scratch(static_cast<size_t>(pool.threads()));
    pool.forEach(
        candidates.size(),
        [&](size_t i, int worker) {
            candidates[i].steps = std::move(schedules[i]);
            std::string reason;
            (void)evaluate(dag, target, candidates[i], scratch[static_cast<size_t>(worker)], reason);
        },
        8);
    std::vector<PredictedSchedule> predicted(candidates.size());
    for (size_t i = 0; i < candidates.size(); ++i)
        if (candidates[i].rows && candidates[i].draft > 0 && std::isfinite(candidates[i].draft))
            predicted[i].estimate = candidates[i].draft;
    if (model == nullptr || !model->trained()) return predicted;
    FeatureMatrix matrix;
    for (const Candidate &candidate : candidates) {
        if (candidate.rows)
            for (const FeatureRow &row : *candidate.rows)
                matrix.values.insert(matrix.values.end(), row.begin(), row.end());
        matrix.programEnd.push_back(static_cast<uint32_t>(matrix.rows()));
    }
    std::vector<float> scores;
    model->predict(matrix, scores);
    for (size_t i = 0; i < candidates.size(); ++i)
        if (candidates[i].rows) predicted[i].score = scores[i];
    return predicted;
}

std::vector<std::optional<double>> predictedChanges(const LoopState &state, const std::vector<Step> &moves,
                                                    const Target &target, CostModel *model, ThreadPool &pool) {
    std::vector<std::optional<double>> changes(moves.size());
    if (!state.concrete()) return changes;
    std::vector<Steps> schedules(moves.size() + 1, state.steps()); // the last is the state itself
    for (size_t i = 0; i < moves.size(); ++i) schedules[i].push_back(moves[i]);
    const auto predicted = predictedSchedules(state.originalDag(), std::move(schedules), target, model, pool);
    const PredictedSchedule &now = predicted.back();
    const bool asked = model != nullptr && model->trained();
    for (size_t i = 0; i < moves.size(); ++i) {
        const PredictedSchedule &then = predicted[i];
        if (!asked) {
            if (now.estimate && then.estimate) changes[i] = change(*now.estimate, *then.estimate);
        } else if (now.score && then.score && std::min(*now.score, *then.score) >= kMinScoreToCompare) {
            changes[i] = change(1 / static_cast<double>(*now.score), 1 / static_cast<double>(*then.score));
        }
    }
    return changes;
}

} // namespace loopscope
