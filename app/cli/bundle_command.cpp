#include "bundle_command.h"

#include "bundle_log.h"
#include "output.h"
#include "records/bundle/bundle_measurer.h"
#include "records/record/known_records.h"
#include "schedule/steps_json.h"
#include "workbench/tuning_run.h"

#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace loopscope {

namespace {

using BundleJson = nlohmann::ordered_json;

std::string printedBundle(const BundleJson &json) {
    return json.dump(-1, ' ', false, BundleJson::error_handler_t::replace) + "\n";
}

std::vector<Record> recordsOfTask(const std::string &path, const Task &task) {
    const RecordLog log = loadRecordLog(path);
    for (const auto &line : skippedTexts(log)) sayLine(line);
    std::vector<Record> records;
    for (const Record &record : log.records)
        if (recordMatches(record, task)) records.push_back(record);
    return records;
}

/// Writes the round that the search asks for, and ends the search.
class RoundWriter final : public Measurer {
  public:
    RoundWriter(BundleMeasurer &bundles, SearchControl &control) : m_bundles(bundles), m_control(control) {}
    bool prepare(const std::atomic<bool> *cancel) override { return m_bundles.prepare(cancel); }
    void measure(const std::vector<Steps> &candidates, const std::function<void(size_t, const Trial &)> &onTrial,
                 const MeasureWatch &watch) override {
        m_written = candidates.size();
        m_bundles.measure(candidates, onTrial, watch);
        m_control.cancel();
    }
    std::vector<TurnSamples> measureInterleaved(const std::vector<Steps> &candidates, int /*rounds*/,
                                                const MeasureWatch & /*watch*/) override {
        return std::vector<TurnSamples>(candidates.size());
    }
    [[nodiscard]] size_t written() const { return m_written; }

