// The code generator of a kind of target, and the launch that is told with what it makes.

#include "base/outcome.h"
#include "codegen/code_generator.h"
#include "harness/kernel_check.h"
#include "harness/naive_program.h"
#include "harness/sample_dags.h"
#include "test_program.h"

#include <QtTest>

#include <limits>
#include <memory>

using namespace loopscope;

namespace {

/// Programs by hand: one argument C[64], loops of any kind around stores of zero, buffers of any scope.
class HandMade {
  public:
    HandMade() : m_scope(m_program.arena = std::make_shared<ExprArena>()) {
        m_output = addBuffer("C", 64, MemoryScope::Argument);
        m_output->argIndex = 0;
        m_program.args.push_back({m_output, true, {64}, {}});
    }
    Stmt store() {
        const Expr first[] = {makeInt(0)};
        return makeStore(*m_output, first, makeFloat(0, DType::Float32), StageId(0));
    }
    static Stmt loop(const char *name, Expr extent, LoopKind kind, Stmt body) {
        StmtNode node{};
        node.kind = StmtKind::For;
        node.loop = kind;
        node.var = makeVar(name);
        node.extent = extent;
        return makeFor(node, body);
    }
    static Stmt loop(const char *name, int64_t extent, LoopKind kind, Stmt body) {
        return loop(name, makeInt(extent), kind, body);
    }
    Stmt allocate(const char *name, int64_t elements, MemoryScope scope, Stmt body) {
        return makeAllocate(*addBuffer(name, elements, scope), body);
    }
    static Stmt both(Stmt first, Stmt second) {
        const Stmt statements[] = {first, second};
        return makeBlock(statements);
    }
    Outcome<KernelLaunch> launch(Stmt root, TargetKind kind) {
        m_program.root = root;
        numberNodes(m_program);
        return describeLaunch(m_program, kind, "entry");
    }

  private:
    Buffer *addBuffer(const char *name, int64_t elements, MemoryScope scope) {
        auto buffer = std::make_unique<Buffer>();
        buffer->name = name;
        buffer->shape = {elements};
        buffer->strides = {1};
        buffer->scope = scope;
        m_program.buffers.push_back(std::move(buffer));
        return m_program.buffers.back().get();
    }
    LoopProgram m_program;
    ArenaScope m_scope;
    Buffer *m_output = nullptr;
};

} // namespace

class CodeGeneratorTest : public QObject {
    Q_OBJECT

  private slots:
    void codeComesWithItsLaunch() {
        const DagPtr dag = matmulBiasReluDag(8, 16, 4);
        const LoopProgram program =
            naiveProgram(dag, {.innermost = LoopKind::Vectorized, .outermost = LoopKind::Parallel});
        const Outcome<MachineCode> code = hostCompiler().compile(program);
        QVERIFY(code.ok());
        const KernelLaunch &launch = code->kernel.launch;
        QVERIFY(launch.kind == TargetKind::Llvm);
        const std::string_view object(code->kernel.object.data(), code->kernel.object.size());
        QVERIFY(!launch.entry.empty() && object.find(launch.entry) != std::string_view::npos);
        QCOMPARE(launch.args.size(), dag->args().size());
        for (size_t i = 0; i < launch.args.size(); ++i) {
            const Tensor &tensor = *dag->args()[i];
            QCOMPARE(launch.args[i].name, tensor.name);
            QCOMPARE(launch.args[i].shape, tensor.shape);
            QCOMPARE(launch.args[i].output, !tensor.op->isPlaceholder());
            QCOMPARE(argBytes(launch.args[i]), size_t(launch.args[i].elements) * 4);
        }
        QCOMPARE(launch.args[0].elements, int64_t{8 * 4});
        QCOMPARE(launch.threads, int64_t{8});
        QVERIFY(launch.grids.empty());
        int64_t heap = 0; // a naive program has all its intermediates at once
        for (const auto &buffer : program.buffers)
            if (buffer->scope == MemoryScope::Heap) heap += buffer->elements() * 4;
        QVERIFY(heap >= 8 * 16 * 4);
        QCOMPARE(launch.scratchBytes, heap);
    }

    void threadsAreThoseOfTheWidestLoop() {
        HandMade p;
        QCOMPARE(p.launch(p.loop("i", 9, LoopKind::Serial, p.store()), TargetKind::Llvm)->threads, int64_t{1});
        // An inner parallel loop runs on the thread of the outer one.
        const Stmt nested = p.loop("i", 3, LoopKind::Parallel, p.loop("j", 64, LoopKind::Parallel, p.store()));
        const Stmt other = p.loop("k", 5, LoopKind::Parallel, p.store());
        QCOMPARE(p.launch(p.both(nested, other), TargetKind::Llvm)->threads, int64_t{5});
        const Expr n = makeVar("n");
        const Stmt open = p.loop("i", n, LoopKind::Parallel, p.store());
        QCOMPARE(p.launch(p.both(other, open), TargetKind::Llvm)->threads, std::numeric_limits<int64_t>::max());
    }

