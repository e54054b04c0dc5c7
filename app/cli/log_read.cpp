// `log info`, `list` and `follow`: what is in a log, and what comes to it.

#include "choice.h"
#include "log_close.h"
#include "log_parts.h"
#include "log_rows_text.h"
#include "log_workloads.h"
#include "output.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace loopscope {

namespace {

using ReadJson = nlohmann::ordered_json;

constexpr const char *kNoRecord = "the log holds no readable record";

/// A task with what it computes.
struct InfoTask {
    const LogTask *task = nullptr;
    std::optional<ResolutionPtr> workload;
    std::string unresolved;
    CloseToBest close = {};
};

std::vector<InfoTask> infoTasks(const LogDocument &log, const LogWorkloads &workloads) {
    std::vector<InfoTask> tasks;
    std::vector<CloseToBest> close = closeToBest(log);
    for (size_t i = 0; i < log.tasks().size(); ++i) {
        sayLive(fmt::format("task {} of {}", i + 1, log.tasks().size()));
        auto resolved = workloads.ofTask(log, i);
        InfoTask info{&log.tasks()[i], std::nullopt, {}, std::move(close[i])};
        if (resolved)
            info.workload = std::move(resolved).value();
        else
            info.unresolved = resolved.why();
        tasks.push_back(std::move(info));
    }
    sayLive({});
    return tasks;
}

double bestSeconds(const LogDocument &log, const LogTask &task) {
    return task.best == SIZE_MAX ? std::numeric_limits<double>::infinity() : log.row(task.best).seconds;
}

ReadJson infoJson(const LogDocument &log, const std::vector<InfoTask> &tasks) {
    ReadJson unreadable = ReadJson::array();
    for (const SkippedLine &line : log.unreadable())
        unreadable.push_back({{"line", line.line}, {"reason", line.reason}});
    ReadJson list = ReadJson::array();
    for (const InfoTask &info : tasks) {
        const LogTask &task = *info.task;
        list.push_back({{"key", task.key},
                        {"target", task.target},
                        {"records", task.records},
                        {"failures", task.failures},
                        {"best_seconds", jsonSeconds(bestSeconds(log, task))},
                        {"best_record", task.best == SIZE_MAX ? ReadJson(nullptr) : ReadJson(task.best)},
                        {"close_to_best", closeJson(log, info.close)},
                        {"layout_rewrite", task.layoutRewrite},
                        {"workload", info.workload ? ReadJson((*info.workload)->name) : ReadJson(nullptr)},
                        {"origin", info.workload ? ReadJson((*info.workload)->origin) : ReadJson(nullptr)},
                        {"unresolved_because", info.workload ? ReadJson(nullptr) : ReadJson(info.unresolved)}});
    }
    ReadJson failures = ReadJson::array();
    ReadJson untimed = ReadJson::array(); // right, but nothing timed them
    for (const LogReason &reason : log.reasons())
        (log.row(reason.first).failed() ? failures : untimed)
            .push_back({{"reason", reason.pattern}, {"records", reason.records}, {"first_record", reason.first}});
    ReadJson json = {{"file", log.path()},
                     {"records", log.size()},
                     {"comments", log.comments()},
                     {"empty_lines", log.emptyLines()},
                     {"unreadable_lines", log.unreadableLines()},
                     {"unreadable", std::move(unreadable)},
                     {"failure_reasons", std::move(failures)},
                     {"untimed_reasons", std::move(untimed)},
                     {"tasks", std::move(list)}};
    if (log.size() == 0) json["error"] = kNoRecord;
    return json;
}

std::string infoText(const LogDocument &log, const std::vector<InfoTask> &tasks) {
    std::string text = fmt::format("{}: {} of {}, {}, {} that cannot be read\n", log.path(),
                                   countedText(log.size(), "record"), countedText(log.tasks().size(), "task"),
                                   countedText(log.comments(), "comment"), countedText(log.unreadableLines(), "line"));
    for (const SkippedLine &line : log.unreadable()) text += fmt::format("  line {}: {}\n", line.line, line.reason);
    for (size_t i = 0; i < tasks.size(); ++i) {
        const LogTask &task = *tasks[i].task;
        const double best = bestSeconds(log, task);
        text += fmt::format("task {}  {}\n", i, tasks[i].workload ? (*tasks[i].workload)->name : task.key);
        text += fmt::format("        {}, {} failed, best {}\n", countedText(task.records, "record"), task.failures,
                            std::isfinite(best) ? fmt::format("{} (record {})", timeText(best), task.best)
                                                : std::string("none"));
        if (const std::string close = closeText(tasks[i].close); !close.empty())
            text += fmt::format("        {}\n", close);
        if (tasks[i].workload)
            text += fmt::format("        {}; key {}\n", (*tasks[i].workload)->origin, task.key);
        else
            text += fmt::format("        not resolved: {}\n", tasks[i].unresolved);
        text += fmt::format("        {}\n", task.target);
    }
    for (const bool failed : {true, false}) {
        std::string reasons;
        for (const LogReason &reason : log.reasons())
            if (log.row(reason.first).failed() == failed)
                reasons +=
                    fmt::format("  {:>6}  {} (first: record {})\n", reason.records, reason.pattern, reason.first);
        if (!reasons.empty()) text += (failed ? "failures\n" : "right, but not timed\n") + reasons;
    }
    return text;
}

} // namespace

