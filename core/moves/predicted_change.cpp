#include "moves/predicted_change.h"

#include "search/candidate.h"

#include <cmath>

namespace loopscope {

namespace {

/// Scores are shares of the best speed and may leave 0 .. 1 a little; below this a ratio of two means nothing.
constexpr float kLeastScore = 0.01F;

std::optional<double> change(double before, double after) {
    if (!(before > 0) || !(after > 0) || !std::isfinite(before) || !std::isfinite(after)) return std::nullopt;
    return after / before - 1;
}

} // namespace

std::vector<std::optional<double>> predictedChanges(const LoopState &state, const std::vector<Step> &moves,
                                                    const Target &target, CostModel *model, ThreadPool &pool) {
    std::vector<Candidate> candidates(moves.size() + 1); // the last is the state itself
    std::vector<Scratch> scratch(static_cast<size_t>(pool.threads()));
    pool.forEach(
        candidates.size(),
        [&](size_t i, int worker) {
            candidates[i].steps = state.steps();
            if (i < moves.size()) candidates[i].steps.push_back(moves[i]);
            std::string reason;
            if (state.concrete())
                (void)evaluate(state.originalDag(), target, candidates[i], scratch[static_cast<size_t>(worker)],
                               reason);
        },
        8);
    std::vector<std::optional<double>> changes(moves.size());
    if (!candidates.back().rows) return changes;
    if (model == nullptr || !model->trained()) {
        for (size_t i = 0; i < moves.size(); ++i)
            if (candidates[i].rows) changes[i] = change(candidates.back().draft, candidates[i].draft);
        return changes;
    }
    FeatureMatrix matrix;
    for (const Candidate &candidate : candidates) {
        if (candidate.rows)
            for (const FeatureRow &row : *candidate.rows)
                matrix.values.insert(matrix.values.end(), row.begin(), row.end());
        matrix.programEnd.push_back(static_cast<uint32_t>(matrix.rows()));
    }
    std::vector<float> scores;
    model->predict(matrix, scores);
    for (size_t i = 0; i < moves.size(); ++i)
        if (candidates[i].rows && std::min(scores[i], scores.back()) >= kLeastScore)
            changes[i] = change(1 / static_cast<double>(scores.back()), 1 / static_cast<double>(scores[i]));
    return changes;
}

} // namespace loopscope
