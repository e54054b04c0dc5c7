// What lowering makes of schedules for GPUs written by hand: kernels of blocks and threads, memory by scope, barriers
// where values are handed on and nowhere else, and a sentence for what has no kernel.

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

namespace kernel_test {

namespace {

LoopProgram kernelOf(const DagPtr &dag, const char *steps, const Target &target = gpuTarget()) {
    Outcome<LoopProgram> program = lower(stateOf(dag, steps), target);
    if (!program) throw std::runtime_error(program.why());
    return std::move(program).value();
}

std::string refusal(const DagPtr &dag, const char *steps, const Target &target = gpuTarget()) {
    const Outcome<LoopProgram> program = lower(stateOf(dag, steps), target);
    return program ? printProgram(*program) : program.why();
}

std::string wrongAnswer(const DagPtr &dag, const LoopProgram &program) {
    const std::vector<TensorValue> inputs = randomInputs(*dag, 5);
    const ProgramRun run = runKernels(program, inputs);
    return run.failure.empty() ? compareOutputs(run.outputs, interpret(*dag, inputs)) : run.failure;
}

int barriersOf(Stmt root) {
    int barriers = 0;
    forEachStmt(root, [&](Stmt s) { barriers += s->kind == StmtKind::Barrier ? 1 : 0; });
    return barriers;
}

/// The program with its barrier number `which` left out.
Stmt withoutBarrier(Stmt stmt, int &which) {
    std::vector<Stmt> children;
    for (const Stmt child : stmt->body())
        if (child->kind != StmtKind::Barrier || which-- != 0) children.push_back(withoutBarrier(child, which));
    return withChildren(stmt, children);
}

// As the search makes them: a tile for each block, virtual thread and thread in local memory, both inputs fetched into
// shared memory by all threads of a block, in tiles of the reduction.
constexpr const char *kTiledProduct = R"([["CHW",2,"local"],["SP",2,0,16,[1,4,1,2],1],["SP",2,5,24,[2,2,1,2],1],
    ["SP",2,10,12,[2,3],1],["RE",2,[0,5,1,6,2,7,10,11,3,8,12,4,9]],["FSP",3,0,1,3],["FSP",3,4,2,3],
    ["RE",3,[0,4,1,5,2,6,3,7]],["CA",2,3,5],["CHR",1,"shared",[2]],["CA",2,3,6],["CHR",0,"shared",[3]],["CA",1,4,6],
    ["FU",5,[0,1]],["AN",5,0,5],["FU",5,[1,2]],["AN",5,1,4],["FU",5,[2,3]],["AN",5,2,6],
    ["FU",1,[0,1]],["SP",1,0,0,[2],1],["AN",1,1,2],["FFSP",1,0,[1,2],1,1],["AN",1,1,6],
    ["FU",3,[0,1]],["FFSP",3,0,[1,2],1,1],["AN",3,1,6]])";

/// Both tiles of the product fill what a block has.
Target withoutRoomForASecondTile() {
    Target target = gpuTarget();
    target.hardware.maxSharedMemoryPerBlock = 384;
    return target;
}

} // namespace

class KernelTest : public QObject {
    Q_OBJECT
  private slots:
    void aTiledProductFetchesItsTilesTogether();
    void tilesAreFetchedAheadWhereThereIsRoom();
    void everyBarrierIsNeeded();
    void threadsBeyondALoopStandAside();
    void eachStageAtRootIsAKernel();
    void oneThreadNeedsNoBarrier();
    void parallelLoopsAreNotThreads();
    void refusals_data();
    void refusals();
    void weightsAreNotPackedInsideKernels();
    void limitsOfTheTarget();
};

