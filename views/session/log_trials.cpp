#include "views/session/log_trials.h"

#include "search/sketch/sketch.h"
#include "views/session/text.h"

#include <algorithm>

namespace loopscope {

LogTrials trialsOfLog(const RecordLog &log, const Task &task, const std::vector<Sketch> &sketches,
                      const std::atomic<bool> &cancelled) {
    LogTrials result;
    result.skipped = log.skipped;
    const double flops = task.dag->flops();
    std::vector<int> entryOf(log.records.size(), -1);
    for (size_t i = 0; i < log.records.size() && !cancelled; ++i) {
        const Record &record = log.records[i];
        if (const auto matches = recordMatches(record, task); !matches) {
            if (result.foreign++ == 0) result.firstForeign = qt(matches.why());
            continue;
        }
        if (!targetMatches(record, task.target)) {
            ++result.otherTargets[qt(record.targetText)];
            continue;
        }
        TrialEntry entry;
        entry.trial = record.trial;
        entry.sketch = sketchOf(record.trial.steps, sketches);
        entry.fromLog = true;
        entry.logRecord = static_cast<int>(i);
        entry.layoutRewrite = record.layoutRewrite;
        if (entry.valid() && flops > 0) entry.gflops = flops / entry.trial.cost() * 1e-9;
        entryOf[i] = static_cast<int>(result.entries.size());
        result.entries.push_back(std::move(entry));
    }
    for (auto verdict = log.verdicts.rbegin(); verdict != log.verdicts.rend() && !cancelled; ++verdict) {
        if (entryOf[verdict->record] < 0) continue; // of another task
        result.winner = entryOf[verdict->record];
        result.winnerTime = verdict->time;
        if (!result.winnerTime.known()) {
            const double seconds = log.records[verdict->record].trial.cost();
            result.winnerTime = {seconds, seconds, seconds};
        }
        result.decided = static_cast<int>(std::count_if(
            entryOf.begin(), entryOf.begin() + static_cast<ptrdiff_t>(verdict->after), [](int e) { return e >= 0; }));
        break;
    }
    return result;
}

QString workloadOfLog(const RecordLog &log, const QStringList &files, const std::atomic<bool> &cancelled,
                      QString *problem) {
    Target target;
    try {
        target = parseTarget(log.records.empty() ? "llvm" : log.records.front().targetText);
    } catch (const Error &error) {
        if (problem) *problem = qt(error.what());
        return {};
    }
    for (const QString &file : files) {
        if (cancelled) break;
        try {
            const Workload workload = loadWorkload(std8(file));
            const Task task = makeTask(ComputeDag::fromWorkload(workload), target);
            const bool any = std::any_of(log.records.begin(), log.records.end(), [&](const Record &record) {
                return static_cast<bool>(recordMatches(record, task));
            });
            if (any) return file;
        } catch (const std::exception &) {
            continue; // a file that is no workload is none of this log
        }
    }
    return {};
}

} // namespace loopscope
