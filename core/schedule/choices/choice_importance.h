#pragma once
// Which choices made schedules fast. A gradient-boosted model is fitted to the logarithms of the measured times; what
// it attributes to each choice, schedule by schedule, are XGBoost's exact contributions (SHAP values: Lundberg et al.,
// "Consistent Individualized Feature Attribution for Tree Ensembles", 2018). How far it is to be believed is told by
// how well it predicts schedules it was not fitted to.

#include "schedule/choices/choice_table.h"

#include <atomic>
#include <vector>

namespace loopscope {

struct ChoiceImportance {
    /// Of each choice: its mean absolute contribution, as a share of all; sums to 1. Empty: too few schedules, or all
    /// equally fast.
    std::vector<double> share;
    /// Of the variance of log times, of schedules left out in turn (R², five parts); may be below 0: not to be
    /// believed.
    double explained = 0;
};

inline constexpr size_t kMinForImportance = 20; // valid schedules

/// `seconds` of each schedule; those that are not above 0 or are not finite do not count. Deterministic.
ChoiceImportance choiceImportance(const ChoiceTable &table, const std::vector<double> &seconds,
                                  const std::atomic<bool> *cancel = nullptr);

} // namespace loopscope
