#pragma once
// Features -> predicted score, higher is better. Models are deterministic given their seed and data.

#include "search/features/features.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace loopscope {

/// A program's rows, packed: programs x rows x 164.
struct FeatureMatrix {
    std::vector<float> values;
    std::vector<uint32_t> programEnd; // rows end (exclusive) of program i
    void append(const std::vector<StageFeatures> &rows);
    [[nodiscard]] size_t programs() const { return programEnd.size(); }
    [[nodiscard]] size_t rows() const { return values.size() / kFeatureCount; }
};

/// One measured program as the model sees it.
struct TrainingSample {
    std::vector<FeatureRow> rows; // empty: could not be lowered
    double seconds = 0;           // mean cost; <= 0 when the trial failed
    int task = 0;
};

struct TrainingReport {
    size_t samples = 0;
    int trees = 0;
    double seconds = 0;
    /// Share of pairs (within a task, clearly different times) that the model ranked right before it saw this batch; <
    /// 0 unknown.
    double pairsRankedRight = -1;
};

/// What a row adds to its program's score: the sum of everything in all of them is the score.
struct RowContributions {
    FeatureRow features{}; // 0 where the model does not look
    float rowCount = 0;    // that the program has so many rows
    float base = 0;        // what the model expects before it has seen a feature
    [[nodiscard]] double sum() const;
};

class CostModel {
  public:
    virtual ~CostModel() = default;
    /// Scores of all programs; -inf for a program without rows.
    virtual void predict(const FeatureMatrix &programs, std::vector<float> &scores) = 0;
    /// Of one program, a value for each row. Nothing of a model that cannot take its prediction apart, or has not
    /// learnt yet.
    virtual std::vector<RowContributions> contributions(const std::vector<FeatureRow> & /*program*/) { return {}; }
    /// When cancelled, it keeps what it knew before.
    virtual TrainingReport update(const std::vector<TrainingSample> &batch,
                                  const std::atomic<bool> *cancel = nullptr) = 0;
    [[nodiscard]] virtual bool trained() const = 0;
};

std::unique_ptr<CostModel> makeRandomModel(uint64_t seed);

struct XgboostOptions {
    uint64_t seed = 43;
    int threads = 1;
    int maxTrees = 100;       // upper bound of boosting rounds
    int patience = 15;        // rounds without improvement before stopping
    size_t warmUpSamples = 0; // below this many samples predictions are random
};
std::unique_ptr<CostModel> makeXgboostModel(const XgboostOptions &options);

/// Share of concordant pairs among pairs whose times differ by more than `margin` (relative); < 0 when there is none.
double pairsRankedRight(const std::vector<float> &scores, const std::vector<double> &seconds, double margin = 0.02);

} // namespace loopscope
