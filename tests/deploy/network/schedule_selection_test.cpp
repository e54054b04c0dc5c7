// Schedules that compete inside the network: the fastest there is taken, a wrong one takes no part, and those that a
// log offers beside the best share the work out in different ways.

#include "deploy/network/build.h"
#include "deploy/network/further_schedules.h"
#include "deploy/network/schedule_selection.h"
#include "deploy/network/verify.h"
#include "deploy/network/weights.h"
#include "deploy/plan/plan_runner.h"
#include "networks/graph/net_text.h"
#include "networks/op/infer_types.h"
#include "networks/partition/tasks.h"
#include "records/record/record_writer.h"
#include "test_program.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

namespace schedule_selection_test {

namespace {

const char *const kNet = R"(network pair
func main(x: float32[96, 128]) {
  w = constant float32[128, 160] random he(fan_in = 128)
  v = constant float32[160, 96] random he(fan_in = 160)
  first = matmul(x, w)
  active = relu(first)
  second = matmul(active, v)
  return second
})";
const char *const kWithoutRelu = R"(network pair
func main(x: float32[96, 128]) {
  w = constant float32[128, 160] random he(fan_in = 128)
  first = matmul(x, w)
  return first
})";

struct Case {
    FunctionPtr function;
    Partition partition;
    Target target = parseTarget("llvm -num-cores=1");
    std::vector<KernelTask> tasks;
};

Case caseOf(const char *text) {
    Case made;
    made.function = *inferTypes(parseNet(text, "pair.net").module.find("main"));
    made.partition = partitionFunction(*made.function, FusionMode::Compatible);
    made.tasks = kernelTasks(*made.function, made.partition, made.target).value();
    return made;
}

/// Loops as they are written, which sum one number after the other; and what the estimate picks instead.
BuildOptions slowAndFast(const Case &of) {
    BuildOptions options;
    options.threads = 1;
    options.defaults.population = 64;
    for (const KernelTask &task : of.tasks) {
        options.known[task.task.key] = {{}, "record slow"};
        options.further[task.task.key] = {
            {defaultSchedules(task.task, options.defaults).value().front(), "record fast"}};
    }
    return options;
}

Steps sharedByRows(int64_t tile) {
    return {SplitStep{StageId(2), IterId(0), 96, {tile}, true},
            AnnotateStep{StageId(2), IterId(0), Annotation::Parallel}};
}

} // namespace

class ScheduleSelectionTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { qputenv("LOOPSCOPE_WORKER", LOOPSCOPE_BIN_DIR "/loopscope-worker"); }

    void whatIsFasterInTheNetworkIsTaken() {
        const Case of = caseOf(kNet);
        const auto plan = buildPlan(*of.function, of.partition, of.target, slowAndFast(of));
        QVERIFY2(plan.ok(), plan ? "" : plan.why().c_str());
        QCOMPARE(plan->plan.kernels.size(), size_t{2});
        for (const PlanKernel &kernel : plan->plan.kernels) QCOMPARE(kernel.schedule, std::string("record fast"));
        QVERIFY(plan->secondsSelected > 0 && plan->secondsSelected < plan->secondsUnselected);
        QCOMPARE(plan->selection.size(), size_t{2});
        QVERIFY(plan->selection[0].seconds < plan->selection[0].secondsBefore);
        const std::string text = plan->selection[0].text();
        QVERIFY2(text.find("record fast instead of record slow, of 2: ") != std::string::npos, text.c_str());

        PlanRunner runner(plan->plan, {.threads = 1});
        const auto results = verifyPlan(*of.function, runner, seededInputs(*of.function, InputKind::Uniform, 3));
        QVERIFY2(results.ok(), results ? "" : results.why().c_str());
        for (const CallVerdict &one : results->calls) QVERIFY2(one.ok, one.sentence.c_str());
    }

    void theBestAloneStaysWhereNothingIsFaster() {
        const Case of = caseOf(kNet);
        BuildOptions options = slowAndFast(of);
        for (const KernelTask &task : of.tasks) {
            std::swap(options.known[task.task.key].steps, options.further[task.task.key].front().steps);
            options.known[task.task.key].name = "record fast";
            options.further[task.task.key].front().name = "record slow";
        }
        const auto plan = buildPlan(*of.function, of.partition, of.target, options);
        QVERIFY2(plan.ok(), plan ? "" : plan.why().c_str());
        for (const PlanKernel &kernel : plan->plan.kernels) QCOMPARE(kernel.schedule, std::string("record fast"));
        QVERIFY(plan->selection[0].text().find("record fast stays, of 2") != std::string::npos);
    }

    /// One that leaves out the relu: fast, and wrong.
    void aWrongAnswerTakesNoPart() {
        const Case of = caseOf(kNet);
        const Case without = caseOf(kWithoutRelu);
        BuildOptions options = slowAndFast(of);
        std::vector<std::string> notes;
        const auto kernels = buildKernels(of.tasks, of.target, options, notes);
        BuildOptions fast;
        fast.threads = 1;
        fast.defaults.population = 64;
        const auto wrong = buildKernels(without.tasks, of.target, fast, notes);
        QVERIFY(kernels.ok() && wrong.ok());
        std::vector<TaskAlternatives> alternatives;
        for (const PlanKernel &kernel : *kernels) alternatives.push_back({kernel});
        // Weights in the order in which the first kernel has them.
        QVERIFY(alternatives[0][0].code.launch.args.size() == wrong->front().code.launch.args.size());
        alternatives[0].push_back(wrong->front());
        alternatives[0][1].schedule = "record wrong";
        const auto memory = planMemory(*of.function, of.partition, {});
        QVERIFY(memory.ok());
        const auto selection =
            selectSchedules(*of.function, of.partition, *memory, of.tasks, of.target, alternatives, {});
        QVERIFY2(selection.ok(), selection ? "" : selection.why().c_str());
        QCOMPARE(selection->chosen, (std::vector<size_t>{0, 0}));
        QCOMPARE(selection->trials[0].refusals.size(), size_t{1});
        const std::string why = selection->trials[0].refusals[0];
        QVERIFY2(why.starts_with("record wrong: element "), why.c_str());
    }

    void aCancelIsRefused() {
        const Case of = caseOf(kNet);
        const std::atomic<bool> cancelled{true};
        BuildOptions options = slowAndFast(of);
        options.selection.cancelled = &cancelled;
        const auto plan = buildPlan(*of.function, of.partition, of.target, options);
        QVERIFY(!plan);
        QCOMPARE(plan.why(), std::string("choosing schedules inside the network was cancelled"));
    }

    void aSelectionOfAnotherPlanIsRefused() {
        const Case of = caseOf(kNet);
        BuildOptions options;
        options.threads = 1;
        options.defaults.population = 64;
        const auto plan = buildPlan(*of.function, of.partition, of.target, options);
        QVERIFY(plan.ok());
        const ExecutionPlan &built = plan->plan; // of two calls
        QVERIFY(!problemOf(PlanSelection{{{1}, {1}}, {{0, 0}, {1, 1}}}, built));
        QCOMPARE(problemOf(PlanSelection{{{2}}, {{1, 0}}}, built).value_or(""),
                 std::string("a place has 2 calls from 1 on, and the plan has 2"));
        QCOMPARE(problemOf(PlanSelection{{{1}}, {{0, 1}}}, built).value_or(""),
                 std::string("a place is of task 1, and there are 1"));
    }

    void waysOfSharingTakeTurns() {
        const Case of = caseOf(kWithoutRelu);
        const std::vector<NetworkTask> tasks = networkTasks(*of.function, of.partition);
        QCOMPARE(tasks.size(), size_t{1});
        const Steps byColumns{ReorderStep{StageId(2), {IterId(1), IterId(0), IterId(2)}},
                              AnnotateStep{StageId(2), IterId(0), Annotation::Parallel}};
        QVERIFY(sharingOf(tasks[0].dag, sharedByRows(4)) == sharingOf(tasks[0].dag, sharedByRows(8)));
        QVERIFY(sharingOf(tasks[0].dag, sharedByRows(4)) != sharingOf(tasks[0].dag, byColumns));
        QTemporaryDir folder;
        const std::string log = folder.filePath("log.json").toStdString();
        const Task task = makeTask(tasks[0].dag, of.target);
        {
            RecordWriter writer(log);
            const auto add = [&](const Steps &steps, double seconds, TrialError error = TrialError::None) {
                Trial trial;
                trial.steps = steps;
                if (error == TrialError::None) trial.seconds = {seconds};
                trial.error = error;
                writer.append(makeRecord(task, trial));
            };
            add(sharedByRows(2), 1.2e-3);
            add(sharedByRows(4), 1.0e-3); // the best
            add(sharedByRows(8), 1.1e-3);
            add(byColumns, 1.5e-3);
            add(sharedByRows(4), 1.05e-3); // again
            add(sharedByRows(16), 9e-3);   // not worth a try
            add(sharedByRows(32), 0, TrialError::RunTimeout);
        }
        const TaskRecords records = recordsOfTasks(tasks, of.target, {log});
        QVERIFY(records.best[0].has_value());
        QCOMPARE(records.best[0]->number, size_t{1});
        const auto stepsOf = [&](size_t most) {
            std::vector<Steps> steps;
            const auto further = furtherSchedules(tasks, records, of.target, {log}, most);
            for (const KnownSchedule &one : further.at(tasks[0].key)) steps.push_back(one.steps);
            return steps;
        };
        QVERIFY(stepsOf(1) == std::vector<Steps>{byColumns});
        QVERIFY(stepsOf(2) == (std::vector<Steps>{byColumns, sharedByRows(8)}));
        QVERIFY(stepsOf(9) == (std::vector<Steps>{byColumns, sharedByRows(8), sharedByRows(2)}));
    }
};

LOOPSCOPE_TEST(ScheduleSelectionTest)

} // namespace schedule_selection_test
#include "schedule_selection_test.moc"
