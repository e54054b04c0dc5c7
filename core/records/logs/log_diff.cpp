#include "records/logs/log_diff.h"

#include "base/input_file.h"
#include "base/json_text.h"
#include "records/logs/line_facts.h"
#include "records/logs/step_words.h"
#include "records/record/workload_key.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

namespace loopscope {

namespace {

/// The task of one log, as far as rows tell; its records are read once they are known to matter.
class SideReader {
  public:
    SideReader(const LogDocument &log, const std::vector<uint32_t> &records, const std::atomic<bool> *cancelled)
        : m_log(log), m_records(records), m_cancelled(cancelled) {}

    DiffSide read() {
        DiffSide side;
        side.records = m_records.size();
        std::unordered_map<uint32_t, uint32_t> structures; // to a record that has it
        int64_t start = std::numeric_limits<int64_t>::max();
        for (const uint32_t number : m_records) start = std::min(start, m_log.row(number).timestamp);
        double elapsed = 0;
        for (uint32_t trial = 1; trial <= m_records.size(); ++trial) {
            const uint32_t number = m_records[trial - 1];
            const LogRow &row = m_log.row(number);
            structures.try_emplace(row.structure, number);
            elapsed = std::max(elapsed, static_cast<double>(row.timestamp - start));
            if (row.failed()) {
                side.failedTrials.push_back(trial);
                continue;
            }
            if (row.seconds >= side.seconds) continue;
            side.seconds = row.seconds;
            side.best = number;
            side.byTrial.push_back({static_cast<double>(trial), row.seconds});
            side.byTime.push_back({elapsed, row.seconds});
        }
        side.failures = side.failedTrials.size();
        side.duration = elapsed;
        if (elapsed <= 0) side.byTime.clear(); // all in one second, or the log has no clock
        for (const auto &[structure, number] : structures) {
            if (m_cancelled != nullptr && *m_cancelled) break;
            side.structures.push_back(factsOf(m_log.record(number)).structure);
        }
        std::sort(side.structures.begin(), side.structures.end());
        side.structures.erase(std::unique(side.structures.begin(), side.structures.end()), side.structures.end());
        if (side.valid()) readBest(side);
        return side;
    }

  private:
    void readBest(DiffSide &side) const {
        const Record record = m_log.record(side.best);
        std::vector<double> times = record.trial.seconds;
        std::sort(times.begin(), times.end());
        constexpr size_t agreeing = 3; // of more repeats the slower ones tell of the machine, not of the kernel
        side.repeats = times.size();
        side.low = std::min(times.front(), side.seconds * (1 - kMinScatter / 2));
        side.high = std::max(times[std::min(agreeing, times.size()) - 1], side.seconds * (1 + kMinScatter / 2));
        side.steps = record.trial.steps;
        side.bestStructure = factsOf(record).structure;
    }

