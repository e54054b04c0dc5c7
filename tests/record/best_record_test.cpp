// Which records belong to a task, and which is the best; why none is.

#include <QTest>

#include "record/record.h"
#include "te/workload.h"

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

    void aVerdictGoesBeforeTimes() {
        const Task task = reluTask();
        RecordLog log;
        log.records = {record(task.key, "llvm", {1}), record(task.key, "llvm", {1.1})};
        QCOMPARE(*bestRecord(log, task), size_t(0));
        log.verdict = RecordLog::Verdict{1, 2};
        QCOMPARE(*bestRecord(log, task), size_t(1));
        log.records.push_back(record(task.key, "llvm", {0.5})); // measured after the verdict, and faster
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

QTEST_GUILESS_MAIN(BestRecordTest)
#include "best_record_test.moc"
