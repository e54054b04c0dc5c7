// Good candidates through real workers: built, checked, timed, compared, cancelled.

#include <QTest>

#include "base/outcome.h"
#include "harness/sample_dags.h"
#include "measure/timing/machine_use.h"
#include "process_watch.h"
#include "quick_measuring.h"
#include "test_program.h"

#include <ctime>
#include <optional>
#include <thread>
#include <unistd.h>

using namespace loopscope;

namespace measurer_test {

namespace {

MeasureOptions quickOptions() {
    MeasureOptions options = quickMeasuring();
    options.sampling.maxTimingSeconds = 0.05;
    options.buildTimeout = options.runTimeout = 120; // two threads that wait for each other on a busy machine
    return options;
}

/// i split by `length`, the outer part moved nowhere: still row by row.
Steps splitRows(int64_t extent, int64_t length) { return {SplitStep{StageId(2), IterId(0), extent, {length}, true}}; }

Steps parallelRows() { return {AnnotateStep{StageId(2), IterId(0), Annotation::Parallel}}; }

/// i and k exchanged, j vectorised.
Steps vectorColumns() {
    return {ReorderStep{StageId(2), {IterId(0), IterId(2), IterId(1)}},
            AnnotateStep{StageId(2), IterId(2), Annotation::Vectorize}};
}

std::vector<Trial> measureAll(Measurer &measurer, const std::vector<Steps> &candidates) {
    std::vector<Trial> trials;
    measurer.measure(candidates, [&](size_t index, const Trial &trial) {
        QCOMPARE(index, trials.size());
        trials.push_back(trial);
    });
    return trials;
}

} // namespace

class MeasurerTest : public QObject {
    Q_OBJECT

  private slots:
    void goodCandidatesAreVerifiedAndTimed() {
        const auto before = static_cast<int64_t>(std::time(nullptr));
        const auto measurer = makeWorkerMeasurer(taskOf(matmulDag(64, 48, 33)), quickOptions());
        const std::vector<Trial> trials =
            measureAll(*measurer, {{}, splitRows(64, 4), parallelRows(), vectorColumns()});
        QCOMPARE(trials.size(), size_t{4});
        for (const Trial &trial : trials) {
            QVERIFY2(trial.valid(), trial.reason.c_str());
            QVERIFY(trial.seconds.size() >= 2);
            QVERIFY(trial.median() > 1e-9 && trial.median() < 10);
            QVERIFY(trial.maxError >= 0 && trial.maxError <= 1);
            QVERIFY(trial.buildSeconds > 0 && trial.runSeconds > 0);
            QVERIFY(trial.timestamp >= before);
        }
        QCOMPARE(trials[1].steps.size(), size_t{1});
    }

    void refusedStepsCostOneTrial() {
        const auto measurer = makeWorkerMeasurer(taskOf(matmulDag(16, 16, 16)), quickOptions());
        const Steps refused = {SplitStep{StageId(2), IterId(9), 16, {4}, true}};
        const std::vector<Trial> trials = measureAll(*measurer, {{}, refused, splitRows(16, 2)});
        QCOMPARE(trials.size(), size_t{3});
        QVERIFY(trials[0].valid());
        QCOMPARE(trials[1].error, TrialError::Instantiation);
        QVERIFY2(!trials[1].reason.empty() && trials[1].seconds.empty(), trials[1].reason.c_str());
        QVERIFY(trials[2].valid());
    }

    void aReferenceThatTakesTooLongIsRefused() {
        MeasureOptions options = quickOptions();
        options.referenceTimeout = 0.2;
        const auto measurer = makeWorkerMeasurer(taskOf(matmulDag(2048, 2048, 2048)), options);
        for (int time = 0; time < 2; ++time) { // nor does asking again wait for ever
            try {
                measurer->prepare();
                QFAIL("a reference of seconds within 0.2 s");
            } catch (const ReferenceTimeout &timeout) {
                QCOMPARE(timeout.sentence(),
                         std::string("the reference answer, which every kernel is checked against, was not computed "
                                     "within its limit of 0.2 s; allow more time, or choose smaller extents"));
            }
        }
    }

