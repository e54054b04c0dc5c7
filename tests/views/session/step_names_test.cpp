// Steps of a schedule by name: kinds, the names they have at their moment, and what is left when one is refused.

#include "harness/sample_dags.h"
#include "test_program.h"
#include "views/session/step_names.h"

#include <QTest>

using namespace loopscope;

class StepNamesTest : public QObject {
    Q_OBJECT

    const StageId m_c{2};
    const Steps m_steps = {SplitStep{m_c, IterId(0), 512, {4, 8}},
                           ReorderStep{m_c, {IterId(0), IterId(3), IterId(1), IterId(2), IterId(4)}},
                           FuseStep{m_c, {IterId(0), IterId(1)}}, AnnotateStep{m_c, IterId(0), Annotation::Parallel}};

  private slots:
    void sentences() {
        const NamedSteps named = nameSteps(matmulDag(), m_steps);
        QVERIFY2(named.refusal.isEmpty(), qPrintable(named.refusal));
        QStringList lines;
        for (const NamedStep &step : named.steps) lines << step.tag + u'|' + step.iterator + u'|' + step.sentence;
        const QStringList expected = {QStringLiteral("SP|i|split C.i into 16 \u00d7 4 \u00d7 8"),
                                      QStringLiteral("RE||reorder C: i.0, j, i.1, i.2, k"),
                                      QStringLiteral("FU|i.0, j|fuse C: i.0, j"),
                                      QStringLiteral("AN|i.0@j@|parallel C.i.0@j@")};
        QCOMPARE(lines, expected);
    }

    void statesAroundEveryStep() {
        std::vector<size_t> before, after;
        const auto reached = replayNamed(matmulDag(), m_steps, [&](const AppliedStep &applied) {
            before.push_back(applied.before->stage(m_c).iters.size());
            after.push_back(applied.after->stage(m_c).iters.size());
        });
        QCOMPARE(before, (std::vector<size_t>{3, 5, 5, 4}));
        QCOMPARE(after, (std::vector<size_t>{5, 5, 4, 4}));
        QVERIFY(reached && reached->steps().size() == m_steps.size());
    }

    void aRefusedStepLeavesNumbers() {
        Steps steps = m_steps;
        steps.insert(steps.begin() + 1, SplitStep{m_c, IterId(9), 512, {4}});
        const NamedSteps named = nameSteps(matmulDag(), steps);
        QVERIFY(!named.refusal.isEmpty());
        QCOMPARE(named.steps[1].sentence, QStringLiteral("split C.loop 9 into 128 \u00d7 4")); // the stage is there
        QCOMPARE(named.steps[3].sentence, QStringLiteral("fuse stage 2: loop 0, loop 1"));
        int known = 0;
        const auto reached =
            replayNamed(matmulDag(), steps, [&](const AppliedStep &applied) { known += applied.before != nullptr; });
        QCOMPARE(known, 2);
        QVERIFY(reached && reached->steps().size() == 1);
        QVERIFY(!replayNamed(nullptr, steps, [](const AppliedStep &applied) { QVERIFY(!applied.before); }));
    }

    void kinds() {
        QCOMPARE(stepKind(ComputeInlineStep{m_c}), QStringLiteral("inline"));
        QCOMPARE(stepKind(m_steps[0]), QStringLiteral("split"));
        QCOMPARE(stepKind(m_steps[3]), QStringLiteral("annotate"));
    }
};

LOOPSCOPE_TEST(StepNamesTest)
#include "step_names_test.moc"
