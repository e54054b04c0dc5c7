#pragma once
// The tasks of a network in all forms in which its nodes may be computed: what a search needs that is to find out which
// form is the fastest. Each implementation that is written as other nodes (networks/strategy/rewrite.h) gives kernels,
// and so tasks, of its own; the forms of one node are a choice group (search/choice_group.h). What a form brings with
// it, as Winograd's transforms of data, is part of its kernels and so of their times; its weights are transformed
// before the first run.

#include "deploy/network/search_tasks.h"
#include "deploy/network/strategy_choice.h"
#include "networks/strategy/rewrite.h"
#include "search/choice_group.h"

#include <set>
#include <string>
#include <vector>

namespace loopscope {

struct AlternativeTasks {
    std::vector<NetworkTask> tasks;      // of the network as it stands, then those of other forms alone
    std::vector<TaskChoiceGroup> groups; // by key: of nodes that are alike in all forms, tasks by their place in `keys`
    std::vector<std::string> keys;       // of tasks in groups
    /// By task of other forms, from the first of them: the nodes of the file that it stands for.
    std::vector<std::set<std::string>> sources;
};

/// Which nodes have which rewrites among their valid implementations that can be tuned, a null rewrite being the node
/// as it stands; in the order of the first nodes. Nodes that are pinned have none. Refuses what chooseImplementation
/// refuses.
struct RewriteChoice {
    NodeRewrite rewrite = nullptr;
    std::vector<RewrittenNode> nodes;
    std::vector<std::string> names; // of the implementations, by node
};
Outcome<std::vector<RewriteChoice>> rewriteChoices(const GraphFunction &function, const StrategyRequest &request);

/// Types and dims must be known.
Outcome<AlternativeTasks> alternativeTasks(const GraphFunction &function, const StrategyRequest &request,
                                           ThreadPool &pool);

/// Groups with the numbers of searched tasks, as tuneTasks takes them; without arms whose tasks are not searched, and
/// without groups of fewer than two.
std::vector<TaskChoiceGroup> searchedGroups(const AlternativeTasks &alternatives,
                                            const std::vector<SearchedTask> &tasks);

} // namespace loopscope
