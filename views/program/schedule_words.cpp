#include "views/program/schedule_words.h"

#include "views/session/text.h"

namespace loopscope {

QString scheduleWords(const Document &document, const ScheduleRef &ref, const RepresentationsPtr &representations) {
    QStringList parts{scheduleName(document, ref)};
    const bool refused = representations && representations->ref == ref && !representations->refusal.isEmpty();
    switch (ref.kind) {
    case ScheduleRef::Kind::Naive:
        if (document.naiveSeconds > 0) {
            parts << timeText(document.naiveSeconds);
            if (document.flops() > 0) parts << gflopsText(document.flops() / document.naiveSeconds * 1e-9);
        }
        break;
    case ScheduleRef::Kind::Sketch:
        parts << (refused && representations->state && !representations->state->concrete()
                      ? QObject::tr("open lengths: choose a trial to see code")
                      : QObject::tr("no trial chosen"));
        return parts.join(QStringLiteral(" \u00b7 "));
    case ScheduleRef::Kind::Edited:
        if (document.has(ref)) {
            const EditMeasurement &measured = document.edited[static_cast<size_t>(ref.number)].measured;
            parts << (!measured.failure.isEmpty()  ? QObject::tr("measuring it failed")
                      : measured.words().isEmpty() ? QObject::tr("never measured")
                                                   : measured.words());
        }
        break;
    case ScheduleRef::Kind::Trial: {
        const TrialEntry &entry = document.trials[static_cast<size_t>(ref.number)];
        if (document.best == ref.number) parts[0] += QObject::tr(" (best)");
        if (entry.valid()) {
            parts << entry.timeWords();
            if (entry.gflops > 0) parts << gflopsText(entry.gflops);
        } else {
            parts << QObject::tr("failed: %1").arg(qt(trialErrorName(entry.trial.error)));
        }
        break;
    }
    }
    if (refused) parts << QObject::tr("no code");
    return parts.join(QStringLiteral(" \u00b7 "));
}

QString whyNoSchedule(const Document *document, const ScheduleRef &ref) {
    if (document == nullptr) return QObject::tr("Open a workload to see its code.");
    if (document->logTask && document->problem)
        return QObject::tr("There is no code to show: %1.").arg(document->problem->sentence);
    if (!document->task) {
        if (document->analysing) return QObject::tr("Reading the workload \u2026");
        return QObject::tr(
            "The workload cannot be read yet. Repair what is underlined in Computation to see its code.");
    }
    if (!document->has(ref))
        return QObject::tr("There is no %1 any more. Choose a trial or a sketch to see its code.")
            .arg(scheduleName(ref));
    return {};
}

} // namespace loopscope