    const LogDocument &m_log;
    const std::vector<uint32_t> &m_records;
    const std::atomic<bool> *m_cancelled;
};

DagPtr dagOf(const MatchedTask &task, const DiffOptions &options) {
    for (size_t log = 0; log < task.tasks.size() && log < options.workloads.size(); ++log)
        for (const uint32_t number : task.tasks[log])
            if (number < options.workloads[log].size() && options.workloads[log][number].dag)
                return options.workloads[log][number].dag;
    return nullptr;
}

void alignBests(DiffPair &pair, const DagPtr &dag, const DiffSide &first, const DiffSide &other) {
    const Steps a = first.steps.unpack();
    const Steps b = other.steps.unpack();
    if (dag) {
        if (auto named = alignSteps(dag, a, b)) {
            pair.steps = std::move(named).value();
            return;
        }
    }
    // A log's steps need not fit the computation that its key leads to; numbers can be compared all the same.
    pair.stepsByNumber = true;
    auto counted = alignWords(stepWords(a), stepWords(b));
    if (counted)
        pair.steps = std::move(counted).value();
    else
        pair.stepsRefused = counted.why();
}

DiffPair pairOf(const std::optional<DiffSide> &first, const std::optional<DiffSide> &other, const DagPtr &dag) {
    DiffPair pair;
    const bool hasFirst = first && first->valid();
    const bool hasOther = other && other->valid();
    if (!hasFirst || !hasOther) {
        const bool firstUntimed = first && first->untimed();
        const bool otherUntimed = other && other->untimed();
        if (hasFirst || (first && !other))
            pair.verdict = otherUntimed ? DiffVerdict::TimedInFirst : DiffVerdict::OnlyFirst;
        else if (hasOther || (other && !first))
            pair.verdict = firstUntimed ? DiffVerdict::TimedInOther : DiffVerdict::OnlyOther;
        else if (first)
            pair.verdict = firstUntimed || otherUntimed ? DiffVerdict::NoneTimed : DiffVerdict::NoneValid;
        else
            pair.verdict = DiffVerdict::Neither;
        return pair;
    }
    pair.ratio = other->seconds / first->seconds;
    const bool overlap = first->low <= other->high && other->low <= first->high;
    pair.verdict = overlap ? DiffVerdict::WithinNoise : *pair.ratio < 1.0 ? DiffVerdict::Better : DiffVerdict::Worse;
    std::vector<uint64_t> shared;
    std::set_intersection(first->structures.begin(), first->structures.end(), other->structures.begin(),
                          other->structures.end(), std::back_inserter(shared));
    pair.structuresShared = shared.size();
    pair.structuresInAll = first->structures.size() + other->structures.size() - shared.size();
    pair.sameStructure = first->bestStructure == other->bestStructure;
    alignBests(pair, dag, *first, *other);
    return pair;
}

DiffTotals totalsOf(const std::vector<TaskDiff> &tasks, size_t other) {
    DiffTotals totals;
    double logs = 0;
    double weightedLogs = 0;
    double weights = 0;
    for (const TaskDiff &task : tasks) {
        const DiffPair &pair = task.pairs[other - 1];
        switch (pair.verdict) {
        case DiffVerdict::Better:
            ++totals.won;
            break;
        case DiffVerdict::Worse:
            ++totals.lost;
            break;
        case DiffVerdict::WithinNoise:
            ++totals.withinNoise;
            break;
        case DiffVerdict::OnlyFirst:
        case DiffVerdict::TimedInFirst:
            ++totals.onlyFirst;
            break;
        case DiffVerdict::OnlyOther:
        case DiffVerdict::TimedInOther:
            ++totals.onlyOther;
            break;
        case DiffVerdict::NoneTimed:
        case DiffVerdict::NoneValid:
        case DiffVerdict::Neither:
            break;
        }
        if (!pair.ratio) continue;
        ++totals.compared;
        logs += std::log(*pair.ratio);
        weightedLogs += task.weight * std::log(*pair.ratio);
        weights += task.weight;
        totals.secondsFirst += task.weight * task.sides[0]->seconds;
        totals.secondsOther += task.weight * task.sides[other]->seconds;
    }
    if (totals.compared > 0) totals.geomean = std::exp(logs / static_cast<double>(totals.compared));
    if (weights > 0) totals.weightedGeomean = std::exp(weightedLogs / weights);
    return totals;
}

double weightOf(const TaskDiff &diff, const std::map<FlatKey, double> &byKey, bool byRecords) {
    if (byRecords) {
        size_t records = 0;
        for (const auto &side : diff.sides) records += side ? side->records : 0;
        return static_cast<double>(records);
    }
    const auto found = byKey.find(flatKeyOf(diff.task.key));
    return found == byKey.end() ? 1 : found->second;
}

} // namespace

std::string_view verdictName(DiffVerdict verdict) {
    switch (verdict) {
    case DiffVerdict::Better:
        return "better";
    case DiffVerdict::Worse:
        return "worse";
    case DiffVerdict::WithinNoise:
        return "within noise";
    case DiffVerdict::OnlyFirst:
        return "only in A";
    case DiffVerdict::OnlyOther:
        return "only in B";
    case DiffVerdict::TimedInFirst:
        return "timed only in A";
    case DiffVerdict::TimedInOther:
        return "timed only in B";
    case DiffVerdict::NoneTimed:
        return "none timed";
    case DiffVerdict::NoneValid:
        return "no valid record";
    case DiffVerdict::Neither:
        return "in neither";
    }
    return "";
}

LogDiff diffLogs(const std::vector<const LogDocument *> &logs, const DiffOptions &options) {
    std::vector<std::vector<std::string>> names;
    for (const auto &ofLog : options.workloads) {
        names.emplace_back();
        for (const DiffWorkload &workload : ofLog) names.back().push_back(workload.name);
    }
    std::vector<MatchedTask> matched = matchTasks(logs, names);
    LogDiff diff;
    // The records of each matched task in one pass over each log.
    std::vector<std::vector<std::vector<uint32_t>>> records(logs.size());
    for (size_t log = 0; log < logs.size(); ++log) {
        diff.paths.push_back(logs[log]->path());
        std::vector<size_t> matchOf(logs[log]->tasks().size());
        for (size_t i = 0; i < matched.size(); ++i)
            for (const uint32_t task : matched[i].tasks[log]) matchOf[task] = i;
        records[log].resize(matched.size());
        for (size_t record = 0; record < logs[log]->size(); ++record)
            records[log][matchOf[logs[log]->row(record).task]].push_back(static_cast<uint32_t>(record));
    }
    const auto cancelled = [&] { return options.cancelled != nullptr && *options.cancelled; };
    for (size_t i = 0; i < matched.size() && !cancelled(); ++i) {
        TaskDiff task;
        const DagPtr dag = dagOf(matched[i], options);
        for (size_t log = 0; log < logs.size(); ++log)
            task.sides.push_back(matched[i].in(log)
                                     ? std::optional(SideReader(*logs[log], records[log][i], options.cancelled).read())
                                     : std::nullopt);
        for (size_t other = 1; other < logs.size(); ++other)
            task.pairs.push_back(pairOf(task.sides[0], task.sides[other], dag));
        if (cancelled()) break; // it may be half read
        task.task = std::move(matched[i]);
        diff.tasks.push_back(std::move(task));
        if (options.progress) options.progress(i + 1, matched.size());
    }
    weighTasks(diff, options.weights);
    return diff;
}

void weighTasks(LogDiff &diff, const DiffWeights &weights) {
    std::map<FlatKey, double> byKey;
    for (const auto &[key, weight] : weights.byKey) byKey[flatKeyOf(key)] = weight;
    diff.weighted = false;
    for (TaskDiff &task : diff.tasks) {
        task.weight = weightOf(task, byKey, weights.byRecords);
        diff.weighted = diff.weighted || task.weight != 1;
    }
    diff.totals.clear();
    for (size_t other = 1; other < diff.paths.size(); ++other) diff.totals.push_back(totalsOf(diff.tasks, other));
}

std::map<std::string, double> loadTaskWeights(const std::string &path) {
    constexpr size_t maxBytes = size_t{64} << 20;
    const nlohmann::json json = parseJson(readInputFile(path, "the weights", maxBytes), path, "the file of weights");
    if (!json.is_object())
        throw Error(path, 0, 0,
                    fmt::format("the weights are {}; an object of keys to numbers is expected: {{\"KEY\": 2, ...}}",
                                json.type_name()));
    std::map<std::string, double> weights;
    for (const auto &[key, weight] : json.items()) {
        const bool legal = weight.is_number() && weight.get<double>() >= 0 && std::isfinite(weight.get<double>());
        if (!legal)
            throw Error(path, 0, 0,
                        fmt::format("the weight of {} is {}; it must be a number of at least 0", key,
                                    weight.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
        weights[key] = weight.get<double>();
    }
    return weights;
}

} // namespace loopscope
