// Loops as code: whole operators in several arrangements, odd extents in lanes, register tiles, buffers inside lanes.
#include "harness/kernel_check.h"
#include "harness/naive_program.h"
#include "harness/sample_dags.h"

#include "codegen/runtime/loaded_kernel.h"
#include "test_program.h"

#include <QtTest>

#include <algorithm>
#include <cstdlib>
#include <span>

using namespace loopscope;

namespace {

const NaiveOptions arrangements[] = {
    {LoopKind::Serial, LoopKind::Serial, LoopKind::Serial, false},
    {LoopKind::Vectorized, LoopKind::Parallel, LoopKind::Serial, false},
    {LoopKind::Vectorized, LoopKind::Serial, LoopKind::Unrolled, true},
    {LoopKind::Unrolled, LoopKind::Parallel, LoopKind::Unrolled, true},
};

/// With `ways` of the arrangements.
std::string checkAll(const DagPtr &dag, size_t ways = std::size(arrangements)) {
    for (const NaiveOptions &way : std::span(arrangements).first(ways))
        for (bool front : {false, true}) {
            std::string problem = checkKernel(naiveProgram(dag, way), *dag, hostCompiler(), 3, front);
            if (!problem.empty()) return problem;
        }
    return {};
}

Expr plus(Expr a, Expr b) { return fold(ExprKind::Add, a, b); }

const Buffer *addBuffer(LoopProgram &program, const std::string &name, std::vector<int64_t> shape, MemoryScope scope) {
    auto buffer = std::make_unique<Buffer>();
    buffer->name = name;
    buffer->shape = shape;
    buffer->scope = scope;
    buffer->strides.resize(shape.size());
    int64_t stride = 1;
    for (size_t d = shape.size(); d-- > 0; stride *= shape[d]) buffer->strides[d] = stride;
    if (scope == MemoryScope::Argument) {
        buffer->argIndex = int(program.args.size());
        program.args.push_back({buffer.get(), false, shape, {}});
    }
    program.buffers.push_back(std::move(buffer));
    return program.buffers.back().get();
}

/// C[m, n] += A[m, k]*B[k, n] in tiles of rows x columns whose accumulators are a register buffer.
LoopProgram tiledMatmul(int64_t m, int64_t n, int64_t k, int64_t rows, int64_t columns) {
    LoopProgram program;
    program.arena = std::make_shared<ExprArena>();
    const ArenaScope scope(program.arena);
    const Buffer *a = addBuffer(program, "A", {m, k}, MemoryScope::Argument);
    const Buffer *b = addBuffer(program, "B", {k, n}, MemoryScope::Argument);
    const Buffer *c = addBuffer(program, "C", {m, n}, MemoryScope::Argument);
    const Buffer *tile = addBuffer(program, "tile", {rows, columns}, MemoryScope::Register);
    program.args[2].output = true;
    const Expr io = makeVar("io"), jo = makeVar("jo"), kk = makeVar("k");
    const auto tiles = [&](const std::function<Stmt(Expr i, Expr j)> &statement) {
        const Expr i = makeVar("i"), j = makeVar("j");
        return loopOver(i, rows, LoopKind::Unrolled, loopOver(j, columns, LoopKind::Vectorized, statement(i, j)));
    };
    const auto store = [](const Buffer *to, std::vector<Expr> at, Expr value) {
        return makeStore(*to, at, value, StageId(0));
    };
    const auto read = [](const Buffer *from, std::vector<Expr> at) { return makeLoad(*from, at); };
    const auto row = [&](Expr i) { return plus(io * rows, i); };
    const auto column = [&](Expr j) { return plus(jo * columns, j); };
    const Stmt parts[] = {tiles([&](Expr i, Expr j) { return store(tile, {i, j}, makeFloat(0)); }),
                          loopOver(kk, k, LoopKind::Serial, tiles([&](Expr i, Expr j) {
                                       const Expr product = read(a, {row(i), kk}) * read(b, {kk, column(j)});
                                       return store(tile, {i, j}, plus(read(tile, {i, j}), product));
                                   })),
                          tiles([&](Expr i, Expr j) { return store(c, {row(i), column(j)}, read(tile, {i, j})); })};
    program.root = loopOver(io, m / rows, LoopKind::Parallel,
                            loopOver(jo, n / columns, LoopKind::Serial, makeAllocate(*tile, makeBlock(parts))));
    numberNodes(program);
    return program;
}

/// T[i, j] = A[j, i], the lanes along the rows of what is read or of what is written.
/// With `split`, the vectorized loop is the inner part of a loop, the outer part of which stands between.
LoopProgram transposition(int64_t rows, int64_t columns, DType dtype, bool lanesRead, LoopKind outer, int split = 0) {
    LoopProgram program;
    program.arena = std::make_shared<ExprArena>();
    const ArenaScope scope(program.arena);
    addBuffer(program, "A", {columns, rows}, MemoryScope::Argument);
    addBuffer(program, "T", {rows, columns}, MemoryScope::Argument);
    program.args[1].output = true;
    for (const auto &buffer : program.buffers) buffer->dtype = dtype;
    const Expr i = makeVar("i"), j = makeVar("j");
    const Expr between = makeVar("between"), lane = makeVar("lane");
    const bool splits = split > 0 && !lanesRead;
    const Expr column = splits ? plus(between * split, lane) : j;
    const Expr from[] = {column, i}, to[] = {i, column};
    const Stmt copy = makeStore(*program.buffers[1], to, makeLoad(*program.buffers[0], from), StageId(0));
    if (splits) {
        program.root = loopOver(
            i, rows, outer,
            loopOver(between, columns / split, LoopKind::Serial, loopOver(lane, split, LoopKind::Vectorized, copy)));
        numberNodes(program);
        return program;
    }
    program.root = lanesRead ? loopOver(j, columns, outer, loopOver(i, rows, LoopKind::Vectorized, copy))
                             : loopOver(i, rows, outer, loopOver(j, columns, LoopKind::Vectorized, copy));
    numberNodes(program);
    return program;
}

DagPtr transpositionDag(int64_t rows, int64_t columns, DType dtype) {
    DagBuilder b;
    const Tensor &a = b.placeholder("A", {columns, rows}, dtype);
    const auto s = axes({"i", "j"}, {rows, columns});
    return b.build({&b.compute("T", s, load(a, {s[1].var, s[0].var}))}, "transposition");
}

} // namespace

