#include "search/grouping_scheduler.h"

#include "schedule/grouping/grouped_schedule.h"

#include <fmt/format.h>
#include <utility>

namespace loopscope {

namespace {

StageMerged newsOf(const Grouping &grouping) {
    const GroupMerge &merge = grouping.merges.back();
    const Pipeline &pipeline = grouping.pipeline;
    StageMerged news;
    news.attempt = grouping.attempt;
    news.number = static_cast<int>(grouping.merges.size());
    news.inlining = merge.inlining;
    news.stage = pipeline.stages[static_cast<size_t>(merge.producer)].name;
    for (const int consumer : merge.consumers) news.into.push_back(pipeline.nodeName(consumer));
    news.benefit = merge.benefit.value_or(0);
    return news;
}

} // namespace

Outcome<LoopState> GroupingScheduler::schedule(const Task &task, SearchObserver &observer, SearchControl *control) {
    m_result.reset();
    const auto ended = [&] { return control != nullptr && control->cancelled(); };
    GroupingResult result;
    int attempts = 1;
    result.grouping = groupDag(task.dag, task.target, m_options, [&](const Grouping &grouping) {
        attempts = grouping.attempt;
        observer.on(newsOf(grouping));
        return !ended();
    });
    if (attempts > 1 && !ended())
        observer.on(SearchNote{fmt::format("of {} ways to merge, number {} costs least: it is the schedule", attempts,
                                           result.grouping.attempt)});
    if (ended()) return Refusal{"the grouping was ended before it had a schedule"};
    result.plans = planOn(task.target, result.grouping);
    auto grouped = scheduleOn(task.target, result.grouping, result.plans);
    if (!grouped) return grouped.refusal();
    for (const std::string &note : grouped->notes) observer.on(SearchNote{note});
    result.notes = std::move(grouped->notes);
    m_result = std::move(result);
    return std::move(grouped->state);
}

} // namespace loopscope
