#include "search/choice_group.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace loopscope {

double armSeconds(const ChoiceArm &arm, const std::vector<TaskStanding> &tasks) {
    double seconds = arm.extraSeconds;
    for (const size_t task : arm.tasks) seconds += tasks[task].seconds();
    return seconds;
}

std::optional<size_t> leadingArm(const TaskChoiceGroup &group, const std::vector<TaskStanding> &tasks) {
    std::optional<size_t> leading;
    double least = std::numeric_limits<double>::infinity();
    for (size_t arm = 0; arm < group.arms.size(); ++arm)
        if (const double seconds = armSeconds(group.arms[arm], tasks); seconds < least) {
            least = seconds;
            leading = arm;
        }
    return leading;
}

void compareArms(const std::vector<TaskChoiceGroup> &groups, std::vector<TaskStanding> &tasks) {
    std::vector<double> behind(tasks.size(), std::numeric_limits<double>::infinity());
    std::vector<bool> grouped(tasks.size(), false);
    for (const TaskChoiceGroup &group : groups) {
        const auto leading = leadingArm(group, tasks);
        const double least = leading ? armSeconds(group.arms[*leading], tasks) : 0;
        for (const ChoiceArm &arm : group.arms) {
            const double seconds = armSeconds(arm, tasks);
            // Where a kernel is missing nobody knows yet, and the task counts like any other.
            const double distance = leading && std::isfinite(seconds) ? seconds - least : 0;
            for (const size_t task : arm.tasks) {
                grouped[task] = true;
                behind[task] = std::min(behind[task], distance);
            }
        }
    }
    for (size_t task = 0; task < tasks.size(); ++task) tasks[task].behind = grouped[task] ? behind[task] : 0;
}

} // namespace loopscope