class LoopCodeTest : public QObject {
    Q_OBJECT

  private slots:
    void operators_data() {
        QTest::addColumn<DagPtr>("dag");
        QTest::newRow("matmul") << matmulDag(17, 23, 19);
        QTest::newRow("batch matmul") << batchMatmulDag(3, 8, 16, 8);
        QTest::newRow("matmul bias relu") << matmulBiasReluDag(16, 31, 8);
        QTest::newRow("conv2d nchw") << conv2dBiasReluNchwDag(1, 7, 7, 8, 4, 3, 1, 1);
        QTest::newRow("conv2d nchw stride 2") << conv2dBiasReluNchwDag(1, 9, 33, 4, 3, 3, 2, 1);
        QTest::newRow("conv2d nhwc") << conv2dBiasReluNhwcDag(8, 8, 4, 12, 3, 2, 1);
        QTest::newRow("depthwise") << depthwiseNhwcDag(1, 9, 9, 11, 3, 1, 1);
        QTest::newRow("softmax") << softmaxDag(5, 37);
        QTest::newRow("row minimum") << rowMinDag(10, 50);
        QTest::newRow("elementwise") << elementwiseDag(7, 67);
    }
    void operators() {
        QFETCH(DagPtr, dag);
        const std::string problem = checkAll(dag);
        QVERIFY2(problem.empty(), problem.c_str());
    }

    void lanes_data() {
        QTest::addColumn<int>("extent");
        for (int extent : {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 24, 31, 33, 64, 100, 257, 1031})
            QTest::addRow("%d", extent) << extent;
    }
    void lanes() {
        QFETCH(int, extent);
        const std::string problem = checkAll(elementwiseDag(3, extent), 3); // not written out: a thousand library calls
        QVERIFY2(problem.empty(), problem.c_str());
    }

    void registerTiles_data() {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("columns");
        for (int rows : {1, 2, 6})
            for (int columns : {1, 2, 3, 4, 7, 8, 12, 16, 21, 24})
                QTest::addRow("%dx%d", rows, columns) << rows << columns;
    }
    void registerTiles() {
        QFETCH(int, rows);
        QFETCH(int, columns);
        const int64_t m = 3 * rows, n = 2 * columns, k = 9;
        const LoopProgram program = tiledMatmul(m, n, k, rows, columns);
        const std::string problem = checkKernel(program, *matmulDag(m, n, k), hostCompiler(), 5);
        QVERIFY2(problem.empty(), problem.c_str());
    }

