#pragma once
// One round of a search: which candidates to measure next. Holds what a task's search remembers between rounds, so that
// a scheduler over several tasks can take turns with several of these.

#include "base/thread_pool.h"
#include "measure/trial.h"
#include "search/annotate/sample_population.h"
#include "search/search_budget.h"
#include "search/search_observer.h"

#include <limits>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

namespace loopscope {

/// Threads that score candidates, each with its memory. One task after the other works with them.
struct ScoringThreads {
    /// `threads` <= 0: as many as the machine has.
    explicit ScoringThreads(int threads) : pool(threads), scratch(static_cast<size_t>(pool.threads())) {}
    ThreadPool pool;
    std::vector<Scratch> scratch;
};

class SearchRounds {
  public:
    /// All of it ends early when `watch` says so, and waits at safe points while it is paused. `number`: the task's
    /// among those the model learns from.
    SearchRounds(const Task &task, int number, const SearchOptions &options, CostModel &model, ScoringThreads &threads,
                 std::function<void(const SearchEvent &)> tell, SearchBudget &watch);

    /// Where something is locked: finds what can be searched, around `schedules` and the measured ones that keep the
    /// locks. Refused where nothing is left to vary; what else the locks take away is told as notes.
    std::optional<Refusal> lock(const std::vector<Steps> &schedules);

    /// At most `count` distinct candidates never measured: the best bred ones that are not too near to one another,
    /// best first; then some that are a change or two away from the fastest measured; then the share that is left to
    /// chance, the more promising third of a random draw. Empty when the space is exhausted or the search has to end.
    std::vector<Candidate> next(int count);

    /// Schedules somebody else made as candidates; what does not apply, breaks a lock or was measured is told as a note
    /// and left out. None of them comes out of next() any more.
    std::vector<Candidate> given(const std::vector<Steps> &schedules);
    /// The same of one, with the reason why it is left out.
    Outcome<Candidate> given(const Steps &schedule);

    /// They are being measured: none of them comes out of next() any more.
    void begun(const std::vector<Candidate> &candidates);
    /// Tells how the candidates of that round turned out and lets the model learn from them. Trials are numbered over
    /// the whole search, these from `first` on.
    void learn(const std::vector<Candidate> &measured, const std::vector<Trial> &trials, int first, int round);
    /// The same for trials of a log, numbered from 1; a trial whose steps do not replay is reported as a note and left
    /// out: false in what is returned, as for one that breaks a lock, which is learnt from all the same.
    /// `timing`: what was checked and not timed is left to be measured.
    std::vector<bool> resume(std::span<const Trial> trials, bool timing);

    /// Which of these, at least one, is predicted to be the fastest.
    size_t bestPredicted(const std::vector<Steps> &schedules);

    [[nodiscard]] int round() const { return m_round; }
    [[nodiscard]] const std::vector<Sketch> &sketches() const { return m_sketches; }
    /// Pairs ranked right, averaged over the batches learnt so far; -1 = unknown.
    [[nodiscard]] double pairsRankedRight() const;

  private:
    [[nodiscard]] std::vector<Candidate> bestMeasured() const;
    /// What one change, or two of tile sizes, make of the fastest measured, best first.
    std::vector<Candidate> besideTheBest();
    /// A measured candidate as a parent of later rounds.
    void remember(const Candidate &candidate, double seconds, int trial, int round);
    /// The same of a valid trial, by its time or, while nothing is timed, by what it is estimated to take.
    void rememberTrial(const Candidate &candidate, const Trial &trial, int number, int round);
    void train(const std::vector<Candidate> &measured, const std::vector<Trial> &trials, int round);
    void score(std::vector<Candidate> &candidates);
    /// Somebody else's schedule, not scored.
    Outcome<Candidate> admitted(const Steps &schedule);
    /// Weight of the analytic estimate in a score, beside the model's 1; 0 = there is none.
    [[nodiscard]] double leaning() const;
    /// The analytic estimate takes part where it is wanted; the kind of target may still have none.
    [[nodiscard]] bool wantsEstimate() const { return !m_options.randomModel && m_options.draftTrials > 0; }

    const Task &m_task;
    int m_number;
    const SearchOptions &m_options;
    CostModel &m_model;
    ScoringThreads &m_threads;
    std::function<void(const SearchEvent &)> m_tell;
    SearchBudget &m_watch;
    std::vector<Sketch> m_sketches;
    std::unordered_set<StateKey> m_measured;
    std::vector<std::pair<double, Candidate>> m_best; // seconds, candidate; the fastest, as many as are bred from
    std::optional<LockedStart> m_within;              // while something is locked
    int m_round = 0;
    size_t m_learnt = 0; // trials of this task the model has seen
    size_t m_sure = 0;   // valid trials so far that nobody disturbed
    double m_bestDraft = std::numeric_limits<double>::infinity();
    double m_rankedSum = 0;
    double m_rankedWeight = 0;
};

} // namespace loopscope
