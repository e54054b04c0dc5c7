// Grouped schedules for GPUs: their kernels run on the executor, which finds races and wrong answers, and keep within
// the shared memory of a block.

#include "codegen/loop_ir/walk.h"
#include "codegen/lower/lower.h"
#include "harness/executed_kernels.h"
#include "harness/random_dag.h"
#include "harness/sample_targets.h"
#include "language/dag/compute_dag.h"
#include "language/interpret/interpreter.h"
#include "language/te/workload.h"
#include "random_pipeline.h"
#include "schedule/bound_inference.h"
#include "schedule/grouping/gpu_grouped_schedule.h"
#include "schedule/grouping/group_dag.h"
#include "schedule/grouping/grouping_json.h"
#include "test_program.h"

#include <QtTest>
#include <fmt/format.h>

using namespace loopscope;

namespace {

DagPtr pipelineDag(const QString &name, const QString &params) {
    ParamOverrides overrides;
    for (const QString &param : params.split(' '))
        overrides.emplace_back(param.section('=', 0, 0).toStdString(), param.section('=', 1).toLongLong());
    return ComputeDag::fromWorkload(
        loadWorkload(LOOPSCOPE_SOURCE_DIR "/samples/pipelines/" + name.toStdString() + ".te", overrides));
}

/// Empty when the kernels compute what the DAG says, without races.
std::string problemOf(const DagPtr &dag, const Target &target, const GroupingOptions &options, uint64_t seed,
                      size_t *attached = nullptr) {
    const Grouping grouping = groupDag(dag, target, options);
    const auto schedule = gpuGroupedSchedule(grouping, target);
    if (!schedule) return "refused: " + schedule.why();
    for (size_t stage = 0; attached != nullptr && stage < schedule->state.stageCount(); ++stage)
        *attached += schedule->state.stage(StageId(stage)).location == ComputeLocation::Attached ? 1 : 0;
    Outcome<LoopProgram> program = lower(schedule->state, target);
    if (!program) return "is not lowered: " + program.why();
    int64_t shared = 0;
    forEachStmt(program->root, [&](Stmt s) {
        if (s->kind == StmtKind::Allocate && s->buffer->scope == MemoryScope::Shared)
            shared += s->buffer->elements() * dtypeBytes(s->buffer->dtype);
    });
    if (shared > target.hardware.maxSharedMemoryPerBlock && grouping.groups.size() == 1)
        return fmt::format("takes {} bytes of shared memory", shared);
    const std::vector<TensorValue> inputs = randomInputs(*dag, seed);
    const ProgramRun run = runKernels(program.value(), inputs);
    const std::string wrong = run.failure.empty() ? compareOutputs(run.outputs, interpret(*dag, inputs)) : run.failure;
    return wrong.empty() ? wrong : wrong + "\n" + printProgram(program.value());
}

} // namespace

class GpuGroupedSchedulesTest : public QObject {
    Q_OBJECT
  private slots:
    void samples_data();
    void samples();
    void randomPipelines();
    void randomWorkloads();
    void kernelsOfBlur();
    void tilesFitIntoSharedMemory();
};

void GpuGroupedSchedulesTest::samples_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("params");
    const auto row = [](const char *name, const char *params) {
        QTest::addRow("%s %s", name, params) << name << params;
    };
    row("blur", "W=131 H=47");
    row("unsharp", "W=67 H=23");
    row("harris", "W=139 H=31");
    row("matmul", "N=67");
    row("conv_relu", "N=1 H=5 W=7 CI=3 CO=67");
    row("cost_function", "W=67 H=47");
    row("stencil_chain", "W=13 H=11");
    row("multi_output", "W=67 H=23");
    row("conv_chain", "H=9 W=11 C=3");
    row("tile_vs_inline", "W=37 H=23");
    row("iir_blur", "W=37 H=23"); // scans both ways
    row("histogram_equalize", "W=61 H=47");
    row("bilateral_grid", "W=61 H=47");
}

void GpuGroupedSchedulesTest::samples() {
    QFETCH(QString, name);
    QFETCH(QString, params);
    const DagPtr dag = pipelineDag(name, params);
    for (const GroupingMode mode : {GroupingMode::Compat, GroupingMode::Fixed})
        for (const char *machine : {"", "4,10k,20", "1,64k,20"}) {
            GroupingOptions options{mode, std::nullopt};
            if (*machine != 0) options.machine = parseMachineParameters(machine).value();
            const std::string problem = problemOf(dag, gpuTarget(), options, 3);
            QVERIFY2(problem.empty(), problem.c_str());
        }
}

