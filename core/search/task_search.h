#pragma once
// One task's part of a search, told once: reference, sketches, then round after round (sample, evolve, pick, measure,
// learn), then the comparison of the finalists. Whoever takes turns with several of these (tuner.h) decides when each
// has its next round, and where its candidates are measured (rounds_under_way.h); the parts neither know nor wait for
// one another.

#include "measure/serialised_loops.h"
#include "search/search_round.h"
#include "search/task_order.h"
#include "search/tuner.h"

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace loopscope {

/// The least time so far. One that the machine's other work may have decided counts only while there is no other.
class BestSoFar {
  public:
    void take(const Trial &trial);
    [[nodiscard]] double seconds() const;

  private:
    double m_stable = std::numeric_limits<double>::infinity();
    double m_unstable = std::numeric_limits<double>::infinity();
};

/// Candidates of a task from when they are bred until it has learnt how they turned out.
struct TaskRound {
    int number = 0; // of the task's rounds, from 1
    int first = 0;  // trials before it
    int total = 0;  // that there are to be in the end
    std::vector<Candidate> candidates;
    std::vector<Steps> steps;                // of the candidates
    std::vector<std::string> by;             // who put the candidate into the search; empty: the search
    std::vector<SerialisedLoops> serialised; // of the candidates
    std::vector<Trial> trials;               // that ended, in order
    SearchPhase phase = SearchPhase::Done;   // that was told last
    double begun = 0;                        // seconds of the search
};

class TaskSearch {
  public:
    /// `number`: the task's, in events and for the model. `onFirstValid` is called once, when it has a valid trial.
    TaskSearch(const TaskJob &job, int number, ScoringThreads &threads, SearchObserver &observer, SearchBudget &watch,
               std::function<void()> onFirstValid);
    TaskSearch(const TaskSearch &) = delete;
    TaskSearch &operator=(const TaskSearch &) = delete;

    /// Reference and sketches; what is known from a log is learnt.
    void begin();
    /// The next candidates, at most so many, which are to be measured and handed back to `learn`, one round after the
    /// other. Null: no candidates are left, or it is time to stop. Afterwards it may be over.
    std::unique_ptr<TaskRound> breed(int most = std::numeric_limits<int>::max());
    /// A candidate of the round has come so far; those that end are told in order.
    void advanced(TaskRound &round, size_t index, TrialStage stage);
    void ended(TaskRound &round, size_t index, const Trial &measured);
    /// From the trials that ended; the rest was cancelled. `alone`: no other round was under way meanwhile.
    void learn(TaskRound &round, bool alone);
    /// Time of the search was spent on waiting for its candidates.
    void waited(double seconds);
    [[nodiscard]] const TaskJob &job() const { return m_job; }
    /// There may be another round.
    [[nodiscard]] bool open() const { return m_standing.open; }
    /// No further round.
    void close() { m_closed = true, m_standing.open = false; }
    [[nodiscard]] bool hasValid() const { return m_hasValid; }
    /// So far, those of the log and those under way included, as far as they count here.
    [[nodiscard]] int countedTrials() const { return trials() + m_underWay - m_onlyChecked; }
    /// Compares the finalists.
    void finish();

    [[nodiscard]] const TaskStanding &standing() const { return m_standing; }
    /// After finish.
    [[nodiscard]] SearchResult takeResult() { return std::move(m_result); }

  private:
    void tell(const SearchEvent &event);
    void compareFinalists();
    void foundValid();
    /// What was put into the search since the last round, and what had no room in it.
    void takeOffers();
    [[nodiscard]] int trials() const; // so far, those of the log included
    /// How many there are at the end: a search that times does not count what somebody else only checked.
    [[nodiscard]] int budget() const;
    [[nodiscard]] const Trial &trialOf(bool isResumed, size_t index) const {
        return isResumed ? m_job.resumed[index] : m_result.trials[index];
    }

    const TaskJob &m_job;
    int m_number;
    ScoringThreads &m_threads;
    SearchObserver &m_observer;
    SearchBudget &m_watch;
    std::function<void()> m_onFirstValid;
    std::function<void(const SearchEvent &)> m_tell;
    std::optional<SearchRounds> m_rounds; // from begin on
    SearchResult m_result;
    TaskStanding m_standing;
    std::vector<bool> m_used; // of the resumed trials, those that replay
    BestSoFar m_best;
    struct Offered {
        Candidate candidate;
        std::string by;
    };
    std::vector<Offered> m_offered; // to be measured
    int m_onlyChecked = 0;          // of the resumed trials, where candidates are timed
    int m_underWay = 0;             // candidates
    bool m_closed = false;          // it has no further round, whatever comes of those under way
    bool m_hasValid = false;
    bool m_began = false; // its first round
    double m_spent = 0;   // seconds of the search that were this task's
};

} // namespace loopscope
