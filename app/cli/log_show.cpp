// `log show`, `best` and `apply`: a record, the best ones, and the best one as code.

#include "choice.h"
#include "log_close.h"
#include "log_parts.h"
#include "log_rows_text.h"
#include "log_workloads.h"
#include "output.h"
#include "records/export/export_schedule.h"
#include "records/export/write_files.h"
#include "records/logs/log_curve.h"
#include "records/logs/manage_logs.h"
#include "records/logs/sidecar.h"
#include "records/logs/step_words.h"
#include "schedule/script/schedule_script.h"
#include "schedule/steps_json.h"
#include "schedule/stepwise_replay.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

namespace loopscope {

namespace {

using ShownJson = nlohmann::ordered_json;

struct ShownStep {
    std::string words;
    std::string array; // as the log has it
};

/// By names where the computation is known and the steps replay on it, else by numbers.
std::vector<ShownStep> shownSteps(const Record &record, const DagPtr &dag) {
    const Steps steps = record.trial.steps.unpack();
    std::vector<ShownStep> shown;
    for (const Step &step : steps) shown.push_back({stepWords(step).text, stepText(step)});
    if (!dag) return shown;
    StepwiseReplay replay(dag, steps.size());
    for (size_t i = 0; i < steps.size(); ++i) {
        const LoopState before = replay.state();
        if (replay.apply(steps[i])) break; // the rest stays in numbers
        shown[i].words = scriptLine(before, steps[i]);
    }
    return shown;
}

ShownJson hardwareJson(const Record &record) {
    if (!record.hardware) return nullptr;
    const HardwareParams &h = *record.hardware;
    return {{"num_cores", h.numCores},
            {"vector_unit_bytes", h.vectorUnitBytes},
            {"cache_line_bytes", h.cacheLineBytes},
            {"max_shared_memory_per_block", h.maxSharedMemoryPerBlock},
            {"max_local_memory_per_block", h.maxLocalMemoryPerBlock},
            {"max_threads_per_block", h.maxThreadsPerBlock},
            {"max_vthread_extent", h.maxVthreadExtent},
            {"warp_size", h.warpSize}};
}

std::string noteText(const RecordNote &note) {
    std::string text;
    if (note.pinned) text += "pinned\n";
    for (const std::string &tag : note.tags) text += fmt::format("tag       {}\n", tag);
    if (!note.text.empty()) text += fmt::format("note      {}\n", note.text);
    return text;
}

/// A log on standard input has nothing beside it.
RecordNote noteOfRecord(const std::string &log, const Record &record) {
    return log == "-" ? RecordNote{} : loadLogNotes(log).of(recordName(record));
}

/// Records that are nearly this one; a failed one has no time to set against theirs.
FoundDuplicates nearRecord(const LogDocument &log, size_t number, const Outcome<ResolutionPtr> &workload) {
    const LogRow &row = log.row(number);
    if (row.failed()) return {};
    return nearDuplicates(log, recordsOfTask(log, row.task),
                          {.dag = workload ? (*workload)->dag : nullptr, .about = static_cast<uint32_t>(number)});
}

std::string shownText(const LogDocument &log, size_t number, const Record &record,
                      const Outcome<ResolutionPtr> &workload, const RecordNote &note) {
    const LogRow &row = log.row(number);
    const Trial &trial = record.trial;
    std::string text = fmt::format("record {}  line {} of {}, task {}, name {}\n", number, row.line, log.path(),
                                   row.task, recordName(record));
    text += fmt::format("workload  {}\n",
                        workload ? (*workload)->name + "; " + (*workload)->origin : "not resolved: " + workload.why());
    text += fmt::format("key       {}\ntarget    {}\n", record.key, record.targetText);
    if (!record.targetHost.empty()) text += fmt::format("host      {}\n", record.targetHost);
    if (record.hardware)
        text += fmt::format("hardware  {} cores, vectors of {} bytes, cache lines of {}\n", record.hardware->numCores,
                            record.hardware->vectorUnitBytes, record.hardware->cacheLineBytes);
    text += fmt::format("version   {}, {} elements of the task, layout rewrite {}\n", record.version,
                        record.taskElements, record.layoutRewrite);
    text += fmt::format("measured  {} UTC, in {}\n", timestampText(trial.timestamp),
                        timeText(trial.buildSeconds + trial.runSeconds));
    if (!record.machine.empty()) text += fmt::format("machine   {}\n", record.machine);
    if (trial.valid() && trial.seconds.empty()) {
        text += fmt::format("time      none; {}\n", trial.reason);
    } else if (trial.valid()) {
        text += fmt::format("time      {}{}\n", timeText(row.seconds),
                            trial.unstable ? " (unstable: the best samples never agreed)" : "");
        if (trial.weightBytes > 0)
            text += fmt::format("timed     as a kernel of a network, {:.3g} MB of weights between calls\n",
                                static_cast<double>(trial.weightBytes) * 1e-6);
        for (size_t i = 0; i < trial.seconds.size(); ++i)
            text += fmt::format("repeat {:2} {}\n", i, timeText(trial.seconds[i]));
    } else {
        text += fmt::format("failed    {}{}\n", trialErrorName(trial.error),
                            trial.reason.empty() ? "; the log gives no reason" : ": " + trial.reason);
    }
    text += nearText(log, nearRecord(log, number, workload));
    text += noteText(note);
    const std::vector<ShownStep> steps = shownSteps(record, workload ? (*workload)->dag : nullptr);
    size_t width = 0;
    for (const ShownStep &step : steps) width = std::max(width, std::min<size_t>(step.words.size(), 72));
    for (size_t i = 0; i < steps.size(); ++i)
        text += fmt::format("step {:3}  {:<{}}  {}\n", i, steps[i].words, width, steps[i].array);
    return text;
}

ShownJson shownJson(const LogDocument &log, size_t number, const Record &record, const Outcome<ResolutionPtr> &workload,
                    const RecordNote &note) {
    ShownJson json = rowJson(log, number);
    const Trial &trial = record.trial;
    json["name"] = recordName(record);
    json["key"] = record.key;
    json["target"] = record.targetText;
    json["target_host"] = record.targetHost;
    json["hardware"] = hardwareJson(record);
    json["layout_rewrite"] = record.layoutRewrite;
    json["version"] = record.version;
    json["machine"] = record.machine.empty() ? ShownJson(nullptr) : ShownJson(record.machine);
    json["times"] = trial.seconds;
    if (trial.weightBytes > 0) json["weight_bytes_between_calls"] = trial.weightBytes;
    json["reason"] = trial.reason.empty() ? ShownJson(nullptr) : ShownJson(trial.reason);
    json["cost_of_measurement"] = trial.buildSeconds + trial.runSeconds;
    json["workload"] = workload ? ShownJson((*workload)->name) : ShownJson(nullptr);
    json["origin"] = workload ? ShownJson((*workload)->origin) : ShownJson(nullptr);
    json["unresolved_because"] = workload ? ShownJson(nullptr) : ShownJson(workload.why());
    json["near_duplicates"] = nearJson(log, nearRecord(log, number, workload));
    json["note"] = noteJson(note);
    ShownJson steps = ShownJson::array();
    for (const ShownStep &step : shownSteps(record, workload ? (*workload)->dag : nullptr))
        steps.push_back({{"words", step.words}, {"step", ShownJson::parse(step.array)}});
    json["step_list"] = std::move(steps);
    json["text"] = log.line(number);
    return json;
}

/// The one task a best record is asked of.
size_t onlyTask(const LogDocument &log, const LogOptions &options) {
    const std::vector<size_t> tasks = chosenTasks(log, options);
    if (tasks.empty()) throw Error(log.path(), 0, 0, "the log holds no readable record");
    if (tasks.size() > 1)
        throw UsageError(fmt::format("{} holds {} tasks; say which one with --task N (`log info` numbers them)",
                                     log.path(), tasks.size()));
    return tasks.front();
}

} // namespace

int logShow(const LogOptions &options) {
    const LogDocument log = openLog(options.files.front());
    requireRecord(log, options.record);
    const LogWorkloads workloads(options);
    const Record record = log.record(options.record);
    const auto workload = workloads.ofRecord(record);
    const RecordNote note = noteOfRecord(log.path(), record);
    writeOutput(options.json ? jsonText(shownJson(log, options.record, record, workload, note))
                             : shownText(log, options.record, record, workload, note));
    return 0;
}

int logApply(const LogOptions &options) {
    if (options.out.empty()) throw UsageError("where to? give --out PATH");
    const LogDocument log = openLog(options.files.front());
    size_t number = 0;
    if (options.records.empty()) {
        const size_t task = onlyTask(log, options);
        number = log.tasks()[task].best;
        const LogTask &of = log.tasks()[task];
        if (number == SIZE_MAX && of.failures < of.records)
            throw Error(log.path(), 0, 0,
                        fmt::format("{} of task {} are right, but were not timed, so that none is best: name one by "
                                    "its number",
                                    countedText(of.records - of.failures, "record"), task));
        if (number == SIZE_MAX)
            throw Error(log.path(), 0, 0,
                        fmt::format("all {} of task {} failed: there is none to apply",
                                    countedText(of.records, "record"), task));
    } else {
        number = options.records.front();
        requireRecord(log, number);
    }
    const Record record = log.record(number);
    const LogWorkloads workloads(options);
    const auto workload = workloads.ofRecord(record);
    if (!workload)
        throw Error(log.path(), record.line, 0,
                    fmt::format("it is not known what record {} computes: {}; name its workload with --te FILE", number,
                                workload.why()));
    const ExportFormatInfo &format = *exportFormatNamed(options.as); // --as takes no other
    ExportRequest request{taskOf(record, **workload), record.trial.steps.unpack(), record.layoutRewrite};
    if (record.trial.valid()) request.measured = record.trial;
    request.stem = stemFor(format.format, options.out);
    const auto files = exportSchedule(request, format.format);
    if (!files) throw Error(log.path(), record.line, 0, fmt::format("record {}: {}", number, files.why()));
    const auto written = writeFiles(*files, format.format, options.out);
    if (!written) throw Error(written.why());
    if (options.json) {
        ShownJson list = ShownJson::array();
        for (size_t i = 0; i < written->size(); ++i)
            list.push_back({{"path", (*written)[i]}, {"bytes", (*files)[i].bytes.size()}});
        writeOutput(jsonText({{"record", number},
                              {"line", record.line},
                              {"workload", (*workload)->name},
                              {"seconds", jsonSeconds(log.row(number).seconds)},
                              {"format", options.as},
                              {"files", std::move(list)}}));
        return 0;
    }
    std::string text =
        fmt::format("record {} of {}, {}\n", number, (*workload)->name, timeText(log.row(number).seconds));
    for (size_t i = 0; i < written->size(); ++i)
        text += fmt::format("{}  {} bytes\n", (*written)[i], (*files)[i].bytes.size());
    writeOutput(text);
    return 0;
}

int logBest(const LogOptions &options) {
    if (!options.as.empty()) return logApply(options);
    const LogDocument log = openLog(options.files.front());
    if (log.size() == 0) throw Error(log.path(), 0, 0, "the log holds no readable record");
    const LogWorkloads workloads(options);
    const std::vector<size_t> best = bestRecords(log, static_cast<size_t>(options.keep));
    ShownJson tasks = ShownJson::array();
    std::string text;
    for (const size_t task : chosenTasks(log, options)) {
        const LogTask &which = log.tasks()[task];
        std::vector<size_t> records;
        for (const size_t record : best)
            if (log.row(record).task == task) records.push_back(record);
        std::stable_sort(records.begin(), records.end(),
                         [&](size_t a, size_t b) { return log.row(a).seconds < log.row(b).seconds; });
        const bool timed = which.best != SIZE_MAX && std::isfinite(log.row(which.best).seconds);
        if (records.empty() && timed) continue; // the same task has better ones elsewhere
        const auto workload = workloads.ofTask(log, task);
        ShownJson list = ShownJson::array();
        text += fmt::format("task {}  {}\n", task, workload ? (*workload)->name : which.key);
        for (const size_t record : records) {
            list.push_back({{"record", record},
                            {"line", log.row(record).line},
                            {"seconds", log.row(record).seconds},
                            {"name", recordName(log.record(record))}});
            text += fmt::format("  {:>12}  record {}, line {}\n", timeText(log.row(record).seconds), record,
                                log.row(record).line);
        }
        if (records.empty() && which.failures == which.records)
            text += fmt::format("  all {} failed\n", countedText(which.records, "record"));
        else if (records.empty())
            text += fmt::format("  none is best: {} right, but not timed\n",
                                countedText(which.records - which.failures, "record"));
        tasks.push_back({{"task", task},
                         {"key", which.key},
                         {"target", which.target},
                         {"workload", workload ? ShownJson((*workload)->name) : ShownJson(nullptr)},
                         {"unresolved_because", workload ? ShownJson(nullptr) : ShownJson(workload.why())},
                         {"best", std::move(list)}});
    }
    writeOutput(options.json ? jsonText({{"file", log.path()}, {"tasks", std::move(tasks)}}) : text);
    return 0;
}

int logNote(const LogOptions &options) {
    const std::string &path = options.files.front();
    if (path == "-")
        throw UsageError("notes stand beside a log, and standard input has no place for them: name a file");
    const LogDocument log = openLog(path);
    requireRecord(log, options.record);
    const std::string name = recordName(log.record(options.record));
    LogNotes notes = loadLogNotes(path);
    RecordNote note = notes.of(name);
    if (options.text) note.text = *options.text;
    for (const std::string &tag : options.tags) note.tags.push_back(tag);
    for (const std::string &tag : options.untag) std::erase(note.tags, tag);
    note.pinned = (note.pinned || options.pin) && !options.unpin;
    note.line = log.row(options.record).line;
    const RecordNote before = notes.of(name);
    notes.set(name, note);
    if (!(notes.of(name) == before)) saveLogNotes(path, notes);
    if (options.json) {
        ShownJson json = {{"record", options.record}, {"name", name}};
        json.update(noteJson(notes.of(name)));
        writeOutput(jsonText(json));
    } else {
        const std::string text = noteText(notes.of(name));
        writeOutput(text.empty() ? fmt::format("nothing is noted of record {}\n", options.record) : text);
    }
    return 0;
}

} // namespace loopscope
