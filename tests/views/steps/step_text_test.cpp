// Steps of an edited list in words, as script lines and as arrays; lines that are typed; what can stand in place of a
// step's numbers.

#include "language/te/workload.h"
#include "test_program.h"
#include "views/steps/loops_beside.h"
#include "views/steps/step_choices.h"
#include "views/steps/step_text.h"

#include <QtTest>

namespace loopscope {

namespace {

const char *const kText = "workload mm(M = 12, N = 8, K = 16)\n"
                          "A = placeholder [M, K] float32\n"
                          "B = placeholder [K, N] float32\n"
                          "C(i < M, j < N) = sum(k < K; A[i, k] * B[k, j])\n"
                          "D(i < M, j < N) = max(C[i, j], 0)\n";
const StageId kC{2};
const StageId kD{3};

DagPtr dag() { return ComputeDag::fromWorkload(parseWorkload(kText, "mm.te")); }

Target target() { return parseTarget("llvm"); }

QStringList labels(const std::vector<StepChoice> &choices) {
    QStringList all;
    for (const StepChoice &choice : choices) all << (choice.chosen ? u'[' + choice.label + u']' : choice.label);
    return all;
}

/// "i.1: 1 [4] | 5" a line: title, what is offered, what costs a guard.
QStringList lines(const std::vector<ChoiceGroup> &groups) {
    QStringList all;
    for (const ChoiceGroup &group : groups)
        all << QStringLiteral("%1: %2%3")
                   .arg(group.title, labels(group.choices).join(u' '),
                        group.guarded.empty() ? QString() : QStringLiteral(" | ") + labels(group.guarded).join(u' '));
    return all;
}

} // namespace

class StepTextTest : public QObject {
    Q_OBJECT

  private slots:
    void everyStepInThreeWays() {
        const EditedSteps steps(dag(),
                                {SplitStep{kC, IterId(0), 12, {4}}, AnnotateStep{kC, IterId(0), Annotation::Parallel}});
        const std::vector<StepText> texts = stepTexts(steps);
        QCOMPARE(texts.size(), size_t{2});
        QCOMPARE(texts[0].words, QStringLiteral("split C.i into 3 \u00d7 4"));
        QCOMPARE(texts[0].script, QStringLiteral("split C i into 4"));
        QCOMPARE(texts[0].array, QStringLiteral("[\"SP\", 2, 0, 12, [4], 1]"));
        QVERIFY(texts[0].problem.isEmpty());
        QCOMPARE(texts[1].script, QStringLiteral("parallel C i.0"));
    }

    /// It says what it means, not what its number stands for now.
    void aRefusedStepKeepsItsNames() {
        EditedSteps steps(dag(), {SplitStep{kC, IterId(0), 12, {4}}, AnnotateStep{kC, IterId(1), Annotation::Unroll},
                                  FollowSplitStep{kD, IterId(0), StepId(0), 1}});
        steps.erase(0);
        const std::vector<StepText> texts = stepTexts(steps);
        QCOMPARE(texts[0].script, QStringLiteral("unroll C i.1"));
        QVERIFY2(texts[0].problem.contains(QStringLiteral("i.1")) &&
                     texts[0].problem.contains(QStringLiteral("i, j, k")),
                 qPrintable(texts[0].problem)); // the reason, and what would be legal
        QVERIFY(texts[1].script.startsWith(QLatin1String("follow_split D i")));
        QVERIFY(!texts[1].problem.isEmpty());
    }

    void typedLinesAreReadWhereTheyStand() {
        EditedSteps steps(dag(), {SplitStep{kC, IterId(0), 12, {4}}, SplitStep{kC, IterId(1), 4, {2}}});
        const TypedStep first = readStep(steps, 1, QStringLiteral("unroll C i.1"));
        QVERIFY(first.step && *first.step == Step(AnnotateStep{kC, IterId(1), Annotation::Unroll}));
        const TypedStep behind = readStep(steps, 2, QStringLiteral("unroll C i.1.1"));
        QVERIFY2(behind.step.has_value(), qPrintable(behind.problem));
        const TypedStep none = readStep(steps, 2, QStringLiteral("unroll C x"));
        QVERIFY(!none.step && !none.problem.isEmpty());
        QVERIFY2(none.legal.contains(QStringLiteral("j")), qPrintable(none.legal.join(u' ')));
        QVERIFY(!readStep(steps, 0, QStringLiteral("splot C i into 4")).step);
        QVERIFY(!readStep(steps, 0, {}).step);
        QVERIFY(!readStep(steps, 0, QStringLiteral("# nothing")).step);
    }

