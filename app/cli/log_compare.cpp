// `log diff` and `log verify`: logs against each other, and against this machine.

#include "base/whole_file.h"
#include "choice.h"
#include "interrupt.h"
#include "language/target/target_identity.h"
#include "log_parts.h"
#include "log_workloads.h"
#include "output.h"
#include "records/logs/diff_report.h"
#include "records/logs/log_diff.h"
#include "records/logs/manage_logs.h"
#include "records/logs/verify_records.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace loopscope {

namespace {

using DiffJson = nlohmann::ordered_json;

/// A report replaces an earlier one, and nothing else.
void writeReport(const std::string &path, const std::string &text, std::string_view begin) {
    std::error_code unknown;
    if (std::filesystem::is_regular_file(path, unknown)) {
        std::string there(begin.size(), '\0');
        std::ifstream old(path, std::ios::binary);
        old.read(there.data(), static_cast<std::streamsize>(there.size()));
        const bool empty = old.gcount() == 0;
        if (!empty && there != begin)
            throw Error(path, 0, 0, "another file of this name is there, which is no such report; choose another name");
    }
    writeWholeFile(path, text);
}

std::vector<DiffWorkload> workloadsOf(const LogDocument &log, const LogWorkloads &workloads) {
    std::vector<DiffWorkload> found;
    for (size_t task = 0; task < log.tasks().size() && !interruptFlag(); ++task) {
        sayLive(fmt::format("{}: task {} of {}", log.path(), task + 1, log.tasks().size()));
        const auto workload = workloads.ofTask(log, task);
        found.push_back(workload ? DiffWorkload{(*workload)->name, (*workload)->dag} : DiffWorkload{});
    }
    sayLive({});
    return found;
}

DiffJson sideJson(const std::optional<DiffSide> &side) {
    if (!side) return nullptr;
    return {{"best_seconds", jsonSeconds(side->seconds)},
            {"records", side->records},
            {"failures", side->failures},
            {"best_record", side->valid() ? DiffJson(side->best) : DiffJson(nullptr)},
            {"range", side->valid() ? DiffJson({side->low, side->high}) : DiffJson(nullptr)}};
}

DiffJson pairJson(const DiffPair &pair, size_t other) {
    DiffJson steps = DiffJson::array();
    for (size_t i = 0; i < pair.steps.size(); ++i) {
        const StepPair &step = pair.steps[i];
        if (step.same) continue;
        steps.push_back({{"label", fmt::format("p{}", i)}, // as lines of steps that follow it name it
                         {"step_a", step.a >= 0 ? DiffJson(step.a) : DiffJson(nullptr)},
                         {"step_b", step.b >= 0 ? DiffJson(step.b) : DiffJson(nullptr)},
                         {"a", step.a >= 0 ? DiffJson(step.lineA) : DiffJson(nullptr)},
                         {"b", step.b >= 0 ? DiffJson(step.lineB) : DiffJson(nullptr)}});
    }
    return {{"ratio", pair.ratio ? DiffJson(*pair.ratio) : DiffJson(nullptr)},
            {"verdict", verdictText(pair.verdict, other)},
            {"structures_shared", pair.structuresShared},
            {"structures", pair.structuresInAll},
            {"step_differences", std::move(steps)}};
}

DiffJson totalsJson(const DiffTotals &totals) {
    const auto orNull = [](const std::optional<double> &value) { return value ? DiffJson(*value) : DiffJson(nullptr); };
    return {{"geomean", orNull(totals.geomean)},
            {"weighted_geomean", orNull(totals.weightedGeomean)},
            {"compared", totals.compared},
            {"won", totals.won},
            {"lost", totals.lost},
            {"within_noise", totals.withinNoise},
            {"only_a", totals.onlyFirst},
            {"only_b", totals.onlyOther},
            {"sum_a", totals.secondsFirst},
            {"sum_b", totals.secondsOther}};
}

DiffJson diffJson(const LogDiff &diff) {
    DiffJson tasks = DiffJson::array();
    for (const TaskDiff &task : diff.tasks) {
        DiffJson json = {{"key", task.task.key},
                         {"target", task.task.target},
                         {"workload", task.task.workload.empty() ? DiffJson(nullptr) : DiffJson(task.task.workload)},
                         {"matched_by", matchText(task.task.by)},
                         {"targets_differ", task.task.targetsDiffer},
                         {"weight", task.weight},
                         {"a", sideJson(task.sides[0])},
                         {"b", sideJson(task.sides[1])}};
        json.update(pairJson(task.pairs[0], 1));
        DiffJson others = DiffJson::array();
        for (size_t log = 2; log < diff.paths.size(); ++log) {
            DiffJson other = {{"log", diff.paths[log]}, {"side", sideJson(task.sides[log])}};
            other.update(pairJson(task.pairs[log - 1], log));
            others.push_back(std::move(other));
        }
        if (!others.empty()) json["others"] = std::move(others);
        tasks.push_back(std::move(json));
    }
    DiffJson json = {{"logs", diff.paths}, {"tasks", std::move(tasks)}};
    json.update(totalsJson(diff.totals[0]));
    DiffJson others = DiffJson::array();
    for (size_t log = 2; log < diff.paths.size(); ++log) {
        DiffJson other = {{"log", diff.paths[log]}};
        other.update(totalsJson(diff.totals[log - 1]));
        others.push_back(std::move(other));
    }
    if (!others.empty()) json["others"] = std::move(others);
    return json;
}

std::string diffText(const LogDiff &diff) {
    std::string text;
    for (size_t log = 0; log < diff.paths.size(); ++log)
        text += fmt::format("{}  {}\n", logLetter(log), diff.paths[log]);
    for (size_t other = 1; other < diff.paths.size(); ++other) {
        const auto time = [](const std::optional<DiffSide> &side) {
            return !side             ? std::string("-")
                   : side->valid()   ? timeText(side->seconds)
                   : side->untimed() ? std::string("not timed")
                                     : std::string("failed");
        };
        text += fmt::format("\n{:>12} {:>12} {:>8}  {:<15} {}\n", logLetter(0), logLetter(other),
                            logLetter(other) + "/" + logLetter(0), "verdict", "task");
        for (const TaskDiff &task : diff.tasks) {
            const DiffPair &pair = task.pairs[other - 1];
            text += fmt::format("{:>12} {:>12} {:>8}  {:<15} {}\n", time(task.sides[0]), time(task.sides[other]),
                                pair.ratio ? fmt::format("{:.3f}", *pair.ratio) : "-", verdictText(pair.verdict, other),
                                taskTitle(task.task));
        }
        const DiffTotals &totals = diff.totals[other - 1];
        if (totals.geomean) text += fmt::format("geometric mean {:.4f}", *totals.geomean);
        if (totals.geomean && diff.weighted && totals.weightedGeomean)
            text += fmt::format(", weighted {:.4f}", *totals.weightedGeomean);
        text += (totals.geomean ? "\n" : "") + diffSentence(diff, other) + "\n";
    }
    return text;
}

// --- verify
// -----------------------------------------------------------------------------------------------------------

/// Records of one task that are measured together.
struct ToVerify {
    std::vector<size_t> numbers;
    std::vector<Record> records;
};

std::vector<ToVerify> recordsToVerify(const LogDocument &log, const LogOptions &options) {
    std::map<uint32_t, ToVerify> byTask;
    const auto take = [&](size_t number) {
        ToVerify &group = byTask[log.row(number).task];
        group.numbers.push_back(number);
        group.records.push_back(log.record(number));
    };
    for (const size_t number : options.records) {
        requireRecord(log, number);
        if (log.row(number).failed())
            throw UsageError(fmt::format("record {} failed ({}): it has no time to verify", number,
                                         trialErrorName(log.row(number).error)));
        take(number);
    }
    if (options.records.empty())
        for (const size_t task : chosenTasks(log, options))
            if (log.tasks()[task].best != SIZE_MAX) take(log.tasks()[task].best);
    std::vector<ToVerify> groups;
    for (auto &[task, group] : byTask) groups.push_back(std::move(group));
    return groups;
}

/// The records' task on this machine, with as many of its cores as they had.
Outcome<Task> taskHere(const Record &record, const LogWorkloads &workloads) {
    if (!record.targetText.starts_with("llvm"))
        return Refusal{
            fmt::format("it is for the target `{}`, and only processors are measured here", record.targetText)};
    const auto workload = workloads.ofRecord(record);
    if (!workload) return Refusal{"it is not known what it computes: " + workload.why()};
    const int here = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    const int cores = identityOf(record.targetText, record.hardware ? &*record.hardware : nullptr).cores;
    const std::string target =
        cores > 0 ? fmt::format("llvm -num-cores={}", std::min(cores, here)) : std::string("llvm");
    Task task = makeTask((*workload)->dag, parseTarget(target));
    task.layoutRewrite = static_cast<LayoutRewrite>(record.layoutRewrite);
    return task;
}

std::vector<VerifiedRecord> verifiedGroup(const ToVerify &group, const LogWorkloads &workloads,
                                          const LogOptions &options) {
    const auto task = taskHere(group.records.front(), workloads);
    if (!task) {
        std::vector<VerifiedRecord> refused;
        for (const Record &record : group.records) {
            VerifiedRecord one;
            one.line = record.line;
            one.recorded = record.trial.cost();
            one.reason = task.why();
            refused.push_back(std::move(one));
        }
        return refused;
    }
    if (const auto same = targetMatches(group.records.front(), task->target); !same)
        sayLine(fmt::format("line {}: {}", group.records.front().line, same.why()));
    const auto measurer = makeWorkerMeasurer(*task, {});
    VerifyOptions verify;
    verify.tolerance = options.tolerance / 100;
    verify.rounds = options.rounds;
    const MeasureWatch watch{.cancel = &interruptFlag()};
    auto verified = verifyRecords(group.records, *measurer, verify, watch, [](size_t done, size_t of) {
        sayLive(fmt::format("record {} of {} of the task", done, of));
    });
    sayLive({});
    for (const std::string &note : measurer->notes()) sayLine(note);
    return verified;
}

DiffJson verifiedJson(size_t number, const VerifiedRecord &one) {
    const bool known = one.time.known();
    return {{"record", number},
            {"line", one.line},
            {"recorded", jsonSeconds(one.recorded)},
            {"measured", jsonSeconds(one.time.seconds)},
            {"interval", known ? DiffJson({one.time.low, one.time.high}) : DiffJson(nullptr)},
            {"holds", one.holds},
            {"reason", known ? DiffJson(nullptr) : DiffJson(one.reason)}};
}

std::string verifiedText(size_t number, const VerifiedRecord &one) {
    if (!one.time.known())
        return fmt::format("record {:>6}  line {:>6}  recorded {:>11}  not measured: {}\n", number, one.line,
                           timeText(one.recorded), one.reason);
    return fmt::format("record {:>6}  line {:>6}  recorded {:>11}  measured {:>11} ({} to {})  {}\n", number, one.line,
                       timeText(one.recorded), timeText(one.time.seconds), timeText(one.time.low),
                       timeText(one.time.high),
                       one.holds                     ? "holds"
                       : one.recorded < one.time.low ? "no longer holds: it takes longer here"
                                                     : "no longer holds: it is faster here");
}

} // namespace

