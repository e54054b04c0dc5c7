// Which records belong to a task, and which is the best; why none is.

#include <QTest>

#include "language/te/workload.h"
#include "records/record/record.h"
#include "records/record/resumed_trials.h"
#include "schedule/loop_state.h"
#include "test_program.h"

#include <fmt/format.h>

using namespace loopscope;

namespace {

Task reluTask() {
    const Workload workload = parseWorkload("workload relu_layer(N = 8)\n"
                                            "data = placeholder [N, 4] float32\n"
                                            "out(i < N, j < 4) = max(data[i, j], 0)\n",
                                            "relu.te");
    Task task;
    task.dag = ComputeDag::fromWorkload(workload);
    task.key = task.dag->key();
    return task;
}

Record record(const std::string &key, const std::string &target, std::vector<double> seconds) {
    Record made;
    made.key = key;
    made.targetText = target;
    made.trial.seconds = std::move(seconds);
    if (made.trial.seconds.empty()) made.trial.error = TrialError::WrongAnswer;
    return made;
}

} // namespace

class BestRecordTest : public QObject {
    Q_OBJECT

  private slots:
    void keysCompareFlattened() {
        const Task task = reluTask();
        const std::string hash = task.dag->hash();
        QVERIFY(recordMatches(record(task.key, "llvm -keys=cpu", {1}), task).ok());
        QVERIFY(recordMatches(record(fmt::format("[\"{}\", 8, 4, 8, 4]", hash), "llvm", {1}), task).ok());
        QVERIFY(recordMatches(record(fmt::format("[\"{}\",[8,4],[8,4]]", hash), "llvm", {1}), task).ok());

        const Outcome<bool> shapes =
            recordMatches(record(fmt::format("[\"{}\", 16, 4, 16, 4]", hash), "llvm", {1}), task);
        QVERIFY(!shapes.ok());
        QVERIFY2(shapes.why().starts_with("it is for other shapes"), shapes.why().c_str());
        const Outcome<bool> workload =
            recordMatches(record("[\"d7b65649a4dd54becea0a52aabbc5af5\", 8, 4, 8, 4]", "llvm", {1}), task);
        QVERIFY(!workload.ok());
        QVERIFY2(workload.why().starts_with("it is for another workload"), workload.why().c_str());
        const Outcome<bool> kind = recordMatches(record(task.key, "cuda -keys=cuda,gpu", {1}), task);
        QVERIFY(!kind.ok());
        QCOMPARE(kind.why(), std::string("it is for the target kind `cuda`, the task for `llvm`"));
    }

    /// What a kernel takes with its weights in caches says nothing beside what another takes in a network.
    void timesOfANetworkGoBeforeOthers() {
        const Task task = reluTask();
        RecordLog log;
        for (const double seconds : {1.0, 3.0, 2.0, 0.5}) {
            Trial trial;
            trial.seconds = {seconds};
            trial.timestamp = static_cast<int64_t>(log.records.size()) + 1;
            log.records.push_back(makeRecord(task, trial));
        }
        QCOMPARE(bestRecord(log, task).value(), size_t{3});
        log.records[1].trial.weightBytes = log.records[2].trial.weightBytes = 1000;
        QCOMPARE(bestRecord(log, task).value(), size_t{2});
        // Verdicts hold among times of their kind.
        log.verdicts.push_back({0, 1, {}});
        QCOMPARE(bestRecord(log, task).value(), size_t{2});
        log.verdicts.push_back({1, 3, {}});
        QCOMPARE(bestRecord(log, task).value(), size_t{1});

        ResumedTrials cached;
        QCOMPARE(resumeTask(task, log, cached).size(), size_t{1});
        QCOMPARE(cached.numbers, (std::vector<size_t>{0, 3}));
        ResumedTrials inNetwork;
        const std::vector<std::string> notes = resumeTask(task, log, inNetwork, true);
        QCOMPARE(inNetwork.numbers, (std::vector<size_t>{1, 2}));
        QCOMPARE(notes.size(), size_t{1});
        QVERIFY2(notes[0].ends_with("2 trials of this workload are left out, as they were timed with weights in "
                                    "caches, not as in a network (--weights)"),
                 notes[0].c_str());
    }

