// Loop programs by hand: their text, the lines of their nodes, copies, and what the verifier refuses.

#include "codegen/loop_ir/compact.h"
#include "codegen/loop_ir/flat_offset.h"
#include "codegen/loop_ir/program.h"
#include "codegen/loop_ir/walk.h"
#include "test_program.h"

#include <QTest>
#include <array>
#include <cstring>

using namespace loopscope;

namespace {

/// for i: allocate T; T[i] = A[i]*2; if (i < 3) B[i] = T[i] else B[i] = 0
struct Sample {
    ArenaPtr arena = std::make_shared<ExprArena>();
    ArenaScope scope{arena};
    LoopProgram program;
    Expr i = makeVar("i");

    Buffer &buffer(const std::string &name, MemoryScope where, int64_t extent = 8) {
        auto made = std::make_unique<Buffer>();
        made->name = name;
        made->shape = {extent};
        made->strides = {1};
        made->scope = where;
        program.buffers.push_back(std::move(made));
        return *program.buffers.back();
    }
    static Stmt loop(Expr var, int64_t extent, Stmt body, LoopKind kind = LoopKind::Serial) {
        StmtNode node;
        node.loop = kind;
        node.var = var;
        node.extent = makeInt(extent);
        return makeFor(node, body);
    }
    Buffer &a = buffer("A", MemoryScope::Argument);
    Buffer &b = buffer("B", MemoryScope::Argument);
    Buffer &t = buffer("T", MemoryScope::Stack);

    Sample() {
        program.args = {{&a, false, {8}, {}}, {&b, true, {8}, {}}};
        const Expr index[] = {i};
        const Stmt copy = makeStore(t, index, makeLoad(a, index) * makeFloat(2), StageId(1));
        const Stmt branch =
            makeIf(fold(ExprKind::Lt, i, makeInt(3)), makeStore(b, index, makeLoad(t, index), StageId(2)),
                   makeStore(b, index, makeFloat(0), StageId(2)), true);
        const std::array<Stmt, 2> both = {copy, branch};
        setRoot(loop(i, 8, makeAllocate(t, makeBlock(both)), LoopKind::Parallel));
    }
    void setRoot(Stmt root) {
        program.root = root;
        numberNodes(program);
    }
    Stmt store(const Buffer &to, Expr index, Expr value) const {
        const Expr indices[] = {index};
        return makeStore(to, indices, value, StageId(0));
    }
    std::string refusal(Stmt root) {
        setRoot(root);
        return verifyProgram(program);
    }
};

} // namespace

class LoopIrTest : public QObject {
    Q_OBJECT
  private slots:
    void digitsMeetInTheOffset();
    void prints();
    void linesBelongToNodes();
    void blocksAreFlat();
    void copiesHaveTheirOwnVariables();
    void aCompactedProgramNeedsNothingOfTheOld();
    void verifierRefuses();
};

void LoopIrTest::prints() {
    const Sample sample;
    QCOMPARE(QString::fromStdString(printProgram(sample.program)), QString("kernel(A: float32[8], out B: float32[8])\n"
                                                                           "    parallel i in 0 .. 8:\n"
                                                                           "        allocate T: float32[8] stack\n"
                                                                           "        T[i] = (A[i]*2f)\n"
                                                                           "        if likely (i < 3):\n"
                                                                           "            B[i] = T[i]\n"
                                                                           "        else:\n"
                                                                           "            B[i] = 0f\n"));
    QCOMPARE(verifyProgram(sample.program), std::string());
}

void LoopIrTest::linesBelongToNodes() {
    const Sample sample;
    std::map<int, int> lineOf;
    const QStringList lines = QString::fromStdString(printProgram(sample.program, &lineOf)).split('\n');
    int stores = 0;
    forEachStmt(sample.program.root, [&](Stmt stmt) {
        const QString line = lines[lineOf.at(stmt->id) - 1];
        if (stmt->kind == StmtKind::Store) {
            QVERIFY2(line.contains(QString::fromStdString(stmt->buffer->name) + "[i] ="), qPrintable(line));
            ++stores;
        }
        if (stmt->kind == StmtKind::For) QVERIFY(line.contains("parallel i"));
        if (stmt->kind == StmtKind::If) QVERIFY(line.contains("if likely"));
    });
    QCOMPARE(stores, 3);
    QCOMPARE(countStmts(sample.program.root), sample.program.nodeCount);
}

void LoopIrTest::blocksAreFlat() {
    Sample sample;
    const Stmt one = sample.store(sample.b, makeInt(0), makeFloat(1));
    const std::array<Stmt, 2> two = {one, copyStmt(one)};
    const std::array<Stmt, 2> nested = {makeBlock(two), copyStmt(one)};
    QCOMPARE(makeBlock(nested)->childCount, 3u);
    QCOMPARE(makeBlock({&one, 1}).node(), one.node());
}

void LoopIrTest::copiesHaveTheirOwnVariables() {
    Sample sample;
    const Stmt copy = copyStmt(sample.program.root);
    QVERIFY(!copy->var.is(sample.i));
    QVERIFY(!usesVar(copy, sample.i));
    const std::array<Stmt, 2> both = {sample.program.root, copy};
    QCOMPARE(sample.refusal(makeBlock(both)), std::string());
    const Stmt moved = substituteStmt(sample.program.root->children[0], {{sample.i.node(), makeInt(2)}});
    QVERIFY(!usesVar(moved, sample.i));
}

