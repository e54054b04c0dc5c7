#include "records/logs/matched_tasks.h"

#include "language/target/target_identity.h"
#include "records/record/workload_key.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace loopscope {

namespace {

TargetIdentity identityOfTask(const LogTask &task) {
    return identityOf(task.target, task.hardware ? &*task.hardware : nullptr);
}

const LogTask &taskIn(std::span<const LogDocument *const> logs, size_t log, uint32_t task) {
    return logs[log]->tasks()[task];
}

/// Neither has what the other has: they may be the same task in different logs.
bool disjoint(const MatchedTask &a, const MatchedTask &b) {
    for (size_t log = 0; log < a.tasks.size(); ++log)
        if (a.in(log) && b.in(log)) return false;
    return true;
}

/// Joins those of equal, non-empty text where no log has two of them.
template <typename TextOf> void join(std::vector<MatchedTask> &all, MatchedBy by, const TextOf &textOf) {
    std::map<std::string, std::vector<size_t>> alike;
    for (size_t i = 0; i < all.size(); ++i)
        if (std::string text = textOf(all[i]); !text.empty()) alike[std::move(text)].push_back(i);
    std::vector<bool> gone(all.size(), false);
    for (const auto &[text, members] : alike) {
        bool unambiguous = members.size() > 1;
        for (size_t i = 0; i < members.size(); ++i)
            for (size_t k = 0; k < i; ++k) unambiguous = unambiguous && disjoint(all[members[i]], all[members[k]]);
        if (!unambiguous) continue;
        MatchedTask &first = all[members.front()];
        for (size_t i = 1; i < members.size(); ++i) {
            MatchedTask &other = all[members[i]];
            for (size_t log = 0; log < first.tasks.size(); ++log)
                if (other.in(log)) first.tasks[log] = other.tasks[log];
            if (first.workload.empty()) first.workload = other.workload;
            gone[members[i]] = true;
        }
        first.by = std::max(first.by, by);
    }
    std::vector<MatchedTask> left;
    for (size_t i = 0; i < all.size(); ++i)
        if (!gone[i]) left.push_back(std::move(all[i]));
    all = std::move(left);
}

void tellDifferences(MatchedTask &matched, std::span<const LogDocument *const> logs) {
    std::set<std::string> keys;
    std::vector<TargetIdentity> targets;
    std::set<int> layouts;
    for (size_t log = 0; log < logs.size(); ++log)
        for (const uint32_t task : matched.tasks[log]) {
            const LogTask &one = taskIn(logs, log, task);
            keys.insert(one.key);
            targets.push_back(identityOfTask(one));
            layouts.insert(one.layoutRewrite);
        }
    if (matched.by == MatchedBy::Key && keys.size() > 1) matched.by = MatchedBy::FlatKey;
    for (const TargetIdentity &target : targets)
        matched.targetsDiffer = matched.targetsDiffer || !target.sameAs(targets.front());
    matched.layoutsDiffer = layouts.size() > 1;
}

std::string kindOfTarget(const MatchedTask &task) { return task.target.substr(0, task.target.find(' ')); }

} // namespace

std::string_view matchText(MatchedBy by) {
    switch (by) {
    case MatchedBy::Key:
        return "key";
    case MatchedBy::FlatKey:
        return "flattened key";
    case MatchedBy::Workload:
        return "operators and shapes";
    }
    return "";
}

std::vector<MatchedTask> matchTasks(std::span<const LogDocument *const> logs,
                                    const std::vector<std::vector<std::string>> &workloads) {
    std::vector<MatchedTask> all;
    std::map<std::pair<FlatKey, std::string>, size_t> known;
    for (size_t log = 0; log < logs.size(); ++log) {
        const std::vector<LogTask> &tasks = logs[log]->tasks();
        for (uint32_t number = 0; number < tasks.size(); ++number) {
            const LogTask &task = tasks[number];
            const auto [at, fresh] = known.try_emplace({flatKeyOf(task.key), identityOfTask(task).text()}, all.size());
            if (fresh) {
                MatchedTask matched;
                matched.key = task.key;
                matched.target = task.target;
                matched.tasks.resize(logs.size());
                all.push_back(std::move(matched));
            }
            MatchedTask &matched = all[at->second];
            matched.tasks[log].push_back(number);
            if (matched.workload.empty() && log < workloads.size() && number < workloads[log].size())
                matched.workload = workloads[log][number];
        }
    }
    // Of another processor, or where an old log does not say how many cores there were.
    join(all, MatchedBy::Key, [](const MatchedTask &task) {
        const FlatKey flat = flatKeyOf(task.key);
        return kindOfTarget(task) + '\n' + flat.name + '\n' + flat.args;
    });
    join(all, MatchedBy::Workload, [](const MatchedTask &task) {
        return task.workload.empty() ? std::string() : kindOfTarget(task) + '\n' + task.workload;
    });
    for (MatchedTask &matched : all) tellDifferences(matched, logs);
    return all;
}

} // namespace loopscope
