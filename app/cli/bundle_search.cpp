#include "bundle_search.h"

#include "record/known_records.h"

#include <filesystem>
#include <fmt/format.h>

namespace loopscope {

void checkBundleOptions(const RunnerChoice &choice) {
    if (choice.bundled() && choice.bundleFolder().empty())
        throw UsageError("--runner bundle:DIR: DIR is missing, the folder that rounds are written to");
    if (!choice.bundled() && !choice.bundleCommand.empty())
        throw UsageError("--bundle-command runs the rounds of --runner bundle:DIR");
    if (choice.bundled() && choice.sampleBlocks > 0)
        throw UsageError("--sample-blocks is for --runner executor; a GPU runs all blocks");
}

std::vector<std::unique_ptr<Measurer>> bundleMeasurers(const TuneOptions &options, std::vector<TunedTask> &tasks,
                                                       Progress &progress) {
    std::vector<std::unique_ptr<Measurer>> measurers;
    for (TunedTask &tuned : tasks) {
        BundleMeasurerOptions bundles;
        bundles.folder = options.runner.bundleFolder();
        bundles.command = options.runner.bundleCommand;
        bundles.seed = options.search.seed;
        bundles.threads = options.search.threads;
        bundles.say = [&progress](const std::string &sentence) { progress.say(sentence); };
        auto measurer = std::make_unique<BundleMeasurer>(tuned.loaded.task, std::move(bundles));
        tuned.machine = [&measurer = *measurer] { return measurer.machine(); };
        measurers.push_back(std::move(measurer));
    }
    return measurers;
}

size_t takeBundleRounds(const TuneOptions &options, TunedTask &tuned, Measurer &measurer, RecordWriter *writer,
                        size_t records, Progress &progress, const std::atomic<bool> &cancelled) {
    KnownRecords inLog(writer == nullptr ? std::string() : options.log);
    KnownRecords resumed;
    for (size_t i = 0; i < tuned.resumed.records.size(); ++i)
        resumed.add(tuned.resumed.records[i], tuned.resumed.numbers[i]);
    auto &bundles = dynamic_cast<BundleMeasurer &>(measurer);
    size_t taken = 0;
    bundles.finishRounds(
        [&](const Trial &trial) {
            Record record = makeRecord(tuned.loaded.task, trial);
            record.machine = bundles.machine();
            for (double &seconds : record.trial.seconds) seconds = loggedSeconds(seconds);
            auto number = inLog.numberOf(record);
            if (!number) {
                if (writer != nullptr) writer->append(record);
                number = records++;
                inLog.add(record, *number);
            }
            if (resumed.numberOf(record)) return;
            resumed.add(record, *number);
            tuned.resumed.trials.push_back(record.trial);
            tuned.resumed.records.push_back(record);
            tuned.resumed.numbers.push_back(*number);
            ++taken;
        },
        {.cancel = &cancelled, .pause = nullptr, .onStage = {}});
    if (taken > 0)
        progress.say(fmt::format("{}: {} of rounds in {}", tuned.name, countedText(taken, "trial"),
                                 options.runner.bundleFolder()));
    return records;
}

} // namespace loopscope