    void aKeyThatNestsWithoutEndIsAnothers() {
        const Task task = reluTask();
        const std::string deep =
            "[\"" + task.dag->hash() + "\", " + std::string(100'000, '[') + std::string(100'000, ']') + "]";
        QVERIFY(!recordMatches(record(deep, "llvm", {1}), task).ok());
    }

    void functionKeysMatchByNameWhenTheStepsFit() {
        const Task task = reluTask();
        Record made = record("[\"relu_layer\", 8, 4]", "llvm", {1});
        made.trial.steps = {SplitStep{StageId(1), IterId(0), 8, {4}, true}};
        QVERIFY(recordMatches(made, task).ok());
        QVERIFY(!recordMatches(made, task, false).ok());
        made.trial.steps = {SplitStep{StageId(7), IterId(0), 8, {4}, true}};
        QVERIFY(!recordMatches(made, task).ok());
        QVERIFY(!recordMatches(record("[\"other\", 8, 4]", "llvm", {1}), task).ok());
    }

    void functionKeysOfAnotherNameMatchWhenEverySplitFits() {
        const Task task = reluTask();
        Record made = record("[\"other_layer\", 8, 4]", "llvm", {1});
        made.trial.steps = {SplitStep{StageId(1), IterId(0), 8, {4}, true}};
        QVERIFY(recordMatches(made, task).ok());
        made.trial.steps = {SplitStep{StageId(1), IterId(0), 16, {4}, true}};
        QVERIFY(!recordMatches(made, task).ok());
    }

    /// The name alone says nothing of the shapes: steps of another shape may well replay.
    void functionKeysOfOtherShapesAreRefused() {
        const Task task = reluTask();
        Record made = record("[\"relu_layer\", 16, 4]", "llvm", {1});
        made.trial.steps = {SplitStep{StageId(1), IterId(0), 16, {4}, true}};
        QVERIFY(replay(task.dag, made.trial.steps.unpack()).ok());
        const Outcome<bool> shapes = recordMatches(made, task);
        QVERIFY(!shapes.ok());
        QCOMPARE(shapes.why(),
                 std::string("its key [\"relu_layer\", 16, 4] names this workload, but its steps do not fit the task: "
                             "step 0 splits loop 0 (i) of stage 1 (out) of extent 16, which is 8 here: it is for other "
                             "shapes"));
        made.trial.steps = {FuseStep{StageId(1), {IterId(0), IterId(1)}}};
        const Outcome<bool> silent = recordMatches(made, task);
        QVERIFY(!silent.ok());
        QVERIFY2(silent.why().ends_with("nothing tells whether its shapes are the task's"), silent.why().c_str());

        RecordLog log; // of several shapes: the fastest is another's
        Record fits = record("[\"relu_layer\", 8, 4]", "llvm", {2});
        fits.trial.steps = {SplitStep{StageId(1), IterId(0), 8, {4}, true}};
        made.trial.steps = {SplitStep{StageId(1), IterId(0), 16, {4}, true}};
        log.records = {made, fits};
        QCOMPARE(*bestRecord(log, task), size_t(1));
    }

    void recordsOfOtherTargetsAreKeptApart() {
        Task task = reluTask();
        task.target = parseTarget("llvm -mcpu=x86-64-v3 -num-cores=2");
        const std::string ours = "llvm -keys=cpu -mcpu=x86-64-v3 -num-cores=2";
        const std::string wider = "llvm -keys=cpu -mcpu=x86-64-v3 -num-cores=64";
        RecordLog log;
        log.records = {record(task.key, wider, {0.1}), record(task.key, ours, {2}), record(task.key, ours, {1}),
                       record(task.key, "llvm -keys=cpu -mcpu=x86-64-v4 -num-cores=2", {0.2})};
        QCOMPARE(*bestRecord(log, task), size_t(2));
        QVERIFY(targetMatches(log.records[2], task.target).ok());
        QCOMPARE(targetMatches(log.records[0], task.target).why(),
                 std::string("it was measured on another target, `llvm -mcpu=x86-64-v3 -num-cores=64`; the task's is "
                             "`llvm -mcpu=x86-64-v3 -num-cores=2`"));

        log.records = {log.records[0], log.records[3]};
        const Outcome<size_t> several = bestRecord(log, task);
        QVERIFY(!several.ok());
        QCOMPARE(several.why(), std::string("the log holds records of this task for several targets, "
                                            "`llvm -mcpu=x86-64-v3 -num-cores=64`, `llvm -mcpu=x86-64-v4 "
                                            "-num-cores=2`, but none for `llvm -mcpu=x86-64-v3 -num-cores=2`; times of "
                                            "different targets are not compared: choose one of these targets"));
        log.records.pop_back();
        QCOMPARE(*bestRecord(log, task), size_t(0)); // the only other one
    }

    /// The oldest logs have no place for the cores; what the hardware parameters say goes before the text.
    void coresOfARecord() {
        Task task = reluTask();
        task.target = parseTarget("llvm -mcpu=x86-64-v3 -num-cores=2");
        Record old = record(task.key, "llvm -keys=cpu -mcpu=x86-64-v3 -link-params=0", {1});
        QVERIFY(targetMatches(old, task.target).ok());
        old.hardware = HardwareParams{.numCores = 2};
        QVERIFY(targetMatches(old, task.target).ok());
        old.hardware->numCores = 20;
        QVERIFY(!targetMatches(old, task.target).ok());
        QVERIFY(!targetMatches(record(task.key, "llvm", {1}), task.target).ok()); // generic code
        QVERIFY(targetMatches(makeRecord(task, {}), task.target).ok());
        Target sorted;
        sorted.attrs = {{"mcpu", "x"}, {"mattr", "-a,+b"}};
        QVERIFY(targetMatches(record("", "llvm -mattr=+b,-a -mcpu x", {1}), sorted).ok());
    }

    void theLastVerdictOfATaskHolds() {
        Task task = reluTask();
        Task other = task;
        other.key = "[\"d7b65649a4dd54becea0a52aabbc5af5\", 8]";
        RecordLog log;
        log.records = {record(task.key, "llvm", {1}), record(task.key, "llvm", {1.1}), record(other.key, "llvm", {3}),
                       record(other.key, "llvm", {3.1})};
        log.verdicts = {{1, 2}, {3, 4}};
        QCOMPARE(*bestRecord(log, task), size_t(1));
        QCOMPARE(*bestRecord(log, other), size_t(3));
    }

    void anUnstableTimeIsBestOnlyAlone() {
        const Task task = reluTask();
        RecordLog log;
        log.records = {record(task.key, "llvm", {2}), record(task.key, "llvm", {1}), record(task.key, "llvm", {3})};
        log.records[1].trial.unstable = true;
        QCOMPARE(*bestRecord(log, task), size_t(0));
        log.records[0].trial.unstable = log.records[2].trial.unstable = true;
        QCOMPARE(*bestRecord(log, task), size_t(1));
    }

    void aVerdictGoesBeforeTimes() {
        const Task task = reluTask();
        RecordLog log;
        log.records = {record(task.key, "llvm", {1}), record(task.key, "llvm", {1.1})};
        QCOMPARE(*bestRecord(log, task), size_t(0));
        log.verdicts = {{1, 2}};
        QCOMPARE(*bestRecord(log, task), size_t(1));
        log.records.push_back(record(task.key, "llvm", {1.2})); // measured after the verdict, and slower
        QCOMPARE(*bestRecord(log, task), size_t(1));
        // Faster than the winner when both were new, if not than the first time that could not be confirmed.
        log.records.back() = record(task.key, "llvm", {1.05});
        QCOMPARE(*bestRecord(log, task), size_t(2));
        log.records.back() = record(task.key, "llvm", {0.5});
        QCOMPARE(*bestRecord(log, task), size_t(2));
    }

    void findsTheFastestOfTheTask() {
        const Task task = reluTask();
        RecordLog log;
        log.records = {record(task.key, "llvm", {3}), record(task.key, "cuda", {0.1}), record(task.key, "llvm", {}),
                       record(task.key, "llvm", {9, 1, 1.1}), record(task.key, "llvm", {2})};
        const Outcome<size_t> best = bestRecord(log, task);
        QVERIFY2(best.ok(), best.ok() ? "" : best.why().c_str());
        QCOMPARE(*best, size_t{3});
    }

    void explainsWhyThereIsNone() {
        const Task task = reluTask();
        RecordLog log;
        log.path = "my.json";
        QCOMPARE(bestRecord(log, task).why(), std::string("my.json holds no record"));
        log.records = {record(task.key, "cuda", {1}), record(task.key, "llvm", {}), record("[\"other\"]", "llvm", {1})};
        const std::string why = bestRecord(log, task).why();
        QVERIFY2(why.starts_with("none of the 3 records in my.json can be used; 1 of this task failed; of 1: "),
                 why.c_str());
        QVERIFY2(why.find("target kind `cuda`") != std::string::npos, why.c_str());
        QVERIFY2(why.find("[\"other\"]") != std::string::npos, why.c_str());
    }
};

LOOPSCOPE_TEST(BestRecordTest)
#include "best_record_test.moc"
