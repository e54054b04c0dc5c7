#include "search/tuner.h"

#include "search/search_round.h"
#include "search/serialised_loops.h"
#include "search/stop_watch.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace loopscope {

namespace {

/// The fastest few once more, in turn with the naive schedule, since their first times were taken minutes apart. The
/// least time decides.
void compareFinalists(SearchResult &result, const std::vector<Trial> &resumed, const std::vector<bool> &used,
                      const SearchOptions &options, Measurer &measurer, SearchObserver &observer, int round,
                      StopWatch &watch) {
    const int count = options.finalists;
    const double naiveSeconds = options.naiveSeconds;
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
    // Until they are compared a stable time decides, if there is one.
    const auto isStable = [&](const Entry &entry) {
        return !(entry.isResumed ? resumed : result.trials)[entry.index].unstable;
    };
    const auto stable = std::find_if(entries.begin(), entries.end(), isStable);
    const Entry &first = stable != entries.end() ? *stable : entries.front();
    result.best = first.index;
    result.bestIsResumed = first.isResumed;
    if (entries.size() > static_cast<size_t>(count)) entries.resize(static_cast<size_t>(count));
    const bool withNaive = naiveTakesPart(naiveSeconds);
    if (entries.empty() || entries.size() + (withNaive ? 1 : 0) < 2 || !watch.proceed()) return;
    observer.on(PhaseStarted{
        SearchPhase::ComparingFinalists, round,
        fmt::format("the {} fastest{}, interleaved", entries.size(), withNaive ? " and the naive schedule" : "")});
    std::vector<Steps> candidates;
    for (const auto &entry : entries)
        candidates.push_back((entry.isResumed ? resumed : result.trials)[entry.index].steps);
    if (withNaive) candidates.emplace_back();
    const auto samples =
        measurer.measureInterleaved(candidates, kComparingRounds, {&watch.stopped, &watch.paused(), {}});
    FinalistsCompared event;
    size_t winner = entries.size();
    for (size_t i = 0; i < samples.size(); ++i) {
        const TimeInterval time = quartileInterval(samples[i]);
        if (!time.known()) continue; // it failed this time, or was cancelled
        if (i < entries.size() && (winner == entries.size() || time.seconds < result.bestTime.seconds)) {
            winner = i;
            result.bestTime = time;
            event.winner = event.entries.size();
        }
        const auto number = [&](const auto &entry) {
            return static_cast<int>(entry.isResumed ? entry.index : resumed.size() + entry.index);
        };
        event.entries.push_back({i < entries.size() ? number(entries[i]) : -1, time});
    }
    if (winner == entries.size()) return;
    result.best = entries[winner].index;
    result.bestIsResumed = entries[winner].isResumed;
    result.compared = event.entries;
    observer.on(event);
}

/// The least time so far. One that the machine's other work may have decided counts only while there is no other.
class BestSoFar {
  public:
    void take(const Trial &trial) {
        if (!trial.valid()) return;
        double &least = trial.unstable ? m_unstable : m_stable;
        least = std::min(least, trial.cost());
    }
    [[nodiscard]] double seconds() const { return std::isfinite(m_stable) ? m_stable : m_unstable; }

  private:
    double m_stable = std::numeric_limits<double>::infinity();
    double m_unstable = std::numeric_limits<double>::infinity();
};

/// "step 12: FU cannot ..." -> "FU cannot ...": the same refusal at another step is the same reason.
std::string withoutStepNumber(const std::string &reason) {
    if (!reason.starts_with("step ")) return reason;
    const size_t end = reason.find_first_not_of("0123456789", 5);
    return end != std::string::npos && reason.compare(end, 2, ": ") == 0 ? reason.substr(end + 2) : reason;
}

/// Tells how the trials of one batch advance, and with them the phases.
class BatchNews {
  public:
    BatchNews(SearchObserver &observer, int round, int first, int count, int total)
        : m_observer(observer), m_round(round), m_first(first), m_total(total),
          m_detail(count == 1 ? fmt::format("trial {} of {}", first, total)
                              : fmt::format("trials {} to {} of {}", first, first + count - 1, total)) {}
    void on(size_t index, TrialStage stage) {
        if (stage == TrialStage::Building) enter(SearchPhase::Building);
        if (stage == TrialStage::Running) enter(SearchPhase::Measuring);
        m_observer.on(TrialProgress{m_first + static_cast<int>(index), m_total, stage});
    }

  private:
    void enter(SearchPhase phase) {
        if (m_phase == phase) return;
        m_phase = phase;
        m_observer.on(PhaseStarted{phase, m_round, m_detail});
    }
    SearchObserver &m_observer;
    int m_round;
    int m_first;
    int m_total;
    std::string m_detail;
    SearchPhase m_phase = SearchPhase::Done;
};

} // namespace

bool naiveTakesPart(double naiveSeconds) {
    constexpr double kLong = 4; // its few samples would be a third of a minute
    return naiveSeconds > 0 && naiveSeconds <= kLong;
}

