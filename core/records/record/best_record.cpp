#include "records/record/record.h"

#include "language/target/target_identity.h"
#include "records/record/workload_key.h"
#include "schedule/gpu_binding.h"
#include "schedule/loop_state.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace loopscope {

namespace {

std::string_view kindOf(std::string_view targetText) { return targetText.substr(0, targetText.find(' ')); }

std::string_view kindName(TargetKind kind) { return kind == TargetKind::Cuda ? "cuda" : "llvm"; }

/// The steps replay, and every split names the extent its loop has here; at least one split must tell.
Outcome<bool> splitsFit(const Steps &steps, const DagPtr &dag) {
    LoopState state(dag);
    bool compared = false;
    for (size_t number = 0; number < steps.size(); ++number) {
        const auto *split = std::get_if<SplitStep>(&steps[number]);
        if (split && split->extent > 0 && split->stage.value >= 0 && split->stage.index() < state.stageCount()) {
            const Stage &stage = state.stage(split->stage);
            if (split->iter.value >= 0 && split->iter.index() < stage.iters.size()) {
                const Iter &iter = stage.iters[split->iter.index()];
                if (iter.known() && split->extent != iter.extent)
                    return Refusal{fmt::format("step {} splits loop {} ({}) of stage {} ({}) of extent {}, which is {} "
                                               "here: it is for other shapes",
                                               number, split->iter.value, iter.name, split->stage.value, stage.op->name,
                                               split->extent, iter.extent)};
                compared = compared || iter.known();
            }
        }
        auto next = state.apply(steps[number]);
        if (!next) return Refusal{fmt::format("step {}: {}", number, next.why())};
        state = std::move(next).value();
    }
    if (!compared)
        return Refusal{"none of its steps splits a loop of known extent, so nothing tells whether its shapes are the "
                       "task's"};
    return true;
}

} // namespace

Outcome<bool> recordMatches(const Record &record, const Task &task, bool allowFunctionKeys) {
    if (kindOf(record.targetText) != kindName(task.target.kind)) {
        return Refusal{fmt::format("it is for the target kind `{}`, the task for `{}`", kindOf(record.targetText),
                                   kindName(task.target.kind))};
    }
    if (!task.target.isGpu())
        if (std::optional<Refusal> refused = gpuBindingIn(record.trial.steps.unpack())) return *std::move(refused);
    if (record.key == task.key) return true;
    const FlatKey theirs = flatKeyOf(record.key);
    const FlatKey ours = flatKeyOf(task.key);
    if (theirs == ours) return true;
    if (theirs.name == ours.name) {
        return Refusal{fmt::format("it is for other shapes: its key is {}, the task's {}", record.key, task.key)};
    }
    if (theirs.isHash())
        return Refusal{fmt::format("it is for another workload: its key is {}, the task's {}", record.key, task.key)};
    if (!allowFunctionKeys) {
        return Refusal{
            theirs.name == task.dag->name()
                ? fmt::format("its key {} names a function, which does not tell whether the shapes are the task's",
                              record.key)
                : fmt::format("it is for another workload: its key is {}, the task's {}", record.key, task.key)};
    }
    // The function may go by another name here; the loops it splits must tell that it is the same computation.
    if (const Outcome<bool> fits = splitsFit(record.trial.steps.unpack(), task.dag); !fits.ok()) {
        return Refusal{theirs.name == task.dag->name()
                           ? fmt::format("its key {} names this workload, but its steps do not fit the task: {}",
                                         record.key, fits.why())
                           : fmt::format("it is for another workload: its key is {}, the task's {}, and its steps do "
                                         "not fit: {}",
                                         record.key, task.key, fits.why())};
    }
    return true;
}

Outcome<bool> targetMatches(const Record &record, const Target &target) {
    const TargetIdentity theirs = identityOf(record.targetText, record.hardware ? &*record.hardware : nullptr);
    const TargetIdentity ours = identityOf(target);
    if (theirs.sameAs(ours)) return true;
    return Refusal{
        fmt::format("it was measured on another target, `{}`; the task's is `{}`", theirs.text(), ours.text())};
}

namespace {

/// The fastest record of the task measured on one target.
struct BestOfTarget {
    std::string target; // empty: the task's own
    std::optional<size_t> record;
};

std::string listOfTargets(const std::vector<BestOfTarget> &others) {
    std::string text;
    for (const BestOfTarget &other : others)
        if (other.record) text += fmt::format("{}`{}`", text.empty() ? "" : ", ", other.target);
    return text;
}

bool timedAlike(const Trial &a, const Trial &b) { return (a.weightBytes > 0) == (b.weightBytes > 0); }

/// A time that the machine's other work may have decided counts only while there is no other, and one of weights that
/// were in caches only while there is none as in a network.
bool isBetter(const Trial &a, const Trial &b) {
    if (!timedAlike(a, b)) return a.weightBytes > 0;
    return std::make_pair(a.unstable, a.cost()) < std::make_pair(b.unstable, b.cost());
}

} // namespace

