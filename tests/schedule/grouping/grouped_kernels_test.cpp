// The machine code of grouped pipelines computes what that of the plain loops computes: between guard pages for this
// machine, and to the last bit for one that has no instruction that multiplies and adds in one rounding. Where there is
// one, the compiler uses it wherever a product is added in the same expression, which a stage that is inlined changes.

#include "codegen/lower/lower.h"
#include "harness/kernel_check.h"
#include "harness/random_dag.h"
#include "language/dag/compute_dag.h"
#include "language/interpret/interpreter.h"
#include "language/target/target.h"
#include "language/te/workload.h"
#include "random_pipeline.h"
#include "schedule/grouping/grouped_schedule.h"
#include "schedule/grouping/loop_plan.h"
#include "test_program.h"

#include <QtTest>

#include <cmath>
#include <functional>

using namespace loopscope;

namespace {

DagPtr sampleDag(const QString &name, const QString &params) {
    ParamOverrides overrides;
    for (const QString &param : params.split(' '))
        overrides.emplace_back(param.section('=', 0, 0).toStdString(), param.section('=', 1).toLongLong());
    return ComputeDag::fromWorkload(
        loadWorkload(LOOPSCOPE_SOURCE_DIR "/samples/pipelines/" + name.toStdString() + ".te", overrides));
}

/// Loops here are short; nearly all of them are to run on threads nevertheless.
Target hostTarget() {
    Target target = parseTarget("llvm");
    target.minParallelStores = 0;
    return target;
}

Target targetWithoutFusedSums() {
    Target target = hostTarget();
    target.cpu = "x86-64";
    target.features.clear();
    target.vectorBytes = 16;
    target.vectorRegisters = 16;
    return target;
}

enum class Equality {
    Bits,   // every output
    Bounds, // a reduction of floats in another order, or functions that vectors round otherwise than numbers alone
};

} // namespace

Q_DECLARE_METATYPE(Equality)
Q_DECLARE_METATYPE(std::function<int64_t(int64_t)>)

class GroupedKernelsTest : public QObject {
    Q_OBJECT

    Target m_host = hostTarget();
    Target m_plain = targetWithoutFusedSums();
    std::unique_ptr<CodeGenerator> m_plainCompiler = codeGeneratorFor(m_plain);

  private slots:
    void equalPlainLoops_data();
    void equalPlainLoops();
    void randomWorkloads();
    void valuesThatWrap_data();
    void valuesThatWrap();
};

void GroupedKernelsTest::equalPlainLoops_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("params");
    QTest::addColumn<Equality>("equality");
    const auto row = [](const char *name, const char *params, Equality equality) {
        QTest::addRow("%s %s", name, params) << name << params << equality;
    };
    row("blur", "W=131 H=47", Equality::Bits);
    row("camera_raw", "W=61 H=47", Equality::Bits);
    row("harris", "W=139 H=31", Equality::Bits);
    row("max_filter", "W=13 H=7", Equality::Bits);
    row("unsharp", "W=67 H=23", Equality::Bits);
    if (!qEnvironmentVariableIsSet("LOOPSCOPE_LONG_TESTS")) return;
    row("bilateral_grid", "W=61 H=47", Equality::Bounds);
    row("conv_chain", "H=9 W=11 C=3", Equality::Bounds);
    row("conv_relu", "N=1 H=5 W=7 CI=3 CO=67", Equality::Bounds);
    row("cost_function", "W=67 H=47", Equality::Bounds);
    row("depthwise_separable", "B=1 H=5 W=7 CI=3 CO=19", Equality::Bounds);
    row("interpolate", "W=61 H=47", Equality::Bits);
    row("local_laplacian", "W=61 H=47", Equality::Bounds);
    row("matmul", "N=67", Equality::Bounds);
    row("multi_output", "W=67 H=23", Equality::Bits);
    row("nl_means", "W=11 H=7", Equality::Bounds);
    row("overlap", "W=61 H=7", Equality::Bits);
    row("softmax", "W=37 H=19", Equality::Bounds);
    row("stencil_chain", "W=67 H=53", Equality::Bits);
    row("tile_vs_inline", "W=37 H=23", Equality::Bits);
}

void GroupedKernelsTest::equalPlainLoops() {
    QFETCH(QString, name);
    QFETCH(QString, params);
    QFETCH(Equality, equality);
    const DagPtr dag = sampleDag(name, params);
    const Outcome<LoopProgram> plain = lower(LoopState(dag), m_plain);
    QVERIFY2(plain.ok(), plain.ok() ? "" : plain.why().c_str());
    const auto expected = kernelOutputs(*plain, *dag, *m_plainCompiler, 3);
    for (const GroupingMode mode : {GroupingMode::Compat, GroupingMode::Fixed}) {
        const Grouping grouping = groupPipeline(pipelineOf(dag), MachineParameters{}, mode);
        const auto schedule = groupedSchedule(grouping, planLoops(grouping));
        QVERIFY2(schedule.ok(), schedule.ok() ? "" : schedule.why().c_str());
        const Outcome<LoopProgram> host = lower(schedule->state, m_host);
        QVERIFY2(host.ok(), host.ok() ? "" : host.why().c_str());
        for (const bool alignFront : {false, true}) {
            const std::string problem = checkKernel(*host, *dag, hostCompiler(), 3, alignFront);
            QVERIFY2(problem.empty(), problem.c_str());
        }
        if (equality != Equality::Bits) continue;
        const Outcome<LoopProgram> grouped = lower(schedule->state, m_plain);
        QVERIFY2(grouped.ok(), grouped.ok() ? "" : grouped.why().c_str());
        QVERIFY(kernelOutputs(*grouped, *dag, *m_plainCompiler, 3) == expected);
    }
}

