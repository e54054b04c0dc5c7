// What grouping makes is a schedule like any other: it replays, has bounds, and computes what the plain loops compute.

#include "harness/program_interpreter.h"
#include "harness/state_interpreter.h"
#include "language/dag/compute_dag.h"
#include "language/interpret/interpreter.h"
#include "language/te/workload.h"
#include "random_pipeline.h"
#include "schedule/bound_inference.h"
#include "schedule/grouping/grouped_schedule.h"
#include "schedule/grouping/grouping_json.h"
#include "schedule/grouping/loop_plan.h"
#include "test_program.h"

#include <QtTest>
#include <fmt/format.h>

using namespace loopscope;

namespace grouped_schedules_test {

namespace {

/// Empty when the grouped schedule computes what the DAG says.
std::string problemOf(const Grouping &grouping, uint64_t seed) {
    const DagPtr &dag = grouping.pipeline.dag;
    const auto schedule = groupedSchedule(grouping, planLoops(grouping));
    if (!schedule) return "refused: " + schedule.why();
    const auto again = replay(dag, schedule->state.steps());
    if (!again) return "does not replay: " + again.why();
    if (again->text() != schedule->state.text()) return "replays to something else";
    const auto bounded = inferBounds(schedule->state, std::make_shared<ExprArena>());
    if (!bounded) return "has no bounds: " + bounded.why();
    const std::vector<TensorValue> inputs = randomInputs(*dag, seed);
    const StateRun run = runState(bounded.value(), inputs);
    if (!run.failure.empty()) return run.failure;
    return compareOutputs(run.outputs, interpret(*dag, inputs));
}

std::string problemOf(const DagPtr &dag, const MachineParameters &machine, GroupingMode mode, uint64_t seed,
                      size_t *merges = nullptr) {
    const Grouping grouping = groupPipeline(pipelineOf(dag), machine, mode);
    if (merges != nullptr) *merges += grouping.merges.size();
    return problemOf(grouping, seed);
}

/// "ratio at y.1 of output": members that stand elsewhere than between the tiles.
std::string linesOf(const Grouping &grouping) {
    std::string text;
    for (const GroupPlan &plan : planLoops(grouping))
        for (const NestPlan &member : plan.members)
            if (member.lineElements > 0)
                text += fmt::format("{} at {} of {}: {}\n", grouping.pipeline.nodeName(member.node), member.attachedAt,
                                    grouping.pipeline.nodeName(member.attachedTo), member.lineElements);
    return text;
}

DagPtr sampleDag(const QString &name, const QString &params) {
    ParamOverrides overrides;
    for (const QString &param : params.split(' ', Qt::SkipEmptyParts))
        overrides.emplace_back(param.section('=', 0, 0).toStdString(), param.section('=', 1).toLongLong());
    return ComputeDag::fromWorkload(
        loadWorkload(LOOPSCOPE_SOURCE_DIR "/samples/pipelines/" + name.toStdString() + ".te", overrides));
}

MachineParameters machineOf(const char *text) { return parseMachineParameters(text).value(); }

} // namespace

class GroupedSchedulesTest : public QObject {
    Q_OBJECT
  private slots:
    void samples_data();
    void samples();
    void everySample_data();
    void everySample();
    void randomPipelines();
    void loopsOfBlur();
    void notesStagesReadFromOutside();
    void linesWhereRowsShareNothing();
    void longReductionsAreCut();
};

void GroupedSchedulesTest::samples_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("params");
    QTest::addColumn<QString>("machine");
    for (const char *machine : {"16,16M,40", "4,4k,40", "1,64k,20"}) {
        const auto row = [&](const char *name, const char *params) {
            QTest::addRow("%s on %s", name, machine) << name << params << machine;
        };
        row("blur", "W=131 H=47");
        row("blur", "W=256 H=64");
        row("unsharp", "W=67 H=23");
        row("unsharp", "W=131 H=8");
        row("harris", "W=139 H=31");
        row("matmul", "N=67");
        row("conv_relu", "N=1 H=5 W=7 CI=3 CO=67");
        row("cost_function", "W=67 H=47");
        row("stencil_chain", "W=13 H=11");
        row("multi_output", "W=67 H=23");
        row("conv_chain", "H=9 W=11 C=3");
        row("tile_vs_inline", "W=37 H=23");
        row("nl_means", "W=11 H=7");
    }
}

