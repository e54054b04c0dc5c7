#include "views/session/standing.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace loopscope {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kConfirmed = 0.05;   // a first time within this of the interval was no promise too much
constexpr double kSteady = 0.05;      // an interval no wider than this share of the time: the trial is stable after all
constexpr double kBehindStable = 1e6; // a time that the machine's other work may have decided comes after all others

bool existing(const TaskState &state, int trial) {
    return trial >= 0 && static_cast<size_t>(trial) < state.trials.size();
}

const TrialEntry *validEntry(const TaskState &state, int trial) {
    if (!existing(state, trial)) return nullptr;
    const TrialEntry &entry = state.trials[static_cast<size_t>(trial)];
    return entry.valid() ? &entry : nullptr;
}

int comparisonOf(const TaskState &state, const ScheduleRef &ref) {
    if (ref.kind == ScheduleRef::Kind::Naive) return state.naiveCompared.known() ? state.naiveComparison : -1;
    if (ref.kind != ScheduleRef::Kind::Trial) return -1;
    const TrialEntry *entry = validEntry(state, ref.number);
    return entry != nullptr && entry->later->compared.known() ? entry->later->comparison : -1;
}

} // namespace

std::vector<int> takeComparison(TaskState &state, const std::vector<ComparedTime> &entries, bool decides) {
    const int number = state.comparisons++;
    std::vector<int> changed;
    int winner = -1;
    double winnerSeconds = kNever;
    int link = -1; // took part in an earlier one, too: what was compared then stands to it as it stood
    for (const ComparedTime &entry : entries) {
        if (entry.trial < 0 && entry.time.known()) {
            state.naiveSeconds = entry.time.seconds;
            state.naiveCompared = entry.time;
            state.naiveComparison = number;
        }
        if (validEntry(state, entry.trial) == nullptr || !entry.time.known()) continue;
        TrialEntry &trial = state.trials[static_cast<size_t>(entry.trial)];
        LaterFacts &later = trial.later.change();
        later.compared = entry.time;
        later.comparison = number;
        if (entry.time.high - entry.time.low <= kSteady * entry.time.seconds) trial.trial.unstable = false;
        if (state.flops() > 0) trial.gflops = state.flops() / trial.seconds() * 1e-9;
        changed.push_back(entry.trial);
        if (later.relative > 0 && (link < 0 || entry.trial == state.winner)) link = entry.trial;
        if (entry.time.seconds >= winnerSeconds) continue;
        winner = entry.trial;
        winnerSeconds = entry.time.seconds;
    }
    if (!decides || winner < 0) return changed;
    double shift = 0; // nothing is known of the others any more
    if (link >= 0) {
        const LaterFacts &linked = *state.trials[static_cast<size_t>(link)].later;
        shift = linked.compared.seconds / winnerSeconds / linked.relative;
    }
    for (TrialEntry &trial : state.trials) {
        const LaterFacts &later = *trial.later;
        if (later.comparison == number)
            trial.later.change().relative = later.compared.seconds / winnerSeconds;
        else if (later.relative > 0)
            trial.later.change().relative = shift > 0 ? std::max(1.0, later.relative * shift) : 0;
    }
    state.winner = winner;
    state.decided = static_cast<int>(state.trials.size());
    return changed;
}

double standing(const TaskState &state, int trial) {
    const TrialEntry *entry = validEntry(state, trial);
    if (entry == nullptr) return kNever;
    const TrialEntry *winner = validEntry(state, state.winner);
    const double behind = entry->trial.unstable ? kBehindStable : 0;
    if (winner == nullptr) return entry->seconds() + behind;
    if (trial == state.winner) return 1;
    if (entry->later->relative > 0) return entry->later->relative;
    const double relative = entry->trial.cost() / winner->trial.cost(); // both first times
    return (trial < state.decided ? std::max(relative, 1.0) : relative) + behind;
}

int bestTrial(const TaskState &state) {
    return betterTrial(state, validEntry(state, state.winner) != nullptr ? state.winner : -1, 0);
}

int betterTrial(const TaskState &state, int best, int first) {
    double least = standing(state, best);
    for (int trial = first; static_cast<size_t>(trial) < state.trials.size(); ++trial) {
        const double here = standing(state, trial);
        if (here >= least) continue;
        best = trial;
        least = here;
    }
    return best;
}

int rankedFirst(const TaskState &state) {
    if (state.setup.options.randomModel) return -1;
    int first = -1;
    for (int trial = 0; existing(state, trial); ++trial) {
        const TrialEntry &entry = state.trials[static_cast<size_t>(trial)];
        if (entry.valid() && !entry.untimed()) return -1;
        if (!entry.untimed() || !std::isfinite(entry.predicted)) continue;
        if (first < 0 || entry.predicted > state.trials[static_cast<size_t>(first)].predicted) first = trial;
    }
    return first;
}

bool unconfirmed(const TaskState &state, int trial) {
    const TrialEntry *entry = validEntry(state, trial);
    if (entry == nullptr) return false;
    if (const TimeInterval &compared = entry->later->compared; compared.known())
        return entry->trial.cost() * (1 + kConfirmed) < compared.low;
    const TrialEntry *winner = validEntry(state, state.winner);
    return winner != nullptr && trial < state.decided && entry->seconds() < winner->seconds();
}

std::optional<TimeInterval> comparedTime(const TaskState &state, const ScheduleRef &ref) {
    if (comparisonOf(state, ref) < 0) return std::nullopt;
    return ref.kind == ScheduleRef::Kind::Naive ? state.naiveCompared
                                                : state.trials[static_cast<size_t>(ref.number)].later->compared;
}

bool comparedTogether(const TaskState &state, const ScheduleRef &a, const ScheduleRef &b) {
    const int comparison = comparisonOf(state, a);
    return comparison >= 0 && comparison == comparisonOf(state, b);
}

std::vector<int> comparedWith(const TaskState &state, int trial) {
    std::vector<int> trials;
    const int comparison = comparisonOf(state, {ScheduleRef::Kind::Trial, trial});
    for (int other = 0; comparison >= 0 && static_cast<size_t>(other) < state.trials.size(); ++other)
        if (comparisonOf(state, {ScheduleRef::Kind::Trial, other}) == comparison) trials.push_back(other);
    return trials;
}

std::optional<double> speedUp(const TaskState &state) {
    const ScheduleRef best{ScheduleRef::Kind::Trial, state.best};
    if (!comparedTogether(state, {}, best)) return std::nullopt;
    return state.naiveCompared.seconds / comparedTime(state, best)->seconds;
}

} // namespace loopscope
