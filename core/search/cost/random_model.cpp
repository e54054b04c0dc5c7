#include "search/cost/cost_model.h"

#include "base/random.h"

#include <limits>

namespace loopscope {

namespace {

/// Scores by chance: the search without a model, to compare learned ones with.
class RandomModel final : public CostModel {
  public:
    explicit RandomModel(uint64_t seed) : m_random(seed) {}

    void predict(const FeatureMatrix &programs, std::vector<float> &scores) override {
        scores.resize(programs.programs());
        size_t begin = 0;
        for (size_t p = 0; p < programs.programs(); ++p) {
            const auto draw = static_cast<float>(m_random.uniform());
            scores[p] = programs.programEnd[p] > begin ? draw : -std::numeric_limits<float>::infinity();
            begin = programs.programEnd[p];
        }
    }
    TrainingReport update(const std::vector<TrainingSample> &batch, const std::atomic<bool> * /*cancel*/) override {
        m_samples += batch.size();
        TrainingReport report;
        report.samples = m_samples;
        return report;
    }
    [[nodiscard]] bool trained() const override { return false; }

  private:
    Random m_random;
    size_t m_samples = 0;
};

} // namespace

std::unique_ptr<CostModel> makeRandomModel(uint64_t seed) { return std::make_unique<RandomModel>(seed); }

} // namespace loopscope
