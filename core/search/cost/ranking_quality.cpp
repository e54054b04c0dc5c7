#include "search/cost/cost_model.h"

#include <cmath>

namespace loopscope {

void FeatureMatrix::append(const std::vector<StageFeatures> &rows) {
    for (const auto &row : rows) values.insert(values.end(), row.row.begin(), row.row.end());
    programEnd.push_back(static_cast<uint32_t>(this->rows()));
}

double RowContributions::sum() const {
    double sum = static_cast<double>(rowCount) + base;
    for (const float value : features) sum += value;
    return sum;
}

double pairsRankedRight(const std::vector<float> &scores, const std::vector<double> &seconds, double margin) {
    size_t pairs = 0;
    double right = 0;
    for (size_t i = 0; i < seconds.size(); ++i)
        for (size_t j = i + 1; j < seconds.size(); ++j) {
            const double fast = std::min(seconds[i], seconds[j]);
            if (std::abs(seconds[i] - seconds[j]) <= margin * fast) continue;
            ++pairs;
            if (scores[i] == scores[j]) {
                right += 0.5;
            } else if ((scores[i] > scores[j]) == (seconds[i] < seconds[j])) {
                right += 1;
            }
        }
    return pairs == 0 ? -1.0 : right / static_cast<double>(pairs);
}

} // namespace loopscope
