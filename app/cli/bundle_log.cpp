#include "bundle_log.h"

#include "interrupt.h"
#include "language/target/detected_gpu.h"
#include "log_workloads.h"
#include "output.h"
#include "records/bundle/bundle_measurer.h"
#include "schedule/steps_json.h"

#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

namespace loopscope {

namespace {

using ExportJson = nlohmann::ordered_json;

/// Of a task of the log, what leaves in a round. Candidates whose weights lie differently cannot share one.
struct LogRound {
    Task task;
    std::vector<Steps> candidates; // each once
};

/// None: all of each task, or its best.
std::optional<size_t> namedRecord(const LogDocument &log, const std::string &word) {
    if (word == "best" || word == "all") return std::nullopt;
    size_t number = 0;
    const char *const end = word.data() + word.size();
    const auto parsed = std::from_chars(word.data(), end, number);
    if (parsed.ec != std::errc() || parsed.ptr != end)
        throw UsageError(fmt::format("--record {}: expected 'best', 'all' or the number of a record, from 0", word));
    requireRecord(log, number);
    return number;
}

std::vector<size_t> recordsOfRound(const LogDocument &log, size_t task, const std::string &word) {
    if (const auto number = namedRecord(log, word))
        return log.row(*number).task == task ? std::vector<size_t>{*number} : std::vector<size_t>();
    if (word == "best") {
        const size_t best = log.tasks()[task].best;
        return best == SIZE_MAX ? std::vector<size_t>() : std::vector<size_t>{best};
    }
    std::vector<size_t> records;
    for (size_t i = 0; i < log.size(); ++i)
        if (log.row(i).task == task) records.push_back(i);
    return records;
}

/// Why none of the task's records leaves.
std::string whyNoRecord(const LogTask &task) {
    if (task.failures == task.records) return fmt::format("all {} failed", countedText(task.records, "record"));
    return fmt::format("{} are right, but were not timed, so that none is best: choose --record all, or one by its "
                       "number",
                       countedText(task.records - task.failures, "record"));
}

Target targetOf(const BundleCommandOptions &options, const Task &task) {
    if (!options.targetGiven) return task.target;
    Target target = parseTargetHere(options.workload.target);
    if (target.kind != task.target.kind)
        throw Error(fmt::format("--target {}: the records are of {}, whose steps are not for it",
                                options.workload.target, task.target.text()));
    return target;
}

/// By the layout of the weights, as the records have it or as the user wants it for all.
std::map<int, LogRound> roundsOf(const BundleCommandOptions &options, const LogDocument &log,
                                 const std::vector<size_t> &records, const Resolution &workload) {
    std::map<int, LogRound> rounds;
    std::map<int, std::set<std::string>> known;
    for (const size_t number : records) {
        const Record record = log.record(number);
        const int layout = options.layoutRewrite.value_or(record.layoutRewrite);
        auto found = rounds.find(layout);
        if (found == rounds.end()) {
            Task task = taskOf(record, workload);
            task.target = targetOf(options, task);
            task.layoutRewrite = static_cast<LayoutRewrite>(layout);
            found = rounds.emplace(layout, LogRound{std::move(task), {}}).first;
        }
        Steps steps = record.trial.steps.unpack();
        if (known[layout].insert(stepsText(steps)).second) found->second.candidates.push_back(std::move(steps));
    }
    return rounds;
}

std::string writeRound(const BundleCommandOptions &options, const LogRound &round) {
    BundleMeasurerOptions bundles;
    bundles.folder = options.out;
    bundles.seed = options.seed;
    bundles.wait = false;
    BundleMeasurer measurer(round.task, std::move(bundles));
    measurer.measure(round.candidates, [](size_t, const Trial &) {}, {});
    return measurer.lastRound();
}

} // namespace

bool isTuningLog(const std::string &path) {
    std::error_code none;
    if (path.ends_with(".te") || !std::filesystem::is_regular_file(path, none)) return false;
    std::ifstream in(path, std::ios::binary);
    std::string line;
    while (std::getline(in, line)) {
        const size_t first = line.find_first_not_of(" \t\r");
        if (first == std::string::npos || line[first] == '#') continue; // both have comments
        return line[first] == '{' || line.starts_with("\x1f\x8b") || line.starts_with("\x28\xb5\x2f\xfd");
    }
    return false;
}

int runBundleExportLog(const BundleCommandOptions &options) {
    if (!options.record.log.empty() || options.candidates > 0)
        throw UsageError(fmt::format("{} is a tuning log, whose records leave; --log and --candidates go with a "
                                     "workload",
                                     options.workload.file));
    if (!options.workload.params.empty())
        throw UsageError("--param is for workloads; the keys of a log tell its shapes");
    const LogDocument log = openLog(options.workload.file);
    const auto named = namedRecord(log, options.record.record);
    LogOptions resolution;
    resolution.te = options.te;
    resolution.keys = options.keys;
    const LogWorkloads workloads(resolution);
    std::string text;
    ExportJson rounds = ExportJson::array();
    ExportJson leftOut = ExportJson::array();
    for (size_t task = 0; task < log.tasks().size() && !interruptFlag(); ++task) {
        if (named && log.row(*named).task != task) continue;
        const std::vector<size_t> records = recordsOfRound(log, task, options.record.record);
        const auto workload = workloads.ofTask(log, task);
        std::string why;
        if (records.empty())
            why = whyNoRecord(log.tasks()[task]);
        else if (!workload)
            why = "it is not known what it computes: " + workload.why();
        if (!why.empty()) {
            sayLine(fmt::format("{}: task {} is left out: {}", log.path(), task, why));
            leftOut.push_back({{"task", task}, {"reason", why}});
            continue;
        }
        for (const auto &[layout, round] : roundsOf(options, log, records, **workload)) {
            const std::string folder = writeRound(options, round);
            text += fmt::format("{}: {} of {} for {}\nto be run there: make -C {} run\n", folder,
                                countedText(round.candidates.size(), "candidate"), (*workload)->name,
                                round.task.target.text(), folder);
            rounds.push_back({{"round", folder},
                              {"task", task},
                              {"workload", (*workload)->name},
                              {"candidates", round.candidates.size()},
                              {"target", round.task.target.text()},
                              {"command", fmt::format("make -C {} run", folder)}});
        }
    }
    if (rounds.empty())
        throw Error(log.path(), 0, 0, log.tasks().empty() ? "the log has no record" : "none of its tasks can be sent");
    text += fmt::format("and then here:   loopscope-cli bundle import {} --log FILE\n", options.out);
    writeOutput(options.workload.json ? jsonText({{"rounds", std::move(rounds)}, {"left_out", std::move(leftOut)}})
                                      : text);
    return 0;
}

} // namespace loopscope
