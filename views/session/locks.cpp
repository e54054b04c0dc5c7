#include "views/session/locks.h"

#include "schedule/locks/lock_pattern.h"
#include "views/session/text.h"

#include <algorithm>
#include <utility>

namespace loopscope {

Locks::Locks(DocumentStore &store, Selection &selection, EditedSchedules &edits)
    : m_store(store), m_selection(selection), m_edits(edits) {}

const ScheduleLocks &Locks::now() const {
    static const ScheduleLocks none;
    const TaskState *state = std::as_const(m_store).current();
    return state != nullptr ? state->locks : none;
}

std::optional<Steps> Locks::stepsShown() const {
    const auto steps = m_edits.stepsOf(m_selection.now().schedule);
    return steps ? std::optional(steps->state().steps()) : std::nullopt;
}

QString Locks::toggle(const QString &pattern) {
    TaskState *state = m_store.current();
    const auto steps = stepsShown();
    if (state == nullptr || !steps) return tr("There is no schedule to lock anything of: open a workload first.");
    ReadLocks read = readLocks(std8(pattern), state->task->dag, *steps);
    if (read.problem)
        return tr("Nothing is locked: at column %1, %2.").arg(read.problem->column).arg(qt(read.problem->reason));
    const bool all = std::all_of(read.locks.begin(), read.locks.end(),
                                 [&](const ScheduleLock &lock) { return state->locks.contains(lock); });
    for (ScheduleLock &lock : read.locks) {
        if (all)
            state->locks.remove(lock);
        else
            state->locks.add(std::move(lock));
    }
    const auto made = replay(state->task->dag, *steps);
    if (!all && made && made->concrete()) state->lockedFrom = *steps; // a sketch is no schedule to search around
    Q_EMIT changed();
    return {};
}

bool Locks::locked(const QString &pattern) const {
    const TaskState *state = std::as_const(m_store).current();
    const auto steps = stepsShown();
    if (state == nullptr || !steps) return false;
    const ReadLocks read = readLocks(std8(pattern), state->task->dag, *steps);
    return !read.problem && std::all_of(read.locks.begin(), read.locks.end(),
                                        [&](const ScheduleLock &lock) { return state->locks.contains(lock); });
}

void Locks::replace(const ScheduleLocks &locks, const Steps &from) {
    TaskState *state = m_store.current();
    if (state == nullptr) return;
    state->locks = locks;
    state->lockedFrom = from;
    Q_EMIT changed();
}

void Locks::remove(const ScheduleLock &lock) {
    TaskState *state = m_store.current();
    if (state == nullptr || !state->locks.contains(lock)) return;
    state->locks.remove(lock);
    Q_EMIT changed();
}

void Locks::clear() {
    TaskState *state = m_store.current();
    if (state == nullptr || state->locks.empty()) return;
    state->locks = {};
    Q_EMIT changed();
}

QStringList Locks::patterns() const {
    QStringList list;
    const TaskState *state = std::as_const(m_store).current();
    const auto steps = stepsShown();
    if (state == nullptr || !steps) return list;
    for (const std::string &pattern : lockPatterns(state->task->dag, *steps)) list << qt(pattern);
    return list;
}

} // namespace loopscope
