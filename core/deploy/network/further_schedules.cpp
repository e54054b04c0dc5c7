#include "deploy/network/further_schedules.h"

#include "language/task/task.h"
#include "records/record/record.h"
#include "schedule/loop_state.h"

#include <algorithm>
#include <set>
#include <unordered_set>

namespace loopscope {

namespace {

constexpr double kWorthATry = 3;    // times the best
constexpr size_t kMaxLookedAt = 96; // of a task, the fastest

struct LoggedSchedule {
    double seconds = 0;
    bool ofNetwork = false;
    const Record *record = nullptr;
};

std::vector<LoggedSchedule> candidatesOf(const std::vector<RecordLog> &logs, const Task &task) {
    std::vector<LoggedSchedule> all;
    bool ofNetwork = false;
    for (const RecordLog &log : logs)
        for (const Record &record : log.records) {
            const Trial &trial = record.trial;
            if (!trial.valid() || trial.seconds.empty() || trial.unstable) continue;
            if (!recordMatches(record, task) || !targetMatches(record, task.target)) continue;
            all.push_back({trial.cost(), trial.weightBytes > 0, &record});
            ofNetwork = ofNetwork || trial.weightBytes > 0;
        }
    if (ofNetwork) std::erase_if(all, [](const LoggedSchedule &one) { return !one.ofNetwork; }); // do not compare
    std::ranges::stable_sort(all, {}, &LoggedSchedule::seconds);
    if (all.empty()) return all;
    std::erase_if(all,
                  [least = all.front().seconds](const LoggedSchedule &one) { return one.seconds > kWorthATry * least; });
    if (all.size() > kMaxLookedAt) all.resize(kMaxLookedAt);
    return all;
}

/// In turns over the groups, each in its order.
std::vector<KnownSchedule> inTurns(std::vector<std::vector<KnownSchedule>> groups, size_t most) {
    std::vector<KnownSchedule> chosen;
    for (size_t turn = 0; chosen.size() < most; ++turn) {
        bool any = false;
        for (std::vector<KnownSchedule> &group : groups) {
            if (turn >= group.size() || chosen.size() == most) continue;
            chosen.push_back(std::move(group[turn]));
            any = true;
        }
        if (!any) break;
    }
    return chosen;
}

} // namespace

std::string sharingOf(const DagPtr &dag, const Steps &steps) {
    std::string sharing;
    for (size_t i = 0; i < steps.size(); ++i) {
        const auto *annotation = std::get_if<AnnotateStep>(&steps[i]);
        if (annotation == nullptr || annotation->annotation != Annotation::Parallel) continue;
        // What was fused for it stands in front of it.
        const auto *fuse = i > 0 ? std::get_if<FuseStep>(&steps[i - 1]) : nullptr;
        if (fuse != nullptr && fuse->stage != annotation->stage) fuse = nullptr;
        const auto state =
            replay(dag, Steps(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(i) - (fuse ? 1 : 0)));
        if (!state) return {};
        const Stage &stage = state->stage(annotation->stage);
        const std::vector<IterId> iters = fuse != nullptr ? fuse->iters : std::vector<IterId>{annotation->iter};
        sharing += stage.op->name + ":";
        for (const IterId iter : iters) {
            const Iter &loop = stage.iters[iter.index()];
            if (loop.extent < 2) continue;
            sharing += loop.name;
            break;
        }
        sharing += ' ';
    }
    return sharing;
}

std::map<std::string, std::vector<KnownSchedule>, std::less<>>
furtherSchedules(const std::vector<NetworkTask> &tasks, const TaskRecords &records, const Target &target,
                 const std::vector<std::string> &logs, size_t most) {
    std::vector<RecordLog> read;
    for (const std::string &path : logs) read.push_back(loadRecordLog(path));
    std::map<std::string, std::vector<KnownSchedule>, std::less<>> further;
    for (size_t i = 0; i < tasks.size(); ++i) {
        if (!tasks[i].dag || !records.best[i] || further.contains(tasks[i].key)) continue;
        const Task task = makeTask(tasks[i].dag, target);
        std::unordered_set<std::string> known{records.best[i]->name};
        // Those that share the work out as the best does have their turn last.
        std::vector<std::string> names;
        std::vector<std::vector<KnownSchedule>> groups;
        const std::string ofBest = sharingOf(tasks[i].dag, records.best[i]->steps);
        std::vector<KnownSchedule> alike;
        for (const LoggedSchedule &candidate : candidatesOf(read, task)) {
            KnownSchedule one{candidate.record->trial.steps.unpack(), recordName(*candidate.record)};
            if (one.steps == records.best[i]->steps || !known.insert(one.name).second) continue;
            const std::string sharing = sharingOf(tasks[i].dag, one.steps);
            one.name = "record " + one.name;
            if (sharing == ofBest) {
                alike.push_back(std::move(one));
                continue;
            }
            const auto at = std::ranges::find(names, sharing);
            if (at == names.end()) {
                names.push_back(sharing);
                groups.emplace_back();
                groups.back().push_back(std::move(one));
            } else {
                groups[static_cast<size_t>(at - names.begin())].push_back(std::move(one));
            }
        }
        groups.push_back(std::move(alike));
        further.emplace(tasks[i].key, inTurns(std::move(groups), most));
    }
    return further;
}

} // namespace loopscope