    /// It would be computed beside what is timed, and be there before its time has begun to count.
    void theReferenceWaitsForItsTurn() {
        std::optional<MachineUse> timing = MachineUse::begin(MachineUse::Kind::Timing);
        QVERIFY(timing);
        MeasureOptions options = quickOptions();
        options.referenceTimeout = 0.2;
        const auto measurer = makeWorkerMeasurer(taskOf(matmulDag(2048, 2048, 2048)), options);
        const size_t processes = descendants(::getpid()).size();
        std::atomic<bool> refused = false;
        std::atomic<bool> ended = false;
        std::thread preparing([&] {
            try {
                measurer->prepare();
            } catch (const ReferenceTimeout &) {
                refused = true;
            }
            ended = true;
        });
        for (int look = 0; look < 50 && !ended; ++look) {
            if (descendants(::getpid()).size() > processes) break;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        const bool waited = !ended && descendants(::getpid()).size() == processes;
        timing.reset();
        preparing.join();
        QVERIFY(waited);
        QVERIFY(refused);
    }

    void aReferenceGoesOnAfterACancel() {
        // Far longer than the moment in which a wait looks for a cancel, on any machine.
        const auto measurer = makeWorkerMeasurer(taskOf(matmulDag(1024, 1024, 512)), quickOptions());
        std::atomic<bool> cancel = true;
        QVERIFY(!measurer->prepare(&cancel));
        cancel = false;
        QVERIFY(measurer->prepare(&cancel));
        QVERIFY(measurer->prepare());
        const std::vector<Trial> trials = measureAll(*measurer, {parallelRows()});
        QVERIFY2(trials.size() == 1 && trials[0].valid(), trials[0].reason.c_str());
    }

    void moreCandidatesThanAChunk() {
        const auto measurer = makeWorkerMeasurer(taskOf(matmulDag(32, 16, 16)), quickOptions());
        const std::vector<Trial> trials = measureAll(*measurer, std::vector<Steps>(37, splitRows(32, 8)));
        QCOMPARE(trials.size(), size_t{37});
        for (const Trial &trial : trials) QVERIFY2(trial.valid(), trial.reason.c_str());
    }

    void severalOpsAndOutputs() {
        for (const DagPtr &dag :
             {softmaxDag(8, 30), argmaxDag(4, 25), conv2dBiasReluNchwDag(1, 5, 5, 8, 4), rowMinDag()}) {
            const auto measurer = makeWorkerMeasurer(taskOf(dag), quickOptions());
            const std::vector<Trial> trials = measureAll(*measurer, {{}});
            QCOMPARE(trials.size(), size_t{1});
            QVERIFY2(trials[0].valid(), trials[0].reason.c_str());
        }
    }

    void interleavedRoundsOfEach() {
        MeasureOptions options = quickOptions();
        options.sampling.minRepeatSeconds = 0.02; // what others hold up for 2 ms is not far slower than the rest
        const auto measurer = makeWorkerMeasurer(taskOf(matmulDag(48, 32, 32)), options);
        const Steps refused = {SplitStep{StageId(2), IterId(9), 16, {4}, true}};
        const auto turns = measurer->measureInterleaved({{}, refused, vectorColumns()}, 7);
        QCOMPARE(turns.size(), size_t{3});
        // On a busy machine without those that were disturbed, as long as five are left.
        for (const size_t i : {size_t{0}, size_t{2}})
            QVERIFY2(turns[i].seconds.size() >= 5 && turns[i].seconds.size() <= 7,
                     std::to_string(turns[i].seconds.size()).c_str());
        QVERIFY(turns[1].seconds.empty());
        QCOMPARE(measurer->measureInterleaved({{}}, 5)[0].seconds.size(), size_t{5});
    }

    void cancelEndsSoonAndTheMeasurerGoesOn() {
        MeasureOptions options = quickOptions();
        options.sampling.maxSamples = 3; // what is unstable is not tried again
        options.fault = "1:hang";
        const auto measurer = makeWorkerMeasurer(taskOf(matmulDag(16, 16, 16)), options);
        std::atomic<bool> cancel = false;
        std::vector<size_t> seen;
        std::jthread canceller;
        measurer->measure(std::vector<Steps>(3), [&](size_t index, const Trial &) { seen.push_back(index); },
                          {.cancel = &cancel, .onStage = [&](size_t index, TrialStage stage) {
                               if (index != 1 || stage != TrialStage::Running) return;
                               canceller = std::jthread([&] {
                                   std::this_thread::sleep_for(std::chrono::milliseconds(200)); // it hangs by now
                                   cancel = true;
                               });
                           }});
        canceller.join();
        QCOMPARE(seen, std::vector<size_t>{0});
        const std::vector<Trial> trials = measureAll(*measurer, {{}});
        QVERIFY2(trials.size() == 1 && trials[0].valid(), trials[0].reason.c_str());
    }

    void stagesAreToldAndAPauseHoldsThem() {
        MeasureOptions options = quickOptions();
        options.sampling.maxSamples = 3; // what is unstable is not tried again
        const auto measurer = makeWorkerMeasurer(taskOf(matmulDag(16, 16, 16)), options);
        std::atomic<bool> pause = false;
        std::vector<std::pair<size_t, TrialStage>> told;
        std::vector<size_t> finished;
        std::thread resumer;
        std::chrono::steady_clock::time_point resumed;
        std::vector<std::chrono::steady_clock::time_point> runs;
        measurer->measure({{}, {SplitStep{StageId(9), IterId(0), 1, {1}, true}}, parallelRows()},
                          [&](size_t index, const Trial &trial) {
                              finished.push_back(index);
                              QCOMPARE(trial.valid(), index != 1);
                              if (index != 0) return;
                              pause = true;
                              resumer = std::thread([&] {
                                  std::this_thread::sleep_for(std::chrono::milliseconds(300));
                                  resumed = std::chrono::steady_clock::now();
                                  pause = false;
                              });
                          },
                          {.pause = &pause, .onStage = [&](size_t index, TrialStage stage) {
                               told.emplace_back(index, stage);
                               if (stage == TrialStage::Running) runs.push_back(std::chrono::steady_clock::now());
                           }});
        resumer.join();
        QCOMPARE(finished, (std::vector<size_t>{0, 1, 2}));
        for (const size_t index : finished) {
            std::vector<TrialStage> stages;
            for (const auto &[which, stage] : told)
                if (which == index) stages.push_back(stage);
            std::vector<TrialStage> expected = {TrialStage::Building, TrialStage::Built};
            // What was not built is not run.
            if (index != 1) expected.insert(expected.end(), {TrialStage::Running, TrialStage::Ran});
            QVERIFY(stages == expected);
        }
        QCOMPARE(runs.size(), size_t(2));
        QVERIFY(runs[1] >= resumed);
    }

    void measuringFromAnotherThreadThatEnds() {
        const auto measurer = makeWorkerMeasurer(taskOf(matmulDag(16, 16, 16)), quickOptions());
        for (int i = 0; i < 2; ++i) {
            std::vector<Trial> trials;
            std::thread([&] { trials = measureAll(*measurer, {{}}); }).join();
            QVERIFY2(trials.size() == 1 && trials[0].valid(), trials[0].reason.c_str());
        }
    }

    void nothingIsLeftBehind() {
        const size_t descriptors = openDescriptors();
        const std::vector<pid_t> processes = descendants(::getpid());
        {
            const auto measurer = makeWorkerMeasurer(taskOf(matmulDag(16, 16, 16)), quickOptions());
            QCOMPARE(measureAll(*measurer, {{}, {}}).size(), size_t{2});
            QVERIFY(!descendants(::getpid()).empty());
        }
        QCOMPARE(descendants(::getpid()), processes);
        QCOMPARE(openDescriptors(), descriptors);
    }

    void workerThatCannotStartIsAnError() {
        MeasureOptions options = quickOptions();
        options.workerPath = "/nowhere/loopscope-worker";
        QVERIFY_THROWS_EXCEPTION(Error, makeWorkerMeasurer(taskOf(matmulDag(16, 16, 16)), options));
        options.workerPath = "/bin/false";
        QVERIFY_THROWS_EXCEPTION(Error, makeWorkerMeasurer(taskOf(matmulDag(16, 16, 16)), options));
    }
};

LOOPSCOPE_TEST(MeasurerTest)

} // namespace measurer_test
#include "measurer_test.moc"
