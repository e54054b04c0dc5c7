#include "deploy/network/fusion_choice.h"

#include "deploy/network/task_records.h"
#include "networks/partition/tasks.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace loopscope {

namespace {

std::set<NodeId> allNodes(const GraphFunction &function) {
    std::set<NodeId> all;
    for (size_t n = 0; n < function.nodeCount(); ++n) all.insert(NodeId(n));
    return all;
}

/// The kernels of another partition that hold the same nodes, and no others.
std::vector<size_t> piecesOf(const Kernel &kernel, const Partition &apart) {
    std::set<size_t> pieces;
    for (const NodeId node : kernel.nodes) pieces.insert(apart.kernelOf[node.index()]);
    return {pieces.begin(), pieces.end()};
}

/// What things were joined to: of the last piece, as it stands after what it reads.
NodeId joinedTo(const Partition &apart, const std::vector<size_t> &pieces) {
    const Kernel &last = apart.kernels[pieces.back()];
    return last.anchor.value >= 0 ? last.anchor : last.nodes.front();
}

} // namespace

std::string FusionTrial::text() const {
    if (branches > 0)
        return fmt::format("{} '{}' and {} more of the same value: {:.4g} us as one kernel, {:.4g} us apart; {}",
                           kernel, node, branches - 1, joined * 1e6, apart * 1e6, stays ? "merged" : "kept apart");
    return fmt::format("{} ('{}'{}): {:.4g} us as one kernel, {:.4g} us apart; {}", kernel, node,
                       kernels > 1 ? fmt::format(" and {} more", kernels - 1) : "", joined * 1e6, apart * 1e6,
                       stays ? "joined" : "taken apart");
}

Outcome<FusionChoice> confirmFusion(const GraphFunction &function, const FusionRequest &request) {
    FusionChoice choice;
    choice.partition = partitionFunction(function, FusionMode::Better);
    const Partition apart = partitionFunction(function, FusionMode::Better, allNodes(function));
    const std::vector<NetworkTask> tasks = networkTasks(function, choice.partition);
    const bool any = std::ranges::any_of(choice.partition.kernels, [&](const Kernel &kernel) {
        return kernel.runs() && piecesOf(kernel, apart).size() > 1;
    });
    if (!any) return choice;

    BuildOptions build;
    build.threads = request.threads;
    build.defaults = request.estimate;
    for (const Partition *partition : {&std::as_const(choice.partition), &apart}) {
        const std::vector<NetworkTask> of = networkTasks(function, *partition);
        const TaskRecords records = recordsOfTasks(of, request.target, request.logs);
        for (const std::string &note : records.notes)
            if (std::ranges::find(choice.notes, note) == choice.notes.end()) choice.notes.push_back(note);
        build.known.merge(knownSchedules(of, records));
    }
    const auto timed =
        timeKernels({{&function, &choice.partition}, {&function, &apart}}, request.target, build, request.timing);
    if (!timed) return timed.refusal();
    std::set<NodeId> taken;
    for (const NetworkTask &task : tasks) {
        FusionTrial trial;
        std::vector<NodeId> anchors;
        for (const size_t k : task.kernels) {
            const Kernel &kernel = choice.partition.kernels[k];
            const std::vector<size_t> pieces = piecesOf(kernel, apart);
            if (!kernel.runs() || pieces.size() < 2) continue;
            trial.joined += (*timed)[0][k].seconds;
            for (const size_t piece : pieces) trial.apart += (*timed)[1][piece].seconds;
            anchors.push_back(joinedTo(apart, pieces));
        }
        if (anchors.empty()) continue;
        trial.kernel = choice.partition.kernels[task.kernels.front()].name;
        trial.node = function.node(anchors.front()).name;
        trial.kernels = anchors.size();
        trial.stays = trial.apart >= kWorthApart * trial.joined;
        if (!trial.stays) taken.insert(anchors.begin(), anchors.end());
        choice.trials.push_back(std::move(trial));
    }
    if (!taken.empty()) choice.partition = partitionFunction(function, FusionMode::Better, taken);
    return choice;
}

} // namespace loopscope
