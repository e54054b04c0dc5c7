#include "search_start.h"

#include "base/outcome.h"
#include "choice.h"
#include "lock_options.h"
#include "search/grouping_scheduler.h"
#include "search/locks/group_locks.h"
#include "search/locks/locked_start.h"
#include "search/search_observer.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace loopscope {

namespace {

/// Made when it is first asked for, since few searches want it.
class GroupedStart {
  public:
    GroupedStart(const TuneOptions &options, const LoadedTask &loaded)
        : m_loaded(loaded), m_scheduler(groupingOptionsOf(options.grouping, loaded.task.target)) {}

    const Steps &steps() {
        make();
        return m_steps;
    }
    std::vector<StageGroup> groups() {
        make();
        return stageGroups(m_scheduler.result()->grouping);
    }

  private:
    void make() {
        if (m_scheduler.result()) return;
        SilentObserver nobody;
        const auto state = m_scheduler.schedule(m_loaded.task, nobody, nullptr);
        if (!state) throw Error(fmt::format("tune: {}", state.why()));
        m_steps = state->steps();
    }

    const LoadedTask &m_loaded;
    GroupingScheduler m_scheduler;
    Steps m_steps;
};

/// What --lock and --group keep of the first schedule.
ScheduleLocks locksOf(const TuneOptions &options, const LoadedTask &loaded, const std::vector<Steps> &schedules,
                      GroupedStart &grouped) {
    ScheduleLocks locks;
    if (const auto asked = lockedBy(options.locks, loaded.task.dag, schedules.empty() ? nullptr : &schedules.front()))
        locks = *asked;
    if (options.group.empty()) return locks;
    const auto stages = stagesOfGroup(loaded.task.dag, grouped.groups(), options.group);
    if (!stages) throw UsageError(fmt::format("--group {}: {}", options.group, stages.why()));
    auto outside = locksOutside(loaded.task.dag, schedules.front(), *stages, locks);
    if (!outside) throw Error(fmt::format("--group {}: {}", options.group, outside.why()));
    return std::move(outside).value();
}

} // namespace

SearchStart searchStart(const TuneOptions &options, const LoadedTask &loaded) {
    SearchStart start;
    GroupedStart grouped(options, loaded);
    std::vector<std::string> names = options.startFrom;
    if (!options.group.empty() && names.empty()) names = {"grouping"};
    const bool groups = !options.group.empty() || std::ranges::find(names, "grouping") != names.end();
    if (options.grouping.given() && !groups)
        throw UsageError(fmt::format("{} belongs to --start-from grouping and --group",
                                     options.grouping.machine ? "--machine" : "--mode"));
    for (const std::string &name : names)
        start.schedules.push_back(name == "grouping"
                                      ? grouped.steps()
                                      : chooseSchedule(choiceOf(name), loaded, options.workload.json).state.steps());
    auto locks = std::make_shared<ScheduleLocks>(locksOf(options, loaded, start.schedules, grouped));
    if (locks->empty()) return start;
    for (size_t i = 0; i < start.schedules.size(); ++i)
        if (const auto kept = locks->keptBy(loaded.task.dag, start.schedules[i]); !kept)
            throw Error(names[i], 0, 0, kept.why());
    SearchOptions search = options.search;
    search.locks = locks;
    if (const auto nothing = whatLocksLeave(loaded.task, search, start.schedules))
        throw Error("tune: " + nothing->sentence);
    start.locks = std::move(locks);
    return start;
}

} // namespace loopscope