void LoopIrTest::aCompactedProgramNeedsNothingOfTheOld() {
    Sample s;
    s.program.arena = s.arena;
    std::map<int, int> before;
    const std::string text = printProgram(s.program, &before);
    const LoopProgram compact = compacted(std::move(s.program));
    QVERIFY(compact.arena != s.arena);
    // Write over whatever the old nodes were.
    s.arena->reset();
    std::memset(s.arena->allocate(size_t{16} << 10U), 0xee, size_t{16} << 10U);
    std::map<int, int> after;
    QCOMPARE(printProgram(compact, &after), text);
    QCOMPARE(after, before);
    QCOMPARE(verifyProgram(compact), std::string());
    QVERIFY(compact.args[0].buffer == &s.a); // buffers stay where they are
}

void LoopIrTest::verifierRefuses() {
    Sample sample;
    const Expr j = makeVar("j");
    const auto refuses = [&](Stmt root, const char *what) {
        const std::string why = sample.refusal(root);
        QVERIFY2(why.find(what) != std::string::npos, (std::string(what) + " expected, got: " + why).c_str());
    };
    const Expr zero = makeFloat(0);
    refuses(sample.store(sample.b, j, zero), "the undefined variable j");
    refuses(sample.store(sample.t, makeInt(0), zero), "an access to T, which is not allocated here");
    refuses(sample.store(sample.b, makeInt(0), makeInt(1)), "a value of another type than its buffer");
    refuses(makeStore(sample.b, {}, zero, StageId(0)), "0 indices into B of rank 1");
    refuses(sample.store(sample.b, zero, zero), "an index into B that is not an integer");
    refuses(makeAllocate(sample.b, sample.store(sample.b, makeInt(0), zero)), "an argument that is allocated");
    refuses(makeIf(makeInt(1), sample.store(sample.b, makeInt(0), zero)), "a condition that is not bool");
    const Stmt one = sample.store(sample.b, makeInt(0), zero);
    const std::array<Stmt, 2> twice = {one, one};
    refuses(makeBlock(twice), "an id that is missing or used twice");
    const Stmt inner = Sample::loop(j, 4, sample.store(sample.b, j, zero), LoopKind::Parallel);
    refuses(Sample::loop(sample.i, 4, inner, LoopKind::Parallel), "a parallel loop around it");
    refuses(Sample::loop(j, 2, Sample::loop(j, 4, sample.store(sample.b, j, zero))), "a variable that an outer loop");
    const auto besideBarrier = [&](Expr index) {
        const std::array<Stmt, 2> both = {sample.store(sample.b, index, zero), makeBarrier()};
        return makeBlock(both);
    };
    refuses(Sample::loop(j, 4, besideBarrier(j)), "a barrier outside the threads of a block");
    const Stmt some = makeIf(fold(ExprKind::Lt, j, makeInt(2)), besideBarrier(j));
    refuses(Sample::loop(j, 4, some, LoopKind::ThreadX), "a barrier that not all threads of a block come to");
    const Expr k = makeVar("k");
    StmtNode fewer;
    fewer.var = k;
    fewer.extent = j;
    refuses(Sample::loop(j, 4, makeFor(fewer, besideBarrier(j)), LoopKind::ThreadX), "a barrier that not all threads");
    QCOMPARE(sample.refusal(Sample::loop(j, 4, besideBarrier(j), LoopKind::ThreadX)), std::string());
    sample.t.scope = MemoryScope::Register;
    refuses(Sample::loop(j, 4, makeAllocate(sample.t, sample.store(sample.t, j, zero))),
            "an index into registers that does not become constant: j");
    QCOMPARE(
        sample.refusal(Sample::loop(j, 4, makeAllocate(sample.t, sample.store(sample.t, j, zero)), LoopKind::Unrolled)),
        std::string());
}

/// A[e // 256, e % 256] lies at e, however the rows are strided above.
void LoopIrTest::digitsMeetInTheOffset() {
    const ArenaPtr arena = std::make_shared<ExprArena>();
    const ArenaScope scope(arena);
    const Expr e = makeVar("e"), f = makeVar("f"), i = makeVar("i");
    const auto text = [](const std::vector<Expr> &indices, const std::vector<int64_t> &strides) {
        const std::optional<SplitSum> merged = mergedOffset(indices, strides);
        return merged ? toText(write(*merged, DType::Int32)) : std::string("apart");
    };
    QCOMPARE(text({floorDiv(e, 256), floorMod(e, 256)}, {256, 1}), std::string("e"));
    QCOMPARE(text({floorDiv(e, 256), floorMod(e, 256)}, {768, 3}), std::string("(e*3)"));
    QCOMPARE(text({floorDiv(e, 64), floorMod(floorDiv(e, 8), 8), floorMod(e, 8)}, {64, 8, 1}), std::string("e"));
    QCOMPARE(text({floorDiv(e, 16), floorMod(e, 16) * 16 + f}, {256, 1}), std::string("((e*16) + f)"));
    QCOMPARE(text({floorDiv(e * 7 + f, 24), floorMod(e * 7 + f, 24)}, {24, 1}), std::string("((e*7) + f)"));
    QCOMPARE(text({floorDiv(e, 256), i, floorMod(e, 256)}, {512, 7, 2}), std::string("((i*7) + (e*2))"));
    QCOMPARE(text({floorDiv(e, 256), floorMod(e, 256)}, {260, 1}), std::string("apart")); // rows are padded
    QCOMPARE(text({floorDiv(e, 256), floorMod(f, 256)}, {256, 1}), std::string("apart"));
    QCOMPARE(text({e, f}, {256, 1}), std::string("apart"));
}

LOOPSCOPE_TEST(LoopIrTest)
#include "loop_ir_test.moc"
