#include "views/export_dialog/export_choice.h"

#include "views/session/text.h"

namespace loopscope {

namespace {

const TrialEntry *trialOf(const Document &document, int number) {
    return number >= 0 && static_cast<size_t>(number) < document.trials.size()
               ? &document.trials[static_cast<size_t>(number)]
               : nullptr;
}

/// As it was measured.
void takeTrial(ExportRequest &request, const TrialEntry &entry) {
    request.layoutRewrite = entry.layoutRewrite;
    if (entry.valid()) request.measured = entry.trial;
}

} // namespace

ExportChoice exportChoice(const Document *document, const ScheduleRef &ref) {
    ExportChoice choice;
    if (!document || !document->task) {
        choice.refusal =
            document && document->logTask
                ? QStringLiteral(
                      "The workload of this log is not known: without it there is no code. Open its .te file.")
                : QStringLiteral("There is no workload: open one, or correct its text.");
        return choice;
    }
    choice.schedule = QStringLiteral("%1 of %2").arg(scheduleName(ref), document->name);
    if (ref.kind != ScheduleRef::Kind::Naive &&
        (ref.number < 0 || static_cast<size_t>(ref.number) >= document->count(ref.kind))) {
        choice.refusal = QStringLiteral("There is no %1 any more.").arg(scheduleName(ref));
        return choice;
    }
    ExportRequest request{*document->task, {}, 0, {}, {}, {}};
    switch (ref.kind) {
    case ScheduleRef::Kind::Naive:
        break;
    case ScheduleRef::Kind::Sketch: {
        const LoopState &state = document->sketches[static_cast<size_t>(ref.number)].state;
        if (!state.concrete()) {
            choice.refusal =
                QStringLiteral(
                    "The %1 is no schedule yet: lengths of its tiles are open. Choose a trial, or fill them in first.")
                    .arg(scheduleName(ref));
            return choice;
        }
        request.steps = state.steps();
        break;
    }
    case ScheduleRef::Kind::Trial: {
        const TrialEntry *entry = trialOf(*document, ref.number);
        request.steps = entry->trial.steps.unpack();
        takeTrial(request, *entry);
        break;
    }
    case ScheduleRef::Kind::Edited: {
        const EditNode &node = document->edited[static_cast<size_t>(ref.number)];
        const LoopState &state = node.steps.state();
        if (!state.concrete()) {
            choice.refusal =
                QStringLiteral("The %1 is not finished: lengths of its tiles are open. Fill them in first.")
                    .arg(scheduleName(ref));
            return choice;
        }
        request.steps = state.steps();
        if (const TrialEntry *entry = trialOf(*document, node.measured.trial)) takeTrial(request, *entry);
        break;
    }
    }
    request.task.layoutRewrite = static_cast<LayoutRewrite>(request.layoutRewrite);
    choice.request = std::move(request);
    return choice;
}

} // namespace loopscope
