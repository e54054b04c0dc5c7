#pragma once
// How the scores of a generation are distributed, as far as anything shows or saves it. The scores themselves would be
// thousands of numbers a round.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace loopscope {

struct ScoreBin {
    double lower = 0;
    double upper = 0;
    int count = 0;
};

class ScoreDistribution {
  public:
    static constexpr int kBins = 32;
    static constexpr size_t kQuantiles = 101;

    ScoreDistribution() = default;
    explicit ScoreDistribution(std::vector<float> scores, int bins = kBins);

    /// Equal bins over the finite scores; one bin when all are equal, none when there are none.
    [[nodiscard]] std::vector<ScoreBin> bins() const;
    /// Ascending, from the least to the greatest; all scores where they are no more than kQuantiles.
    [[nodiscard]] const std::vector<float> &quantiles() const { return m_quantiles; }

  private:
    std::vector<float> m_quantiles;
    std::vector<uint32_t> m_counts; // by bin
    double m_least = 0;
    double m_most = 0;
};

} // namespace loopscope
