// Kernels in which shared buffers follow one another in the same bytes: where they lie, that a barrier stands between,
// that the answer is right, and that the executor finds and names it when that barrier is missing.

#include "codegen/executor/hand_kernel.h"
#include "codegen/loop_ir/shared_layout.h"
#include "codegen/loop_ir/walk.h"
#include "codegen/lower/live_ranges.h"
#include "codegen/lower/lower.h"
#include "harness/buffers_in_turn.h"
#include "harness/executed_kernels.h"
#include "harness/program_interpreter.h"
#include "harness/recorded_steps.h"
#include "harness/sample_dags.h"
#include "harness/sample_targets.h"
#include "language/target/occupancy.h"
#include "test_program.h"

#include <QTest>

#include <array>
#include <string>
#include <vector>

using namespace loopscope;

namespace reused_memory_test {

namespace {

LoopProgram kernelOf(const DagPtr &dag, const char *steps, const Target &target = gpuTarget()) {
    Outcome<LoopProgram> program = lower(stateOf(dag, steps), target);
    if (!program) throw std::runtime_error(program.why());
    return std::move(program).value();
}

std::string wrongAnswer(const DagPtr &dag, const LoopProgram &program) {
    const std::vector<TensorValue> inputs = randomInputs(*dag, 5);
    const ProgramRun run = runKernels(program, inputs);
    return run.failure.empty() ? compareOutputs(run.outputs, interpret(*dag, inputs)) : run.failure;
}

int64_t bytesWithoutReuse(const LoopProgram &program) {
    int64_t bytes = 0;
    forEachStmt(program.root, [&](Stmt s) {
        if (s->kind == StmtKind::Allocate && s->buffer->scope == MemoryScope::Shared) bytes += sharedSizeOf(*s->buffer);
    });
    return bytes;
}

/// "A.shared 0 .. 512, ..." in the order they are allocated.
QString layoutText(const LoopProgram &program) {
    const SharedLayout layout = sharedLayoutOf(program.root);
    QStringList texts;
    forEachStmt(program.root, [&](Stmt s) {
        if (s->kind != StmtKind::Allocate || s->buffer->scope != MemoryScope::Shared) return;
        const int64_t begin = layout.offsets.at(s->buffer);
        texts << QStringLiteral("%1 %2 .. %3")
                     .arg(QString::fromStdString(s->buffer->name))
                     .arg(begin)
                     .arg(begin + sharedSizeOf(*s->buffer));
    });
    return texts.join(QStringLiteral(", "));
}

int barriersOf(Stmt root) {
    int barriers = 0;
    forEachStmt(root, [&](Stmt s) { barriers += s->kind == StmtKind::Barrier ? 1 : 0; });
    return barriers;
}

Stmt withoutBarrier(Stmt stmt, int &which) {
    std::vector<Stmt> children;
    for (const Stmt child : stmt->body())
        if (child->kind != StmtKind::Barrier || which-- != 0) children.push_back(withoutBarrier(child, which));
    return withChildren(stmt, children);
}

/// What the executor says of the program when each of its barriers is missing in turn.
std::vector<std::string> withoutEach(const DagPtr &dag, LoopProgram &program) {
    const ArenaScope scope(program.arena);
    const Stmt whole = program.root;
    std::vector<std::string> told;
    for (int i = 0; i < barriersOf(whole); ++i) {
        int which = i;
        program.root = withoutBarrier(whole, which);
        numberNodes(program);
        told.push_back(wrongAnswer(dag, program));
    }
    program.root = whole;
    numberNodes(program);
    return told;
}

} // namespace

class ReusedMemoryTest : public QObject {
    Q_OBJECT
  private slots:
    void tilesOfTwoProducts();
    void barriersForNothing();
    void roundsAreNotMadeLongerForNothing();
    void moreBlocksAreWorthABarrier();
    void whatFitsOnlyTogether();
    void whatARoundLeavesKeepsItsBytes();
};

void ReusedMemoryTest::tilesOfTwoProducts() {
    const DagPtr dag = matmulChainDag(16);
    LoopProgram program = kernelOf(dag, kTwoProducts);
    QCOMPARE(wrongAnswer(dag, program), std::string());
    const QString text = QString::fromStdString(printProgram(program));
    QVERIFY2(text.contains(QStringLiteral(" shared from byte ")), qPrintable(text));
    QCOMPARE(bytesWithoutReuse(program), int64_t{1472});
    QCOMPARE(sharedLayoutOf(program.root).bytes, int64_t{768});
    QCOMPARE(layoutText(program),
             QStringLiteral("D 512 .. 768, A.shared 512 .. 704, B.shared 0 .. 512, C.shared 0 .. 512"));
    int named = 0;
    for (const std::string &wrong : withoutEach(dag, program)) {
        QVERIFY(!wrong.empty());
        named += wrong.find("which lies at the same bytes") != std::string::npos ? 1 : 0;
    }
    QVERIFY(named >= 1);
}

/// 16 bytes less are no unit of memory less, for a barrier more; where they make the kernel fit they are taken.
void ReusedMemoryTest::barriersForNothing() {
    const DagPtr dag = softmaxDag(3, 64);
    const LoopProgram apart = kernelOf(dag, kRowsByBlocks);
    QCOMPARE(sharedLayoutOf(apart.root).bytes, int64_t{288});
    Target target = gpuTarget();
    target.hardware.maxSharedMemoryPerBlock = 272;
    LoopProgram program = kernelOf(dag, kRowsByBlocks, target);
    QCOMPARE(barriersOf(program.root), barriersOf(apart.root) + 1);
    QCOMPARE(wrongAnswer(dag, program), std::string());
    QCOMPARE(layoutText(program), QStringLiteral("T_softmax_maxelem.across 0 .. 16, T_softmax_exp 0 .. 256, "
                                                 "T_softmax_expsum.across 256 .. 272"));
    // The second barrier stands between the parts of the maximum and the exponentials in their bytes.
    const std::vector<std::string> told = withoutEach(dag, program);
    QVERIFY(told.size() > 2);
    QVERIFY2(told[0].find("race: T_softmax_maxelem.across[") == 0, told[0].c_str());
    QVERIFY2(told[1].find("race: T_softmax_maxelem.across[") == 0 &&
                 told[1].find("and T_softmax_exp[0, ") != std::string::npos &&
                 told[1].find("which lies at the same bytes, written at line") != std::string::npos,
             told[1].c_str());
}

/// Sharing would cost a barrier more in every round.
void ReusedMemoryTest::roundsAreNotMadeLongerForNothing() {
    const LoopProgram program = kernelOf(matmulChainDag(16), kTakingTurns);
    QVERIFY2(printProgram(program).find(" shared from byte ") == std::string::npos, printProgram(program).c_str());
    QCOMPARE(sharedLayoutOf(program.root).bytes, bytesWithoutReuse(program));
}

/// Shared memory is what there is least of on this multiprocessor.
void ReusedMemoryTest::moreBlocksAreWorthABarrier() {
    const DagPtr dag = matmulChainDag(16);
    Target target = gpuTarget();
    target.gpu.sharedPerMultiprocessor = 8192;
    target.gpu.sharedReservedPerBlock = 0;
    target.gpu.sharedUnit = 64;
    LoopProgram program = kernelOf(dag, kTakingTurns, target);
    QCOMPARE(wrongAnswer(dag, program), std::string());
    const auto blocks = [&](int64_t bytes) { return occupancyOf(target, 64, 40, bytes).blocks; };
    const int64_t apart = bytesWithoutReuse(program);
    const int64_t together = sharedLayoutOf(program.root).bytes;
    QCOMPARE(QStringLiteral("%1 bytes, %2 blocks; %3 bytes, %4 blocks")
                 .arg(apart)
                 .arg(blocks(apart))
                 .arg(together)
                 .arg(blocks(together)),
             QStringLiteral("448 bytes, 18 blocks; 320 bytes, 24 blocks"));
}

void ReusedMemoryTest::whatFitsOnlyTogether() {
    const DagPtr dag = matmulChainDag(16);
    Target target = gpuTarget();
    target.hardware.maxSharedMemoryPerBlock = 400;
    LoopProgram program = kernelOf(dag, kTakingTurns, target);
    QCOMPARE(wrongAnswer(dag, program), std::string());
    QCOMPARE(layoutText(program),
             QStringLiteral("D.shared 256 .. 320, A.shared 0 .. 64, B.shared 64 .. 128, C.shared 0 .. 256"));
    int named = 0;
    for (const std::string &wrong : withoutEach(dag, program)) {
        QVERIFY(!wrong.empty());
        named += wrong.find("which lies at the same bytes") != std::string::npos ? 1 : 0;
    }
    QVERIFY(named >= 1);
    target.hardware.maxSharedMemoryPerBlock = 319;
    const Outcome<LoopProgram> refused = lower(stateOf(dag, kTakingTurns), target);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.why(), std::string("the stages computed inside E keep 320 bytes in shared memory, of which a "
                                        "block of the target has 319: shorten the tiles, or compute less of them "
                                        "there"));
}

