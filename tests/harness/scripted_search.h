#pragma once
// Small searches with a scripted machine: a task for two cores, options that make a search a matter of moments, and
// what it told.

#include "harness/sample_targets.h"
#include "harness/scripted_measurer.h"
#include "search/tuner.h"

#include <functional>
#include <variant>
#include <vector>

namespace loopscope {

inline Task taskForTwoCores(const DagPtr &dag) { return makeTask(dag, processorTarget(2)); }

inline SearchOptions quickSearch(int trials) {
    SearchOptions options;
    options.trials = trials;
    options.trialsPerRound = 8;
    options.population = 96;
    options.generations = 2;
    options.threads = 1;
    return options;
}

/// Keeps all events.
class SearchListener final : public SearchObserver {
  public:
    void on(const SearchEvent &event) override {
        events.push_back(event);
        if (onEvent) onEvent(event);
    }
    template <typename T> [[nodiscard]] std::vector<T> all() const {
        std::vector<T> found;
        for (const auto &event : events)
            if (const auto *one = std::get_if<T>(&event)) found.push_back(*one);
        return found;
    }
    std::vector<SearchEvent> events;
    std::function<void(const SearchEvent &)> onEvent;
};

} // namespace loopscope
