#include "views/session/task_trials.h"

#include "views/session/standing.h"

#include <iterator>

namespace loopscope {

namespace {

/// With the room it has: what is cleared keeps that.
template <typename T> void release(std::vector<T> &values) { std::vector<T>().swap(values); }

} // namespace

void TaskTrials::share(std::vector<TrialEntry> &entries) {
    for (TrialEntry &entry : entries) {
        entry.trial.steps = m_skeletons.keep(entry.trial.steps);
        entry.mutation = *m_texts.insert(entry.mutation);
        entry.logPath = *m_texts.insert(entry.logPath);
    }
}

void TaskTrials::add(TaskState &state, std::vector<TrialEntry> entries) {
    if (entries.empty()) return;
    const int first = static_cast<int>(state.trials.size());
    // Doubling would leave as much room unused as thousands of trials take.
    const size_t needed = state.trials.size() + entries.size();
    if (needed > state.trials.capacity()) state.trials.reserve(needed + needed / 16);
    share(entries);
    state.trials.insert(state.trials.end(), std::make_move_iterator(entries.begin()),
                        std::make_move_iterator(entries.end()));
    if (m_documents.isShown(state)) Q_EMIT trialsAdded(first, static_cast<int>(state.trials.size()) - first);
}

void TaskTrials::drop(TaskState &state) {
    Q_EMIT aboutToDrop(state.taskId);
    // While they are still there: who follows the selection may draw what it is about.
    if (m_documents.isShown(state) && m_selection.now().schedule.kind == ScheduleRef::Kind::Trial) m_selection.reset();
    release(state.trials);
    release(state.rounds);
    m_skeletons.forgetUnused();
    state.best = -1;
    state.baseline = -1;
    state.logPath.clear();
    state.naiveSeconds = -1;
    state.naiveCompared = {};
    state.naiveComparison = state.winner = -1;
    state.comparisons = state.decided = 0;
    state.search = {};
    state.skippedLogLines = 0;
    if (!m_documents.isShown(state)) return;
    Q_EMIT trialsReset();
    Q_EMIT roundsChanged();
    Q_EMIT bestChanged(-1);
    Q_EMIT baselineChanged();
}

void TaskTrials::updateBest(TaskState &state) { setBest(state, bestTrial(state)); }

void TaskTrials::updateBest(TaskState &state, int first) { setBest(state, betterTrial(state, state.best, first)); }

void TaskTrials::setBest(TaskState &state, int best) {
    if (best == state.best) return;
    state.best = best;
    if (m_documents.isShown(state)) Q_EMIT bestChanged(best);
}

void TaskTrials::tellChanged(const TaskState &state, const std::vector<int> &trials) {
    if (m_documents.isShown(state)) Q_EMIT trialsChanged(trials);
}

void TaskTrials::tellRounds(const TaskState &state) {
    if (m_documents.isShown(state)) Q_EMIT roundsChanged();
}

void TaskTrials::tellReset(const TaskState &state) {
    if (!m_documents.isShown(state)) return;
    Q_EMIT trialsReset();
    Q_EMIT roundsChanged();
}

TrialEntry *TaskTrials::entry(int trial) {
    Document *shown = m_documents.current();
    if (!shown || trial < 0 || static_cast<size_t>(trial) >= shown->trials.size()) return nullptr;
    return &shown->trials[static_cast<size_t>(trial)];
}

void TaskTrials::setPinned(int trial, bool pinned) {
    TrialEntry *changed = entry(trial);
    if (!changed) return;
    changed->pinned = pinned;
    Q_EMIT trialsChanged({trial});
}

void TaskTrials::setBaseline(int trial) {
    if (Document *shown = m_documents.current()) setBaseline(*shown, trial);
}

void TaskTrials::setBaseline(TaskState &state, int trial) {
    const bool timed = trial >= 0 && static_cast<size_t>(trial) < state.trials.size() &&
                       state.trials[static_cast<size_t>(trial)].valid() &&
                       !state.trials[static_cast<size_t>(trial)].untimed();
    const int baseline = timed ? trial : -1;
    if (state.baseline == baseline) return;
    state.baseline = baseline;
    if (m_documents.isShown(state)) Q_EMIT baselineChanged();
}

void TaskTrials::setNote(int trial, const QString &note) {
    TrialEntry *changed = entry(trial);
    if (!changed) return;
    changed->later.change().note = note;
    Q_EMIT trialsChanged({trial});
}

} // namespace loopscope
