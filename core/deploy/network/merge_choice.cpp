#include "deploy/network/merge_choice.h"

#include "deploy/network/task_records.h"
#include "networks/partition/tasks.h"

#include <algorithm>
#include <map>
#include <set>

namespace loopscope {

namespace {

/// One of the two networks, with the time of each of its kernels.
struct TimedNetwork {
    const GraphFunction &function;
    Partition partition;
    std::map<std::string, NodeId> nodes = {};
    std::vector<TimedKernel> times = {};

    explicit TimedNetwork(const GraphFunction &of)
        : function(of), partition(partitionFunction(of, FusionMode::Better)) {
        for (size_t n = 0; n < of.nodeCount(); ++n) nodes.emplace(of.node(NodeId(n)).name, NodeId(n));
    }

    /// Of the kernels that these nodes are in; 0: one of them is not there.
    [[nodiscard]] double secondsOf(const std::vector<std::string> &names) const {
        std::set<size_t> kernels;
        for (const std::string &name : names) {
            const auto found = nodes.find(name);
            if (found == nodes.end()) return 0;
            kernels.insert(partition.kernelOf[found->second.index()]);
        }
        double sum = 0;
        for (const size_t kernel : kernels) sum += times[kernel].seconds;
        return sum;
    }
};

} // namespace

Outcome<std::vector<FusionTrial>> confirmMerges(const GraphFunction &merged, const std::vector<MergedBranches> &merges,
                                                const GraphFunction &apart, const FusionRequest &request) {
    TimedNetwork one(merged);
    TimedNetwork several(apart);
    BuildOptions build;
    build.threads = request.threads;
    build.defaults = request.estimate;
    for (const TimedNetwork *network : {&std::as_const(one), &std::as_const(several)}) {
        const std::vector<NetworkTask> tasks = networkTasks(network->function, network->partition);
        build.known.merge(knownSchedules(tasks, recordsOfTasks(tasks, request.target, request.logs)));
    }
    auto timed =
        timeKernels({{&merged, &one.partition}, {&apart, &several.partition}}, request.target, build, request.timing);
    if (!timed) return timed.refusal();
    one.times = std::move((*timed)[0]);
    several.times = std::move((*timed)[1]);
    std::vector<FusionTrial> trials;
    for (const MergedBranches &merge : merges) {
        FusionTrial trial;
        trial.joined = one.secondsOf({merge.node, merge.split});
        trial.apart = several.secondsOf(merge.branches);
        if (trial.joined == 0 || trial.apart == 0) continue;
        trial.node = merge.branches.front();
        trial.kernel = several.function.node(several.nodes.at(trial.node)).op;
        trial.branches = merge.branches.size();
        trial.stays = trial.apart >= kWorthApart * trial.joined;
        trials.push_back(std::move(trial));
    }
    return trials;
}

} // namespace loopscope
