#pragma once
// Forms in which one node of a network may be computed (direct, in Winograd's form, ...), of which the network takes
// the fastest. They are searched side by side: a form that is behind is worth a round only as far as it may still get
// ahead, and none when it cannot.

#include "search/task_order.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct ChoiceArm {
    std::string name;          // of the implementation
    std::vector<size_t> tasks; // of the search; all are run for it
    double extraSeconds = 0;   // that come with it and are not searched
};

struct TaskChoiceGroup {
    std::string node; // the first of those that are alike
    size_t nodes = 1;
    std::vector<ChoiceArm> arms;
};

/// With the best kernels so far; +inf while one of its tasks has none.
double armSeconds(const ChoiceArm &arm, const std::vector<TaskStanding> &tasks);
/// The fastest arm so far; nothing where none has all of its kernels.
std::optional<size_t> leadingArm(const TaskChoiceGroup &group, const std::vector<TaskStanding> &tasks);

/// A form that a task is part of, beside the others of its node.
struct FormStanding {
    size_t group = 0;
    size_t arm = 0;
    std::optional<size_t> leading; // arm of the group; nothing: none has all of its kernels
    double behind = 0;             // seconds, of the leading arm; 0 where it leads, or has a kernel missing
};
/// By task, in the order of the groups; none for a task that is in no group.
std::vector<std::vector<FormStanding>> formStandings(const std::vector<TaskChoiceGroup> &groups,
                                                     const std::vector<TaskStanding> &tasks);
/// Of the forms of one task, the one that is least behind; null when there are none.
const FormStanding *nearestForm(const std::vector<FormStanding> &forms);

/// Says of every task how far the fastest arm it is in is behind (TaskStanding::behind); 0 for those that lead
/// somewhere, or are in no group.
void compareArms(const std::vector<TaskChoiceGroup> &groups, std::vector<TaskStanding> &tasks);

} // namespace loopscope
