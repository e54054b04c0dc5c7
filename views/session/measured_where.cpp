#include "views/session/measured_where.h"

#include "language/target/detected_gpu.h"
#include "language/target/target_identity.h"
#include "measure/timing/machine_peaks.h"
#include "views/session/text.h"

#include <QObject>

namespace loopscope {

namespace {

using Kind = ScheduleRef::Kind;

QString here(const TaskState &state) {
    static const QString processor = qt(processorModel());
    QString name = processor;
    if (state.task && state.task->target.isGpu()) {
        const Outcome<DetectedGpu> gpu = gpuThatRuns(state.task->target);
        name = gpu ? qt(gpu->name) : QString();
    }
    return name.isEmpty() ? QObject::tr("measured here") : QObject::tr("measured here: %1").arg(name);
}

QString whereOf(const TaskState &state, const TrialEntry &entry) {
    if (!entry.valid()) return {};
    if (!entry.later->machine.isEmpty()) return QObject::tr("on %1").arg(entry.later->machine);
    if (entry.untimed()) return entry.fromLog ? QString() : QObject::tr("by the executor on this processor");
    if (!entry.fromLog || !entry.later->again.empty() || !state.task) return here(state);
    return QObject::tr("as logged for %1").arg(qt(identityOf(state.task->target).text()));
}

const TrialEntry *trialAt(const TaskState &state, int number) {
    return state.has({Kind::Trial, number}) ? &state.trials[static_cast<size_t>(number)] : nullptr;
}

/// The naive schedule is timed together with trials, and where they are.
const TrialEntry *timedWithNaive(const TaskState &state) {
    for (const TrialEntry &entry : state.trials)
        if (state.naiveComparison >= 0 && entry.later->comparison == state.naiveComparison) return &entry;
    return nullptr;
}

} // namespace

std::optional<double> timedSeconds(const TaskState &state, const ScheduleRef &ref) {
    double seconds = 0;
    if (ref.kind == Kind::Naive) {
        seconds = state.naiveSeconds;
    } else if (ref.kind == Kind::Edited && state.has(ref)) {
        seconds = state.edited[static_cast<size_t>(ref.number)].measured.seconds;
    } else if (ref.kind == Kind::Trial) {
        const TrialEntry *entry = trialAt(state, ref.number);
        if (entry != nullptr && entry->valid() && !entry->untimed()) seconds = entry->seconds();
    }
    return seconds > 0 ? std::optional(seconds) : std::nullopt;
}

QString measuredWhere(const TaskState &state, const ScheduleRef &ref) {
    const TrialEntry *entry = nullptr;
    if (ref.kind == Kind::Trial) entry = trialAt(state, ref.number);
    if (ref.kind == Kind::Naive) entry = timedWithNaive(state);
    if (ref.kind == Kind::Edited && state.has(ref))
        entry = trialAt(state, state.edited[static_cast<size_t>(ref.number)].measured.trial);
    if (entry != nullptr) return whereOf(state, *entry);
    return ref.kind != Kind::Trial && timedSeconds(state, ref) ? here(state) : QString();
}

} // namespace loopscope
