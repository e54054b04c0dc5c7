#include "views/session/network_progress.h"

#include <algorithm>

namespace loopscope {

const NetworkTaskProgress *NetworkProgress::of(const std::string &key) const {
    const auto found = std::ranges::find(tasks, key, &NetworkTaskProgress::key);
    return key.empty() || found == tasks.end() ? nullptr : &*found;
}

double NetworkProgress::seconds() const {
    double sum = 0;
    for (const NetworkTaskProgress &task : tasks) sum += task.weight * task.best;
    return sum;
}

size_t NetworkProgress::timed() const {
    return static_cast<size_t>(
        std::ranges::count_if(tasks, [](const NetworkTaskProgress &task) { return task.best > 0; }));
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
