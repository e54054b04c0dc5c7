#include "views/steps/step_text.h"

#include "schedule/script/schedule_script.h"
#include "schedule/step_fields.h"
#include "schedule/steps_json.h"
#include "views/session/step_names.h"
#include "views/session/text.h"

#include <algorithm>
#include <string>
#include <utility>

namespace loopscope {

namespace {

const QString kListed = QStringLiteral(", ");

QString nameText(const EditedSteps::Name &name, const char *kind, int number) {
    if (name.occurrence < 0) return QStringLiteral("%1 %2").arg(QLatin1String(kind)).arg(number);
    return name.occurrence == 0 ? qt(name.text) : QStringLiteral("%1~%2").arg(qt(name.text)).arg(name.occurrence + 1);
}

QString numbersText(const std::vector<int64_t> &numbers) {
    QStringList list;
    for (const int64_t number : numbers) list << (number == kUnfilled ? QStringLiteral("?") : QString::number(number));
    return list.join(kListed);
}

/// What a refused step says besides names.
QString parametersText(const Step &step) {
    return std::visit(StepVisitor{
                          [](const AnnotateStep &) { return QString(); },
                          [](const FuseStep &) { return QString(); },
                          [](const PragmaStep &s) { return qt(s.text); },
                          [](const ReorderStep &) { return QString(); },
                          [](const SplitStep &s) { return QStringLiteral("into ") + numbersText(s.lengths); },
                          [](const FollowSplitStep &s) {
                              return QStringLiteral("like s%1 parts %2").arg(s.source.value).arg(s.parts);
                          },
                          [](const FollowFusedSplitStep &s) { return QStringLiteral("level %1").arg(s.level); },
                          [](const StorageAlignStep &s) { return QStringLiteral("%1 %2").arg(s.factor).arg(s.offset); },
                          [](const ComputeAtStep &) { return QString(); },
                          [](const ComputeInlineStep &) { return QString(); },
                          [](const ComputeRootStep &) { return QString(); },
                          [](const CacheReadStep &s) { return qt(s.scope); },
                          [](const CacheWriteStep &s) { return qt(s.scope); },
                          [](const RfactorStep &s) { return QStringLiteral("at %1").arg(s.factorIter); },
                      },
                      step);
}

/// "parallel C i.0", although there is no i.0.
QString meantText(const EditedSteps &steps, size_t at) {
    const Step &step = steps.step(at);
    const EditedSteps::Meaning meaning = steps.meaning(at);
    QStringList loops;
    for (const EditedSteps::Name &loop : meaning.loops) loops << nameText(loop, "loop", -1);
    QStringList stages;
    for (const EditedSteps::Name &stage : meaning.stages) stages << nameText(stage, "stage", stageOf(step).value);
    QStringList parts{qt(primitiveOf(step)), stages.join(u' '), loops.join(kListed), parametersText(step)};
    parts.removeAll(QString());
    return parts.join(u' ');
}

/// Numbers in the list of the steps that apply in front of it.
std::vector<StepId> appliedSteps(const EditedSteps &steps, size_t at) {
    std::vector<StepId> applied;
    for (size_t i = 0; i < at; ++i)
        if (!steps.refused(i)) applied.emplace_back(i);
    return applied;
}

QString refusalIn(const LoopState &before, const Refused &refused) {
    if (!refused) return {};
    QString text = qt(refused->sentence());
    // Other sentences say it themselves; these speak of what an edit took away.
    if (refused->rule != ScheduleRule::StageNamedIsThere && refused->rule != ScheduleRule::LoopNamedIsThere &&
        refused->rule != ScheduleRule::FollowedStepIsThere)
        return text;
    QStringList legal;
    for (const std::string &one : legalTexts(before, *refused)) legal << qt(one);
    return legal.isEmpty() ? text : QStringLiteral("%1; there are %2").arg(text, legal.join(kListed));
}

StepText textIn(const LoopState &before, const EditedSteps &steps, size_t at) {
    StepText text;
    text.array = qt(stepText(steps.step(at)));
    if (steps.refused(at)) {
        text.script = meantText(steps, at);
        text.words = text.script;
        text.problem = refusalIn(before, steps.refused(at));
    } else {
        text.script = qt(scriptLine(before, steps.step(at)));
        text.words = nameStep(StepNames(&before), steps.step(at)).sentence;
    }
    return text;
}

} // namespace

Step asApplied(const EditedSteps &steps, Step inList) {
    visitSources(inList, [&](StepId &source) {
        if (source.value >= 0 && source.index() < steps.size()) source = StepId(steps.appliedBefore(source.index()));
    });
    return inList;
}

Step asListed(const EditedSteps &steps, size_t at, Step applied) {
    const std::vector<StepId> numbers = appliedSteps(steps, at);
    visitSources(applied, [&](StepId &source) {
        if (source.value >= 0 && source.index() < numbers.size()) source = numbers[source.index()];
    });
    return applied;
}

QString refusalText(const EditedSteps &steps, size_t at) {
    return steps.refused(at) ? refusalIn(steps.before(at), steps.refused(at)) : QString();
}

StepText stepTextOf(const EditedSteps &steps, size_t at) { return textIn(steps.before(at), steps, at); }

std::vector<StepText> stepTexts(const EditedSteps &steps) {
    std::vector<StepText> texts;
    texts.reserve(steps.size());
    LoopState state = steps.before(0);
    for (size_t i = 0; i < steps.size(); ++i) {
        texts.push_back(textIn(state, steps, i));
        state = steps.after(i, std::move(state));
    }
    return texts;
}

TypedStep readStep(const EditedSteps &steps, size_t at, const QString &line) {
    TypedStep typed;
    if (line.trimmed().isEmpty()) {
        typed.problem = QStringLiteral("Type a line of a script: split C i into 8");
        return typed;
    }
    const LoopState state = steps.before(at);
    const std::vector<StepId> numbers = appliedSteps(steps, at);
    const ScriptLabels labels = [&](StepId applied) {
        return numberedLabel(applied.index() < numbers.size() ? numbers[applied.index()] : applied);
    };
    std::string script;
    LoopState front = steps.before(0);
    for (size_t i = 0; i < numbers.size(); ++i) {
        script += labels(StepId(i)) + ": " + scriptLine(front, state.steps()[i], labels) + "\n";
        front = steps.after(numbers[i].index(), std::move(front));
    }
    script += std8(line);
    const AppliedScript applied = applyScript(state.originalDag(), script);
    if (applied.problem) {
        typed.problem = asSentence(qt(applied.problem->reason));
        for (const std::string &legal : applied.problem->legal) typed.legal << qt(legal);
    } else if (applied.state.steps().size() != numbers.size() + 1) {
        typed.problem = QStringLiteral("This is no step"); // a comment
    } else {
        typed.step = asListed(steps, at, applied.state.steps().back());
    }
    return typed;
}

} // namespace loopscope
