// Weights that are asked for ahead of time: which loops do, which weights are worth it, and that code does.

#include "codegen/code_generator.h"
#include "codegen/llvm/prefetch_plan.h"
#include "codegen/llvm/unroll_plan.h"
#include "codegen/loop_ir/walk.h"
#include "codegen/lower/lower.h"
#include "language/dag/compute_dag.h"
#include "language/target/target.h"
#include "language/te/workload.h"
#include "schedule/loop_state.h"
#include "test_program.h"

#include <QtTest>

using namespace loopscope;

namespace {

/// Rows times weights [columns, 256], columns in vectors of 16: outermost their blocks, then perhaps rows, then the
/// sum. `rowsInside`: rows are written out inside of the sum, so that every weight is read once.
LoopProgram denseProgram(int64_t rows, int64_t columns, bool rowsInside, int layoutRewrite = 2) {
    const std::string text = "workload w()\ndata = placeholder [" + std::to_string(rows) +
                             ", 256] float32\nweight = placeholder [" + std::to_string(columns) +
                             ", 256] float32\nout = dense(data, weight)\n";
    const DagPtr dag = ComputeDag::fromWorkload(parseWorkload(text, "w.te"));
    const StageId out(2);
    Steps steps{SplitStep{out, IterId(1), columns, {int64_t{16}}, true}};
    // rows, blocks, lanes, sum
    steps.push_back(rowsInside ? ReorderStep{out, {IterId(1), IterId(3), IterId(0), IterId(2)}}
                               : ReorderStep{out, {IterId(1), IterId(0), IterId(3), IterId(2)}});
    if (rowsInside) steps.push_back(AnnotateStep{out, IterId(2), Annotation::Unroll});
    steps.push_back(AnnotateStep{out, IterId(3), Annotation::Vectorize});
    const auto state = replay(dag, steps);
    if (!state) throw Error(state.why());
    auto program = lower(*state, parseTarget("llvm -num-cores=1"), {.layoutRewrite = layoutRewrite, .observer = {}});
    if (!program) throw Error(program.why());
    return std::move(program).value();
}

/// "k: 1 line", a loop after the other.
QStringList prefetches(const LoopProgram &program) {
    const UnrollPlan unrolls(program);
    const PrefetchPlan plan(program, unrolls);
    QStringList found;
    forEachStmt(program.root, [&](Stmt stmt) {
        if (stmt->kind != StmtKind::For) return;
        for (const WeightPrefetch &one : plan.of(*stmt.node()))
            found << QStringLiteral("%1: %2 of %3, %4 loops inside")
                         .arg(QString::fromStdString(std::string(stmt->var->name())))
                         .arg(one.lines)
                         .arg(QString::fromStdString(one.buffer->name))
                         .arg(one.inner.size());
    });
    return found;
}

} // namespace

class PrefetchPlanTest : public QObject {
    Q_OBJECT

  private slots:
    void theSumAsksForTheNextWeights() {
        QCOMPARE(prefetches(denseProgram(8, 512, true)), QStringList("k: 1 of weight.packed, 1 loops inside"));
        QCOMPARE(prefetches(denseProgram(8, 512, false)), QStringList("k: 1 of weight.packed, 1 loops inside"));
    }

    void onlyWhereItIsWorthIt() {
        QCOMPARE(prefetches(denseProgram(8, 64, true)), QStringList());     // 64 KiB stay in the core's own cache
        QCOMPARE(prefetches(denseProgram(32, 512, false)), QStringList());  // read 32 times
        QCOMPARE(prefetches(denseProgram(8, 512, true, 0)), QStringList()); // as the workload has them: not in order
    }

    void weightsKeepTheirMarkWhenTheyAreLaidOutAnew() {
        const LoopProgram program = denseProgram(8, 512, true);
        const auto launch = describeLaunch(program, TargetKind::Llvm, "entry");
        QVERIFY(launch.ok());
        QVERIFY(!launch->args[1].packing.empty());
        QVERIFY(launch->args[1].weights);
        QVERIFY(!launch->args[0].weights && !launch->args[2].weights);
    }

    void codeDoes() {
        const Target target = parseTarget("llvm -num-cores=1");
        const auto generator = makeCodeGenerator(target);
        QVERIFY(generator.ok());
        const auto count = [&](const LoopProgram &program) {
            const auto code = (*generator)->compile(program, {.wantIr = true});
            if (!code) return -1;
            return static_cast<int>(
                QString::fromStdString(code->ir.text).count(QStringLiteral("call void @llvm.prefetch")));
        };
        QVERIFY(count(denseProgram(8, 512, true)) >= 1);
        QCOMPARE(count(denseProgram(8, 64, true)), 0);
    }
};

LOOPSCOPE_TEST(PrefetchPlanTest)
#include "prefetch_plan_test.moc"