void KernelTest::aTiledProductFetchesItsTilesTogether() {
    const DagPtr dag = matmulDag(16, 24, 12);
    const LoopProgram program = kernelOf(dag, kTiledProduct, withoutRoomForASecondTile());
    QCOMPARE(wrongAnswer(dag, program), std::string());
    QStringList outline; // of each line its first word, and what it is about
    for (const QString &line : QString::fromStdString(printProgram(program)).split(u'\n', Qt::SkipEmptyParts))
        outline << line.section(QStringLiteral(" = "), 0, 0)
                       .section(QStringLiteral(" in "), 0, 0)
                       .section(u'[', 0, 0)
                       .trimmed();
    QCOMPARE(outline.join(u'\n'), QStringLiteral(R"(kernel(A: float32
blockIdx.x i.0@j.0@
allocate A.shared: float32
allocate B.shared: float32
threadIdx.x i.2@j.2@
allocate C.local: float32
vthread i.1@j.1@
unrolled i_c.4
unrolled j_c.4
C.local
for k.0
barrier
for ax0@ax1@.0.0
vectorized ax0@ax1@.1
A.shared
for ax0@ax1@.0
B.shared
barrier
for k.1
for k.2
vthread i.1@j.1@
unrolled i_c.4
unrolled j_c.4
C.local
vthread i.1@j.1@
unrolled i.3
unrolled j.3
C)"));
}

/// The next round's tiles go through registers into the other half, and one barrier a round is left.
void KernelTest::tilesAreFetchedAheadWhereThereIsRoom() {
    const DagPtr dag = matmulDag(16, 24, 12);
    const LoopProgram program = kernelOf(dag, kTiledProduct);
    QCOMPARE(wrongAnswer(dag, program), std::string());
    QCOMPARE(barriersOf(program.root), 1);
    const QString text = QString::fromStdString(printProgram(program));
    QVERIFY(text.contains(QStringLiteral("allocate A.shared: float32[2, 8, 6] shared")));
    QVERIFY(text.contains(QStringLiteral("allocate A.shared.next: float32[3, 2] local")));
    QVERIFY2(text.contains(QStringLiteral(R"(
            for k.0 in 0 .. 2:
                barrier
                if (k.0 < 1):
                    unrolled ax0@ax1@.0.0 in 0 .. 3:
                        vectorized ax0@ax1@.1 in 0 .. 2:
                            A.shared.next[ax0@ax1@.0.0, ax0@ax1@.1] = A[)")),
             qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral(R"(
                    unrolled ax0@ax1@.0 in 0 .. 6:
                        B.shared[1, ax0@ax1@.0, i.2@j.2@] = B.shared.next[ax0@ax1@.0]
)")),
             qPrintable(text));
}

/// Whichever is left out, threads read what others have not written yet, or what the next round has.
void KernelTest::everyBarrierIsNeeded() {
    const DagPtr dag = matmulDag(16, 24, 12);
    for (const int expected : {1, 2}) {
        LoopProgram program = kernelOf(dag, kTiledProduct, expected == 1 ? gpuTarget() : withoutRoomForASecondTile());
        const ArenaScope scope(program.arena);
        const Stmt whole = program.root;
        QCOMPARE(barriersOf(whole), expected);
        for (int i = 0; i < expected; ++i) {
            int which = i;
            program.root = withoutBarrier(whole, which);
            QCOMPARE(barriersOf(program.root), expected - 1);
            const std::string wrong = wrongAnswer(dag, program);
            const bool race = wrong.find("with no barrier between") != std::string::npos;
            QVERIFY2(race || wrong.find("before anything is stored there") != std::string::npos, wrong.c_str());
        }
    }
}

/// 13 rows in 8 threads of two each; the copy is shared, so that threads take what others fetched.
void KernelTest::threadsBeyondALoopStandAside() {
    const DagPtr dag = elementwiseDag(13, 5);
    const LoopProgram program = kernelOf(dag, R"([["CHW",3,"shared"],["SP",4,0,0,[8],1],["AN",4,0,5],["CA",3,4,0],
        ["AN",4,1,6],["CI",1],["CI",2],["SP",3,0,0,[4],1],["AN",3,1,6]])");
    QCOMPARE(wrongAnswer(dag, program), std::string());
    QCOMPARE(QString::fromStdString(printProgram(program)),
             QStringLiteral(R"(kernel(A: float32[13, 5], out D: float32[13, 5])
    blockIdx.x i.0 in 0 .. 2:
        allocate D.shared: float32[8, 5] shared
        threadIdx.x i.1 in 0 .. 8:
            if likely (i.1 < 4):
                for i_c.0 in 0 .. 2:
                    if likely ((((i.0*8) + (i_c.0*4)) + i.1) < 13):
                        for j_c in 0 .. 5:
                            D.shared[((i_c.0*4) + i.1), j_c] = exp(((A[(((i.0*8) + (i_c.0*4)) + i.1), j_c] + 1f)*2f))
            barrier
            if likely (((i.0*8) + i.1) < 13):
                for j in 0 .. 5:
                    D[((i.0*8) + i.1), j] = D.shared[i.1, j]
)"));
}

/// The next kernel begins when the one before has ended, so global memory needs no barrier.
void KernelTest::eachStageAtRootIsAKernel() {
    const DagPtr dag = elementwiseDag(8, 8);
    const LoopProgram program = kernelOf(dag, R"([["AN",1,0,6],["AN",2,0,5],["AN",2,1,6],["AN",3,0,5]])");
    QCOMPARE(wrongAnswer(dag, program), std::string());
    QCOMPARE(barriersOf(program.root), 0);
    QStringList launches;
    forEachStmt(program.root, [&](Stmt s) {
        if (s->kind != StmtKind::For || s->loop < LoopKind::BlockX || s->loop > LoopKind::ThreadZ) return;
        launches << QString::fromUtf8(loopKindName(s->loop).data()) + u' ' + QString::number(constantExtent(s));
    });
    QCOMPARE(launches.join(QStringLiteral(", ")),
             QStringLiteral("blockIdx.x 1, threadIdx.x 8, blockIdx.x 8, threadIdx.x 8, blockIdx.x 8, threadIdx.x 1"));
}

void KernelTest::oneThreadNeedsNoBarrier() {
    const DagPtr dag = elementwiseDag(8, 8);
    const LoopProgram program = kernelOf(dag, R"([["AN",3,0,5],["CA",2,3,0],["CI",1]])");
    QCOMPARE(wrongAnswer(dag, program), std::string());
    QVERIFY(printProgram(program).find("allocate C: float32[1, 8] shared") != std::string::npos);
    QCOMPARE(barriersOf(program.root), 0);
}

void KernelTest::parallelLoopsAreNotThreads() {
    const LoopProgram program = kernelOf(elementwiseDag(8, 8), R"([["AN",3,0,3],["CI",1],["CI",2]])");
    QCOMPARE(program.serialised.size(), size_t(1));
    QCOMPARE(serialisedText(program.serialised.front()),
             std::string("the parallel loop i runs serially: a GPU shares loops out by blocks and threads, which it is "
                         "not bound to"));
}

void KernelTest::refusals_data() {
    QTest::addColumn<QString>("steps");
    QTest::addColumn<QString>("why");
    QTest::newRow("reduction across blocks") << R"([["AN",2,2,5]])"
                                             << "loop k of C reduces and is bound to blockIdx.x, but blocks cannot "
                                                "combine what each of them has: bind it to "
                                                "threads, or make a stage of the parts (RF)";
    QTest::newRow("blocks inside a kernel")
        << R"([["CHR",0,"shared",[2]],["AN",3,0,5],["CA",1,3,0],["AN",1,1,5]])"
        << "is bound to blockIdx.x inside the kernel of C, where blocks run already; bind it to threads";
    QTest::newRow("one axis twice") << R"([["AN",2,0,6],["AN",2,1,6]])"
                                    << "loop j of C is bound to threadIdx.x, as a loop of C around it is already";
    QTest::newRow("threads of a local stage")
        << R"([["CHR",0,"local",[2]],["AN",3,0,6],["CA",1,3,0],["AN",1,1,8]])"
        << "but A.local lies in the local memory of one thread, which nobody else sees; bind no loop of it";
    QTest::newRow("global inside blocks") << R"([["CHR",0,"global",[2]],["AN",3,0,5],["CA",1,3,0]])"
                                          << "A.global lies in global memory, but is computed inside C, whose blocks";
    QTest::newRow("warp memory") << R"([["CHR",0,"warp",[2]],["AN",3,0,5],["CA",1,3,0]])"
                                 << "A.warp lies in the memory of a warp, for which there is no code";
}

void KernelTest::refusals() {
    QFETCH(const QString, steps);
    QFETCH(const QString, why);
    const std::string told = refusal(matmulDag(8, 8, 8), steps.toUtf8().constData());
    QVERIFY2(told.find(why.toStdString()) != std::string::npos, told.c_str());
}

void KernelTest::weightsAreNotPackedInsideKernels() {
    LowerOptions options;
    options.layoutRewrite = 1;
    const Outcome<LoopProgram> program = lower(stateOf(matmulDag(8, 8, 8), "[]"), gpuTarget(), options);
    QVERIFY(!program.ok());
    QCOMPARE(program.why(), std::string("layout rewrite 1 packs weights inside the program, for which there are no "
                                        "kernels yet on a GPU; 0 (none) and 2 (packed by the caller) are legal"));
}

void KernelTest::limitsOfTheTarget() {
    const DagPtr dag = matmulDag(64, 64, 64);
    Target target = gpuTarget();
    target.hardware.maxThreadsPerBlock = 63;
    const std::string threads = refusal(dag, R"([["AN",2,0,6]])", target);
    QVERIFY2(threads.find("the kernel of C asks for 64 threads a block, of which the target runs 63 at most") !=
                 std::string::npos,
             threads.c_str());
    target = gpuTarget();
    target.hardware.maxSharedMemoryPerBlock = 16000;
    const char *shared = R"([["CHR",1,"shared",[2]],["AN",3,0,5],["CA",2,3,0]])";
    const std::string block = refusal(dag, shared, target);
    QVERIFY2(block.find("the stages computed inside C keep 16384 bytes in shared memory, of which a block of the "
                        "target has 16000") != std::string::npos,
             block.c_str());
    target = gpuTarget();
    target.hardware.maxLocalMemoryPerBlock = 255;
    const std::string thread = refusal(dag, R"([["CHR",0,"local",[2]],["AN",3,0,6],["CA",1,3,0]])", target);
    QVERIFY2(thread.find("260 bytes in local memory, of which a thread of the target has 255") != std::string::npos,
             thread.c_str());
}

LOOPSCOPE_TEST(KernelTest)

} // namespace kernel_test
#include "kernel_test.moc"
