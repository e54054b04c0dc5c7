#include "network/schedule_contest.h"

#include "network/close_answers.h"
#include "network/weights.h"
#include "plan/plan_runner.h"
#include "plan/profile.h"
#include "runtime/loaded_kernel.h"
#include "timing/machine_use.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace loopscope {

namespace {

using Clock = std::chrono::steady_clock;
constexpr size_t kNone = std::numeric_limits<size_t>::max();

double median(std::vector<double> values) { return summaryOf(std::move(values)).median; }

/// A plan with all alternatives of every kernel next to each other, of which a run takes one.
class ContestRuns {
  public:
    ContestRuns(const GraphFunction &function, const Partition &partition, const MemoryPlan &memory,
                const std::vector<KernelTask> &tasks, const std::vector<TaskAlternatives> &alternatives,
                const Target &target) {
        std::vector<PlanKernel> kernels;
        std::vector<std::vector<size_t>> kernelsOf(partition.kernels.size());
        std::vector<size_t> taskOf;
        for (size_t t = 0; t < tasks.size(); ++t)
            for (const PlanKernel &kernel : alternatives[t]) {
                for (const size_t of : tasks[t].kernels) kernelsOf[of].push_back(kernels.size());
                taskOf.push_back(t);
                kernels.push_back(kernel);
            }
        m_plan = makeExecutionPlan(function, partition, memory, std::move(kernels), kernelsOf, {});
        m_plan.target = target.text();
        for (size_t call = 0; call < m_plan.calls.size();) {
            const PlanCall &planned = m_plan.calls[call];
            const size_t task = planned.action == KernelAction::Run ? taskOf[planned.kernel] : kNone;
            if (planned.action != KernelAction::Nothing) m_places.push_back({call, task});
            call += task == kNone ? 1 : alternatives[task].size();
        }
        m_runner.emplace(m_plan, PlanRunOptions{.threads = target.hardware.numCores});
        chosen.assign(tasks.size(), 0);
        m_seconds.resize(m_places.size());
    }

    std::vector<size_t> chosen; // by task

