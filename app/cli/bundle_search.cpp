#include "bundle_search.h"

#include "workbench/tuning_run.h"

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

std::vector<std::unique_ptr<Measurer>> bundleMeasurers(const TuneOptions &options, const std::vector<TunedTask> &tasks,
                                                       Progress &progress) {
    std::vector<std::unique_ptr<Measurer>> measurers;
    for (const TunedTask &tuned : tasks) {
        BundleMeasurerOptions bundles;
        bundles.folder = options.runner.bundleFolder();
        bundles.command = options.runner.bundleCommand;
        bundles.seed = options.search.seed;
        bundles.threads = options.search.threads;
        bundles.say = [&progress](const std::string &sentence) { progress.say(sentence); };
        measurers.push_back(std::make_unique<BundleMeasurer>(tuned.loaded.task, std::move(bundles)));
    }
    return measurers;
}

void takeBundleRounds(const TuneOptions &options, TunedTask &tuned, Measurer &measurer, TrialLog &log,
                      Progress &progress, const std::atomic<bool> &cancelled) {
    size_t taken = 0;
    takeRounds(measurer, tuned.loaded.task, tuned.resumed, log, {.cancel = &cancelled},
               [&](const Trial &, size_t) { ++taken; });
    if (taken > 0)
        progress.say(fmt::format("{}: {} of rounds in {}", tuned.name, countedText(taken, "trial"),
                                 options.runner.bundleFolder()));
}

} // namespace loopscope
