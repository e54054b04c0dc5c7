#include "search/tuner.h"

#include "measure/sampling.h"
#include "search/search_round.h"
#include "search/stop_watch.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace loopscope {

namespace {

using Clock = std::chrono::steady_clock;
double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The fastest few once more, interleaved, since their first times were taken minutes apart. What counts is the same
/// agreed time as in a trial.
void compareFinalists(SearchResult &result, const std::vector<Trial> &resumed, const std::vector<bool> &used, int count,
                      Measurer &measurer, SearchObserver &observer, const std::atomic<bool> &stopped) {
    struct Entry {
        double seconds;
        size_t index;
        bool isResumed;
    };
    std::vector<Entry> entries;
    for (size_t i = 0; i < result.trials.size(); ++i)
        if (result.trials[i].valid()) entries.push_back({result.trials[i].cost(), i, false});
    for (size_t i = 0; i < resumed.size(); ++i)
        if (used[i] && resumed[i].valid()) entries.push_back({resumed[i].cost(), i, true});
    if (entries.empty()) return;
    std::stable_sort(entries.begin(), entries.end(),
                     [](const auto &a, const auto &b) { return a.seconds < b.seconds; });
    result.best = entries.front().index;
    result.bestIsResumed = entries.front().isResumed;
    if (entries.size() > static_cast<size_t>(count)) entries.resize(static_cast<size_t>(count));
    if (entries.size() < 2 || stopped) return;
    std::vector<Steps> candidates;
    for (const auto &entry : entries)
        candidates.push_back((entry.isResumed ? resumed : result.trials)[entry.index].steps);
    constexpr int kRounds = 11;
    const auto samples = measurer.measureInterleaved(candidates, kRounds, &stopped);
    FinalistsCompared event;
    for (size_t i = 0; i < entries.size(); ++i) {
        event.trials.push_back(entries[i].index);
        event.seconds.push_back(i < samples.size() ? agreedSeconds(samples[i])
                                                   : std::numeric_limits<double>::infinity());
    }
    event.winner =
        static_cast<size_t>(std::min_element(event.seconds.begin(), event.seconds.end()) - event.seconds.begin());
    if (!std::isfinite(event.seconds[event.winner])) return;
    result.best = entries[event.winner].index;
    result.bestIsResumed = entries[event.winner].isResumed;
    result.bestSeconds = event.seconds[event.winner];
    observer.on(event);
}

} // namespace

SearchResult tune(const Task &task, const SearchOptions &options, Measurer &measurer, CostModel &model,
                  const std::vector<Trial> &resumed, SearchObserver &observer, const std::atomic<bool> *cancel) {
    SearchResult result;
    const auto start = Clock::now();
    StopWatch watch(cancel, options.timeLimitSeconds);
    const double flops = task.dag->flops();
    double best = std::numeric_limits<double>::infinity();
    SearchRounds rounds(task, options, model, [&](const SearchEvent &event) { observer.on(event); });
    const std::vector<bool> used = rounds.resume(resumed);
    for (size_t i = 0; i < resumed.size(); ++i)
        if (used[i] && resumed[i].valid()) best = std::min(best, resumed[i].cost());
    const int before = static_cast<int>(resumed.size());
    int round = 0;
    while (!watch.stopped && before + static_cast<int>(result.trials.size()) < options.trials) {
        ++round;
        const int left = options.trials - before - static_cast<int>(result.trials.size());
        const auto candidates = rounds.next(std::min(left, options.trialsPerRound));
        if (candidates.empty()) {
            observer.on(SearchNote{"every schedule of the search space that could be drawn has been measured"});
            break;
        }
        std::vector<Steps> steps;
        for (const auto &candidate : candidates) steps.push_back(candidate.steps);
        const auto measureStart = Clock::now();
        std::vector<Trial> trials;
        measurer.measure(
            steps,
            [&](size_t index, const Trial &trial) {
                trials.push_back(trial);
                result.trials.push_back(trial);
                if (trial.valid()) best = std::min(best, trial.cost());
                observer.on(TrialFinished{before + static_cast<int>(result.trials.size()), options.trials, trial,
                                          candidates[index].lineage, best,
                                          trial.valid() && flops > 0 ? flops / trial.cost() * 1e-9 : 0});
            },
            &watch.stopped);
        result.measureSeconds += secondsSince(measureStart);
        rounds.learn({candidates.begin(), candidates.begin() + static_cast<ptrdiff_t>(trials.size())}, trials);
        observer.on(RoundFinished{round, before + static_cast<int>(result.trials.size()), best, secondsSince(start)});
    }
    result.cancelled = watch.stopped;
    const auto finalStart = Clock::now();
    compareFinalists(result, resumed, used, options.finalists, measurer, observer, watch.stopped);
    result.measureSeconds += secondsSince(finalStart);
    result.searchSeconds = secondsSince(start) - result.measureSeconds;
    result.pairsRankedRight = rounds.pairsRankedRight();
    return result;
}

} // namespace loopscope