std::string_view searchPhaseText(SearchPhase phase) {
    switch (phase) {
    case SearchPhase::PreparingReference:
        return "computing the reference answer";
    case SearchPhase::Sketching:
        return "deriving sketches";
    case SearchPhase::Sampling:
        return "sampling schedules";
    case SearchPhase::Evolving:
        return "evolving schedules";
    case SearchPhase::Training:
        return "training the model";
    case SearchPhase::Building:
        return "building kernels";
    case SearchPhase::Measuring:
        return "measuring kernels";
    case SearchPhase::ComparingFinalists:
        return "comparing the finalists";
    case SearchPhase::Done:
        break;
    }
    return "done";
}

SearchResult tune(const Task &task, const SearchOptions &options, Measurer &measurer, CostModel &model,
                  const std::vector<Trial> &resumed, SearchObserver &observer, SearchControl *control) {
    SearchResult result;
    SearchControl unsteered;
    StopWatch watch(control ? *control : unsteered, options.timeLimitSeconds, options.spentSeconds);
    const double flops = task.dag->flops();
    BestSoFar best;
    const int before = static_cast<int>(resumed.size());
    if (watch.proceed() && before < options.trials) {
        observer.on(PhaseStarted{SearchPhase::PreparingReference, 0, {}});
        if (!measurer.prepare(&watch.stopped)) watch.stopped = true;
        for (const std::string &note : measurer.notes()) observer.on(SearchNote{note});
    }
    result.measureSeconds = watch.elapsed();
    std::optional<StopWatch::Working> working(std::in_place, watch);
    const auto tell = [&](const SearchEvent &event) {
        if (const auto *sampled = std::get_if<PopulationSampled>(&event))
            for (const auto &[reason, count] : sampled->refusals)
                result.refusedSamples[withoutStepNumber(reason)] += count;
        if (const auto *evolved = std::get_if<GenerationEvolved>(&event))
            for (const auto &[reason, count] : evolved->refusals)
                result.refusedChildren[withoutStepNumber(reason)] += count;
        observer.on(event);
    };
    SearchRounds rounds(task, options, model, tell, watch);
    std::vector<bool> used = rounds.resume(resumed);
    working.reset();
    if (!watch.proceed()) used.assign(resumed.size(), true); // nobody found the time to replay them; they were measured
    for (size_t i = 0; i < resumed.size(); ++i) {
        if (!used[i] || !resumed[i].valid()) continue;
        best.take(resumed[i]);
        watch.found();
    }
    while (before + static_cast<int>(result.trials.size()) < options.trials && watch.proceed()) {
        const int done = before + static_cast<int>(result.trials.size());
        working.emplace(watch);
        const auto candidates = rounds.next(std::min(options.trials - done, options.trialsPerRound));
        std::vector<SerialisedLoops> serialised;
        for (const auto &candidate : candidates) serialised.push_back(serialisedLoops(task, candidate.steps));
        working.reset();
        if (!watch.proceed()) break;
        if (candidates.empty()) {
            observer.on(SearchNote{"every schedule of the search space that could be drawn has been measured"});
            break;
        }
        std::vector<Steps> steps;
        for (const auto &candidate : candidates) steps.push_back(candidate.steps);
        const double measureStart = watch.elapsed();
        std::vector<Trial> trials;
        BatchNews news(observer, rounds.round(), done + 1, static_cast<int>(steps.size()), options.trials);
        measurer.measure(
            steps,
            [&](size_t index, const Trial &measured) {
                // A search that goes on and one that is read back from its log know the same numbers.
                Trial trial = measured;
                for (double &time : trial.seconds) time = loggedSeconds(time);
                trials.push_back(trial);
                result.trials.push_back(trial);
                if (trial.valid()) watch.found();
                best.take(trial);
                const Candidate &from = candidates[index];
                for (const auto &[kind, count] : serialised[index].kinds) result.serialisedLoops[kind] += count;
                result.serialisedTrials += serialised[index].sentences.empty() ? 0 : 1;
                observer.on(TrialFinished{.number = done + static_cast<int>(trials.size()),
                                          .total = options.trials,
                                          .trial = trial,
                                          .round = rounds.round(),
                                          .lineage = from.lineage,
                                          .sketch = from.sketch,
                                          .ancestry = from.ancestry,
                                          .predicted = from.score,
                                          .elapsed = watch.elapsed(),
                                          .bestSeconds = best.seconds(),
                                          .gflops = trial.valid() && flops > 0 ? flops / trial.cost() * 1e-9 : 0,
                                          .serialised = serialised[index].sentences});
            },
            {&watch.stopped, &watch.paused(), [&](size_t index, TrialStage stage) { news.on(index, stage); }});
        result.measureSeconds += watch.elapsed() - measureStart;
        working.emplace(watch);
        rounds.learn({candidates.begin(), candidates.begin() + static_cast<ptrdiff_t>(trials.size())}, trials,
                     done + 1);
        working.reset();
        observer.on(RoundFinished{rounds.round(), before + static_cast<int>(result.trials.size()), best.seconds(),
                                  watch.elapsed()});
    }
    const double finalStart = watch.elapsed();
    result.cancelled = !watch.proceed();
    compareFinalists(result, resumed, used, options, measurer, observer, rounds.round(), watch);
    result.measureSeconds += watch.elapsed() - finalStart;
    result.searchSeconds = watch.elapsed() - result.measureSeconds;
    result.pairsRankedRight = rounds.pairsRankedRight();
    observer.on(PhaseStarted{SearchPhase::Done, rounds.round(), {}});
    return result;
}

} // namespace loopscope
