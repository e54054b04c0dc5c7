// Grouped schedules of scans and scatters compute what the plain loops compute: small ones of every kind, random
// pipelines with them among other stages, and the samples.

#include "codegen/lower/lower.h"
#include "harness/ordered_dags.h"
#include "harness/program_interpreter.h"
#include "harness/random_dag.h"
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

namespace ordered_groups_test {

namespace {

std::string problemOf(const DagPtr &dag, const MachineParameters &machine, GroupingMode mode, uint64_t seed) {
    const Grouping grouping = groupPipeline(pipelineOf(dag), machine, mode);
    const auto schedule = groupedSchedule(grouping, planLoops(grouping));
    if (!schedule) return "refused: " + schedule.why();
    const Outcome<LoopProgram> program = lower(schedule->state, Target{}, {});
    if (!program) return "is not lowered: " + program.why();
    const std::vector<TensorValue> inputs = randomInputs(*dag, seed);
    const ProgramRun run = runProgram(program.value(), inputs);
    if (!run.failure.empty()) return run.failure;
    return compareOutputs(run.outputs, interpret(*dag, inputs));
}

/// For many machines in both modes; the number of merges is added up.
std::string problemsOf(const DagPtr &dag, size_t &merges) {
    uint64_t seed = 0;
    for (const int64_t parallelism : {1, 4, 16})
        for (const int64_t lastLevel : {int64_t{256}, int64_t{4} << 10, int64_t{16} << 20})
            for (const GroupingMode mode : {GroupingMode::Compat, GroupingMode::Fixed}) {
                MachineParameters machine;
                machine.parallelism = parallelism;
                machine.lastLevelCache = lastLevel;
                machine.coreCache = lastLevel / 4;
                const std::string problem = problemOf(dag, machine, mode, seed++);
                if (!problem.empty())
                    return fmt::format("{} {} {}: {}", parallelism, lastLevel,
                                       mode == GroupingMode::Compat ? "compat" : "fixed", problem);
                merges += groupPipeline(pipelineOf(dag), machine, mode).merges.size();
            }
    return {};
}

} // namespace

class OrderedGroupsTest : public QObject {
    Q_OBJECT
  private slots:
    void smallOnes() {
        size_t merges = 0;
        for (const DagPtr &dag : orderedDags()) {
            const std::string problem = problemsOf(dag, merges);
            QVERIFY2(problem.empty(), (dag->name() + " " + problem).c_str());
        }
        QVERIFY2(merges > 0, std::to_string(merges).c_str());
    }

