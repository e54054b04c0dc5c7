#include "deploy/plan/plan_selection.h"

#include "deploy/plan/profile.h"
#include "language/tensor/close_tensors.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <functional>
#include <numeric>

namespace loopscope {

namespace {

using Clock = std::chrono::steady_clock;

double median(std::vector<double> values) { return summaryOf(std::move(values)).median; }

class ContextSelection {
  public:
    ContextSelection(PlanRunner &runner, const PlanSelection &selection, const SelectionRules &rules)
        : m_runner(runner), m_selection(selection), m_rules(rules), m_chosen(selection.tasks.size(), 0),
          m_admitted(selection.tasks.size()), m_places(selection.tasks.size()), m_seconds(selection.places.size()) {
        for (size_t place = 0; place < selection.places.size(); ++place)
            if (selection.places[place].task != SelectionPlace::kNoTask)
                m_places[selection.places[place].task].push_back(place);
        outcome.tasks.resize(selection.tasks.size());
    }

    SelectionOutcome outcome;

    /// Those whose answers are close to the first one's.
    void admit() {
        for (size_t t = 0; t < m_selection.tasks.size(); ++t) {
            m_admitted[t] = {0};
            if (m_selection.tasks[t].alternatives < 2 || m_places[t].empty()) continue;
            const std::vector<HostTensor> right = answers(t);
            for (size_t a = 1; a < m_selection.tasks[t].alternatives; ++a) {
                m_chosen[t] = a;
                std::string wrong = differenceOf(right, answers(t), m_selection.tasks[t].terms);
                m_chosen[t] = 0;
                if (wrong.empty()) {
                    m_admitted[t].push_back(a);
                } else {
                    outcome.tasks[t].wrong.push_back(a);
                    outcome.tasks[t].problems.push_back(std::move(wrong));
                }
            }
        }
    }

    /// So that all sweeps together end in time.
    void hurry() {
        run();
        const double once = run();
        const auto sweepSeconds = [&](int screening, int rounds) {
            double runs = 0;
            for (const std::vector<size_t> &admitted : m_admitted) {
                if (admitted.size() < 2) continue;
                const size_t few = std::min<size_t>(admitted.size(), m_rules.few);
                if (admitted.size() > few) runs += static_cast<double>(admitted.size()) * screening;
                runs += static_cast<double>(few) * rounds;
            }
            return runs * once;
        };
        while (m_rules.sweeps > 1 && m_rules.sweeps * sweepSeconds(m_rules.screening, m_rules.rounds) > m_rules.seconds)
            --m_rules.sweeps;
        while (m_rules.rounds > 3 && sweepSeconds(m_rules.screening, m_rules.rounds) > m_rules.seconds)
            --m_rules.rounds;
        while (m_rules.screening > 1 && sweepSeconds(m_rules.screening, m_rules.rounds) > m_rules.seconds)
            --m_rules.screening;
    }
    [[nodiscard]] int sweeps() const { return m_rules.sweeps; }

    /// Whether anything changed.
    bool sweep(const std::function<void(size_t done, size_t of, size_t task)> &progress) {
        bool changed = false;
        size_t done = 0;
        for (const size_t t : byShare()) {
            if (progress) progress(done, m_selection.tasks.size(), t);
            ++done;
            if (m_admitted[t].size() > 1) changed = choose(t) || changed;
        }
        return changed;
    }

    /// All that was chosen against the first of each.
    void conclude() {
        const std::vector<size_t> first(m_chosen.size(), 0);
        const std::vector<size_t> chosen = m_chosen;
        std::vector<double> before;
        std::vector<double> after;
        for (int round = 0; round < 2 * m_rules.rounds; ++round)
            for (const bool now : {round % 2 == 0, round % 2 != 0}) {
                m_chosen = now ? chosen : first;
                (now ? after : before).push_back(run());
            }
        outcome.secondsBefore = median(before);
        outcome.seconds = median(after);
        const bool faster = outcome.seconds < outcome.secondsBefore;
        if (!faster) outcome.seconds = outcome.secondsBefore;
        for (size_t t = 0; t < chosen.size(); ++t) {
            outcome.tasks[t].chosen = faster ? chosen[t] : 0;
            if (outcome.tasks[t].chosen == 0) outcome.tasks[t].seconds = outcome.tasks[t].secondsBefore;
        }
    }

  private:
    [[nodiscard]] size_t callAt(size_t place) const {
        const SelectionPlace &at = m_selection.places[place];
        return at.call + (at.task == SelectionPlace::kNoTask ? 0 : m_chosen[at.task]);
    }

    /// Once, with those chosen; seconds of it, those of each place in m_seconds.
    double run() {
        const auto begin = Clock::now();
        auto last = begin;
        for (size_t place = 0; place < m_selection.places.size(); ++place) {
            m_runner.runOne(callAt(place));
            const auto now = Clock::now();
            m_seconds[place] = std::chrono::duration<double>(now - last).count();
            last = now;
        }
        return std::chrono::duration<double>(last - begin).count();
    }