    /// Labels count the list, states what applies of it.
    void followedStepsCountTheList() {
        EditedSteps steps(dag(), {AnnotateStep{kC, IterId(7), Annotation::Unroll}, SplitStep{kC, IterId(0), 12, {4}}});
        QVERIFY(steps.refused(0).has_value());
        const TypedStep typed = readStep(steps, 2, QStringLiteral("follow_split D i like s1 parts 1"));
        QVERIFY2(typed.step.has_value(), qPrintable(typed.problem));
        QCOMPARE(std::get<FollowSplitStep>(*typed.step).source, StepId(1));
        QCOMPARE(std::get<FollowSplitStep>(asApplied(steps, *typed.step)).source, StepId(0));
        steps.insert(2, *typed.step);
        QVERIFY(!steps.refused(2).has_value());
        QCOMPARE(stepTexts(steps)[2].script, QStringLiteral("follow_split D i like s1 parts 1"));
    }

    void lengthsOfASplit() {
        const EditedSteps steps(dag(), {SplitStep{kC, IterId(0), 12, {2, 3}}});
        const QStringList groups = lines(stepChoices(steps, 0, target()));
        // 12 over the other length: divisors of 4 beside a 3, of 6 beside a 2; the rest needs a guard.
        QCOMPARE(groups, (QStringList{QStringLiteral("i.1: 1 [2] 4"), QStringLiteral("i.2: 1 2 [3] 6")}));
    }

    void everyChoiceApplies() {
        const EditedSteps steps(dag(),
                                {SplitStep{kC, IterId(0), 12, {5}}, AnnotateStep{kC, IterId(1), Annotation::Unroll},
                                 PragmaStep{kC, IterId(0), "auto_unroll_max_step$16"},
                                 SplitStep{kD, IterId(0), 12, {4}}, ComputeAtStep{kC, kD, IterId(0)}});
        const auto groups = [&](size_t at) { return stepChoices(steps, at, target()); };
        QCOMPARE(lines(groups(0)), QStringList{QStringLiteral("i.1: 1 2 3 4 6 12 | [5] 7")});
        QCOMPARE(lines(groups(1)), QStringList{QStringLiteral("i.1 is: parallel vectorized [unrolled] serial")});
        QCOMPARE(lines(groups(2)), QStringList{QStringLiteral("unroll up to: 0 8 [16] 32 64 128 256 512 1024")});
        QVERIFY2(lines(groups(4)).first().startsWith(QLatin1String("inside a loop of D: [i.0]")),
                 qPrintable(lines(groups(4)).join(u'\n')));
        int chosen = 0;
        for (size_t at = 0; at < steps.size(); ++at)
            for (const ChoiceGroup &group : groups(at))
                for (const auto &list : {group.choices, group.guarded})
                    for (const StepChoice &choice : list) {
                        EditedSteps changed = steps;
                        changed.change(at, choice.step);
                        QVERIFY2(!changed.refused(at), qPrintable(group.title + u' ' + choice.label));
                        chosen += choice.chosen ? 1 : 0;
                    }
        QCOMPARE(chosen, 5); // each group has the one there is
        const EditedSteps factored(dag(), {SplitStep{kC, IterId(2), 16, {4}}, RfactorStep{kC, IterId(2), 2}});
        QCOMPARE(lines(stepChoices(factored, 1, target())), QStringList{QStringLiteral("new axis at: 0 1 [2]")});
    }

    void whatDiffersIsMarked() {
        const EditedSteps steps(dag(), {SplitStep{kC, IterId(0), 12, {4}}});
        const BesideTrees trees = makeBeside(steps.before(0), steps.before(1), target());
        const auto texts = [](const LoopTree &tree, const std::vector<int> &rows) {
            QStringList all;
            for (const int row : rows) all << tree.row(row).iterator;
            return all;
        };
        QVERIFY(texts(*trees.before, trees.changedBefore).contains(QStringLiteral("i")));
        QVERIFY(texts(*trees.after, trees.changedAfter).contains(QStringLiteral("i.0")));
        QVERIFY(texts(*trees.after, trees.changedAfter).contains(QStringLiteral("i.1")));
        for (const int row : trees.changedAfter)
            QCOMPARE(trees.after->row(row).stage, QStringLiteral("C")); // D is as it was
    }
};

LOOPSCOPE_TEST(StepTextTest)
} // namespace loopscope

#include "step_text_test.moc"