void GroupedSchedulesTest::samples() {
    QFETCH(QString, name);
    QFETCH(QString, params);
    QFETCH(QString, machine);
    const DagPtr dag = sampleDag(name, params);
    for (const GroupingMode mode : {GroupingMode::Compat, GroupingMode::Fixed}) {
        const std::string problem = problemOf(dag, machineOf(qPrintable(machine)), mode, 3);
        QVERIFY2(problem.empty(), problem.c_str());
    }
}

/// The others, once, at sizes that nothing divides; those with scans and scatters have tests of their own.
void GroupedSchedulesTest::everySample_data() {
    QTest::addColumn<QString>("params");
    QTest::newRow("camera_raw") << "W=13 H=11";
    QTest::newRow("depthwise_separable") << "B=1 H=5 W=7 CI=3 CO=19";
    QTest::newRow("interpolate") << "W=17 H=13";
    if (qEnvironmentVariableIsSet("LOOPSCOPE_LONG_TESTS")) QTest::newRow("local_laplacian") << "W=17 H=13";
    QTest::newRow("max_filter") << "W=13 H=7";
    QTest::newRow("overlap") << "W=61 H=7";
    QTest::newRow("softmax") << "W=37 H=19";
}

void GroupedSchedulesTest::everySample() {
    QFETCH(QString, params);
    const DagPtr dag = sampleDag(QString::fromLatin1(QTest::currentDataTag()), params);
    for (const GroupingMode mode : {GroupingMode::Compat, GroupingMode::Fixed}) {
        const std::string problem = problemOf(dag, machineOf("16,16M,40"), mode, 3);
        QVERIFY2(problem.empty(), problem.c_str());
    }
}

/// Every pipeline in both modes. LOOPSCOPE_LONG_TESTS draws five hundred.
void GroupedSchedulesTest::randomPipelines() {
    size_t merges = 0;
    const uint64_t pipelines = qEnvironmentVariableIsSet("LOOPSCOPE_LONG_TESTS") ? 500 : 60;
    for (uint64_t stream = 0; stream < pipelines; ++stream) {
        Random random(11, stream);
        const std::string text = randomPipeline(random);
        const MachineParameters machine = randomMachine(random);
        const DagPtr dag = ComputeDag::fromWorkload(parseWorkload(text, "random.te"));
        for (const GroupingMode mode : {GroupingMode::Compat, GroupingMode::Fixed}) {
            const std::string problem = problemOf(dag, machine, mode, stream, &merges);
            QVERIFY2(problem.empty(),
                     fmt::format("stream {}, {}: {}\n{}", stream, groupingModeName(mode), problem, text).c_str());
        }
    }
    QVERIFY2(merges > 2 * pipelines, std::to_string(merges).c_str());
}

void GroupedSchedulesTest::loopsOfBlur() {
    const DagPtr dag = ComputeDag::fromWorkload(loadWorkload(LOOPSCOPE_SOURCE_DIR "/samples/pipelines/blur.te", {}));
    const Grouping grouping = groupPipeline(pipelineOf(dag), MachineParameters{});
    const auto schedule = groupedSchedule(grouping, planLoops(grouping));
    QVERIFY2(schedule.ok(), schedule.ok() ? "" : schedule.why().c_str());
    const auto bounded = inferBounds(schedule->state, std::make_shared<ExprArena>());
    QVERIFY(bounded.ok());
    QCOMPARE(QString::fromStdString(bounded->state.text()), QString("Placeholder: in\n"
                                                                    "parallel y.0@x.0@ (0,60)\n"
                                                                    "  for y (0,258)\n"
                                                                    "    for x.0 (0,32)\n"
                                                                    "      vectorize x.1 (0,8)\n"
                                                                    "        bx = ...\n"
                                                                    "  for y.1 (0,256)\n"
                                                                    "    for x.1.0 (0,32)\n"
                                                                    "      vectorize x.1.1 (0,8)\n"
                                                                    "        by = ...\n"));
}

/// A copy vanishes from all its readers but an output; here the DAG cannot have it both ways.
void GroupedSchedulesTest::notesStagesReadFromOutside() {
    const DagPtr dag =
        ComputeDag::fromWorkload(parseWorkload("workload shared()\n"
                                               "in = placeholder [512, 512] float32\n"
                                               "copy(y < 512, x < 512) = in[x, y]\n"
                                               "a(y < 512, x < 512) = copy[y, x] * copy[x, y] + copy[y, x] * 3\n"
                                               "b(y < 508, x < 512) = a[y, x] + a[y + 4, x]\n"
                                               "out(y < 508, x < 512) = b[y, x] * copy[y, x] + b[y, x]\n",
                                               "shared.te"));
    const Grouping grouping = groupPipeline(pipelineOf(dag), machineOf("4,16k,40"));
    const auto schedule = groupedSchedule(grouping, planLoops(grouping));
    QVERIFY2(schedule.ok(), schedule.ok() ? "" : schedule.why().c_str());
    for (const GroupingMode mode : {GroupingMode::Compat, GroupingMode::Fixed}) {
        const std::string problem = problemOf(dag, machineOf("4,16k,40"), mode, 5);
        QVERIFY2(problem.empty(), problem.c_str());
    }
}

