#include "records/record/resumed_trials.h"

#include "records/record/known_records.h"

#include <fmt/format.h>
#include <map>

namespace loopscope {

namespace {

std::string countOf(size_t count, const char *one) { return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s"); }

} // namespace

std::vector<std::string> resumeTask(const Task &task, const RecordLog &log, ResumedTrials &resumed, bool ofNetwork) {
    std::map<std::string, size_t> otherTargets; // why their times do not count here
    KnownRecords known;
    size_t twice = 0;     // of logs that were put together from copies
    size_t otherwise = 0; // timed
    for (size_t i = 0; i < log.records.size(); ++i) {
        if (!recordMatches(log.records[i], task)) continue;
        if (const auto target = targetMatches(log.records[i], task.target); !target) {
            ++otherTargets[target.why()];
            continue;
        }
        const Trial &trial = log.records[i].trial;
        if (trial.valid() && (trial.weightBytes > 0) != ofNetwork) {
            ++otherwise;
            continue;
        }
        const uint64_t hash = recordHash(log.records[i]);
        if (known.numberOf(hash, trial)) {
            ++twice;
            continue;
        }
        known.add(hash, trial, i);
        resumed.add(trial, hash, i);
    }
    std::vector<std::string> notes;
    for (const auto &[why, count] : otherTargets)
        notes.push_back(fmt::format("{}: {} of this workload {} left out: {}", log.path, countOf(count, "trial"),
                                    count == 1 ? "is" : "are", why));
    if (otherwise > 0)
        notes.push_back(fmt::format("{}: {} of this workload {} left out, as {} timed {}", log.path,
                                    countOf(otherwise, "trial"), otherwise == 1 ? "is" : "are",
                                    otherwise == 1 ? "it was" : "they were",
                                    ofNetwork ? "with weights in caches, not as in a network (--weights)"
                                              : "as in a network, not with weights in caches"));
    if (twice > 0)
        notes.push_back(fmt::format("{}: {} {} a copy of another, measured in the same second, and counted once",
                                    log.path, countOf(twice, "record"), twice == 1 ? "is" : "are"));
    return notes;
}

} // namespace loopscope
