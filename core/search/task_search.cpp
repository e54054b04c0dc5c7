#include "search/task_search.h"

#include "search/naive_schedule.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace loopscope {

namespace {

/// "step 12: FU cannot ..." -> "FU cannot ...": the same refusal at another step is the same reason.
std::string withoutStepNumber(const std::string &reason) {
    if (!reason.starts_with("step ")) return reason;
    const size_t end = reason.find_first_not_of("0123456789", 5);
    return end != std::string::npos && reason.compare(end, 2, ": ") == 0 ? reason.substr(end + 2) : reason;
}

/// What passes of the search's time while it lives.
class Turn {
  public:
    Turn(const SearchBudget &watch, double &spent) : m_watch(watch), m_spent(spent), m_start(watch.elapsed()) {}
    ~Turn() { m_spent += m_watch.elapsed() - m_start; }
    Turn(const Turn &) = delete;
    Turn &operator=(const Turn &) = delete;

  private:
    const SearchBudget &m_watch;
    double &m_spent;
    double m_start;
};

} // namespace

void BestSoFar::take(const Trial &trial) {
    if (!trial.valid() || trial.seconds.empty()) return;
    double &least = trial.unstable ? m_unstable : m_stable;
    least = std::min(least, trial.cost());
}

double BestSoFar::seconds() const { return std::isfinite(m_stable) ? m_stable : m_unstable; }

TaskSearch::TaskSearch(const TaskJob &job, int number, ScoringThreads &threads, SearchObserver &observer,
                       SearchBudget &watch, std::function<void()> onFirstValid)
    : m_job(job), m_number(number), m_threads(threads), m_observer(observer), m_watch(watch),
      m_onFirstValid(std::move(onFirstValid)), m_tell([this](const SearchEvent &event) { tell(event); }) {
    m_standing.flops = job.task.dag->flops();
    m_standing.weight = job.weight;
    m_standing.floor = job.floorSeconds;
    m_standing.similarity = taskSimilarity(*job.task.dag);
}

void TaskSearch::tell(const SearchEvent &event) {
    if (const auto *sampled = std::get_if<PopulationSampled>(&event))
        for (const auto &[reason, count] : sampled->refusals)
            m_result.refusedSamples[withoutStepNumber(reason)] += count;
    if (const auto *evolved = std::get_if<GenerationEvolved>(&event))
        for (const auto &[reason, count] : evolved->refusals)
            m_result.refusedChildren[withoutStepNumber(reason)] += count;
    if (m_number == 0) { // as it is said
        m_observer.on(event);
        return;
    }
    SearchEvent mine = event;
    std::visit([this](auto &one) { one.task = m_number; }, mine);
    m_observer.on(mine);
}

int TaskSearch::trials() const { return static_cast<int>(m_job.resumed.size() + m_result.trials.size()); }

int TaskSearch::budget() const { return m_job.options.trials + m_onlyChecked; }

void TaskSearch::foundValid() {
    if (!m_hasValid) m_onFirstValid();
    m_hasValid = true;
}

void TaskSearch::begin() {
    const Turn turn(m_watch, m_spent);
    const double start = m_watch.elapsed();
    if (m_job.measurer.times())
        m_onlyChecked = static_cast<int>(std::count_if(m_job.resumed.begin(), m_job.resumed.end(),
                                                       [](const Trial &t) { return t.valid() && t.seconds.empty(); }));
    if (m_onlyChecked > 0)
        tell(SearchNote{fmt::format("{} trial{} of the log {} checked and not timed; {} not counted here",
                                    m_onlyChecked, m_onlyChecked == 1 ? "" : "s", m_onlyChecked == 1 ? "was" : "were",
                                    m_onlyChecked == 1 ? "it is" : "they are")});
    if (m_watch.proceed() && trials() < budget()) {
        tell(PhaseStarted{SearchPhase::PreparingReference, 0, {}});
        if (!m_job.measurer.prepare(&m_watch.stopped)) m_watch.stopped = true;
        for (const std::string &note : m_job.measurer.notes()) tell(SearchNote{note});
    }
    m_result.measureSeconds = m_watch.elapsed() - start;
    {
        const SearchBudget::Working working(m_watch);
        m_rounds.emplace(m_job.task, m_number, m_job.options, m_job.model, m_threads, m_tell, m_watch);
        m_used = m_rounds->resume(m_job.resumed, m_job.measurer.times());
    }
    if (!m_watch.proceed())
        m_used.assign(m_used.size(), true); // nobody found the time to replay them; they were measured
    const auto endOfRound = [this](size_t begin) {
        return begin + static_cast<size_t>(m_job.options.roundSize(static_cast<int>(begin)));
    };
    size_t end = endOfRound(0);
    for (size_t i = 0; i < m_used.size(); ++i) {
        if (m_used[i] && m_job.resumed[i].valid()) {
            m_best.take(m_job.resumed[i]);
            foundValid();
        }
        if (i + 1 < end && i + 1 < m_used.size()) continue;
        m_standing.best.push_back(m_best.seconds());
        end = endOfRound(i + 1);
    }
    m_standing.open = trials() < budget();
    m_result.refused = m_rounds->lock(m_job.startFrom);
    if (!m_result.refused) return;
    tell(SearchNote{m_result.refused->sentence});
    m_standing.open = false;
}