int logDiff(const LogOptions &options) {
    watchForInterrupts();
    if (std::count(options.files.begin(), options.files.end(), "-") > 1)
        throw UsageError("standard input (-) is one log and can be named once");
    DiffOptions how;
    how.weights.byRecords = options.weights == "records";
    if (!options.weights.empty() && !how.weights.byRecords) how.weights.byKey = loadTaskWeights(options.weights);
    const LogWorkloads workloads(options);
    std::vector<LogDocument> logs;
    logs.reserve(options.files.size());
    for (const std::string &file : options.files) {
        logs.push_back(openLog(file));
        how.workloads.push_back(workloadsOf(logs.back(), workloads));
    }
    std::vector<const LogDocument *> all;
    for (const LogDocument &log : logs) all.push_back(&log);
    how.progress = [](size_t done, size_t of) { sayLive(fmt::format("task {} of {}", done, of)); };
    how.cancelled = &interruptFlag();
    const LogDiff diff = diffLogs(all, how);
    sayLive({});
    if (interruptFlag()) throw Error("log diff: interrupted while the logs were compared; nothing was written");
    if (!options.html.empty()) writeReport(options.html, diffHtml(diff), "<!DOCTYPE html>");
    if (!options.csv.empty()) writeReport(options.csv, diffCsv(diff), "key,target,workload,");
    writeOutput(options.json ? jsonText(diffJson(diff)) : diffText(diff));
    return 0;
}

