#include "search/explain/feature_differences.h"

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

const ExplainedRow *rowOf(const ScheduleExplanation &explained, const std::string &buffer) {
    const auto found = std::find_if(explained.rows.begin(), explained.rows.end(),
                                    [&](const ExplainedRow &row) { return row.buffer == buffer; });
    return found == explained.rows.end() ? nullptr : &*found;
}

} // namespace

std::vector<FeatureDifference> featureDifferences(const ScheduleExplanation &a, const ScheduleExplanation &b,
                                                  size_t most) {
    const ExplainedRow none;
    const bool predicted = a.predicted && b.predicted;
    std::vector<FeatureDifference> differences;
    const auto add = [&](const std::string &buffer, const ExplainedRow &left, const ExplainedRow &right) {
        for (size_t f = 0; f < kFeatureCount; ++f) {
            const FeatureDifference one{buffer,
                                        f,
                                        left.features[f],
                                        right.features[f],
                                        static_cast<double>(left.contributions.features[f]),
                                        static_cast<double>(right.contributions.features[f])};
            if (one.a != one.b || (predicted && one.contributionA != one.contributionB)) differences.push_back(one);
        }
    };
    for (const ExplainedRow &row : a.rows) {
        const ExplainedRow *other = rowOf(b, row.buffer);
        add(row.buffer, row, other != nullptr ? *other : none);
    }
    for (const ExplainedRow &row : b.rows)
        if (rowOf(a, row.buffer) == nullptr) add(row.buffer, none, row);
    const auto weight = [&](const FeatureDifference &one) {
        return predicted ? std::fabs(one.contributionB - one.contributionA)
                         : std::fabs(static_cast<double>(one.b) - static_cast<double>(one.a));
    };
    std::stable_sort(differences.begin(), differences.end(),
                     [&](const FeatureDifference &x, const FeatureDifference &y) { return weight(x) > weight(y); });
    if (differences.size() > most) differences.resize(most);
    return differences;
}

} // namespace loopscope
