#pragma once
// The learned model: gradient-boosted trees over the rows of a program, whose predictions are averaged into one score
// (Zheng et al., "Ansor", OSDI 2020, section 5.2). Differences from Ansor, with reasons in
// resources/guide/differences.md: histogram trees on the columns that vary, failures weigh in, training is bounded and
// deterministic.

#include "search/cost/cost_model.h"

#include <memory>

namespace loopscope {

class XgboostModel final : public CostModel {
  public:
    explicit XgboostModel(const XgboostOptions &options);
    ~XgboostModel() override;

    void predict(const FeatureMatrix &programs, std::vector<float> &scores) override;
    /// Exact (tree) SHAP values (Lundberg et al., 2018), as XGBoost computes them.
    std::vector<RowContributions> contributions(const std::vector<FeatureRow> &program) override;
    TrainingReport update(const std::vector<TrainingSample> &batch, const std::atomic<bool> *cancel) override;
    [[nodiscard]] bool trained() const override;

  private:
    struct Booster;
    void chooseColumns();
    void train(TrainingReport &report, const std::atomic<bool> *cancel);
    void predictRows(const FeatureMatrix &programs, std::vector<float> &out) const;
    [[nodiscard]] size_t width() const { return m_columns.size() + 1; }
    [[nodiscard]] std::vector<float> packedRows(const FeatureMatrix &programs) const;

    XgboostOptions m_options;
    std::vector<TrainingSample> m_samples;
    std::vector<uint32_t> m_columns; // features that vary over the training set
    std::unique_ptr<Booster> m_booster;
    uint64_t m_randomDraws = 0;
};

} // namespace loopscope