    void setInputs(const std::vector<HostTensor> &inputs) {
        for (size_t i = 0; i < inputs.size(); ++i) m_runner->setInput(i, inputs[i]);
    }
    /// Once, with those chosen; seconds of it, those of each place in `seconds`.
    double run() {
        const auto begin = Clock::now();
        auto last = begin;
        for (size_t place = 0; place < m_places.size(); ++place) {
            m_runner->runOne(callAt(place));
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
    /// Where the task's kernels run.
    [[nodiscard]] std::vector<size_t> placesOf(size_t task) const {
        std::vector<size_t> places;
        for (size_t place = 0; place < m_places.size(); ++place)
            if (m_places[place].task == task) places.push_back(place);
        return places;
    }
    /// The same, and what runs right after.
    [[nodiscard]] std::vector<size_t> placesTouched(size_t task) const {
        std::vector<size_t> places;
        for (const size_t place : placesOf(task))
            for (const size_t one : {place, place + 1})
                if (one < m_places.size() && (places.empty() || places.back() < one)) places.push_back(one);
        return places;
    }
    /// What the task's first kernel computes, after everything in front of it.
    std::vector<HostTensor> answers(size_t task) {
        const size_t end = placesOf(task).front();
        for (size_t place = 0; place <= end; ++place) m_runner->runOne(callAt(place));
        std::vector<HostTensor> outputs;
        const size_t call = callAt(end);
        for (size_t i = 0; i < m_plan.calls[call].outputs.size(); ++i) outputs.push_back(m_runner->callOutput(call, i));
        return outputs;
    }

  private:
    struct Place {
        size_t first = 0; // call of the first alternative
        size_t task = kNone;
    };
    [[nodiscard]] size_t callAt(size_t place) const {
        return m_places[place].first + (m_places[place].task == kNone ? 0 : chosen[m_places[place].task]);
    }
    ExecutionPlan m_plan;
    std::optional<PlanRunner> m_runner;
    std::vector<Place> m_places;
    std::vector<double> m_seconds; // of the last run
};

class ScheduleContest {
  public:
    ScheduleContest(ContestRuns &runs, const std::vector<KernelTask> &tasks,
                    const std::vector<TaskAlternatives> &alternatives, const ContestOptions &options)
        : m_runs(runs), m_tasks(tasks), m_alternatives(alternatives), m_options(options) {}

    /// Those whose answers are close to the first one's.
    void admit(std::vector<ContestTrial> &trials) {
        m_admitted.resize(m_tasks.size());
        for (size_t t = 0; t < m_tasks.size() && !stopped(); ++t) {
            m_admitted[t] = {0};
            if (m_alternatives[t].size() < 2) continue;
            const std::vector<HostTensor> right = m_runs.answers(t);
            const double terms = m_tasks[t].flops() / static_cast<double>(elementsOf(right));
            for (size_t a = 1; a < m_alternatives[t].size(); ++a) {
                m_runs.chosen[t] = a;
                const std::string wrong = differenceOf(right, m_runs.answers(t), terms);
                m_runs.chosen[t] = 0;
                if (wrong.empty())
                    m_admitted[t].push_back(a);
                else
                    trials[t].refusals.push_back(fmt::format("{}: {}", m_alternatives[t][a].schedule, wrong));
            }
        }
    }

    /// Whether anything changed.
    bool sweep(std::vector<ContestTrial> &trials) {
        bool changed = false;
        size_t done = 0;
        for (const size_t t : byShare()) {
            if (stopped()) return changed;
            if (m_options.progress) m_options.progress(done, m_tasks.size(), m_alternatives[t].front().name);
            ++done;
            if (m_admitted[t].size() < 2) continue;
            changed = choose(t, trials[t]) || changed;
        }
        return changed;
    }

    [[nodiscard]] bool stopped() const { return m_options.cancelled != nullptr && m_options.cancelled->load(); }

  private:
    static int64_t elementsOf(const std::vector<HostTensor> &outputs) {
        int64_t elements = 0;
        for (const HostTensor &output : outputs) elements += output.elements();
        return std::max<int64_t>(elements, 1);
    }

    /// What takes most first.
    std::vector<size_t> byShare() {
        m_runs.run();
        m_runs.run();
        std::vector<double> seconds;
        for (size_t t = 0; t < m_tasks.size(); ++t) seconds.push_back(m_runs.seconds(m_runs.placesOf(t)));
        std::vector<size_t> order(m_tasks.size());
        std::iota(order.begin(), order.end(), size_t{0});
        std::ranges::stable_sort(order, std::greater<>(), [&](size_t t) { return seconds[t]; });
        return order;
    }

    /// Adds seconds of so many rounds, in each of which every one of `which` has a run.
    void time(size_t t, const std::vector<size_t> &which, int rounds, std::vector<std::vector<double>> &samples) {
        const std::vector<size_t> places = m_runs.placesTouched(t);
        const size_t now = m_runs.chosen[t];
        for (int round = 0; round < rounds; ++round)
            for (size_t i = 0; i < which.size(); ++i) {
                const size_t a = which[(i + static_cast<size_t>(round)) % which.size()];
                m_runs.chosen[t] = a;
                m_runs.run();
                samples[a].push_back(m_runs.seconds(places));
            }
        m_runs.chosen[t] = now;
    }

    bool choose(size_t t, ContestTrial &trial) {
        const size_t now = m_runs.chosen[t];
        std::vector<std::vector<double>> samples(m_alternatives[t].size());
        std::vector<size_t> few = m_admitted[t];
        if (few.size() > m_options.few) {
            time(t, few, m_options.screening, samples);
            std::ranges::stable_sort(few, {}, [&](size_t a) { return a == now ? 0.0 : median(samples[a]); });
            few.resize(m_options.few);
        }
        time(t, few, m_options.rounds, samples);
        size_t best = now;
        for (const size_t a : few)
            if (median(samples[a]) < median(samples[best])) best = a;
        if (median(samples[best]) > m_options.worthIt * median(samples[now])) best = now;
        m_runs.chosen[t] = best;
        trial.chosen = m_alternatives[t][best].schedule;
        trial.seconds = median(samples[best]);
        if (!samples[0].empty()) trial.secondsBefore = median(samples[0]);
        return best != now;
    }

    ContestRuns &m_runs;
    const std::vector<KernelTask> &m_tasks;
    const std::vector<TaskAlternatives> &m_alternatives;
    const ContestOptions &m_options;
    std::vector<std::vector<size_t>> m_admitted;
};

} // namespace

std::string ContestTrial::text() const {
    const std::string what = fmt::format("{} ('{}'{})", kernel, nodes.empty() ? kernel : nodes.front(),
                                         kernels > 1 ? fmt::format(" and {} more", kernels - 1) : std::string());
    if (chosen == before) return fmt::format("{}: {} stays, of {}", what, before, alternatives);
    return fmt::format("{}: {} instead of {}, of {}: {:.4g} us with what follows, {:.4g} us before", what, chosen,
                       before, alternatives, seconds * 1e6, secondsBefore * 1e6);
}

Outcome<ContestResult> contestSchedules(const GraphFunction &function, const Partition &partition,
                                        const MemoryPlan &memory, const std::vector<KernelTask> &tasks,
                                        const Target &target, const std::vector<TaskAlternatives> &alternatives,
                                        const ContestOptions &options) {
    const Refusal cancelled{"choosing schedules inside the network was cancelled"};
    const auto machine = MachineUse::begin(MachineUse::Kind::Timing, options.cancelled);
    if (!machine) return cancelled;
    const CallerStays staysThere;
    ContestRuns runs(function, partition, memory, tasks, alternatives, target);
    runs.setInputs(seededInputs(function, InputKind::Uniform, options.seed));
    ContestResult result;
    for (size_t t = 0; t < tasks.size(); ++t) {
        ContestTrial trial;
        trial.kernel = alternatives[t].front().name;
        for (const NodeId node : partition.kernels[tasks[t].kernels.front()].nodes)
            trial.nodes.push_back(function.node(node).name);
        trial.kernels = tasks[t].kernels.size();
        trial.alternatives = alternatives[t].size();
        trial.before = trial.chosen = alternatives[t].front().schedule;
        result.trials.push_back(std::move(trial));
    }
    ScheduleContest contest(runs, tasks, alternatives, options);
    contest.admit(result.trials);
    for (int sweep = 0; sweep < options.sweeps; ++sweep)
        if (!contest.sweep(result.trials)) break;
    result.chosen = runs.chosen;
    const std::vector<size_t> first(tasks.size(), 0);
    std::vector<double> before;
    std::vector<double> after;
    for (int round = 0; round < 2 * options.rounds && !contest.stopped(); ++round)
        for (const bool chosen : {round % 2 == 0, round % 2 != 0}) {
            runs.chosen = chosen ? result.chosen : first;
            (chosen ? after : before).push_back(runs.run());
        }
    if (contest.stopped()) return cancelled;
    result.secondsBefore = median(before);
    result.seconds = median(after);
    if (result.seconds < result.secondsBefore) return result;
    result.chosen = first;
    result.seconds = result.secondsBefore;
    for (ContestTrial &trial : result.trials) trial.chosen = trial.before;
    return result;
}

} // namespace loopscope
