#pragma once
// What the cost model believed: predictions of a round against what was measured, how well it ranked them, and the
// distribution of scores in a generation.

#include "views/session/document.h"

#include <vector>

namespace loopscope {

/// A trial whose score was known before it was measured.
struct PredictedTrial {
    int trial = 0;
    int round = 0;
    double predicted = 0;
    /// Speed as a share of the best trial's, 0 to 1: what the model predicts up to scale. 0 when it failed.
    double measured = 0;
    bool failed = false;
};
/// Of all rounds, in the order of trials; trials of a log, which have no score, are left out.
std::vector<PredictedTrial> predictedTrials(const std::vector<TrialEntry> &trials);

struct RankQuality {
    int round = 0;
    int trials = 0; // valid ones with a score
    double ranksRight =
        -1; // share of pairs of clearly different times that the scores put in the right order; < 0 none
};
/// By round, ascending; only rounds with trials that have scores.
std::vector<RankQuality> rankQuality(const std::vector<TrialEntry> &trials);

/// One generation a line.
QString generationTable(const std::vector<RoundInfo> &rounds);

/// What a round lost to invalid schedules, and why.
struct RoundRefusals {
    int bred = 0;         // members of its generations after the first
    int children = 0;     // of these, invalid
    QString mostFrequent; // reason of invalid children
    QStringList all;      // "12 \u00d7 reason", sampled schedules first, the most frequent first
};
RoundRefusals refusalsOf(const RoundInfo &round);

/// The outline of a generation's distribution around `centre`: closed, widest bin `halfWidth` to each side.
struct OutlinePoint {
    double x = 0;
    double y = 0;
};
std::vector<OutlinePoint> violin(const std::vector<ScoreBin> &bins, double centre, double halfWidth);

} // namespace loopscope
