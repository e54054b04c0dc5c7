#include "views/compare/side_texts.h"

#include "measure/compare/aligned_steps.h"
#include "measure/disassembly.h"
#include "search/explain/loops_at_line.h"
#include "search/explain/schedule_facts.h"
#include "views/session/step_names.h"
#include "views/session/text.h"

#include <string>

namespace loopscope {

namespace {

constexpr size_t kFeaturesTold = 12;

/// Steps as lines; those of one kind on one loop belong together, whatever their factors are.
SideText namedSteps(const DagPtr &dag, const ComparedSide &of) {
    SideText side;
    const NamedSteps named = nameSteps(dag, of.forms->steps);
    for (const NamedStep &step : named.steps) {
        side.text += QStringLiteral("%1  %2\n").arg(step.tag, -4).arg(step.sentence).toStdString();
        side.keys.push_back(std8(step.tag + QLatin1Char('\t') + step.stage + QLatin1Char('\t') + step.iterator));
        side.numbers.push_back(of.rowOf(static_cast<int>(side.numbers.size())));
    }
    return side;
}

SideText alignedSteps(const std::vector<StepPair> &pairs, const ComparedSide &of, AlignedText::Side side) {
    SideText text;
    for (size_t i = 0; i < pairs.size(); ++i) {
        const StepPair &pair = pairs[i];
        const int step = side == AlignedText::Left ? pair.a : pair.b;
        if (step < 0) continue;
        std::string key("p");
        key += std::to_string(i);
        if (pair.followed) text.text.append(key).append(": ");
        text.text.append(side == AlignedText::Left ? pair.lineA : pair.lineB).append("\n");
        text.keys.push_back(std::move(key));
        text.numbers.push_back(of.rowOf(step));
    }
    return text;
}

void add(SideText &side, const ScheduleFacts &facts) {
    for (const ScheduleFact &fact : facts) {
        side.text.append(fact.text).append("\n");
        side.keys.push_back(fact.key);
    }
}

/// A line for each of what it asks the GPU for; those of kernels of one name belong together.
void addKernel(SideText &side, const KernelFacts &kernel) {
    const KernelLimits &limits = kernel.limits;
    const std::string &name = limits.kernel;
    const auto put = [&](const char *key, const QString &text) {
        add(side, {{name + " " + key, name + ": " + std8(text)}});
    };
    put("grid", QObject::tr("%1 blocks of %2 threads").arg(extentsText(limits.grid), extentsText(limits.block)));
    put("shared", QObject::tr("%1 of shared memory in a block").arg(bytesText(limits.sharedBytes)));
    if (limits.resources) put("registers", resourcesText(*limits.resources));
    put("occupancy", QObject::tr("occupancy %1").arg(occupancyText(limits.occupancy)));
}

void addCode(SideText &side, const ComparedSide &of) {
    if (!of.disassembly) {
        add(side, {{"code problem", "No machine code: " + std8(of.disassemblyProblem)}});
        return;
    }
    if (of.gpuCode) {
        for (const KernelFacts &kernel : of.gpuCode->kernels) addKernel(side, kernel);
        if (!of.gpuCode->figuresProblem.isEmpty())
            add(side, {{"registers", "Registers are not known: " + std8(of.gpuCode->figuresProblem)}});
        return;
    }
    const Disassembly &code = *of.disassembly;
    std::string loop;
    if (code.hotProblem.empty() && of.forms->program)
        loop = loopName(*of.forms->program, LoopsAtLine(*of.forms->program).running(code.hot.programLine));
    add(side, codeFacts(code.hot, code.hotProblem, code.summary, loop));
}

/// Without what its model makes of it.
ScheduleExplanation unscored(ScheduleExplanation explained) {
    explained.predicted = false;
    for (ExplainedLoop &loop : explained.loops) loop.contribution = 0;
    return explained;
}

} // namespace

SideTexts alignedStepTexts(const DagPtr &dag, const ComparedSide &left, const ComparedSide &right) {
    const auto pairs = alignSteps(dag, left.forms->steps, right.forms->steps);
    if (!pairs) return {namedSteps(dag, left), namedSteps(dag, right)};
    return {alignedSteps(*pairs, left, AlignedText::Left), alignedSteps(*pairs, right, AlignedText::Right)};
}

SideTexts factTexts(const ComparedSide &left, const ComparedSide &right, bool acrossTasks) {
    SideTexts texts;
    add(texts.first, left.told);
    add(texts.second, right.told);
    addCode(texts.first, left);
    addCode(texts.second, right);
    const auto explained = [](const ComparedSide &of) { return of.explained->problem.isEmpty(); };
    const auto told = [acrossTasks](const ComparedSide &of) {
        return acrossTasks ? unscored(of.explained->schedule) : of.explained->schedule;
    };
    if (explained(left) && explained(right)) {
        const auto [a, b] = featureFacts(told(left), told(right), kFeaturesTold);
        add(texts.first, a);
        add(texts.second, b);
    }
    const auto loops = [&](SideText &side, const ComparedSide &of) {
        if (explained(of))
            add(side, loopFacts(told(of)));
        else
            add(side, {{"loops", "No features: " + std8(of.explained->problem)}});
    };
    loops(texts.first, left);
    loops(texts.second, right);
    return texts;
}

} // namespace loopscope