/// Of the ratio and of the blur along y every row of the output needs a row of its own, whatever the colour; of the
/// grey picture it needs seven, most of which the next row needs again.
void GroupedSchedulesTest::linesWhereRowsShareNothing() {
    // Together as they are in a large picture, in tiles for a small one.
    const std::vector<Group> large = groupPipeline(pipelineOf(sampleDag("unsharp", "")), MachineParameters{}).groups;
    QCOMPARE(large.size(), size_t{1});
    Grouping grouping = groupPipeline(pipelineOf(sampleDag("unsharp", "W=301 H=67")), MachineParameters{});
    grouping.mode = GroupingMode::Fixed;
    grouping.groups = large;
    for (const int64_t rows : {16, 32, 64}) {
        grouping.groups.front().tile = {0, rows, 0};
        QCOMPARE(QString::fromStdString(linesOf(grouping)),
                 QString("ratio at y_i of output: 301\nblur_y at y_i of output: 307\n"));
        const std::string problem = problemOf(grouping, 7);
        QVERIFY2(problem.empty(), problem.c_str());
    }
    const auto schedule = groupedSchedule(grouping, planLoops(grouping));
    QVERIFY2(schedule->notes.empty(), schedule->notes.empty() ? "" : schedule->notes.front().c_str());
    const auto bounded = inferBounds(schedule->state, std::make_shared<ExprArena>());
    QVERIFY(bounded.ok());
    QCOMPARE(QString::fromStdString(bounded->state.text()), QString("Placeholder: in\n"
                                                                    "parallel y.0 (0,2)\n"
                                                                    "  for y (0,70)\n"
                                                                    "    for x.0 (0,39)\n"
                                                                    "      vectorize x.1 (0,8)\n"
                                                                    "        gray = ...\n"
                                                                    "  for y.1 (0,64)\n"
                                                                    "    for x.0 (0,38)\n"
                                                                    "      vectorize x.1 (0,8)\n"
                                                                    "        ratio = ...\n"
                                                                    "    for x.0 (0,39)\n"
                                                                    "      vectorize x.1 (0,8)\n"
                                                                    "        blur_y = ...\n"
                                                                    "    for c (0,3)\n"
                                                                    "      for x.0 (0,38)\n"
                                                                    "        vectorize x.1 (0,8)\n"
                                                                    "          output = ...\n"));
}

/// The steps of a product whose panels are larger than the core's cache are taken some at a time, by all blocks of a
/// tile.
void GroupedSchedulesTest::longReductionsAreCut() {
    for (const char *params : {"N=128", "N=131"}) {
        Grouping grouping = groupPipeline(pipelineOf(sampleDag("matmul", params)), MachineParameters{});
        grouping.mode = GroupingMode::Fixed;
        grouping.groups = groupPipeline(pipelineOf(sampleDag("matmul", "")), MachineParameters{}).groups;
        QCOMPARE(grouping.groups.size(), size_t{1});
        grouping.groups.front().tile = {64, 32};
        const auto loops = [&] {
            const auto schedule = groupedSchedule(grouping, planLoops(grouping));
            return schedule ? QString::fromStdString(schedule->state.text()).section('\n', 2) : QString(); // in a tile
        };
        QVERIFY2(loops().startsWith("  for y.0 (None)\n"
                                    "    for x.0.0 (None)\n"
                                    "      for k (None)\n"),
                 qPrintable(loops()));
        grouping.machine.coreCache = 24 << 10; // half of what the tile reads
        QVERIFY2(loops().startsWith("  for k.0 (None)\n"
                                    "    for y.0 (None)\n"
                                    "      for x.0.0 (None)\n"
                                    "        for k.1 (None)\n"
                                    "          unroll y.1 (None)\n"),
                 qPrintable(loops()));
        const std::string problem = problemOf(grouping, 9);
        QVERIFY2(problem.empty(), problem.c_str());
    }
}

LOOPSCOPE_TEST(GroupedSchedulesTest)

} // namespace grouped_schedules_test
#include "grouped_schedules_test.moc"
