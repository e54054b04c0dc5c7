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

std::vector<std::vector<FormStanding>> formStandings(const std::vector<TaskChoiceGroup> &groups,
                                                     const std::vector<TaskStanding> &tasks) {
    std::vector<std::vector<FormStanding>> forms(tasks.size());
    for (size_t group = 0; group < groups.size(); ++group) {
        const std::vector<ChoiceArm> &arms = groups[group].arms;
        const auto leading = leadingArm(groups[group], tasks);
        const double least = leading ? armSeconds(arms[*leading], tasks) : 0;
        for (size_t arm = 0; arm < arms.size(); ++arm) {
            const double seconds = armSeconds(arms[arm], tasks);
            // Where a kernel is missing nobody knows yet, and the task counts like any other.
            const double behind = leading && std::isfinite(seconds) ? seconds - least : 0;
            for (const size_t task : arms[arm].tasks) forms[task].push_back({group, arm, leading, behind});
        }
    }
    return forms;
}

const FormStanding *nearestForm(const std::vector<FormStanding> &forms) {
    const auto nearest = std::ranges::min_element(forms, {}, &FormStanding::behind);
    return nearest != forms.end() ? &*nearest : nullptr;
}

void compareArms(const std::vector<TaskChoiceGroup> &groups, std::vector<TaskStanding> &tasks) {
    const std::vector<std::vector<FormStanding>> forms = formStandings(groups, tasks);
    for (size_t task = 0; task < tasks.size(); ++task) {
        const FormStanding *nearest = nearestForm(forms[task]);
        tasks[task].behind = nearest != nullptr ? nearest->behind : 0;
    }
}

} // namespace loopscope
