#pragma once
// In which features two schedules of one task differ most, and what the cost model makes of it.

#include "search/explain/explain_schedule.h"

#include <string>
#include <vector>

namespace loopscope {

struct FeatureDifference {
    std::string buffer;
    size_t feature = 0; // featureTable()
    float a = 0;        // 0 also where that schedule does not store the buffer
    float b = 0;
    double contributionA = 0;
    double contributionB = 0;
};

/// Rows are paired by the buffers' names. Those that change the score most first, where both were predicted; else those
/// that differ most.
std::vector<FeatureDifference> featureDifferences(const ScheduleExplanation &a, const ScheduleExplanation &b,
                                                  size_t most);

} // namespace loopscope
