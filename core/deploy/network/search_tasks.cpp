#include "deploy/network/search_tasks.h"

#include "base/nearest_name.h"
#include "language/dag/traffic.h"
#include "measure/timing/least_time.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace loopscope {

double rooflineSeconds(const ComputeDag &dag, const MachinePeaks &peaks) {
    const DagTraffic traffic = trafficOf(dag);
    return std::max(computingSeconds(traffic.flops, peaks),
                    movingSeconds(static_cast<double>(traffic.compulsoryBytes()), peaks));
}

int64_t weightBytesOf(const GraphFunction &function) {
    constexpr int64_t kBeyondCaches = int64_t{256} << 20; // those that servers share, too; each timing copies as many
    int64_t bytes = 0;
    for (size_t v = 0; v < function.valueCount(); ++v)
        if (const HostTensor *constant = function.constant(ValueId(v)))
            bytes += constant->elements() * dtypeBytes(constant->dtype());
    // Forms such as Winograd's have more of them, and what the kernels compute passes by, too.
    return std::min(bytes + bytes / 2, kBeyondCaches);
}

Outcome<std::vector<SearchedTask>> searchedTasks(const std::vector<NetworkTask> &tasks, const Target &target,
                                                 const std::optional<MachinePeaks> &peaks,
                                                 const std::vector<std::string> &only) {
    std::vector<SearchedTask> searched;
    std::map<std::string, size_t> known; // by key
    std::map<std::string, int> called;
    for (size_t i = 0; i < tasks.size(); ++i)
        if (tasks[i].searchable && known.try_emplace(tasks[i].key, known.size()).second) ++called[tasks[i].name];
    known.clear();
    std::map<std::string, int> numbers;
    for (size_t i = 0; i < tasks.size(); ++i) {
        const NetworkTask &task = tasks[i];
        if (!task.searchable) continue;
        const auto [at, fresh] = known.try_emplace(task.key, searched.size());
        if (!fresh) {
            searched[at->second].weight += task.weight;
            continue;
        }
        SearchedTask one;
        one.number = i;
        one.name = called[task.name] > 1 ? fmt::format("{}_{}", task.name, ++numbers[task.name]) : task.name;
        one.task = makeTask(task.dag, target);
        one.task.layoutRewrite = target.isGpu() ? LayoutRewrite::None : LayoutRewrite::Pretransformed;
        one.weight = task.weight;
        if (peaks) one.floorSeconds = rooflineSeconds(*task.dag, *peaks);
        searched.push_back(std::move(one));
    }
    if (only.empty()) return searched;
    std::vector<std::string> names;
    for (const SearchedTask &task : searched) names.push_back(task.name);
    for (const std::string &name : only)
        if (std::find(names.begin(), names.end(), name) == names.end())
            return Refusal{fmt::format("there is no task {}{}; there are {}", name, suggestion(name, names),
                                       fmt::join(names, ", "))};
    std::erase_if(searched, [&](const SearchedTask &task) {
        return std::find(only.begin(), only.end(), task.name) == only.end();
    });
    return searched;
}

} // namespace loopscope
