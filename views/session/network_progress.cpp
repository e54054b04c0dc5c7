#include "views/session/network_progress.h"

#include "views/session/text.h"

#include <algorithm>

namespace loopscope {

const NetworkTaskProgress *NetworkProgress::of(const std::string &key) const {
    const auto found = std::ranges::find(tasks, key, &NetworkTaskProgress::key);
    return key.empty() || found == tasks.end() ? nullptr : &*found;
}

namespace {

std::vector<TaskStanding> standingsOf(const NetworkProgress &progress) {
    std::vector<TaskStanding> standings(progress.tasks.size());
    for (size_t i = 0; i < standings.size(); ++i)
        if (progress.tasks[i].best > 0) standings[i].best = {progress.tasks[i].best};
    return standings;
}

} // namespace

std::vector<std::vector<FormStanding>> NetworkProgress::forms() const {
    return formStandings(groups, standingsOf(*this));
}

std::optional<size_t> NetworkProgress::leading(size_t group) const {
    return leadingArm(groups[group], standingsOf(*this));
}

double NetworkProgress::seconds() const {
    const std::vector<std::vector<FormStanding>> of = forms();
    double sum = 0;
    for (size_t i = 0; i < tasks.size(); ++i) {
        const FormStanding *nearest = nearestForm(of[i]);
        if (nearest == nullptr || nearest->behind <= 0) sum += tasks[i].weight * tasks[i].best;
    }
    return sum;
}

bool NetworkProgress::complete(const std::map<std::string, TaskSteering> &steered) const {
    const std::vector<std::vector<FormStanding>> of = forms();
    for (size_t i = 0; i < tasks.size(); ++i) {
        if (tasks[i].best > 0) continue;
        const auto found = steered.find(tasks[i].key);
        if (found != steered.end() && found->second.excluded) continue;
        const auto leads = [](const FormStanding &form) { return form.leading.has_value(); };
        if (of[i].empty() || !std::ranges::all_of(of[i], leads)) return false;
    }
    return true;
}

size_t NetworkProgress::timed() const {
    return static_cast<size_t>(
        std::ranges::count_if(tasks, [](const NetworkTaskProgress &task) { return task.best > 0; }));
}

QString groupText(const TaskChoiceGroup &group) {
    const QString first = qt(group.node);
    return group.nodes > 1 ? QStringLiteral("%1 and %2 more like it").arg(first).arg(group.nodes - 1) : first;
}

size_t NetworkProgress::besides() const {
    size_t count = 0;
    for (size_t i = 0; i < tasks.size(); ++i) count += static_cast<int>(i) != picked && tasks[i].rounds > 0 ? 1 : 0;
    return count;
}

int NetworkProgress::wanted(const NetworkTuningSetup &setup, const std::map<std::string, TaskSteering> &steered) const {
    int sum = 0;
    for (const NetworkTaskProgress &task : tasks) {
        const auto found = steered.find(task.key);
        const bool out = found != steered.end() && found->second.excluded;
        sum += out ? task.trials : std::max(setup.trials - task.known, task.trials);
    }
    return sum;
}

} // namespace loopscope