    [[nodiscard]] double seconds(const std::vector<size_t> &places) const {
        double sum = 0;
        for (const size_t place : places) sum += m_seconds[place];
        return sum;
    }

    /// Where the task's kernels run, and what runs right after.
    [[nodiscard]] std::vector<size_t> placesTouched(size_t task) const {
        std::vector<size_t> places;
        for (const size_t place : m_places[task])
            for (const size_t one : {place, place + 1})
                if (one < m_selection.places.size() && (places.empty() || places.back() < one)) places.push_back(one);
        return places;
    }

    /// What the task's first kernel computes, after everything in front of it.
    std::vector<HostTensor> answers(size_t task) {
        const size_t end = m_places[task].front();
        for (size_t place = 0; place <= end; ++place) m_runner.runOne(callAt(place));
        std::vector<HostTensor> outputs;
        const size_t call = callAt(end);
        for (size_t i = 0; i < m_runner.plan().calls[call].outputs.size(); ++i)
            outputs.push_back(m_runner.callOutput(call, i));
        return outputs;
    }

    /// What takes most first.
    std::vector<size_t> byShare() {
        run();
        run();
        std::vector<double> shares;
        for (const std::vector<size_t> &places : m_places) shares.push_back(seconds(places));
        std::vector<size_t> order(m_places.size());
        std::iota(order.begin(), order.end(), size_t{0});
        std::ranges::stable_sort(order, std::greater<>(), [&](size_t t) { return shares[t]; });
        return order;
    }

    /// Adds seconds of so many rounds, in each of which every one of `which` has a run.
    void time(size_t t, const std::vector<size_t> &which, int rounds, std::vector<std::vector<double>> &samples) {
        const std::vector<size_t> places = placesTouched(t);
        const size_t now = m_chosen[t];
        for (int round = 0; round < rounds; ++round)
            for (size_t i = 0; i < which.size(); ++i) {
                m_chosen[t] = which[(i + static_cast<size_t>(round)) % which.size()];
                run();
                samples[m_chosen[t]].push_back(seconds(places));
            }
        m_chosen[t] = now;
    }

    bool choose(size_t t) {
        const size_t now = m_chosen[t];
        std::vector<std::vector<double>> samples(m_selection.tasks[t].alternatives);
        std::vector<size_t> few = m_admitted[t];
        if (few.size() > m_rules.few) {
            time(t, few, m_rules.screening, samples);
            std::ranges::stable_sort(few, {}, [&](size_t a) { return a == now ? 0.0 : median(samples[a]); });
            few.resize(m_rules.few);
        }
        time(t, few, m_rules.rounds, samples);
        size_t best = now;
        for (const size_t a : few)
            if (median(samples[a]) < median(samples[best])) best = a;
        if (median(samples[best]) > m_rules.worthIt * median(samples[now])) best = now;
        m_chosen[t] = best;
        outcome.tasks[t].seconds = median(samples[best]);
        outcome.tasks[t].secondsBefore = median(samples[0]);
        return best != now;
    }

    PlanRunner &m_runner;
    const PlanSelection &m_selection;
    SelectionRules m_rules;
    std::vector<size_t> m_chosen;                // by task
    std::vector<std::vector<size_t>> m_admitted; // likewise: alternatives
    std::vector<std::vector<size_t>> m_places;   // likewise: where its kernels run
    std::vector<double> m_seconds;               // by place, of the last run
};

} // namespace

std::optional<std::string> problemOf(const PlanSelection &selection, const ExecutionPlan &plan) {
    for (const SelectionPlace &place : selection.places) {
        if (place.task != SelectionPlace::kNoTask && place.task >= selection.tasks.size())
            return fmt::format("a place is of task {}, and there are {}", place.task, selection.tasks.size());
        const uint64_t count = place.task == SelectionPlace::kNoTask ? 1 : selection.tasks[place.task].alternatives;
        if (count == 0 || place.call >= plan.calls.size() || count > plan.calls.size() - place.call)
            return fmt::format("a place has {} calls from {} on, and the plan has {}", count, place.call,
                               plan.calls.size());
    }
    return std::nullopt;
}

SelectionOutcome selectInContext(PlanRunner &runner, const PlanSelection &selection, const SelectionRules &rules,
                                 const std::function<void(size_t done, size_t of, size_t task)> &progress) {
    const CallerStays staysThere;
    ContextSelection held(runner, selection, rules);
    held.admit();
    held.hurry();
    for (int sweep = 0; sweep < held.sweeps(); ++sweep)
        if (!held.sweep(progress)) break;
    held.conclude();
    return std::move(held.outcome);
}

} // namespace loopscope
