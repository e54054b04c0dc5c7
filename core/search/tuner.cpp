#include "search/tuner.h"

#include "base/check.h"
#include "search/gain_order.h"
#include "search/rounds_under_way.h"
#include "search/search_budget.h"
#include "search/task_search.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <thread>

namespace loopscope {

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

namespace {

constexpr size_t kRoundsBeforeGivingUp = 2; // the first says little about what the next may find

/// Another form of its node is faster, and will be.
bool isHopeless(const TaskStanding &standing, const std::vector<double> &gains, size_t task) {
    return standing.open && standing.behind > 0 && standing.rounds() >= kRoundsBeforeGivingUp && gains[task] == 0;
}

std::string givenUpText(const TaskStanding &standing) {
    return fmt::format("given up after {} rounds: at {:.3g} ms another form of its node is {:.3g} ms faster, which it "
                       "is not expected to make up for",
                       standing.rounds(), 1e3 * standing.seconds(), 1e3 * standing.behind);
}

/// As somebody wants them. False when all that could go on are held.
bool steer(std::vector<TaskStanding> &standings, SearchBudget &watch) {
    bool anyPinned = false;
    for (size_t i = 0; i < standings.size(); ++i)
        anyPinned = anyPinned || (standings[i].open && watch.steering(static_cast<int>(i)).pinned);
    bool wasOpen = false;
    bool stillOpen = false;
    for (size_t i = 0; i < standings.size(); ++i) {
        const TaskSteering steering = watch.steering(static_cast<int>(i));
        standings[i].weight *= steering.boost;
        wasOpen = wasOpen || standings[i].open;
        if (steering.paused || (anyPinned && !steering.pinned)) standings[i].open = false;
        stillOpen = stillOpen || standings[i].open;
    }
    return stillOpen || !wasOpen;
}

int maxAtOnce(const std::vector<TaskJob> &jobs) {
    int most = jobs.empty() ? 1 : std::numeric_limits<int>::max();
    for (const TaskJob &job : jobs) most = std::min(most, job.measurer.measurementsAtOnce());
    return std::max(1, most);
}

/// Several tasks that take turns.
class TaskTurns {
  public:
    TaskTurns(const std::vector<TaskJob> &jobs, const TuneTasksOptions &options, TaskOrder &order,
              SearchObserver &observer, SearchBudget &watch)
        : m_options(options), m_order(order), m_observer(observer), m_watch(watch), m_threads(options.threads),
          m_waiting(jobs.size()), m_finished(jobs.size()), m_underWay(watch, maxAtOnce(jobs)) {
        for (size_t i = 0; i < jobs.size(); ++i)
            m_searches.push_back(std::make_unique<TaskSearch>(jobs[i], static_cast<int>(i), m_threads, observer, watch,
                                                              [this] { foundOne(); }));
    }

    std::vector<SearchResult> run() {
        for (const auto &search : m_searches) search->begin();
        while (m_watch.proceed()) {
            Begun begun = Begun::Round;
            while (begun == Begun::Round && !m_underWay.full() && m_watch.proceed()) begun = beginRound();
            if (!m_underWay.empty())
                endOldest();
            else if (begun == Begun::Held)
                std::this_thread::sleep_for(std::chrono::milliseconds(20)); // until somebody lets one go on
            else if (begun == Begun::None)
                break;
        }
        while (!m_underWay.empty()) endOldest();
        std::vector<SearchResult> results;
        for (size_t i = 0; i < m_searches.size(); ++i) {
            if (!m_finished[i]) finish(i);
            results.push_back(m_searches[i]->takeResult());
        }
        return results;
    }

  private:
    enum class Begun : uint8_t {
        Round, // or its task has none left, and another may
        Held,  // all that could go on
        None,  // there is nothing more to begin
    };

    void foundOne() {
        if (--m_waiting == 0) m_watch.found();
    }

    void finish(size_t i) {
        m_searches[i]->finish();
        if (!m_searches[i]->hasValid()) foundOne(); // nothing more to wait for
        m_finished[i] = true;
    }

    void finishIfOver(size_t i) {
        if (!m_searches[i]->open() && !m_finished[i] && m_underWay.of(i) == 0) finish(i);
    }

    void endOldest() { finishIfOver(m_underWay.endOldest()); }

