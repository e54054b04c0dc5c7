#include "search/tuner.h"

#include "check.h"
#include "search/gain_order.h"
#include "search/stop_watch.h"
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

/// That the tasks may still have together.
int trialsLeft(const TuneTasksOptions &options, const std::vector<std::unique_ptr<TaskSearch>> &searches) {
    if (options.sharedTrials == 0) return std::numeric_limits<int>::max();
    int left = options.sharedTrials;
    for (const auto &search : searches) left -= search->countedTrials();
    return std::max(left, 0);
}

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
bool steer(std::vector<TaskStanding> &standings, StopWatch &watch) {
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

} // namespace

std::vector<SearchResult> tuneTasks(const std::vector<TaskJob> &jobs, const TuneTasksOptions &options, TaskOrder &order,
                                    SearchObserver &observer, SearchControl *control) {
    SearchControl unsteered;
    StopWatch watch(control ? *control : unsteered, options.timeLimitSeconds, options.spentSeconds);
    ScoringThreads threads(options.threads);
    size_t waiting = jobs.size(); // for their first valid trial
    const auto foundOne = [&] {
        if (--waiting == 0) watch.found();
    };
    std::vector<std::unique_ptr<TaskSearch>> searches;
    for (size_t i = 0; i < jobs.size(); ++i)
        searches.push_back(
            std::make_unique<TaskSearch>(jobs[i], static_cast<int>(i), threads, observer, watch, foundOne));
    std::vector<bool> finished(jobs.size());
    const auto finish = [&](size_t i) {
        searches[i]->finish();
        if (!searches[i]->hasValid()) foundOne(); // nothing more to wait for
        finished[i] = true;
    };
    for (const auto &search : searches) search->begin();
    int shown = 0;
    while (watch.proceed()) {
        const int left = trialsLeft(options, searches);
        if (left == 0) break;
        std::vector<TaskStanding> standings;
        for (size_t i = 0; i < searches.size(); ++i) {
            if (watch.steering(static_cast<int>(i)).excluded && searches[i]->open()) {
                searches[i]->close();
                finish(i);
            }
            standings.push_back(searches[i]->standing());
            // Beyond the time limit only those that have no kernel yet go on.
            if (watch.extended() && searches[i]->hasValid()) standings.back().open = false;
        }
        compareArms(options.groups, standings);
        const std::vector<double> gains = searches.size() > 1 ? expectedGains(standings) : std::vector<double>();
        for (size_t i = 0; i < searches.size(); ++i) {
            if (!isHopeless(standings[i], gains, i) || watch.steering(static_cast<int>(i)).pinned) continue;
            observer.on(SearchNote{givenUpText(standings[i]), static_cast<int>(i)});
            searches[i]->close();
            finish(i);
            standings[i].open = false;
        }
        if (!steer(standings, watch)) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20)); // until somebody lets one go on
            continue;
        }
        const auto next = order.next(standings);
        if (!next) {
            for (const auto &search : searches)
                if (search->open()) watch.stopped = true; // the time limit is over, and nobody waits for a first kernel
            break;
        }
        LOOPSCOPE_CHECK(*next < searches.size() && standings[*next].open, "an order chooses an open task");
        if (static_cast<int>(*next) != shown) observer.on(TaskSwitched{shown = static_cast<int>(*next)});
        if (searches.size() > 1) observer.on(TaskPicked{order.why(), static_cast<int>(*next), gains});
        searches[*next]->round(left);
        if (!searches[*next]->open()) finish(*next);
    }
    std::vector<SearchResult> results;
    for (size_t i = 0; i < searches.size(); ++i) {
        if (!finished[i]) finish(i);
        results.push_back(searches[i]->takeResult());
    }
    return results;
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
