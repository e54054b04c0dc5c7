#include "views/session/baseline.h"

#include "views/session/standing.h"
#include "views/session/text.h"

namespace loopscope {

namespace {

using Kind = ScheduleRef::Kind;

/// The trial that a schedule made by hand became; else the schedule itself.
ScheduleRef measuredAs(const TaskState &state, const ScheduleRef &ref) {
    if (ref.kind != Kind::Edited || !state.has(ref)) return ref;
    const int trial = state.edited[static_cast<size_t>(ref.number)].measured.trial;
    return trial >= 0 ? ScheduleRef{Kind::Trial, trial} : ref;
}

ScheduleRef baselineOf(const TaskState &state) { return {Kind::Trial, state.baseline}; }

} // namespace

double firstSeconds(const TaskState &state, const ScheduleRef &ref) {
    const ScheduleRef measured = measuredAs(state, ref);
    if (measured.kind == Kind::Naive) // its first time is not kept beside that of a comparison
        return state.naiveComparison < 0 && state.naiveSeconds > 0 ? state.naiveSeconds : 0;
    if (measured.kind != Kind::Trial || !state.has(measured)) return 0;
    const TrialEntry &entry = state.trials[static_cast<size_t>(measured.number)];
    return entry.valid() && !entry.untimed() ? entry.trial.cost() : 0;
}

std::optional<TimeChange> timeChange(const TaskState &state, const ScheduleRef &ref, const ScheduleRef &other) {
    const ScheduleRef one = measuredAs(state, ref);
    const ScheduleRef two = measuredAs(state, other);
    TimeChange told;
    told.together = comparedTogether(state, one, two);
    told.seconds = told.together ? comparedTime(state, one)->seconds : firstSeconds(state, one);
    told.against = told.together ? comparedTime(state, two)->seconds : firstSeconds(state, two);
    if (told.seconds <= 0 || told.against <= 0) return std::nullopt;
    told.change = told.seconds / told.against - 1;
    return told;
}

std::optional<TimeChange> againstBaseline(const TaskState &state, const ScheduleRef &ref) {
    if (state.baseline < 0) return std::nullopt;
    return timeChange(state, ref, baselineOf(state));
}

QString againstBaselineText(const TaskState &state, const ScheduleRef &ref) {
    const auto told = againstBaseline(state, ref);
    if (!told) return {};
    if (ref == baselineOf(state)) return QStringLiteral("the baseline");
    return QStringLiteral("%1 against trial %2").arg(deltaText(told->change)).arg(state.baseline + 1);
}

QString againstBaselineTip(const TaskState &state, const ScheduleRef &ref) {
    const auto told = againstBaseline(state, ref);
    if (!told) return {};
    const QString times = QStringLiteral("Against trial %1, the baseline: %2 to %3")
                              .arg(state.baseline + 1)
                              .arg(timeText(told->seconds), timeText(told->against));
    return times + (told->together ? QStringLiteral(", timed in turn")
                                   : QStringLiteral(", as first measured, at different moments"));
}

} // namespace loopscope
