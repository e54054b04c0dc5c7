#include "deploy/dispatch/tasks_at_points.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace loopscope {

std::vector<int64_t> sizesToTune(const DispatchPoints &points) {
    if (!points.named.empty()) return points.named;
    std::vector<int64_t> sizes;
    for (const int64_t size : points.sizes)
        if (std::has_single_bit(static_cast<uint64_t>(size)) || size == points.sizes.back()) sizes.push_back(size);
    return sizes;
}

Outcome<std::vector<SearchedTask>> tasksAtSizes(const std::vector<NetworkFamily> &families,
                                                const DispatchPoints &points, const std::vector<int64_t> &sizes,
                                                const std::optional<MachinePeaks> &peaks) {
    std::vector<NetworkTask> tasks;
    std::vector<double> weights;
    for (const NetworkFamily &one : families)
        for (const int64_t size : sizes) {
            const auto dag = one.family.dagAt(size);
            if (!dag) return dag.refusal();
            NetworkTask task;
            task.dag = *dag;
            task.key = (*dag)->key();
            task.name = fmt::format("{} at {} = {}", one.family.name, one.family.symbol, size);
            task.weight = one.weight;
            task.searchable = reduces(**dag);
            tasks.push_back(std::move(task));
            const auto point = std::ranges::find(points.sizes, size);
            const bool known = point != points.sizes.end();
            weights.push_back(known ? points.weights[static_cast<size_t>(point - points.sizes.begin())] : 1);
        }
    if (tasks.empty()) return std::vector<SearchedTask>();
    auto searched = searchedTasks(tasks, families.front().family.target, peaks);
    if (!searched) return searched.refusal();
    for (SearchedTask &task : *searched) task.weight *= weights[task.number];
    return searched;
}

} // namespace loopscope
