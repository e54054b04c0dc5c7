// One pool of workers for several tasks: each is built, checked and timed as if the pool were its own, whatever
// happened to the workers in between.

#include <QTest>

#include "base/isolate/killed_outside.h"
#include "base/outcome.h"
#include "harness/sample_dags.h"
#include "measure/worker_pool.h"
#include "process_watch.h"
#include "quick_measuring.h"
#include "test_program.h"

#include <csignal>
#include <unistd.h>

using namespace loopscope;

namespace {

MeasureOptions quick(const std::string &fault = {}) {
    MeasureOptions options = quickMeasuring();
    options.fault = fault;
    return options;
}

/// Of the sum of a matmul over 8.
Steps sumOf8() { return {SplitStep{StageId(2), IterId(2), 8, {4}, true}}; }

std::vector<Trial> measure(Measurer &measurer, const std::vector<Steps> &candidates) {
    std::vector<Trial> trials;
    measurer.measure(candidates, [&](size_t, const Trial &trial) { trials.push_back(trial); });
    return trials;
}

} // namespace

class WorkerPoolTest : public QObject {
    Q_OBJECT

  private slots:
    void tasksTakeTurnsOnTheSameWorkers() {
        const auto pool = std::make_shared<WorkerPool>(quick());
        const auto matmul = makePoolMeasurer(pool, taskOf(matmulDag(24, 16, 8)));
        const auto other = makePoolMeasurer(pool, taskOf(matmulDag(20, 12, 40)));
        const auto row = makePoolMeasurer(pool, taskOf(elementwiseDag(8, 100)));
        QVERIFY(measure(*matmul, {{}, sumOf8()})[1].valid());
        const std::vector<pid_t> workers = descendants(::getpid());
        QCOMPARE(workers.size(), size_t{3}); // two that build, one that runs
        for (int turn = 0; turn < 2; ++turn) {
            for (Measurer *measurer : {other.get(), row.get(), matmul.get()}) {
                const std::vector<Trial> trials = measure(*measurer, {{}, {}, {}});
                QCOMPARE(trials.size(), size_t{3});
                for (const Trial &trial : trials) QVERIFY2(trial.valid(), trial.reason.c_str());
            }
        }
        QVERIFY(descendants(::getpid()) == workers);
        // Each is measured as its own task: there is such a loop in the matmuls alone.
        QCOMPARE(measure(*row, {sumOf8()})[0].error, TrialError::Instantiation);
        QVERIFY(measure(*matmul, {sumOf8()})[0].valid());
        for (const TurnSamples &turns : matmul->measureInterleaved({{}, sumOf8()}, 3))
            QCOMPARE(turns.seconds.size(), size_t{3});
    }

    /// A worker that takes the place of another knows the tasks again when it needs them.
    void aReplacedWorkerKnowsEveryTask_data() {
        QTest::addColumn<QString>("fault");
        QTest::addColumn<int>("error");
        QTest::newRow("of those that build")
            << "0:build-crash,1:build-crash" << static_cast<int>(TrialError::CompileHost);
        QTest::newRow("the kernel's process") << "0:crash,1:crash" << static_cast<int>(TrialError::RuntimeDevice);
    }
    void aReplacedWorkerKnowsEveryTask() {
        QFETCH(QString, fault);
        QFETCH(int, error);
        const auto pool = std::make_shared<WorkerPool>(quick(fault.toStdString()));
        const auto first = makePoolMeasurer(pool, taskOf(matmulDag(24, 16, 8)));
        const auto second = makePoolMeasurer(pool, taskOf(elementwiseDag(8, 100)));
        for (int turn = 0; turn < 2; ++turn) {
            for (Measurer *measurer : {first.get(), second.get()}) {
                const std::vector<Trial> trials = measure(*measurer, {{}, {}, {}});
                QCOMPARE(trials.size(), size_t{3});
                QCOMPARE(static_cast<int>(trials[0].error), error);
                QCOMPARE(static_cast<int>(trials[1].error), error);
                QVERIFY2(trials[2].valid(), trials[2].reason.c_str());
            }
        }
    }

    void workersThatDiedBetweenTurnsAreReplaced() {
        const auto pool = std::make_shared<WorkerPool>(quick());
        const auto first = makePoolMeasurer(pool, taskOf(matmulDag(24, 16, 8)));
        QVERIFY(measure(*first, {{}})[0].valid());
        const std::vector<pid_t> workers = descendants(::getpid());
        for (const pid_t pid : workers) ::kill(pid, SIGKILL);
        QVERIFY(allGone(workers, 20));
        const auto second = makePoolMeasurer(pool, taskOf(elementwiseDag(8, 100)));
        // Where the system does not tell whether it wanted their memory, the runner's death costs the trial that finds
        // it dead.
        const Trial found = measure(*second, {{}})[0];
        if (memoryKills()) QVERIFY2(found.valid(), found.reason.c_str());
        for (Measurer *measurer : {second.get(), first.get()}) {
            const Trial trial = measure(*measurer, {{}})[0];
            QVERIFY2(trial.valid(), trial.reason.c_str());
        }
    }

    /// Whom somebody else ends at work has another try; if that never helps, nothing is said of the candidate.
    void whoIsKilledIsTriedAgain_data() {
        QTest::addColumn<int>("signal");
        QTest::newRow("terminated") << SIGTERM;
        if (memoryKills()) QTest::newRow("killed") << SIGKILL;
    }
    void whoIsKilledIsTriedAgain() {
        QFETCH(int, signal);
        const auto pool = std::make_shared<WorkerPool>(quick());
        const auto measurer = makePoolMeasurer(pool, taskOf(matmulDag(24, 16, 8)));
        QVERIFY(measure(*measurer, {{}})[0].valid());
        const auto measured = [&](TrialStage stage, int times) {
            std::vector<Trial> trials;
            MeasureWatch watch;
            watch.onStage = [&](size_t, TrialStage reached) {
                if (reached != stage || times-- <= 0) return;
                for (const pid_t pid : descendants(::getpid())) ::kill(pid, signal);
            };
            measurer->measure({{}}, [&](size_t, const Trial &trial) { trials.push_back(trial); }, watch);
            return trials.at(0);
        };
        for (const TrialStage stage : {TrialStage::Building, TrialStage::Running}) {
            const Trial once = measured(stage, 1);
            QVERIFY2(once.valid(), once.reason.c_str());
        }
        const Trial never = measured(TrialStage::Building, 100);
        QCOMPARE(never.error, TrialError::Unknown);
        QVERIFY2(never.reason.ends_with("from outside in each of 3 tries, which says nothing of the candidate"),
                 never.reason.c_str());
        const Trial after = measure(*measurer, {{}})[0];
        QVERIFY2(after.valid(), after.reason.c_str());
    }

    void thePoolEndsWithItsLastMeasurer() {
        auto pool = std::make_shared<WorkerPool>(quick());
        auto first = makePoolMeasurer(pool, taskOf(matmulDag(24, 16, 8)));
        auto second = makePoolMeasurer(pool, taskOf(elementwiseDag(8, 100)));
        pool.reset();
        first.reset();
        QVERIFY(measure(*second, {{}})[0].valid());
        const size_t open = openDescriptors();
        const std::vector<pid_t> workers = descendants(::getpid());
        second.reset();
        QVERIFY(allGone(workers, 20));
        QVERIFY(openDescriptors() < open);
    }
};

LOOPSCOPE_TEST(WorkerPoolTest)
#include "worker_pool_test.moc"