void GpuGroupedSchedulesTest::randomPipelines() {
    size_t attached = 0;
    for (uint64_t stream = 0; stream < 1000; ++stream) {
        Random random(17, stream);
        const std::string text = randomPipeline(random);
        GroupingOptions options{random.index(2) == 0 ? GroupingMode::Compat : GroupingMode::Fixed, MachineParameters()};
        options.machine->parallelism = 1 + static_cast<int64_t>(random.index(16));
        options.machine->lastLevelCache = int64_t{256} << random.index(10);
        options.machine->coreCache = int64_t{256} << random.index(8);
        Target target = gpuTarget();
        target.hardware.maxSharedMemoryPerBlock = 1024 << random.index(6);
        const DagPtr dag = ComputeDag::fromWorkload(parseWorkload(text, "random.te"));
        const std::string problem = problemOf(dag, target, options, stream, &attached);
        QVERIFY2(problem.empty(), fmt::format("stream {}: {}\n{}{} machine {} core {} shared {}", stream, problem, text,
                                              groupingModeName(options.mode), machineParametersText(*options.machine),
                                              options.machine->coreCache, target.hardware.maxSharedMemoryPerBlock)
                                      .c_str());
    }
    QVERIFY2(attached > 60, std::to_string(attached).c_str());
}

/// Half of the extents are 1 or 2. LOOPSCOPE_LONG_TESTS draws six hundred.
void GpuGroupedSchedulesTest::randomWorkloads() {
    const uint64_t workloads = qEnvironmentVariableIsSet("LOOPSCOPE_LONG_TESTS") ? 600 : 60;
    for (uint64_t stream = 0; stream < workloads; ++stream) {
        Random random(37, stream);
        GroupingOptions options{random.index(2) == 0 ? GroupingMode::Compat : GroupingMode::Fixed, std::nullopt};
        if (random.index(2) == 0) options.machine = randomMachine(random);
        const DagPtr dag = randomDag(random, {.maxWork = 4000, .ordered = stream % 3 == 1, .shortExtents = true});
        const std::string problem = problemOf(dag, gpuTarget(), options, stream);
        QVERIFY2(problem.empty(), fmt::format("stream {}, {}: {}\n{}", stream, groupingModeName(options.mode), problem,
                                              dag->text(DagTextMode::Normal))
                                      .c_str());
    }
}

void GpuGroupedSchedulesTest::kernelsOfBlur() {
    const DagPtr dag = pipelineDag("blur", "W=1536 H=2560");
    const Grouping grouping = groupDag(dag, gpuTarget(), {GroupingMode::Compat, std::nullopt});
    QCOMPARE(QString::fromStdString(machineParametersText(grouping.machine)), QString("128,49152,20"));
    const auto schedule = gpuGroupedSchedule(grouping, gpuTarget());
    QVERIFY2(schedule.ok(), schedule.ok() ? "" : schedule.why().c_str());
    const auto bounded = inferBounds(schedule->state, std::make_shared<ExprArena>());
    QVERIFY(bounded.ok());
    QCOMPARE(QString::fromStdString(bounded->state.text()), QString("Placeholder: in\n"
                                                                    "blockIdx.x y.0@x.0@ (0,3840)\n"
                                                                    "  for y@x@.0 (0,5)\n"
                                                                    "    threadIdx.x y@x@.1 (0,256)\n"
                                                                    "      bx = ...\n"
                                                                    "  for y.1@x.1@.0 (0,4)\n"
                                                                    "    threadIdx.x y.1@x.1@.1 (0,256)\n"
                                                                    "      by = ...\n"));
}

/// A strip of the whole height would be more than a block has.
void GpuGroupedSchedulesTest::tilesFitIntoSharedMemory() {
    const DagPtr dag = pipelineDag("blur", "W=1536 H=2560");
    Grouping grouping = groupDag(dag, gpuTarget(), {GroupingMode::Compat, parseMachineParameters("4,16M,40").value()});
    QCOMPARE(grouping.groups.size(), size_t{1});
    const auto schedule = gpuGroupedSchedule(grouping, gpuTarget());
    QVERIFY2(schedule.ok(), schedule.ok() ? "" : schedule.why().c_str());
    QCOMPARE(schedule->notes.size(), size_t{1});
    QCOMPARE(QString::fromStdString(schedule->notes.front()),
             QString("by: its tiles are smaller than the grouping has them, as a block may have 49152 bytes of shared "
                     "memory"));
}

LOOPSCOPE_TEST(GpuGroupedSchedulesTest)
#include "gpu_grouped_schedules_test.moc"
