#pragma once
// One task's part of a search, told once: reference, sketches, then round after round (sample, evolve, pick, measure,
// learn), then the comparison of the finalists. Whoever takes turns with several of these (tuner.h) decides when each
// has its next round; the parts neither know nor wait for one another.

#include "measure/serialised_loops.h"
#include "search/search_round.h"
#include "search/task_order.h"
#include "search/tuner.h"

#include <functional>
#include <limits>
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

class TaskSearch {
  public:
    /// `number`: the task's, in events and for the model. `onFirstValid` is called once, when it has a valid trial.
    TaskSearch(const TaskJob &job, int number, ScoringThreads &threads, SearchObserver &observer, StopWatch &watch,
               std::function<void()> onFirstValid);
    TaskSearch(const TaskSearch &) = delete;
    TaskSearch &operator=(const TaskSearch &) = delete;

    /// Reference and sketches; what is known from a log is learnt.
    void begin();
    /// Measures the next candidates, at most so many. Afterwards it may be over: no trials left, no candidates left, or
    /// time to stop.
    void round(int most = std::numeric_limits<int>::max());
    /// There may be another round.
    [[nodiscard]] bool open() const { return m_standing.open; }
    /// No further round.
    void close() { m_standing.open = false; }
    [[nodiscard]] bool hasValid() const { return m_hasValid; }
    /// So far, those of the log included, as far as they count here.
    [[nodiscard]] int countedTrials() const { return trials() - m_onlyChecked; }
    /// Compares the finalists.
    void finish();

    [[nodiscard]] const TaskStanding &standing() const { return m_standing; }
    /// After finish.
    [[nodiscard]] SearchResult takeResult() { return std::move(m_result); }

  private:
    void tell(const SearchEvent &event);
    void compareFinalists();
    void foundValid();
    /// The trials that ended, in order; the rest was cancelled.
    std::vector<Trial> measure(const std::vector<Candidate> &candidates, const std::vector<std::string> &by,
                               const std::vector<SerialisedLoops> &serialised);
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
    StopWatch &m_watch;
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
    bool m_hasValid = false;
    bool m_began = false; // its first round
    double m_spent = 0;   // seconds of the search that were this task's
};

} // namespace loopscope
