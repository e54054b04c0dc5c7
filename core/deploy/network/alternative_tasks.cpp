#include "deploy/network/alternative_tasks.h"

#include "networks/partition/partition.h"
#include "networks/strategy/choose.h"
#include "networks/strategy/quantities.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace loopscope {

namespace {

/// The keys of tasks by the node whose kernel they are.
std::map<std::string, std::string> keysByAnchor(const GraphFunction &function, const Partition &partition,
                                                const std::vector<NetworkTask> &tasks) {
    std::map<std::string, std::string> keys;
    for (const NetworkTask &task : tasks) {
        if (!task.searchable) continue;
        for (const size_t kernel : task.kernels) {
            const Kernel &of = partition.kernels[kernel];
            keys[function.node(of.anchor.value >= 0 ? of.anchor : of.nodes.back()).name] = task.key;
        }
    }
    return keys;
}

/// Names in the file of the nodes that a task stands for.
std::set<std::string> sourcesOfTask(const GraphFunction &function, const Partition &partition,
                                    const NetworkTask &task) {
    std::set<std::string> names;
    for (const size_t kernel : task.kernels)
        for (const NodeId id : partition.kernels[kernel].nodes) {
            const Node &node = function.node(id);
            names.insert(node.sources.begin(), node.sources.end());
            if (node.sources.empty()) names.insert(node.name);
        }
    return names;
}

size_t placeOf(std::vector<std::string> &keys, const std::string &key) {
    const auto at = std::find(keys.begin(), keys.end(), key);
    if (at != keys.end()) return static_cast<size_t>(at - keys.begin());
    keys.push_back(key);
    return keys.size() - 1;
}

} // namespace

Outcome<std::vector<RewriteChoice>> rewriteChoices(const GraphFunction &function, const StrategyRequest &request) {
    std::vector<RewriteChoice> choices;
    for (size_t n = 0; n < function.nodeCount(); ++n) {
        const NodeId id(n);
        if (function.node(id).op == "shape") continue; // nothing is run for it
        if (request.options.pins.contains(function.node(id).name)) continue;
        const auto levels = chooseImplementation(request.table, request.target, subjectOf(function, function.node(id)),
                                                 request.options.settings, nullptr);
        if (!levels) return levels.refusal();
        std::vector<NodeRewrite> seen; // the first that is written so, which has the highest level, gives the name
        for (const JudgedSpecialisation &one : levels->specialisations)
            for (const JudgedImplementation &candidate : one.candidates) {
                const NodeRewrite rewrite = candidate.implementation.rewrite;
                if (candidate.state != OfferState::Valid || !candidate.implementation.tunable ||
                    std::find(seen.begin(), seen.end(), rewrite) != seen.end())
                    continue;
                seen.push_back(rewrite);
                auto at = std::find_if(choices.begin(), choices.end(),
                                       [&](const RewriteChoice &choice) { return choice.rewrite == rewrite; });
                if (at == choices.end()) at = choices.insert(at, {rewrite, {}, {}});
                at->nodes.push_back({id, rewrite});
                at->names.push_back(candidate.implementation.name);
            }
    }
    return choices;
}

Outcome<AlternativeTasks> alternativeTasks(const GraphFunction &function, const StrategyRequest &request,
                                           ThreadPool &pool) {
    const auto choices = rewriteChoices(function, request);
    if (!choices) return choices.refusal();
    AlternativeTasks result;
    const Partition asItStands = partitionFunction(function, request.options.fusion);
    result.tasks = networkTasks(function, asItStands);
    std::set<std::string> known;
    for (const NetworkTask &task : result.tasks) known.insert(task.key);
    /// Forms by node, in the order of the choices.
    std::map<std::string, std::vector<std::pair<std::string, std::string>>> forms; // implementation, key
    for (const RewriteChoice &choice : *choices) {
        std::map<std::string, std::string> keys;
        if (choice.rewrite == nullptr) {
            keys = keysByAnchor(function, asItStands, result.tasks);
        } else {
            const auto written = rewriteNodes(function, choice.nodes, WeightFolding::ShapesOnly, pool);
            if (!written) return written.refusal();
            const Partition partition = partitionFunction(**written, request.options.fusion);
            const std::vector<NetworkTask> tasks = networkTasks(**written, partition);
            keys = keysByAnchor(**written, partition, tasks);
            std::set<std::string> added;
            for (const NetworkTask &task : tasks)
                if (!known.contains(task.key)) {
                    result.tasks.push_back(task);
                    result.sources.push_back(sourcesOfTask(**written, partition, task));
                    added.insert(task.key);
                }
            known.merge(added);
        }
        for (size_t i = 0; i < choice.nodes.size(); ++i) {
            const std::string &node = function.node(choice.nodes[i].node).name;
            if (const auto key = keys.find(node); key != keys.end())
                forms[node].emplace_back(choice.names[i], key->second);
        }
    }
    std::map<std::vector<std::pair<std::string, std::string>>, size_t> groups;
    for (size_t n = 0; n < function.nodeCount(); ++n) {
        const auto of = forms.find(function.node(NodeId(n)).name);
        if (of == forms.end() || of->second.size() < 2) continue;
        const auto [at, fresh] = groups.try_emplace(of->second, result.groups.size());
        if (!fresh) {
            ++result.groups[at->second].nodes;
            continue;
        }
        TaskChoiceGroup group{of->first, 1, {}};
        for (const auto &[name, key] : of->second) group.arms.push_back({name, {placeOf(result.keys, key)}, 0});
        result.groups.push_back(std::move(group));
    }
    return result;
}

std::vector<TaskChoiceGroup> searchedGroups(const AlternativeTasks &alternatives,
                                            const std::vector<SearchedTask> &tasks) {
    std::vector<TaskChoiceGroup> groups;
    for (const TaskChoiceGroup &group : alternatives.groups) {
        TaskChoiceGroup searched{group.node, group.nodes, {}};
        for (const ChoiceArm &arm : group.arms) {
            ChoiceArm numbered{arm.name, {}, arm.extraSeconds};
            for (const size_t place : arm.tasks)
                for (size_t i = 0; i < tasks.size(); ++i)
                    if (tasks[i].task.key == alternatives.keys[place]) numbered.tasks.push_back(i);
            if (numbered.tasks.size() == arm.tasks.size()) searched.arms.push_back(std::move(numbered));
        }
        if (searched.arms.size() > 1) groups.push_back(std::move(searched));
    }
    return groups;
}

} // namespace loopscope