    /// That the tasks may still have together.
    [[nodiscard]] int trialsLeft() const {
        if (m_options.sharedTrials == 0) return std::numeric_limits<int>::max();
        int left = m_options.sharedTrials;
        for (const auto &search : m_searches) left -= search->countedTrials();
        return std::max(left, 0);
    }

    /// After those that nobody wants any more, and those that can win nothing, are closed.
    std::vector<TaskStanding> standings(std::vector<double> &gains) {
        std::vector<TaskStanding> standings;
        for (size_t i = 0; i < m_searches.size(); ++i) {
            if (m_watch.steering(static_cast<int>(i)).excluded && m_searches[i]->open()) close(i);
            standings.push_back(m_searches[i]->standing());
            // Beyond the time limit only those that have no kernel yet go on.
            if (m_watch.extended() && m_searches[i]->hasValid()) standings.back().open = false;
        }
        compareArms(m_options.groups, standings);
        if (m_searches.size() > 1) gains = expectedGains(standings);
        for (size_t i = 0; i < m_searches.size(); ++i) {
            if (!isHopeless(standings[i], gains, i) || m_watch.steering(static_cast<int>(i)).pinned) continue;
            m_observer.on(SearchNote{givenUpText(standings[i]), static_cast<int>(i)});
            close(i);
            standings[i].open = false;
        }
        return standings;
    }

    void close(size_t i) {
        m_searches[i]->close();
        finishIfOver(i);
    }

    /// A round that is under way counts as one that brought nothing, so that the next goes where most is to be gained
    /// beside it (the constant liar of Ginsbourger, Le Riche and Carraro, 2010).
    void countUnderWay(std::vector<TaskStanding> &standings) const {
        for (size_t i = 0; i < standings.size(); ++i)
            for (size_t round = m_underWay.of(i); round > 0; --round)
                standings[i].best.push_back(standings[i].seconds());
    }

    Begun beginRound() {
        const int left = trialsLeft();
        if (left == 0) return Begun::None;
        std::vector<double> gains;
        std::vector<TaskStanding> standings = this->standings(gains);
        if (!steer(standings, m_watch)) return Begun::Held;
        countUnderWay(standings);
        const auto next = m_order.next(standings);
        if (!next) {
            // The time limit is over, and nobody waits for a first kernel.
            for (const auto &search : m_searches)
                if (search->open() && m_underWay.empty()) m_watch.stopped = true;
            return Begun::None;
        }
        LOOPSCOPE_CHECK(*next < m_searches.size() && standings[*next].open, "an order chooses an open task");
        if (static_cast<int>(*next) != m_shown) m_observer.on(TaskSwitched{m_shown = static_cast<int>(*next)});
        if (m_searches.size() > 1) m_observer.on(TaskPicked{m_order.why(), static_cast<int>(*next), gains});
        if (auto round = m_searches[*next]->breed(left))
            m_underWay.begin(*next, *m_searches[*next], std::move(round));
        else
            finishIfOver(*next);
        return Begun::Round;
    }

    const TuneTasksOptions &m_options;
    TaskOrder &m_order;
    SearchObserver &m_observer;
    SearchBudget &m_watch;
    ScoringThreads m_threads;
    size_t m_waiting; // for their first valid trial
    std::vector<std::unique_ptr<TaskSearch>> m_searches;
    std::vector<bool> m_finished;
    int m_shown = 0;
    RoundsUnderWay m_underWay; // before all of that goes
};

} // namespace

std::vector<SearchResult> tuneTasks(const std::vector<TaskJob> &jobs, const TuneTasksOptions &options, TaskOrder &order,
                                    SearchObserver &observer, SearchControl *control) {
    SearchControl unsteered;
    SearchBudget watch(control ? *control : unsteered, options.timeLimitSeconds, options.spentSeconds);
    return TaskTurns(jobs, options, order, observer, watch).run();
}

SearchResult tune(const Task &task, const SearchOptions &options, Measurer &measurer, CostModel &model,
                  std::span<const Trial> resumed, SearchObserver &observer, SearchControl *control) {
    const std::unique_ptr<TaskOrder> order = makeRoundRobinOrder();
    return std::move(tuneTasks({{task, options, measurer, model, resumed}},
                               {options.timeLimitSeconds, options.spentSeconds, options.threads}, *order, observer,
                               control)
                         .front());
}

} // namespace loopscope
