#include "views/main_window/mutate_commands.h"

#include "search/moves/complete_schedule.h"
#include "search/moves/mutate_schedule.h"
#include "views/main_window/add_command.h"
#include "views/session/text.h"

#include <memory>
#include <optional>
#include <utility>

namespace loopscope {

namespace {

struct RuleName {
    const char *rule;
    const char *text;
    const char *tip;
};
constexpr RuleName kRules[] = {
    {"", QT_TR_NOOP("Mutate"), QT_TR_NOOP("One change as the search makes them, by a rule that applies")},
    {"tile-size", QT_TR_NOOP("Mutate tile sizes"), QT_TR_NOOP("Moves a factor between two loops of a split")},
    {"compute-location", QT_TR_NOOP("Mutate a place"), QT_TR_NOOP("Computes a stage in another loop, or on its own")},
    {"auto-unroll", QT_TR_NOOP("Mutate unrolling"), QT_TR_NOOP("Gives a stage another limit of unrolling")},
    {"vectorize", QT_TR_NOOP("Mutate vectors"), QT_TR_NOOP("Makes an innermost loop vectors, or serial again")},
    {"parallel", QT_TR_NOOP("Mutate the parallel loop"), QT_TR_NOOP("Fuses more or fewer loops into a parallel one")},
    {"crossover", QT_TR_NOOP("Cross with the best trial"),
     QT_TR_NOOP("Takes the lengths of some splits from the fastest trial of the same sketch")},
};

/// In words, for the tree of edits: the rule, and the line that is there now.
QString didOf(const ChangedSchedule &changed) {
    for (const StepPair &pair : changed.lines)
        if (!pair.same)
            return QStringLiteral("%1: %2").arg(qt(changed.rule), qt(pair.b >= 0 ? pair.lineB : pair.lineA));
    return qt(changed.rule);
}

/// Of a schedule that is there, without replaying it.
Steps stepsOf(const TaskState &state, const ScheduleRef &ref) {
    const auto number = static_cast<size_t>(ref.number);
    switch (ref.kind) {
    case ScheduleRef::Kind::Naive:
        break;
    case ScheduleRef::Kind::Sketch:
        return state.sketches[number].state.steps();
    case ScheduleRef::Kind::Trial:
        return state.trials[number].trial.steps.unpack();
    case ScheduleRef::Kind::Edited:
        return state.edited[number].steps.state().steps();
    }
    return {};
}

/// Limits and locks of the task.
SearchOptions optionsOf(const Document &document) {
    SearchOptions options = document.setup.options;
    if (!document.locks.empty()) options.locks = std::make_shared<const ScheduleLocks>(document.locks);
    return options;
}

} // namespace

MutateCommands::MutateCommands(const WindowParts &parts, QObject *parent) : QObject(parent), m_parts(parts) {
    const QString edit = tr("Edit");
    for (const RuleName &name : kRules) {
        const std::string rule = name.rule;
        QString id = QStringLiteral("edit.mutate");
        if (!rule.empty()) id += QLatin1Char('_') + qt(rule).replace(QLatin1Char('-'), QLatin1Char('_'));
        m_changes.push_back(
            addCommand(m_parts, id, edit, tr(name.text), "", {}, tr(name.tip), [this, rule] { mutate(rule); }));
        if (!rule.empty()) m_rules.emplace_back(rule, m_changes.back());
    }
    m_changes.push_back(addCommand(m_parts, QStringLiteral("edit.complete"), edit, tr("Complete the schedule"), "", {},
                                   tr("Decides what is open (lengths, parallel loops, vectors, unrolling) as the "
                                      "search does"),
                                   [this] { complete(); }));
    m_inject = addCommand(m_parts, QStringLiteral("edit.put_in"), tr("Search"), tr("Inject into the running search"),
                          "", {}, tr("The schedule shown is measured next, and bred from"), [this] { inject(); });
    Session &session = m_parts.context.session;
    connect(&session.search(), &SearchRunner::searchChanged, this, &MutateCommands::follow);
    connect(&session.documents(), &Documents::documentChanged, this, &MutateCommands::follow);
    connect(&session.selection(), &Selection::changed, this, &MutateCommands::tellWhatLacks);
    follow();
}

void MutateCommands::mutate(const std::string &rule) {
    Session &session = m_parts.context.session;
    const Document *document = session.document();
    const ScheduleRef from = session.selection().now().schedule;
    const auto steps = session.edits().stepsOf(from);
    if (document == nullptr || !document->task || !steps) return;
    const QString kind = QStringLiteral("mutate");
    MutationRequest request;
    request.rule = rule;
    request.seed = m_seed++;
    request.options = optionsOf(*document);
    if (rule == "crossover" && document->best < 0)
        return session.messages().warn(tr("Nothing is crossed: there is no trial to cross with yet."), {}, kind);
    if (rule == "crossover") request.other = document->trials[static_cast<size_t>(document->best)].trial.steps.unpack();
    const auto changed = mutateSchedule(*document->task, steps->state().steps(), request);
    if (!changed) return session.messages().warn(asSentence(qt(changed.why())), {}, kind);
    session.messages().succeeded(kind);
    session.edits().edit(from, EditedSteps(document->task->dag, changed->steps), didOf(*changed));
}

void MutateCommands::complete() {
    Session &session = m_parts.context.session;
    const Document *document = session.document();
    const ScheduleRef from = session.selection().now().schedule;
    const auto steps = session.edits().stepsOf(from);
    if (document == nullptr || !document->task || !steps) return;
    const QString kind = QStringLiteral("complete");
    const auto changed = completeSchedule(*document->task, steps->state().steps(), m_seed++, optionsOf(*document));
    if (!changed) return session.messages().warn(asSentence(qt(changed.why())), {}, kind);
    session.messages().succeeded(kind);
    session.edits().edit(from, EditedSteps(document->task->dag, changed->steps), tr("completed"));
}

void MutateCommands::inject() {
    Session &session = m_parts.context.session;
    const ScheduleRef from = session.selection().now().schedule;
    const auto steps = session.edits().stepsOf(from);
    if (!steps) return;
    const QString kind = QStringLiteral("inject");
    const QString why = session.search().addSchedule(steps->state().steps(), scheduleName(from));
    if (!why.isEmpty()) return session.messages().warn(why, {}, kind);
    session.messages().succeeded(kind);
}

void MutateCommands::follow() {
    const Session &session = m_parts.context.session;
    const bool there = session.document() != nullptr && session.document()->task != nullptr;
    for (QAction *action : m_changes) action->setEnabled(there);
    const TaskState *searched = session.search().task();
    const bool mine = there && searched != nullptr && searched->taskId == session.document()->taskId;
    m_inject->setEnabled(mine);
    m_inject->setToolTip(mine ? m_parts.context.actions.info(m_inject).tip
                              : tr("No search of this workload is running."));
    tellWhatLacks();
}

void MutateCommands::tellWhatLacks() {
    Session &session = m_parts.context.session;
    const bool there = session.document() != nullptr && session.document()->task != nullptr;
    const ScheduleRef shown = session.selection().now().schedule;
    const bool some = there && session.document()->has(shown);
    const Steps steps = some ? stepsOf(*session.document(), shown) : Steps();
    for (const auto &[rule, action] : m_rules) {
        const auto lacks = some ? whatMutationLacks(rule, steps) : std::nullopt;
        const QString tip = m_parts.context.actions.info(action).tip;
        action->setToolTip(lacks ? tr("%1. It finds nothing to change here: %2.").arg(tip, qt(*lacks)) : tip);
    }
}

} // namespace loopscope
