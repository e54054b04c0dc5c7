// Reductions whose loops are bound to threads: which threads combine their parts how, that the answer is right whatever
// the number of threads, and how many barriers that takes.

#include "codegen/loop_ir/walk.h"
#include "codegen/lower/lower.h"
#include "harness/executed_kernels.h"
#include "harness/program_interpreter.h"
#include "harness/recorded_steps.h"
#include "harness/sample_dags.h"
#include "harness/sample_targets.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

namespace {

LoopProgram kernelOf(const DagPtr &dag, const char *steps) {
    Outcome<LoopProgram> program = lower(stateOf(dag, steps), gpuTarget());
    if (!program) throw std::runtime_error(program.why());
    return std::move(program).value();
}

std::string wrongAnswer(const DagPtr &dag, const LoopProgram &program) {
    const std::vector<TensorValue> inputs = randomInputs(*dag, 5);
    const ProgramRun run = runKernels(program, inputs);
    const std::string wrong = run.failure.empty() ? compareOutputs(run.outputs, interpret(*dag, inputs)) : run.failure;
    return wrong.empty() ? wrong : wrong + "\n" + printProgram(program);
}

int shuffles(Stmt root) {
    int found = 0;
    forEachStmt(root, [&](Stmt s) {
        forEachOwnExpr(s, [&](Expr own) {
            postOrder(own, [&](Expr e) {
                found += e->kind == ExprKind::Call && e->intrinsic == Intrinsic::ShuffleXor ? 1 : 0;
            });
        });
    });
    return found;
}

/// "5 shuffles, 2 barriers, 96 bytes shared"
QString means(const LoopProgram &program) {
    int barriers = 0;
    int64_t bytes = 0;
    forEachStmt(program.root, [&](Stmt s) {
        barriers += s->kind == StmtKind::Barrier ? 1 : 0;
        if (s->kind == StmtKind::Allocate && s->buffer->scope == MemoryScope::Shared)
            bytes += s->buffer->elements() * dtypeBytes(s->buffer->dtype);
    });
    return QStringLiteral("%1 shuffles, %2 barriers, %3 bytes shared")
        .arg(shuffles(program.root))
        .arg(barriers)
        .arg(bytes);
}

QString refusal(const DagPtr &dag, const char *steps) {
    const Outcome<LoopProgram> program = lower(stateOf(dag, steps), gpuTarget());
    return QString::fromStdString(program ? printProgram(*program) : program.why());
}

DagPtr rowSumDag(int64_t rows, int64_t columns, DType type) {
    DagBuilder b;
    const Tensor &in = b.placeholder("A", {rows, columns}, type);
    const auto out = axes({"i"}, {rows});
    const auto reduce = axes({"k"}, {columns});
    return b.build({&b.reduce("B", out, ReduceKind::Sum, reduce, load(in, {out[0].var, reduce[0].var}))});
}

} // namespace

class AcrossThreadsTest : public QObject {
    Q_OBJECT
  private slots:
    void aWarpShuffles();
    void aResultThatAllKnowStaysWithThem();
    void waysToMeet_data();
    void waysToMeet();
    void narrowValuesMeetInSharedMemory();
    void refusals();
};

