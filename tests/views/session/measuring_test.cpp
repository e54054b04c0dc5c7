// Where the window has candidates run: a GPU of this machine where there is one that runs the target's kernels, else
// the executor, and it says why.

#include <QTest>

#include "language/target/detected_gpu.h"
#include "test_program.h"
#include "views/session/measuring.h"
#include "views/session/session_json.h"

using namespace loopscope;

class MeasuringTest : public QObject {
    Q_OBJECT

  private slots:
    void cleanup() { setGpuDetector(nullptr); }

    void processorsAreTimedHere() {
        const Target target = parseTarget("llvm -num-cores=2");
        SearchSetup setup;
        QCOMPARE(whyUntimed(setup, target), QString());
        QCOMPARE(whereElseMeasured(setup, target), QString());
        QVERIFY(measureOptionsOf(setup, target, 0).runner == RunnerKind::Machine);
        // Slurm's commands are there or not.
        QVERIFY2(ways(target).startsWith(QStringLiteral("This machine\nBundles for another machine\n")) &&
                     ways(target).contains(QStringLiteral("Nodes of a cluster (Slurm)")),
                 qPrintable(ways(target)));
        setup.on = MeasureOn::Fleet;
        setup.nodes = QStringLiteral("nodes=3");
        QVERIFY(measuredOn(setup, target) == MeasureOn::Fleet);
        QVERIFY(measuredOn(setup, parseTarget("cuda -arch=sm_80")) != MeasureOn::Fleet);
        QVERIFY(measureOnOf(measureOnName(MeasureOn::Fleet)) == MeasureOn::Fleet);
        setup.on = MeasureOn::Executor; // chosen for a GPU before
        QVERIFY(measuredOn(setup, target) == MeasureOn::Here);
        QVERIFY(measureOptionsOf(setup, target, 0).runner == RunnerKind::Machine);
    }

    void aGpuThatIsThereIsUsed() {
        setGpuDetector([]() -> Outcome<DetectedGpu> { return DetectedGpu{"NVIDIA L4", "sm_89", {}, 0}; });
        const Target target = parseTarget("cuda -arch=sm_80");
        SearchSetup setup;
        QCOMPARE(whyUntimed(setup, target), QString());
        QCOMPARE(whereElseMeasured(setup, target), QString());
        QVERIFY(measureOptionsOf(setup, target, 0).runner == RunnerKind::Machine);
        QCOMPARE(
            ways(target),
            QStringLiteral("This GPU: NVIDIA L4\nExecutor: answers checked, no times\nBundles for another machine"));

        setup.on = MeasureOn::Executor;
        QVERIFY(measureOptionsOf(setup, target, 0).runner == RunnerKind::Executor);
        QCOMPARE(whyUntimed(setup, target),
                 QStringLiteral("the executor is chosen, which checks answers and times nothing; choose this machine's "
                                "GPU under \u201cMeasure on\u201d"));
        QCOMPARE(whereElseMeasured(setup, target),
                 QStringLiteral("Trials run on this processor: their answers are checked, races are found, nothing "
                                "is timed."));
    }

    void elseAnswersAreCheckedOnTheProcessor() {
        const Target target = parseTarget("cuda -arch=sm_90");
        const SearchSetup setup;
        setGpuDetector([]() -> Outcome<DetectedGpu> { return DetectedGpu{"NVIDIA L4", "sm_89", {}, 0}; });
        QCOMPARE(whyUntimed(setup, target),
                 QStringLiteral(
                     "kernels of this target are not timed here, as the GPU of this machine, NVIDIA L4, is sm_89 and "
                     "runs no kernels of sm_90; choose the target cuda -arch=sm_89; their answers are checked on "
                     "this processor"));
        setGpuDetector([]() -> Outcome<DetectedGpu> { return Refusal{"the CUDA driver finds no GPU"}; });
        QCOMPARE(whyUntimed(setup, target),
                 QStringLiteral("kernels of this target are not timed here, as the CUDA driver finds no GPU; "
                                "their answers are checked on this processor"));
        QCOMPARE(whereElseMeasured(setup, target),
                 QStringLiteral("Trials run on this processor: their answers are checked, races are found. "
                                "Nothing here times them: the CUDA driver finds no GPU."));
        QVERIFY(measuredOn(setup, target) == MeasureOn::Executor);
        QVERIFY(measureOptionsOf(setup, target, 0).runner == RunnerKind::Executor);
        QCOMPARE(ways(target), QStringLiteral("This GPU (the CUDA driver finds no GPU)\n"
                                              "Executor: answers checked, no times\nBundles for another machine"));
    }

    void anotherMachineTimesForASearchAlone() {
        const Target target = parseTarget("cuda -arch=sm_90");
        SearchSetup setup;
        setup.on = MeasureOn::Bundle;
        QVERIFY(measuredOn(setup, target) == MeasureOn::Bundle);
        QCOMPARE(whyUntimed(setup, target),
                 QStringLiteral("they are measured on another machine, which a search alone sends its trials to"));
    }

    void theSetupIsWrittenAndRead() {
        SearchSetup setup;
        for (const MeasureOn on : {MeasureOn::Here, MeasureOn::Executor, MeasureOn::Bundle}) {
            setup.on = on;
            setup.bundleFolder = QStringLiteral("/tmp/bundles of mine");
            const SearchSetup read = setupFromJson(setupToJson(setup));
            QVERIFY(read.on == on);
            QCOMPARE(read.bundleFolder, setup.bundleFolder);
        }
        QJsonObject json = setupToJson(setup);
        json[QStringLiteral("measure_on")] = QStringLiteral("a quantum computer");
        QVERIFY(setupFromJson(json).on == MeasureOn::Here);
        json.remove(QStringLiteral("measure_on")); // of a session file that is older
        json.remove(QStringLiteral("bundles"));
        QVERIFY(setupFromJson(json).on == MeasureOn::Here);
        QCOMPARE(setupFromJson(json).bundleFolder, QString());
    }

  private:
    static QString ways(const Target &target) {
        QStringList lines;
        for (const MeasuringWay &way : measuringWays(target))
            lines << (way.whyNot.isEmpty() ? way.name : QStringLiteral("%1 (%2)").arg(way.name, way.whyNot));
        return lines.join(u'\n');
    }
};

LOOPSCOPE_TEST(MeasuringTest)
#include "measuring_test.moc"
