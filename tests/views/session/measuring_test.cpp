// Where the window has candidates run: a GPU of this machine where there is one that runs the target's kernels, else
// the executor, and it says why.

#include <QTest>

#include "target/detected_gpu.h"
#include "views/session/measuring.h"

using namespace loopscope;

class MeasuringTest : public QObject {
    Q_OBJECT

  private slots:
    void cleanup() { setGpuDetector(nullptr); }

    void processorsAreTimedHere() {
        const Target target = parseTarget("llvm -num-cores=2");
        QCOMPARE(whyUntimed(target), QString());
        QCOMPARE(whereMeasured(target), QStringLiteral("this machine"));
        QVERIFY(measureOptionsOf({}, target).runner == RunnerKind::Machine);
    }

    void aGpuThatIsThereIsUsed() {
        setGpuDetector([]() -> Outcome<DetectedGpu> { return DetectedGpu{"NVIDIA L4", "sm_89", {}, 0}; });
        const Target target = parseTarget("cuda -arch=sm_80");
        QCOMPARE(whyUntimed(target), QString());
        QCOMPARE(whereMeasured(target), QStringLiteral("the GPU of this machine, NVIDIA L4"));
        QVERIFY(measureOptionsOf({}, target).runner == RunnerKind::Machine);
    }

    void elseAnswersAreCheckedOnTheProcessor() {
        const Target target = parseTarget("cuda -arch=sm_90");
        setGpuDetector([]() -> Outcome<DetectedGpu> { return DetectedGpu{"NVIDIA L4", "sm_89", {}, 0}; });
        QCOMPARE(
            whyUntimed(target),
            QStringLiteral("kernels of this target are not timed here, as the GPU of this machine, NVIDIA L4, is sm_89 "
                           "and runs no "
                           "kernels of sm_90; choose the target cuda -arch=sm_89; their answers are checked on this "
                           "processor"));
        setGpuDetector([]() -> Outcome<DetectedGpu> { return Refusal{"the CUDA driver finds no GPU"}; });
        QCOMPARE(whyUntimed(target),
                 QStringLiteral("kernels of this target are not timed here, as the CUDA driver finds no GPU; their "
                                "answers are checked on this processor"));
        QCOMPARE(whereMeasured(target), QStringLiteral("this processor, answers checked, nothing timed"));
        QVERIFY(measureOptionsOf({}, target).runner == RunnerKind::Executor);
    }
};

QTEST_GUILESS_MAIN(MeasuringTest)
#include "measuring_test.moc"
