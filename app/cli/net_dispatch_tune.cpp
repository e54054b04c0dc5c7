// `net dispatch --tune`: the kernels of an open size searched at the sizes that come, before a table is made of what
// was found. A log that has trials is gone on from, so that it may run again whenever the machine is free.

#include "choice.h"
#include "deploy/dispatch/tasks_at_points.h"
#include "interrupt.h"
#include "net_parts.h"
#include "output.h"
#include "workbench/network_search.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

namespace loopscope {

namespace {} // namespace

void tuneSizes(const NetDispatchOptions &options, const std::vector<NetworkFamily> &families,
               const DispatchPoints &points) {
    if (options.logs.size() != 1)
        throw UsageError(
            "--tune needs one --log FILE: what is measured is added to it, and what it has is gone on from");
    const auto measured = measureMachinePeaks(networkTarget(options));
    std::optional<MachinePeaks> peaks;
    if (measured) peaks = *measured;
    const std::vector<int64_t> sizes = sizesToTune(points);
    auto tasks = tasksAtSizes(families, points, sizes, peaks);
    if (!tasks) throw Error(options.file, 0, 0, tasks.why());
    NetworkSearch search;
    search.tasks = std::move(tasks).value();
    search.resumed.resize(search.tasks.size());
    if (search.tasks.empty()) return sayNotes({"there is nothing to tune in kernels of this network"});
    const std::string &path = options.logs.front();
    if (std::filesystem::is_regular_file(path)) sayNotes(resumeTasks(search, loadRecordLog(path)));
    int total = 0;
    for (const ResumedTrials &resumed : search.resumed)
        total += std::max(0, options.tune - static_cast<int>(resumed.trials.size()));
    sayNotes({fmt::format("{} at {} = {}: {} to measure", countedText(search.tasks.size(), "task"),
                          families.front().family.symbol, fmt::join(sizes, ", "),
                          countedText(static_cast<size_t>(total), "trial"))});
    if (total == 0) return;
    const auto log = TrialLog::open(path, [](const std::string &sentence) { sayNotes({sentence}); });
    NetworkSearchOptions how;
    how.trials = options.tune;
    how.seed = options.seed;
    cancelOnSignals();
    const bool live = isatty(STDERR_FILENO) != 0;
    size_t trials = 0;
    // A line for each round: "tuning 32 of 640 trials, matmul_add at n = 64".
    const auto tellRound = [&](const SearchEvent &event) {
        if (std::holds_alternative<TrialFinished>(event)) ++trials;
        const auto *picked = std::get_if<TaskPicked>(&event);
        if (picked == nullptr) return;
        const std::string text =
            fmt::format("tuning {} of {}, {}", trials, countedText(static_cast<size_t>(total), "trial"),
                        search.tasks[static_cast<size_t>(picked->task)].name);
        live ? sayLive(text) : sayLine(text);
    };
    (void)tuneNetwork(search, how, *log, tellRound, searchControl());
    sayLive({});
    endOnSignals(SIG_DFL); // nothing is lost by ending while the table is made
    if (searchControl().cancelled())
        throw Error(
            path, 0, 0,
            fmt::format("interrupted after {}, which are in the log; the same command goes on, and makes the table",
                        countedText(trials, "trial")));
}

} // namespace loopscope