  private:
    BundleMeasurer &m_bundles;
    SearchControl &m_control;
    size_t m_written = 0;
};

size_t writeSearched(const BundleCommandOptions &options, const Task &task, BundleMeasurer &bundles) {
    ResumedTrials known;
    if (!options.record.log.empty())
        for (const Record &record : recordsOfTask(options.record.log, task))
            if (targetMatches(record, task.target))
                known.add(record.trial, recordHash(record), ResumedTrials::kElsewhere);
    SearchOptions search;
    search.seed = options.seed;
    search.trials = static_cast<int>(known.trials.size()) + options.candidates;
    search.trialsPerRound = options.candidates;
    SearchControl control;
    RoundWriter writer(bundles, control);
    const auto sayNotes = [](const SearchEvent &event) {
        if (const auto *note = std::get_if<SearchNote>(&event)) sayLine(note->sentence);
    };
    (void)runTuning({{task, {}, search, writer, known}}, {}, *makeRoundRobinOrder(), *TrialLog::open({}), sayNotes,
                    control);
    if (writer.written() == 0)
        throw Error(fmt::format("{}: the search found no candidate that is not in the log", task.dag->name()));
    return writer.written();
}

struct ChosenRecords {
    std::vector<Steps> candidates; // each once
    int layoutRewrite = 0;         // as they were measured
};

ChosenRecords chosenRecords(const BundleCommandOptions &options, const LoadedTask &loaded) {
    if (options.record.record != "all") {
        const ChosenRecord chosen = chooseRecord(options.record, loaded);
        return {{chosen.state.steps()}, chosen.record.layoutRewrite};
    }
    const std::vector<Record> records = recordsOfTask(options.record.log, loaded.task);
    if (records.empty())
        throw Error(options.record.log, 0, 0, fmt::format("the log has no record of {}", loaded.workload.name));
    ChosenRecords chosen{{}, records.front().layoutRewrite};
    std::set<std::string> known;
    for (const Record &record : records) {
        if (!options.layoutRewrite && record.layoutRewrite != chosen.layoutRewrite)
            throw Error(options.record.log, record.line, 0,
                        fmt::format("this record was measured with layout rewrite {}, others with {}; choose one for "
                                    "all with --layout-rewrite",
                                    record.layoutRewrite, chosen.layoutRewrite));
        Steps steps = record.trial.steps.unpack();
        if (known.insert(stepsText(steps)).second) chosen.candidates.push_back(std::move(steps));
    }
    return chosen;
}

int runBundleExport(const BundleCommandOptions &options) {
    if (isTuningLog(options.workload.file)) return runBundleExportLog(options);
    if (!options.te.empty() || !options.keys.empty())
        throw UsageError(fmt::format("--te and --keys tell what the tasks of a log compute; {} is a workload",
                                     options.workload.file));
    if (options.record.log.empty() && options.candidates == 0)
        throw UsageError("which candidates? give --log FILE for its records, or --candidates N for those of a search");
    LoadedTask loaded = loadTask(options.workload);
    Task &task = loaded.task;
    ChosenRecords chosen{{}, task.target.isGpu() ? 0 : 2};
    if (options.candidates == 0) chosen = chosenRecords(options, loaded);
    task.layoutRewrite = static_cast<LayoutRewrite>(options.layoutRewrite.value_or(chosen.layoutRewrite));
    BundleMeasurerOptions bundles;
    bundles.folder = options.out;
    bundles.seed = options.seed;
    bundles.wait = false;
    BundleMeasurer measurer(task, std::move(bundles));
    size_t count = chosen.candidates.size();
    if (options.candidates > 0)
        count = writeSearched(options, task, measurer);
    else
        measurer.measure(chosen.candidates, [](size_t, const Trial &) {}, {});
    if (options.workload.json)
        writeOutput(printedBundle({{"round", measurer.lastRound()},
                                   {"candidates", count},
                                   {"target", task.target.text()},
                                   {"command", fmt::format("make -C {} run", measurer.lastRound())}}));
    else
        writeOutput(fmt::format("{0}: {1} for {2}\nto be run there: make -C {0} run\nand then here:   loopscope-cli "
                                "bundle import {3} --log FILE\n",
                                measurer.lastRound(), countedText(count, "candidate"), task.target.text(),
                                options.out));
    return 0;
}

/// What was found in one round.
struct Imported {
    std::string round;
    size_t filed = 0;
    size_t failed = 0; // of them
    size_t known = 0;
    size_t open = 0;
    std::string machine;
};

Imported importRound(const BundleRound &round, KnownRecords &known, TrialLog &log) {
    Imported imported{round.name(), 0, 0, 0, round.open(), {}};
    for (const auto &one : round.trials) {
        if (!one) continue;
        Record record = round.bundle.task;
        record.trial = one->trial;
        record.machine = one->machine;
        if (!one->machine.empty()) imported.machine = one->machine;
        if (known.numberOf(record)) {
            ++imported.known;
            continue;
        }
        log.append(record);
        known.add(record, known.size());
        ++imported.filed;
        imported.failed += record.trial.valid() ? 0 : 1;
    }
    return imported;
}

int runBundleImport(const BundleCommandOptions &options) {
    const std::vector<BundleRound> rounds = bundleRounds(options.folder); // refused before anything is written
    if (rounds.empty())
        throw Error(options.folder, 0, 0,
                    "there is no bundle here: neither bundle.json nor a folder round-NNN with one");
    KnownRecords known(options.log);
    const auto log = TrialLog::open(options.log, [](const std::string &said) { sayLine(said); });
    BundleJson list = BundleJson::array();
    std::string text;
    for (const BundleRound &round : rounds) {
        if (round.bundle.turns > 0) continue; // a comparison, which the search that asked for it reads
        const Imported one = importRound(round, known, *log);
        list.push_back({{"round", one.round},
                        {"filed", one.filed},
                        {"failed", one.failed},
                        {"known", one.known},
                        {"open", one.open},
                        {"machine", one.machine.empty() ? BundleJson(nullptr) : BundleJson(one.machine)}});
        text += fmt::format("{}: {} filed", one.round, countedText(one.filed, "trial"));
        if (one.failed > 0) text += fmt::format(", {} of them failed", one.failed);
        if (one.known > 0) text += fmt::format(", {} known already", one.known);
        if (one.open > 0) text += fmt::format(", {} without a result yet", countedText(one.open, "candidate"));
        text += one.machine.empty() ? "\n" : fmt::format("; measured on {}\n", one.machine);
    }
    writeOutput(options.json ? printedBundle({{"log", options.log}, {"rounds", std::move(list)}}) : text);
    return 0;
}

} // namespace

int runBundle(const std::string &command, const BundleCommandOptions &options) {
    return command == "export" ? runBundleExport(options) : runBundleImport(options);
}

} // namespace loopscope