    void scratchIsWhatExistsAtOnce() {
        HandMade p;
        const Stmt first = p.allocate("a", 100, MemoryScope::Heap, p.allocate("b", 20, MemoryScope::Heap, p.store()));
        const Stmt second = p.allocate("c", 110, MemoryScope::Heap, p.store());
        const Stmt small =
            p.allocate("d", 1000, MemoryScope::Stack, p.allocate("e", 9, MemoryScope::Register, p.store()));
        QCOMPARE(p.launch(p.both(first, p.both(second, small)), TargetKind::Llvm)->scratchBytes, int64_t{480});
        const Stmt shared =
            p.allocate("s", 30, MemoryScope::Shared, p.allocate("l", 64, MemoryScope::Local, p.store()));
        QCOMPARE(p.launch(shared, TargetKind::Cuda)->scratchBytes, int64_t{120});
    }

    void boundLoopsBecomeGridAndBlock() {
        HandMade p;
        const Stmt copy = p.loop("c", 32, LoopKind::ThreadX, p.store());
        const Stmt work = p.loop("t", 32, LoopKind::ThreadX, p.loop("u", 2, LoopKind::ThreadY, p.store()));
        const Stmt tile = p.loop("v", 4, LoopKind::VThread, p.both(copy, work));
        const auto launch =
            p.launch(p.loop("x", 6, LoopKind::BlockX, p.loop("z", 3, LoopKind::BlockZ, tile)), TargetKind::Cuda);
        QVERIFY(launch.ok() && launch->kind == TargetKind::Cuda);
        QCOMPARE(launch->grids.size(), size_t{1});
        QCOMPARE(launch->grids[0].blocks, (std::array<int64_t, 3>{6, 1, 3}));
        QCOMPARE(launch->grids[0].threads, (std::array<int64_t, 3>{32, 2, 1}));
        QCOMPARE(launch->entry, std::string("entry"));
    }

    /// Each nest of bound loops is a launch of its own, with a grid of its own.
    void eachNestIsALaunch() {
        HandMade p;
        const Stmt staged = p.allocate("s", 30, MemoryScope::Shared, p.loop("t", 32, LoopKind::ThreadX, p.store()));
        const Stmt first = p.loop("i", 6, LoopKind::BlockX, staged);
        const Stmt second = p.loop("j", 7, LoopKind::BlockX, p.loop("u", 64, LoopKind::ThreadX, p.store()));
        const Stmt both = p.allocate("h", 100, MemoryScope::Heap, p.both(first, second));
        const auto launch = p.launch(both, TargetKind::Cuda);
        QVERIFY(launch.ok());
        QCOMPARE(launch->grids.size(), size_t{2});
        QVERIFY(launch->grids[0] == (GridLaunch{{6, 1, 1}, {32, 1, 1}, 128})); // in sixteens
        QVERIFY(launch->grids[1] == (GridLaunch{{7, 1, 1}, {64, 1, 1}, 0}));
        QCOMPARE(launch->scratchBytes, int64_t{520});
    }

    void twoLaunchesInOneAreRefused() {
        HandMade p;
        const Stmt two =
            p.both(p.loop("i", 6, LoopKind::ThreadX, p.store()), p.loop("j", 7, LoopKind::ThreadX, p.store()));
        const auto launch = p.launch(p.loop("x", 4, LoopKind::BlockX, two), TargetKind::Cuda);
        QVERIFY(!launch.ok());
        QCOMPARE(launch.why(), std::string("loop `j` is bound to threadIdx.x with 7 iterations, loop `i` with 6; one "
                                           "kernel has one number of them"));
    }

    void aGridKnownOnlyAtRunTimeIsRefused() {
        HandMade p;
        const auto launch = p.launch(p.loop("i", makeVar("n"), LoopKind::ThreadX, p.store()), TargetKind::Cuda);
        QVERIFY(!launch.ok());
        QCOMPARE(launch.why(), std::string("loop `i` is bound to threadIdx.x with a number of iterations known only at "
                                           "run time: n"));
    }

    void anUnknownArchitectureIsAnError() {
        Target target = parseTarget("cuda");
        QVERIFY(makeCodeGenerator(target).ok());
        target.attrs["arch"] = "sm_20";
        try {
            (void)makeCodeGenerator(target);
            QFAIL("made");
        } catch (const Error &error) {
            QCOMPARE(std::string(error.what()),
                     std::string("there is no PTX for the architecture `sm_20` (-arch of the target); sm_50 and newer "
                                 "have it"));
        }
    }

    void anUnknownProcessorIsAnError() {
        Target target = parseTarget("llvm -mcpu=haswell");
        target.cpu = "abacus";
        try {
            (void)makeCodeGenerator(target);
            QFAIL("made");
        } catch (const Error &error) {
            QCOMPARE(std::string(error.what()),
                     std::string("LLVM does not know the CPU `abacus` (-mcpu of the target)"));
        }
    }
};

LOOPSCOPE_TEST(CodeGeneratorTest)
#include "code_generator_test.moc"