/// The sketch of a row minimum: rows to blocks, 32 threads along a row, whose length is no multiple of it.
void AcrossThreadsTest::aWarpShuffles() {
    const DagPtr dag = rowMinDag(10, 100);
    const LoopProgram program = kernelOf(dag, R"([["SP",1,1,100,[32],1],["AN",1,2,6],["AN",1,0,5]])");
    QCOMPARE(wrongAnswer(dag, program), std::string());
    QCOMPARE(QString::fromStdString(printProgram(program)),
             QStringLiteral(R"(kernel(A: float32[10, 100], out B: float32[10])
    blockIdx.x i in 0 .. 10:
        threadIdx.x k.1 in 0 .. 32:
            allocate B.partial: float32[1] local
            B.partial[0] = inff
            for k.0 in 0 .. 4:
                if likely (((k.0*32) + k.1) < 100):
                    B.partial[0] = min(B.partial[0], A[i, ((k.0*32) + k.1)])
            B.partial[0] = min(B.partial[0], shuffle_xor(B.partial[0], 16))
            B.partial[0] = min(B.partial[0], shuffle_xor(B.partial[0], 8))
            B.partial[0] = min(B.partial[0], shuffle_xor(B.partial[0], 4))
            B.partial[0] = min(B.partial[0], shuffle_xor(B.partial[0], 2))
            B.partial[0] = min(B.partial[0], shuffle_xor(B.partial[0], 1))
            if likely (k.1 == 0):
                B[i] = B.partial[0]
)"));
}

/// The fused softmax: the sum stays in a register of every thread, without shared memory.
void AcrossThreadsTest::aResultThatAllKnowStaysWithThem() {
    const DagPtr dag = softmaxDag(3, 100);
    const LoopProgram program =
        kernelOf(dag, R"([["SP",4,1,100,[32],1],["AN",4,2,6],["FSP",3,1,0,1],["AN",3,2,6],["CA",3,4,0],["CI",2],
            ["SP",1,1,100,[32],1],["AN",1,2,6],["AN",4,0,5],["AN",1,0,5]])");
    QCOMPARE(wrongAnswer(dag, program), std::string());
    QCOMPARE(means(program), QStringLiteral("10 shuffles, 0 barriers, 0 bytes shared"));
    const QString text = QString::fromStdString(printProgram(program));
    QVERIFY2(text.contains(QStringLiteral(R"(
            T_softmax_expsum[0] = T_softmax_expsum.partial[0]
            for i1.0 in 0 .. 4:
                if likely (((i1.0*32) + i1.1) < 100):
                    T_softmax_norm[i0, ((i1.0*32) + i1.1)] = )")) &&
                 text.contains(QStringLiteral("allocate T_softmax_expsum: float32[1] local")),
             qPrintable(text));
}

void AcrossThreadsTest::waysToMeet_data() {
    QTest::addColumn<QString>("dag");
    QTest::addColumn<QString>("steps");
    QTest::addColumn<QString>("means");
    const auto row = [](const char *name, const char *dag, const char *steps, const char *means) {
        QTest::newRow(name) << QString::fromUtf8(dag) << QString::fromUtf8(steps) << QString::fromUtf8(means);
    };
    row("eight threads", "min", R"([["SP",1,1,100,[8],1],["AN",1,2,6],["AN",1,0,5]])",
        "3 shuffles, 0 barriers, 0 bytes shared");
    row("128 threads", "min", R"([["SP",1,1,100,[128],1],["AN",1,2,6],["AN",1,0,5]])",
        "5 shuffles, 1 barriers, 16 bytes shared");
    row("256 threads", "min", R"([["SP",1,1,100,[256],1],["AN",1,2,6],["AN",1,0,5]])",
        "8 shuffles, 1 barriers, 32 bytes shared");
    row("24 threads", "min", R"([["SP",1,1,100,[24],1],["AN",1,2,6],["AN",1,0,5]])",
        "3 shuffles, 1 barriers, 12 bytes shared");
    row("two threads", "min", R"([["SP",1,1,100,[2],1],["AN",1,2,6],["AN",1,0,5]])",
        "1 shuffles, 0 barriers, 0 bytes shared");
    row("rows in threadIdx.y", "min", R"([["SP",1,1,100,[8],1],["AN",1,2,6],["AN",1,0,8]])",
        "3 shuffles, 0 barriers, 0 bytes shared");
    row("a row across threadIdx.y", "min", R"([["SP",1,1,100,[16],1],["AN",1,2,8],["SP",1,0,10,[2],1],["AN",1,1,6],
        ["AN",1,0,5]])",
        "4 shuffles, 0 barriers, 0 bytes shared");
    row("across threadIdx.y of several warps", "min",
        R"([["SP",1,1,100,[16],1],["AN",1,2,8],["SP",1,0,10,[4],1],["AN",1,1,6],["AN",1,0,5]])",
        "3 shuffles, 1 barriers, 32 bytes shared");
    row("two axes", "min", R"([["SP",1,1,100,[8,4],1],["AN",1,2,6],["AN",1,3,8],["AN",1,0,5]])",
        "5 shuffles, 0 barriers, 0 bytes shared");
    row("rows in a loop, and several warps", "min", R"([["SP",1,1,100,[64],1],["AN",1,2,6]])",
        "5 shuffles, 2 barriers, 8 bytes shared");
    row("rows inside the reduction", "min",
        R"([["SP",1,1,100,[32],1],["AN",1,2,6],["SP",1,0,10,[5],1],["RE",1,[0,2,1,3]],["AN",1,0,5]])",
        "5 shuffles, 0 barriers, 0 bytes shared");
    row("threads of both kinds inside the reduction", "min",
        R"([["SP",1,1,100,[16],1],["AN",1,2,6],["SP",1,0,10,[2],1],["RE",1,[0,2,1,3]],["AN",1,0,5],["AN",1,2,8]])",
        "4 shuffles, 0 barriers, 0 bytes shared");
    row("two outputs", "argmax", R"([["SP",1,1,100,[32],1],["AN",1,2,6],["AN",1,0,5]])",
        "10 shuffles, 0 barriers, 0 bytes shared");
    row("two outputs of several warps", "argmax", R"([["SP",1,1,100,[64],1],["AN",1,2,6],["AN",1,0,5]])",
        "10 shuffles, 1 barriers, 16 bytes shared");
    row("two outputs of three groups", "argmax", R"([["SP",1,1,100,[12],1],["AN",1,2,6],["AN",1,0,5]])",
        "4 shuffles, 1 barriers, 24 bytes shared");
    row("seven threads", "min", R"([["SP",1,1,100,[7],1],["AN",1,2,6],["AN",1,0,5]])",
        "0 shuffles, 1 barriers, 28 bytes shared");
    row("groups of two, beside other rows", "min",
        R"([["SP",1,1,100,[50],1],["AN",1,2,6],["SP",1,0,10,[2],1],["AN",1,1,8],["AN",1,0,5]])",
        "1 shuffles, 1 barriers, 200 bytes shared");
    row("a tree of two outputs", "argmax", R"([["SP",1,1,100,[37],1],["AN",1,2,6],["AN",1,0,5]])",
        "0 shuffles, 6 barriers, 296 bytes shared");
    row("more groups than are taken one by one", "min", R"([["SP",1,1,100,[100],1],["AN",1,2,6],["AN",1,0,5]])",
        "2 shuffles, 1 barriers, 100 bytes shared");
    row("groups along threadIdx.y", "min", R"([["SP",1,0,10,[2],1],["SP",1,2,100,[128],1],["AN",1,3,8],["AN",1,1,6],
        ["AN",1,0,5]])",
        "4 shuffles, 1 barriers, 64 bytes shared");
    row("fused softmax of 64 threads", "softmax",
        R"([["SP",4,1,100,[64],1],["AN",4,2,6],["FSP",3,1,0,1],["AN",3,2,6],["CA",3,4,0],["CI",2],
            ["SP",1,1,100,[32],1],["AN",1,2,6],["AN",4,0,5],["AN",1,0,5]])",
        "10 shuffles, 1 barriers, 8 bytes shared");
    row("fused softmax, more threads than reduce", "softmax",
        R"([["SP",4,1,100,[64],1],["AN",4,2,6],["SP",3,1,100,[32],1],["AN",3,2,6],["CA",3,4,0],["CI",2],
            ["SP",1,1,100,[32],1],["AN",1,2,6],["AN",4,0,5],["AN",1,0,5]])",
        "10 shuffles, 1 barriers, 4 bytes shared");
    row("softmax of three rows a block", "softmax",
        R"([["SP",4,1,100,[32],1],["AN",4,2,6],["SP",3,1,100,[32],1],["AN",3,2,6],["CA",3,4,0],["CI",2],
            ["SP",1,1,100,[32],1],["AN",1,2,6],["AN",1,0,5]])",
        "10 shuffles, 0 barriers, 0 bytes shared");
    row("softmax with rows in threadIdx.y", "softmax",
        R"([["SP",4,1,100,[32],1],["AN",4,2,6],["SP",3,1,100,[32],1],["AN",3,2,6],["CA",3,4,0],["CI",2],
            ["SP",1,1,100,[32],1],["AN",1,2,6],["CA",1,4,0],["AN",4,0,8]])",
        "10 shuffles, 0 barriers, 0 bytes shared");
    row("both reductions in the kernel of the quotient", "softmax",
        R"([["SP",4,1,100,[32],1],["AN",4,2,6],["SP",3,1,100,[32],1],["AN",3,2,6],["CA",3,4,0],["CI",2],
            ["SP",1,1,100,[16],1],["AN",1,2,6],["CA",1,4,0],["AN",4,0,5]])",
        "9 shuffles, 1 barriers, 4 bytes shared");
}