int logVerify(const LogOptions &options) {
    watchForInterrupts();
    const LogDocument log = openLog(options.files.front());
    const LogWorkloads workloads(options);
    const std::vector<ToVerify> groups = recordsToVerify(log, options);
    if (groups.empty()) throw Error(log.path(), 0, 0, "there is no timed record in it to verify");
    DiffJson json = DiffJson::array();
    std::string text;
    size_t measured = 0;
    size_t holding = 0;
    size_t wanted = 0;
    for (const ToVerify &group : groups) wanted += group.records.size();
    std::string firstReason;
    for (const ToVerify &group : groups) {
        const std::vector<VerifiedRecord> verified = verifiedGroup(group, workloads, options);
        if (interruptFlag())
            throw Error(log.path(), 0, 0,
                        fmt::format("interrupted after {} of {}; nothing was written, and the log is as it was",
                                    json.size(), countedText(wanted, "record")));
        for (size_t i = 0; i < verified.size(); ++i) {
            json.push_back(verifiedJson(group.numbers[i], verified[i]));
            text += verifiedText(group.numbers[i], verified[i]);
            measured += verified[i].time.known() ? 1 : 0;
            holding += verified[i].holds ? 1 : 0;
            if (!verified[i].time.known() && firstReason.empty()) firstReason = verified[i].reason;
        }
    }
    if (measured == 0)
        throw Error(log.path(), 0, 0,
                    json.size() == 1 ? fmt::format("the record cannot be measured: {}", firstReason)
                                     : fmt::format("of {} none can be measured; the first, because {}",
                                                   countedText(json.size(), "record"), firstReason));
    text += fmt::format("{} of {} hold within {:g} % of what is measured now\n", holding, measured, options.tolerance);
    writeOutput(options.json ? jsonText(json) : text);
    return 0;
}

} // namespace loopscope