    // The accumulators of a tile that fits are never in memory inside the reduction.
    void tileStaysInRegisters() {
        const LoopProgram program = tiledMatmul(48, 64, 64, 6, 16);
        CodegenOptions options;
        options.wantAssembly = options.debugLines = true;
        const Outcome<MachineCode> code = hostCompiler().compile(program, options);
        QVERIFY(code.ok());
        if (code->assembly.text.find("ymm") == std::string::npos) QSKIP("a 6x16 tile is for 256-bit registers");
        const std::string body = code->assembly.text.substr(code->assembly.text.find("parallel_body_0:"));
        QVERIFY2(body.find("(%rsp)") == std::string::npos, body.c_str());
        QCOMPARE(QByteArray::fromStdString(code->assembly.text).count("vfmadd"), 12);
    }

    // Lanes of a fused loop that cross the ends of rows read the elements side by side, not one by one with a division
    // for each.
    void lanesOfAFusedLoopAreSideBySide() {
        const int64_t rows = 64, columns = 36, lanes = 16;
        LoopProgram program;
        program.arena = std::make_shared<ExprArena>();
        const ArenaScope scope(program.arena);
        const Buffer *in = addBuffer(program, "A", {rows, columns}, MemoryScope::Argument);
        const Buffer *out = addBuffer(program, "B", {rows, columns}, MemoryScope::Argument);
        program.args[1].output = true;
        const Expr outer = makeVar("outer"), lane = makeVar("lane");
        const Expr fused = plus(outer * lanes, lane);
        const Expr element[] = {floorDiv(fused, columns), floorMod(fused, columns)};
        const Expr twice = plus(makeLoad(*in, element), makeLoad(*in, element));
        program.root =
            loopOver(outer, rows * columns / lanes, LoopKind::Serial,
                     loopOver(lane, lanes, LoopKind::Vectorized, makeStore(*out, element, twice, StageId(0))));
        numberNodes(program);
        CodegenOptions options;
        options.wantIr = true;
        const Outcome<MachineCode> code = hostCompiler().compile(program, options);
        QVERIFY2(code.ok(), code ? "" : code.why().c_str());
        const std::string &ir = code->ir.text;
        QVERIFY2(ir.find("load <") != std::string::npos && ir.find("store <") != std::string::npos, ir.c_str());
        QVERIFY2(ir.find("urem") == std::string::npos && ir.find("udiv") == std::string::npos, ir.c_str());
    }

    void transpositions_data() {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("columns");
        QTest::addColumn<DType>("dtype");
        const auto row = [](int rows, int columns, DType dtype) {
            QTest::addRow("%dx%d %s", rows, columns, dtypeName(dtype).data()) << rows << columns << dtype;
        };
        for (auto [rows, columns] : {std::pair(16, 16), {32, 48}, {17, 16}, {16, 24}, {160, 16}})
            row(rows, columns, DType::Float32);
        for (DType dtype : {DType::Float64, DType::Int32, DType::Int8}) row(32, 16, dtype);
    }
    void transpositions() {
        QFETCH(int, rows);
        QFETCH(int, columns);
        QFETCH(DType, dtype);
        const DagPtr dag = transpositionDag(rows, columns, dtype);
        if (columns % 16 == 0) {
            const LoopProgram program = transposition(rows, columns, dtype, false, LoopKind::Serial, 16);
            const std::string problem = checkKernel(program, *dag, hostCompiler(), 5);
            QVERIFY2(problem.empty(), problem.c_str());
        }
        for (const bool lanesRead : {false, true})
            for (const LoopKind outer : {LoopKind::Serial, LoopKind::Unrolled}) {
                const LoopProgram program = transposition(rows, columns, dtype, lanesRead, outer);
                const std::string problem = checkKernel(program, *dag, hostCompiler(), 5, lanesRead);
                QVERIFY2(problem.empty(), problem.c_str());
            }
    }