void AcrossThreadsTest::waysToMeet() {
    QFETCH(const QString, dag);
    QFETCH(const QString, steps);
    QFETCH(const QString, means);
    const DagPtr workload = dag == QStringLiteral("min")      ? rowMinDag(10, 100)
                            : dag == QStringLiteral("argmax") ? argmaxDag(4, 100)
                                                              : softmaxDag(3, 100);
    const LoopProgram program = kernelOf(workload, steps.toUtf8().constData());
    const std::string wrong = wrongAnswer(workload, program);
    QVERIFY2(wrong.empty(), wrong.c_str());
    QVERIFY2(::means(program) == means, (::means(program).toStdString() + "\n" + printProgram(program)).c_str());
}

void AcrossThreadsTest::narrowValuesMeetInSharedMemory() {
    const DagPtr dag = rowSumDag(4, 100, DType::Float16);
    const LoopProgram program = kernelOf(dag, R"([["SP",1,1,100,[32],1],["AN",1,2,6],["AN",1,0,5]])");
    const std::string wrong = wrongAnswer(dag, program);
    QVERIFY2(wrong.empty(), wrong.c_str());
    QCOMPARE(means(program), QStringLiteral("0 shuffles, 1 barriers, 64 bytes shared"));
}

void AcrossThreadsTest::refusals() {
    QCOMPARE(
        refusal(softmaxDag(3, 100), R"([["SP",4,1,100,[32],1],["AN",4,2,6],["SP",3,1,100,[32],1],["AN",3,2,6],
        ["CA",3,4,2],["CI",2]])"),
        QStringLiteral("T_softmax_expsum reduces across threadIdx.x inside loop i1.1 of T_softmax_norm, which is bound "
                       "to it as well: bind one of them to another axis, or keep the result in shared memory"));
}

LOOPSCOPE_TEST(AcrossThreadsTest)
#include "across_threads_test.moc"