Outcome<size_t> bestRecord(const RecordLog &log, const Task &task) {
    const TargetIdentity wanted = identityOf(task.target);
    std::map<std::pair<std::string, int>, size_t> groupOf; // target text and cores, as logged
    std::vector<BestOfTarget> groups{{}};                  // the task's own first
    size_t failed = 0;
    size_t untimed = 0;
    std::map<std::string, size_t> refusals;
    for (size_t i = 0; i < log.records.size(); ++i) {
        const Record &record = log.records[i];
        const auto [at, fresh] =
            groupOf.try_emplace({record.targetText, record.hardware ? record.hardware->numCores : 0}, 0);
        if (fresh) {
            const TargetIdentity identity =
                identityOf(record.targetText, record.hardware ? &*record.hardware : nullptr);
            if (!identity.sameAs(wanted)) {
                const std::string text = identity.text();
                while (at->second < groups.size() && groups[at->second].target != text) ++at->second;
                if (at->second == groups.size()) groups.push_back({text, {}});
            }
        }
        BestOfTarget &group = groups[at->second];
        // A slower record cannot be the best: the match, which may replay its steps, need not be looked at.
        if (group.record && !isBetter(record.trial, log.records[*group.record].trial)) continue;
        if (const Outcome<bool> match = recordMatches(record, task); !match.ok()) {
            ++refusals[match.why()];
        } else if (!record.trial.valid()) {
            ++failed;
        } else if (record.trial.seconds.empty()) {
            ++untimed;
        } else {
            group.record = i;
        }
    }
    std::vector<BestOfTarget> found;
    for (const BestOfTarget &group : groups)
        if (group.record) found.push_back(group);
    if (!found.empty() && (found.front().target.empty() || found.size() == 1)) {
        const size_t best = *found.front().record;
        for (auto verdict = log.verdicts.rbegin(); verdict != log.verdicts.rend(); ++verdict) {
            const Record &winner = log.records[verdict->record];
            const auto group = groupOf.find({winner.targetText, winner.hardware ? winner.hardware->numCores : 0});
            if (!winner.trial.valid() || !timedAlike(winner.trial, log.records[best].trial) ||
                groups[group->second].target != found.front().target || !recordMatches(winner, task).ok())
                continue; // of another task
            // Among what was there the comparison decides; what came later must have been faster than the winner when
            // both were new.
            size_t least = verdict->record;
            for (size_t i = verdict->after; i < log.records.size(); ++i) {
                const Record &later = log.records[i];
                if (!later.trial.valid() || later.trial.unstable || !timedAlike(later.trial, winner.trial) ||
                    later.trial.cost() >= log.records[least].trial.cost())
                    continue;
                const auto its = groupOf.find({later.targetText, later.hardware ? later.hardware->numCores : 0});
                if (groups[its->second].target == found.front().target && recordMatches(later, task).ok()) least = i;
            }
            return least;
        }
        return best;
    }

    const std::string place = log.path.empty() ? "the log" : log.path;
    if (!found.empty())
        return Refusal{fmt::format("{} holds records of this task for several targets, {}, but none for `{}`; times of "
                                   "different targets are not compared: choose one of these targets",
                                   place, listOfTargets(found), wanted.text())};
    if (log.records.empty()) {
        return Refusal{log.skipped.empty()
                           ? fmt::format("{} holds no record", place)
                           : fmt::format("{} holds no record; {} broken lines were skipped, the first, "
                                         "line {}, because {}",
                                         place, log.skipped.size(), log.skipped[0].line, log.skipped[0].reason)};
    }
    std::string sentence = fmt::format("none of the {} records in {} can be used", log.records.size(), place);
    if (failed > 0) sentence += fmt::format("; {} of this task failed", failed);
    if (untimed > 0)
        sentence +=
            fmt::format("; {} of this task are right, but were not timed, so that none is best: name one by its "
                        "number",
                        untimed);
    std::vector<std::pair<std::string, size_t>> reasons(refusals.begin(), refusals.end());
    std::stable_sort(reasons.begin(), reasons.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
    for (size_t i = 0; i < reasons.size() && i < 3; ++i)
        sentence += fmt::format("; of {}: {}", reasons[i].second, reasons[i].first);
    if (reasons.size() > 3) sentence += fmt::format("; and {} more reasons", reasons.size() - 3);
    return Refusal{sentence};
}

} // namespace loopscope