    // Blocks go through registers: as many loads and stores as vectors, none of elements.
    void transpositionsMoveVectors() {
        for (const auto &[lanesRead, split] : {std::pair(false, 0), {true, 0}, {false, 16}}) {
            CodegenOptions options;
            options.wantIr = true;
            const LoopProgram program = transposition(32, 64, DType::Float32, lanesRead, LoopKind::Serial, split);
            const Outcome<MachineCode> code = hostCompiler().compile(program, options);
            QVERIFY2(code.ok(), code ? "" : code.why().c_str());
            const QByteArray ir = QByteArray::fromStdString(code->ir.text);
            QVERIFY2(ir.contains("load <") && ir.contains("store <") && ir.contains("shufflevector"), ir.constData());
            QVERIFY2(!ir.contains("load float") && !ir.contains("store float"), ir.constData());
        }
    }

    // Of a chain, each of which reads the one before, two at a time have memory.
    void buffersTakeTurns() {
        const int64_t elements = 5000;
        LoopProgram program;
        program.arena = std::make_shared<ExprArena>();
        const ArenaScope scope(program.arena);
        std::vector<const Buffer *> chain = {addBuffer(program, "A", {elements}, MemoryScope::Argument)};
        const Buffer *out = addBuffer(program, "B", {elements}, MemoryScope::Argument);
        program.args[1].output = true;
        for (const char *name : {"b", "c", "d", "e"})
            chain.push_back(addBuffer(program, name, {elements}, MemoryScope::Heap));
        chain.push_back(out);
        std::vector<Stmt> parts;
        for (size_t k = 1; k < chain.size(); ++k) {
            const Expr i = makeVar("i");
            const Expr at[] = {i};
            parts.push_back(
                loopOver(i, elements, LoopKind::Serial,
                         makeStore(*chain[k], at, plus(makeLoad(*chain[k - 1], at), makeFloat(1)), StageId(0))));
        }
        program.root = makeBlock(parts);
        for (size_t k = 1; k + 1 < chain.size(); ++k) program.root = makeAllocate(*chain[k], program.root);
        numberNodes(program);
        const Outcome<MachineCode> code = hostCompiler().compile(program, {});
        QVERIFY2(code.ok(), code ? "" : code.why().c_str());
        static int held;
        static int most;
        held = most = 0;
        LoopscopeRuntime counting = kernelRuntime();
        counting.allocate = [](int64_t bytes) {
            most = std::max(most, ++held);
            return std::aligned_alloc(64, size_t(bytes + 63) / 64 * 64);
        };
        counting.release = [](void *memory) {
            --held;
            std::free(memory);
        };
        std::vector<float> from(size_t(elements), 2);
        std::vector<float> to(size_t(elements), 0);
        void *args[] = {from.data(), to.data()};
        LoadedKernel(code->kernel.object)(args, counting);
        QCOMPARE(held, 0);
        QCOMPARE(most, 2);
        QVERIFY(std::ranges::all_of(to, [](float value) { return value == 7; }));
    }

    // A buffer allocated inside a vectorized loop has a copy per lane.
    void bufferInsideLanes() {
        const int64_t rows = 13, columns = 9;
        LoopProgram program;
        program.arena = std::make_shared<ExprArena>();
        const ArenaScope scope(program.arena);
        const Buffer *in = addBuffer(program, "A", {rows, columns}, MemoryScope::Argument);
        const Buffer *out = addBuffer(program, "B", {rows}, MemoryScope::Argument);
        const Buffer *least = addBuffer(program, "least", {1}, MemoryScope::Stack);
        program.args[1].output = true;
        const Expr i = makeVar("i"), k = makeVar("k"), zero = makeInt(0);
        const Expr atZero[] = {zero};
        const Expr element[] = {i, k};
        const Expr row[] = {i};
        const Combiner combiner = makeCombiner(ReduceKind::Min, DType::Float32);
        const Stmt parts[] = {
            makeStore(*least, atZero, combiner.identity[0], StageId(0)),
            loopOver(k, columns, LoopKind::Serial,
                     makeStore(*least, atZero, minOf(makeLoad(*least, atZero), makeLoad(*in, element)), StageId(0))),
            makeStore(*out, row, makeLoad(*least, atZero), StageId(0))};
        program.root = loopOver(i, rows, LoopKind::Vectorized, makeAllocate(*least, makeBlock(parts)));
        numberNodes(program);
        const std::string problem = checkKernel(program, *rowMinDag(rows, columns), hostCompiler(), 11);
        QVERIFY2(problem.empty(), problem.c_str());
    }
};

LOOPSCOPE_TEST(LoopCodeTest)
#include "loop_code_test.moc"