std::unique_ptr<TaskRound> TaskSearch::breed(int most) {
    const Turn turn(m_watch, m_spent);
    auto round = std::make_unique<TaskRound>();
    round->begun = m_watch.elapsed();
    round->first = trials() + m_underWay;
    round->total = budget();
    const SearchOptions &options = m_job.options;
    std::optional<SearchBudget::Working> working(std::in_place, m_watch);
    const int wanted = std::min({round->total - round->first, options.roundSize(round->first - m_onlyChecked), most});
    std::vector<Candidate> &candidates = round->candidates;
    if (!m_began) candidates = m_rounds->given(m_job.startFrom);
    m_began = true;
    if (candidates.size() > static_cast<size_t>(wanted)) candidates.resize(static_cast<size_t>(wanted));
    takeOffers();
    round->by.resize(static_cast<size_t>(wanted));
    const size_t room = std::min(m_offered.size(), static_cast<size_t>(wanted) - candidates.size());
    for (size_t i = 0; i < room; ++i) {
        round->by[candidates.size()] = m_offered[i].by;
        candidates.push_back(std::move(m_offered[i].candidate));
    }
    m_offered.erase(m_offered.begin(), m_offered.begin() + static_cast<ptrdiff_t>(room));
    for (Candidate &candidate : m_rounds->next(wanted - static_cast<int>(candidates.size())))
        candidates.push_back(std::move(candidate));
    for (const Candidate &candidate : candidates) {
        round->serialised.push_back(serialisedLoops(m_job.task, candidate.steps));
        round->steps.push_back(candidate.steps);
    }
    working.reset();
    if (!m_watch.proceed()) return nullptr;
    if (candidates.empty()) {
        tell(SearchNote{"every schedule of the search space that could be drawn has been measured"});
        close();
        return nullptr;
    }
    m_rounds->begun(candidates);
    round->number = m_rounds->round();
    m_underWay += static_cast<int>(candidates.size());
    m_standing.open = !m_closed && trials() + m_underWay < budget();
    return round;
}

void TaskSearch::advanced(TaskRound &round, size_t index, TrialStage stage) {
    const SearchPhase phase = stage == TrialStage::Building  ? SearchPhase::Building
                              : stage == TrialStage::Running ? SearchPhase::Measuring
                                                             : round.phase;
    if (phase != round.phase) {
        round.phase = phase;
        const auto count = static_cast<int>(round.candidates.size());
        tell(PhaseStarted{
            phase, round.number,
            count == 1 ? fmt::format("trial {} of {}", round.first + 1, round.total)
                       : fmt::format("trials {} to {} of {}", round.first + 1, round.first + count, round.total)});
    }
    tell(TrialProgress{round.first + 1 + static_cast<int>(index), round.total, stage});
}

void TaskSearch::ended(TaskRound &round, size_t index, const Trial &measured) {
    // A search that goes on and one that is read back from its log know the same numbers.
    Trial trial = measured;
    for (double &time : trial.seconds) time = loggedSeconds(time);
    round.trials.push_back(trial);
    m_result.trials.push_back(trial);
    --m_underWay;
    if (trial.valid()) foundValid();
    m_best.take(trial);
    const Candidate &from = round.candidates[index];
    for (const auto &[kind, count] : round.serialised[index].kinds) m_result.serialisedLoops[kind] += count;
    m_result.serialisedTrials += round.serialised[index].sentences.empty() ? 0 : 1;
    const double flops = m_standing.flops;
    tell(TrialFinished{.number = trials(),
                       .total = round.total,
                       .trial = trial,
                       .round = round.number,
                       .lineage = from.lineage,
                       .sketch = from.sketch,
                       .ancestry = from.ancestry,
                       .predicted = from.score,
                       .elapsed = m_watch.elapsed(),
                       .bestSeconds = m_best.seconds(),
                       .gflops = trial.valid() && flops > 0 ? flops / trial.cost() * 1e-9 : 0,
                       .serialised = round.serialised[index].sentences,
                       .by = round.by[index]});
}