/// What a round leaves to the next one lives in all of the loop; what is written anew in each does not.
void ReusedMemoryTest::whatARoundLeavesKeepsItsBytes() {
    HandKernel k;
    const Buffer &T = k.buffer("T", {32}, MemoryScope::Shared);
    const Expr r = makeVar("r");
    const Expr rounds = HandKernel::number(3);
    const auto fill = [&](const Buffer &buffer) { return HandKernel::write(buffer, k.t, HandKernel::read(k.A, k.t)); };
    const auto use = [&](const Buffer &buffer) { return HandKernel::write(k.C, k.t, HandKernel::read(buffer, k.t)); };
    const auto ranges = [&](const std::vector<Stmt> &before, const std::vector<Stmt> &body) {
        std::vector<Stmt> all = before;
        all.push_back(HandKernel::loop(r, rounds, makeBlock(body)));
        return liveRanges(k.program(all).root, std::array<const Buffer *, 2>{&k.S, &T});
    };
    const std::vector<LiveRange> turns = ranges({}, {fill(k.S), use(k.S), fill(T), use(T)});
    QVERIFY(!turns[0].meets(turns[1]));
    QVERIFY(turns[0].takesTurnsWith(turns[1]));
    const Stmt once = makeIf(makeBinary(ExprKind::Lt, r, HandKernel::number(1)), fill(k.S));
    const std::vector<LiveRange> carried = ranges({}, {once, use(k.S), fill(T), use(T)});
    QVERIFY(carried[0].meets(carried[1]));
    const std::vector<LiveRange> outside = ranges({fill(k.S)}, {fill(T), use(T), use(k.S)});
    QVERIFY(outside[0].meets(outside[1]));
    const std::vector<LiveRange> ended = ranges({fill(k.S), use(k.S)}, {fill(T), use(T)});
    QVERIFY(!ended[0].meets(ended[1]));
    QVERIFY(!ended[0].takesTurnsWith(ended[1]));
    // Each round writes one element and reads another.
    const Stmt element = HandKernel::write(k.S, r, HandKernel::read(k.A, k.t));
    const std::vector<LiveRange> parts = ranges({}, {element, use(k.S), fill(T), use(T)});
    QVERIFY(parts[0].meets(parts[1]));
}

LOOPSCOPE_TEST(ReusedMemoryTest)

} // namespace reused_memory_test
#include "reused_memory_test.moc"