    void samples_data() {
        QTest::addColumn<QString>("name");
        for (const char *name : {"iir_blur", "histogram_equalize", "bilateral_grid"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void samples() {
        QFETCH(QString, name);
        size_t merges = 0;
        for (const auto &[width, height] : {std::pair(37, 23), std::pair(64, 16)}) {
            const DagPtr dag = ComputeDag::fromWorkload(
                loadWorkload(LOOPSCOPE_SOURCE_DIR "/samples/pipelines/" + name.toStdString() + ".te",
                             {{"W", width}, {"H", height}}));
            const std::string problem = problemsOf(dag, merges);
            QVERIFY2(problem.empty(), problem.c_str());
        }
        QVERIFY2(merges > 0, std::to_string(merges).c_str());
    }

    /// Its first elements have no nest but that of the steps, at whose loops nothing is computed that they alone read.
    void whatOnlyFirstElementsReadStandsAtRoot() {
        const DagPtr dag = ComputeDag::fromWorkload(
            parseWorkload("workload first(H = 512, W = 512)\n"
                          "in = placeholder [H, W + 8] float32\n"
                          "p(y < H, x < W) = sum(k < 9; in[y, x + k])\n"
                          "s(y < H, x < W) = scan(y; from p[y, x]; 0.5 * s[y - 1, x] + 0.5 * in[y, x])\n",
                          "first.te"));
        for (const GroupingMode mode : {GroupingMode::Compat, GroupingMode::Fixed}) {
            const Grouping grouping = groupPipeline(pipelineOf(dag), parseMachineParameters("16,16M,40").value(), mode);
            QCOMPARE(grouping.merges.size(), size_t{1});
            const auto schedule = groupedSchedule(grouping, planLoops(grouping));
            QVERIFY2(schedule.ok(), schedule.ok() ? "" : schedule.why().c_str());
            QCOMPARE(schedule->notes,
                     (std::vector<std::string>{"p: only the first elements of s read it; it is computed at root"}));
            for (size_t stage = 0; stage < schedule->state.stageCount(); ++stage)
                QVERIFY(schedule->state.stage(StageId(stage)).location == ComputeLocation::Root);
        }
    }

    /// In both modes, on random machines. LOOPSCOPE_LONG_TESTS draws five hundred.
    void randomPipelines() {
        size_t merges = 0;
        const uint64_t pipelines = qEnvironmentVariableIsSet("LOOPSCOPE_LONG_TESTS") ? 500 : 50;
        for (uint64_t stream = 0; stream < pipelines; ++stream) {
            Random random(29, stream);
            const std::string text = randomOrderedPipeline(random);
            const MachineParameters machine = randomMachine(random);
            const DagPtr dag = ComputeDag::fromWorkload(parseWorkload(text, "random.te"));
            for (const GroupingMode mode : {GroupingMode::Compat, GroupingMode::Fixed}) {
                const std::string problem = problemOf(dag, machine, mode, stream);
                QVERIFY2(problem.empty(),
                         fmt::format("stream {}, {}: {}\n{}", stream, groupingModeName(mode), problem, text).c_str());
                merges += groupPipeline(pipelineOf(dag), machine, mode).merges.size();
            }
        }
        QVERIFY2(merges > 2 * pipelines, std::to_string(merges).c_str());
    }

    /// Reductions and scans of one step, axes of one element: what a grouping proposes of any workload is a schedule.
    /// LOOPSCOPE_LONG_TESTS draws six hundred.
    void randomWorkloads() {
        const uint64_t workloads = qEnvironmentVariableIsSet("LOOPSCOPE_LONG_TESTS") ? 600 : 60;
        for (uint64_t stream = 0; stream < workloads; ++stream) {
            Random random(31, stream);
            const MachineParameters machine = randomMachine(random);
            const DagPtr dag = randomDag(random, {.maxWork = 4000, .ordered = stream % 3 == 1, .shortExtents = true});
            for (const GroupingMode mode : {GroupingMode::Compat, GroupingMode::Fixed}) {
                const std::string problem = problemOf(dag, machine, mode, stream);
                QVERIFY2(problem.empty(), fmt::format("stream {}, {}: {}\n{}", stream, groupingModeName(mode), problem,
                                                      dag->text(DagTextMode::Normal))
                                              .c_str());
            }
        }
    }

    /// Of one step each: a sum over one element, a convolution of one, a softmax over one, scans of one and two.
    void oneStep_data() {
        QTest::addColumn<QString>("text");
        QTest::newRow("convolution") << "w(C = 8, H = 20, W = 24, F = 6, K = 1)\n"
                                        "x = placeholder [C, H + K - 1, W + K - 1] float32\n"
                                        "w = placeholder [F, C, K, K] float32\n"
                                        "y(f < F, a < H, b < W) = sum(c < C, r < K, s < K; x[c, a + r, b + s] * "
                                        "w[f, c, r, s])\n"
                                        "z(f < F, a < H, b < W) = max(y[f, a, b], 0)\n";
        QTest::newRow("sum") << "w(H = 64, W = 1)\n"
                                "x = placeholder [H, W] float32\n"
                                "s(y < H) = sum(x < W; x[y, x])\n"
                                "out(y < H, x < W) = x[y, x] / s[y]\n";
        QTest::newRow("row") << "w(N = 1, K = 37)\n"
                                "x = placeholder [N, K] float32\n"
                                "s(i < N) = sum(k < K; exp(x[i, k]))\n"
                                "out(i < N, k < K) = exp(x[i, k]) / s[i]\n";
        for (const char *steps : {"1", "2"})
            QTest::addRow("scan of %s", steps)
                << QString("w(N = 64, T = %1)\n"
                           "x = placeholder [T, N] float32\n"
                           "s(t < T, n < N) = scan(t; from x[t, n]; s[t - 1, n] + x[t, n])\n")
                       .arg(steps);
    }
    void oneStep() {
        QFETCH(QString, text);
        const DagPtr dag = ComputeDag::fromWorkload(parseWorkload("workload " + text.toStdString(), "one.te"));
        size_t merges = 0;
        const std::string problem = problemsOf(dag, merges);
        QVERIFY2(problem.empty(), problem.c_str());
    }

    /// As large as they are meant to be, there is a schedule on every machine; none is run.
    void samplesOfFullSize_data() { samples_data(); }
    void samplesOfFullSize() {
        QFETCH(QString, name);
        const DagPtr dag = ComputeDag::fromWorkload(
            loadWorkload(LOOPSCOPE_SOURCE_DIR "/samples/pipelines/" + name.toStdString() + ".te", {}));
        for (const char *text : {"16,16M,40", "4,256k,40", "64,64M,20", "2,1M,40"})
            for (const GroupingMode mode : {GroupingMode::Compat, GroupingMode::Fixed}) {
                const Grouping grouping = groupPipeline(pipelineOf(dag), parseMachineParameters(text).value(), mode);
                const auto schedule = groupedSchedule(grouping, planLoops(grouping));
                QVERIFY2(schedule.ok(), schedule.ok() ? "" : (std::string(text) + ": " + schedule.why()).c_str());
                const auto bounded = inferBounds(schedule->state, std::make_shared<ExprArena>());
                QVERIFY2(bounded.ok(), bounded.ok() ? "" : bounded.why().c_str());
            }
    }
};

LOOPSCOPE_TEST(OrderedGroupsTest)

} // namespace ordered_groups_test
#include "ordered_groups_test.moc"
