#include "search/locks/group_locks.h"

#include "schedule/locks/lock_pattern.h"
#include "schedule/loop_state.h"
#include "schedule/script/script_words.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace loopscope {

namespace {

std::vector<std::string> namesOf(std::string_view words) {
    std::vector<std::string> names;
    for (size_t begin = 0; begin <= words.size();) {
        const size_t comma = std::min(words.find(',', begin), words.size());
        std::string_view name = words.substr(begin, comma - begin);
        while (name.starts_with(' ')) name.remove_prefix(1);
        while (name.ends_with(' ')) name.remove_suffix(1);
        names.emplace_back(name);
        begin = comma + 1;
    }
    return names;
}

bool holds(const std::vector<std::string> &names, const std::string &name) {
    return std::ranges::find(names, name) != names.end();
}

std::string groupsText(const std::vector<StageGroup> &groups) {
    std::vector<std::string> texts;
    for (const StageGroup &group : groups) texts.push_back(group.text());
    return fmt::format("{}", fmt::join(texts, ", "));
}

} // namespace

std::string StageGroup::text() const {
    return others.empty() ? output : fmt::format("{} (with {})", output, fmt::join(others, ", "));
}

std::vector<StageGroup> stageGroups(const Grouping &grouping) {
    const Pipeline &pipeline = grouping.pipeline;
    std::vector<StageGroup> groups;
    for (const Group &group : grouping.groups) {
        const std::string &output = pipeline.stageOf(group.output).name;
        auto known = std::ranges::find_if(groups, [&](const StageGroup &earlier) { return earlier.output == output; });
        if (known == groups.end()) // a stage computed in several parts ends a group with each
            known = groups.insert(known, StageGroup{output, {}});
        for (size_t stage = 0; stage < pipeline.stages.size(); ++stage) {
            const std::string &name = pipeline.stages[stage].name;
            if (group.holds[stage] && name != output && !holds(known->others, name)) known->others.push_back(name);
        }
    }
    return groups;
}

Outcome<std::vector<std::string>> stagesOfGroup(const DagPtr &dag, const std::vector<StageGroup> &groups,
                                                std::string_view words) {
    const std::vector<std::string> names = namesOf(words);
    std::vector<std::string> stages;
    for (const OpPtr &op : dag->ops())
        if (!op->isPlaceholder()) stages.push_back(op->name);
    for (const std::string &name : names)
        if (!holds(stages, name))
            return Refusal{fmt::format("the workload has no stage {}; its groups are {}",
                                       name.empty() ? "without a name" : name, groupsText(groups))};
    if (names.size() > 1) return names;
    for (const StageGroup &group : groups) {
        if (group.output != names.front()) continue;
        std::vector<std::string> found = group.others;
        found.push_back(group.output);
        return found;
    }
    return Refusal{fmt::format("no group ends in {}; the groups are {}; several stages with commas between are a group "
                               "of your own",
                               names.front(), groupsText(groups))};
}

Outcome<ScheduleLocks> locksOutside(const DagPtr &dag, const Steps &schedule, const std::vector<std::string> &stages,
                                    const ScheduleLocks &already) {
    ScheduleLocks locks = already;
    const LoopState naive(dag);
    for (size_t stage = 0; stage < naive.stageCount(); ++stage) {
        const Op &op = *naive.stage(StageId(stage)).op;
        if (op.isPlaceholder() || holds(stages, op.name)) continue;
        ReadLocks read = readLocks("stage:" + scriptStage(naive, StageId(stage)), dag, schedule);
        if (read.problem) return Refusal{fmt::format("{} cannot be kept as it is: {}", op.name, read.problem->reason)};
        for (ScheduleLock &lock : read.locks) locks.add(std::move(lock));
    }
    return locks;
}

} // namespace loopscope