/// Half of the extents are 1 or 2, and loops shorter than a vector. LOOPSCOPE_LONG_TESTS draws four hundred.
void GroupedKernelsTest::randomWorkloads() {
    const uint64_t workloads = qEnvironmentVariableIsSet("LOOPSCOPE_LONG_TESTS") ? 400 : 12;
    for (uint64_t stream = 0; stream < workloads; ++stream) {
        Random random(41, stream);
        const MachineParameters machine = randomMachine(random);
        const DagPtr dag = randomDag(random, {.maxWork = 4000, .ordered = stream % 3 == 1, .shortExtents = true});
        const GroupingMode mode = stream % 2 == 0 ? GroupingMode::Compat : GroupingMode::Fixed;
        const Grouping grouping = groupPipeline(pipelineOf(dag), machine, mode);
        const auto schedule = groupedSchedule(grouping, planLoops(grouping));
        QVERIFY2(schedule.ok(), schedule.ok() ? "" : (std::to_string(stream) + ": " + schedule.why()).c_str());
        const Outcome<LoopProgram> program = lower(schedule->state, m_host);
        QVERIFY2(program.ok(), program.ok() ? "" : (std::to_string(stream) + ": " + program.why()).c_str());
        const std::string problem = checkKernel(*program, *dag, hostCompiler(), stream, stream % 4 < 2);
        QVERIFY2(problem.empty(),
                 (std::to_string(stream) + ": " + problem + "\n" + dag->text(DagTextMode::Normal)).c_str());
    }
}

/// Of workloads without inputs: C(i < N) and what it is.
void GroupedKernelsTest::valuesThatWrap_data() {
    QTest::addColumn<QString>("value");
    QTest::addColumn<qint64>("extent");
    QTest::addColumn<std::function<int64_t(int64_t)>>("expected");
    const auto row = [](const char *value, qint64 extent, const std::function<int64_t(int64_t)> &expected) {
        QTest::addRow("%s", value) << value << extent << expected;
    };
    constexpr int64_t largest = INT32_MAX;
    row("select(uint32(i) - 5 < 10, 1, 0)", 8, [](int64_t i) { return i >= 5 ? 1 : 0; });
    row("select(i * 65536 * 65536 > 0, 1, 0)", 4, [](int64_t) { return 0; });
    row("uint8(i) * 3 // 2", 300, [](int64_t i) { return i * 3 % 256 / 2; });
    row("int16(i * 7) // 2 % 16384", 30000, [](int64_t i) {
        const auto x = static_cast<int16_t>(i * 7);
        return ((x >> 1) % 16384 + 16384) % 16384;
    });
    row("(i * 1000000007) % 10", 90, [](int64_t i) { return (static_cast<int32_t>(i * 1000000007) % 10 + 10) % 10; });
    row("int64(i * 1000000000) + 1", 70, [](int64_t i) { return static_cast<int32_t>(i * 1000000000) + int64_t{1}; });
    row("max(i * 400000000, i * 300000000)", 20, [](int64_t i) {
        return std::max<int64_t>(static_cast<int32_t>(i * 400000000), static_cast<int32_t>(i * 300000000));
    });
    row("ceildiv(i + 2147483600, 100)", 40, [](int64_t i) { return (i + 2147483600 + 99) / 100; });
    row("select(i == 5, 7, 100 / (i - 5))", 9, [](int64_t i) { return i == 5 ? 7 : 100 / (i - 5); });
    row("select(i == 0, 7, 100 % i)", 1, [](int64_t) { return 7; });
    row("(int32(i) - 2147483647 - 1) / (int32(i) - 1)", 1, [](int64_t) { return -largest - 1; });
    row("truncmod(int32(i) - 2147483647 - 1, int32(i) - 1)", 1, [](int64_t) { return 0; });
    row("int8(i + 128) // int8(i - 1)", 1, [](int64_t) { return -128; });
    row("(i - 40) % (i % 7 - 9)", 90, [](int64_t i) {
        const int64_t a = i - 40, b = i % 7 - 9;
        return a - static_cast<int64_t>(std::floor(static_cast<double>(a) / static_cast<double>(b))) * b;
    });
}

void GroupedKernelsTest::valuesThatWrap() {
    QFETCH(QString, value);
    QFETCH(qint64, extent);
    QFETCH(std::function<int64_t(int64_t)>, expected);
    const std::string text = QString("workload t(N = %1)\nC(i < N) = %2\n").arg(extent).arg(value).toStdString();
    const DagPtr dag = ComputeDag::fromWorkload(parseWorkload(text, "t.te"));
    const std::vector<TensorValue> outputs = interpret(*dag, {});
    for (int64_t i = 0; i < extent; ++i) QCOMPARE(outputs[0].integers[static_cast<size_t>(i)], expected(i));
    std::vector<LoopState> states = {LoopState(dag)};
    for (const GroupingMode mode : {GroupingMode::Compat, GroupingMode::Fixed}) {
        const Grouping grouping = groupPipeline(pipelineOf(dag), MachineParameters{}, mode);
        const auto schedule = groupedSchedule(grouping, planLoops(grouping));
        QVERIFY2(schedule.ok(), schedule.ok() ? "" : schedule.why().c_str());
        states.push_back(schedule->state);
    }
    for (const LoopState &state : states) {
        const Outcome<LoopProgram> program = lower(state, m_host);
        QVERIFY2(program.ok(), program.ok() ? "" : program.why().c_str());
        const std::string problem = checkKernel(*program, *dag, hostCompiler(), 3);
        QVERIFY2(problem.empty(), problem.c_str());
    }
}

LOOPSCOPE_TEST(GroupedKernelsTest)
#include "grouped_kernels_test.moc"