int logInfo(const LogOptions &options) {
    const LogWorkloads workloads(options);
    ReadJson all = ReadJson::array();
    std::string text;
    std::string without; // the first of the logs that has no record
    for (const std::string &file : options.files) {
        const LogDocument log = openLog(file);
        const std::vector<InfoTask> tasks = infoTasks(log, workloads);
        if (log.size() == 0 && without.empty()) without = log.path();
        if (options.json)
            all.push_back(infoJson(log, tasks));
        else
            text += (text.empty() ? "" : "\n") + infoText(log, tasks);
    }
    if (options.json) text = jsonText(all.size() == 1 ? all.front() : all);
    writeOutput(text);
    if (!without.empty()) throw ReportedError(without, 0, 0, kNoRecord);
    return 0;
}

int logList(const LogOptions &options) {
    const LogDocument log = openLog(options.files.front());
    NotedRecords noted;
    try {
        noted = notedIn(log);
    } catch (const Error &error) { // the log itself can be listed, unless the filter asks for them
        sayLine(fmt::format("{}; notes are not listed", error.what()));
    }
    const std::vector<uint32_t> rows = chosenRows(log, options);
    const size_t count =
        options.limit > 0 ? std::min<size_t>(rows.size(), static_cast<size_t>(options.limit)) : rows.size();
    // A million records are not held as one text.
    constexpr size_t pieceBytes = size_t{1} << 20;
    std::string piece = options.json ? "[" : rowsHead();
    for (size_t i = 0; i < count; ++i) {
        const RecordNote *note = noted.of(rows[i]);
        if (options.json) {
            ReadJson row = rowJson(log, rows[i]);
            row["note"] = note != nullptr ? noteJson(*note) : ReadJson(nullptr);
            piece += (i > 0 ? ",\n" : "") + row.dump(-1, ' ', false, ReadJson::error_handler_t::replace);
        } else {
            piece += rowText(log, rows[i], note);
        }
        if (piece.size() < pieceBytes) continue;
        writeOutput(piece);
        piece.clear();
    }
    writeOutput(piece + (options.json ? "]\n" : ""));
    if (count < rows.size()) sayLine(fmt::format("{} of {} are listed", count, countedText(rows.size(), "record")));
    return 0;
}

int logFollow(const LogOptions &options) {
    constexpr std::chrono::milliseconds pause{100};
    const std::string &path = options.files.front();
    LogDocument log = openLog(path);
    size_t told = log.size();
    size_t came = 0;
    bool waits = false; // for a log that is gone
    const auto begin = std::chrono::steady_clock::now();
    const auto over = [&] {
        const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        return (options.until > 0 && came >= static_cast<size_t>(options.until)) ||
               (options.seconds > 0 && passed >= options.seconds);
    };
    sayLine(fmt::format("{} has {}; waiting for more", path, countedText(told, "record")));
    if (!options.json) writeOutput(rowsHead());
    while (!over()) {
        if (log.follow() == LogDocument::Change::Replaced) {
            try {
                log = LogDocument::open(path);
                sayLine(path + " was cut or replaced; it is followed from its beginning");
                told = 0;
                waits = false;
            } catch (const Error &gone) {
                if (!waits) sayLine(fmt::format("{}; waiting for it to come back", gone.what()));
                waits = true;
            }
        }
        for (; told < log.size() && !over(); ++told, ++came)
            writeOutput(options.json ? jsonText(rowJson(log, told)) : rowText(log, told));
        if (!over()) std::this_thread::sleep_for(pause);
    }
    return 0;
}

} // namespace loopscope