void TaskSearch::learn(TaskRound &round, bool alone) {
    const Turn turn(m_watch, m_spent);
    const size_t ended = round.trials.size();
    m_underWay -= static_cast<int>(round.candidates.size() - ended);
    {
        const SearchBudget::Working working(m_watch);
        m_rounds->learn({round.candidates.begin(), round.candidates.begin() + static_cast<ptrdiff_t>(ended)},
                        round.trials, round.first + 1, round.number);
    }
    m_standing.best.push_back(m_best.seconds());
    // Of rounds that overlap, what their candidates took together: that does not depend on how many machines there are.
    double took = 0;
    for (const Trial &trial : round.trials) took += trial.buildSeconds + trial.runSeconds;
    m_standing.spent.push_back(alone ? m_watch.elapsed() - round.begun : took);
    m_standing.open = !m_closed && trials() + m_underWay < budget();
    tell(RoundFinished{round.number, trials(), m_best.seconds(), m_watch.elapsed()});
}

void TaskSearch::waited(double seconds) {
    m_spent += seconds;
    m_result.measureSeconds += seconds;
}

void TaskSearch::takeOffers() {
    for (OfferedSchedule &offer : m_watch.takeOffers(m_number)) {
        auto candidate = m_rounds->given(offer.steps);
        tell(ScheduleOffered{offer.steps, offer.by, candidate ? "" : candidate.why()});
        if (candidate) m_offered.push_back({std::move(candidate).value(), std::move(offer.by)});
    }
}

void TaskSearch::finish() {
    {
        const Turn turn(m_watch, m_spent);
        const double start = m_watch.elapsed();
        m_result.cancelled = !m_watch.proceed();
        compareFinalists();
        m_result.measureSeconds += m_watch.elapsed() - start;
    }
    const char *tooLate = "the search ended before its next batch";
    for (const Offered &offer : m_offered) tell(ScheduleOffered{offer.candidate.steps, offer.by, tooLate});
    for (OfferedSchedule &offer : m_watch.takeOffers(m_number))
        tell(ScheduleOffered{std::move(offer.steps), std::move(offer.by), tooLate});
    m_standing.open = false;
    m_result.searchSeconds = m_spent - m_result.measureSeconds;
    m_result.pairsRankedRight = m_rounds->pairsRankedRight();
    tell(PhaseStarted{SearchPhase::Done, m_rounds->round(), {}});
}

/// The fastest few once more, in turn with the naive schedule, since their first times were taken minutes apart. The
/// least time decides.
void TaskSearch::compareFinalists() {
    SearchResult &result = m_result;
    const std::span<const Trial> resumed = m_job.resumed;
    const int count = m_job.options.finalists;
    struct Entry {
        double seconds;
        size_t index;
        bool isResumed;
    };
    std::vector<Entry> entries;
    for (size_t i = 0; i < result.trials.size(); ++i)
        if (result.trials[i].valid()) entries.push_back({result.trials[i].cost(), i, false});
    for (size_t i = 0; i < resumed.size(); ++i)
        if (m_used[i] && resumed[i].valid()) entries.push_back({resumed[i].cost(), i, true});
    if (entries.empty()) return;
    std::stable_sort(entries.begin(), entries.end(),
                     [](const auto &a, const auto &b) { return a.seconds < b.seconds; });
    if (entries.front().seconds == std::numeric_limits<double>::infinity()) { // nothing was timed
        std::vector<Steps> right;
        for (const Entry &entry : entries) right.push_back(trialOf(entry.isResumed, entry.index).steps.unpack());
        const Entry &predicted = entries[m_rounds->bestPredicted(right)];
        result.best = predicted.index;
        result.bestIsResumed = predicted.isResumed;
        return;
    }
    std::erase_if(entries, [](const Entry &e) { return e.seconds == std::numeric_limits<double>::infinity(); });
    // Until they are compared a stable time decides, if there is one.
    const auto isStable = [&](const Entry &entry) { return !trialOf(entry.isResumed, entry.index).unstable; };
    const auto stable = std::find_if(entries.begin(), entries.end(), isStable);
    const Entry &first = stable != entries.end() ? *stable : entries.front();
    result.best = first.index;
    result.bestIsResumed = first.isResumed;
    if (entries.size() > static_cast<size_t>(count)) entries.resize(static_cast<size_t>(count));
    const bool withNaive = naiveTakesPart(m_job.options.naiveSeconds);
    if (entries.empty() || entries.size() + (withNaive ? 1 : 0) < 2 || !m_watch.proceed()) return;
    tell(PhaseStarted{
        SearchPhase::ComparingFinalists, m_rounds->round(),
        fmt::format("the {} fastest{}, interleaved", entries.size(), withNaive ? " and the naive schedule" : "")});
    std::vector<Steps> candidates;
    for (const auto &entry : entries) candidates.push_back(trialOf(entry.isResumed, entry.index).steps.unpack());
    if (withNaive) candidates.push_back(naiveSteps(m_job.task));
    const auto samples =
        m_job.measurer.measureInterleaved(candidates, kComparingRounds, {&m_watch.stopped, &m_watch.paused(), {}});
    FinalistsCompared event;
    size_t winner = entries.size();
    for (size_t i = 0; i < samples.size(); ++i) {
        const TimeInterval time = quartileInterval(samples[i].seconds, samples[i].least);
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
    tell(event);
}

} // namespace loopscope
