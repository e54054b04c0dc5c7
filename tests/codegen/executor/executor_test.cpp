// Kernels run on the executor: what it computes, and that each mistake planted in a kernel is found and named with both
// lines, the loops around them, threads and blocks.

#include "codegen/executor/hand_kernel.h"
#include "codegen/loop_ir/shared_layout.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

namespace {

TensorValue countUp(size_t elements, DType type = DType::Float32) {
    TensorValue value{type, {static_cast<int64_t>(elements)}, {}, {}, {}};
    for (size_t i = 0; i < elements; ++i) {
        if (isFloat(type))
            value.floats.push_back(static_cast<double>(i));
        else
            value.integers.push_back(static_cast<int64_t>(i));
    }
    return value;
}

ProgramRun run(const LoopProgram &program, size_t elements = 64, const ExecutorOptions &options = {}) {
    return runKernels(program, {countUp(elements, program.args[0].buffer->dtype)}, options);
}

QString text(const std::string &s) { return QString::fromStdString(s); }

} // namespace

class ExecutorTest : public QObject {
    Q_OBJECT
  private slots:
    void threadsHandValuesOn();
    void missingBarrier();
    void sentencesAreReadBack();
    void barrierOfTheNextRound();
    void twoThreadsOneElement();
    void indexOutsideItsDimension();
    void indexOutsideUnderACondition();
    void divergentBarrier();
    void shuffleOfHalfAWarp();
    void shuffleBeyondTheBlock();
    void sharedMemoryNobodyWrote();
    void bytesOfTwoBuffers();
    void bytesOfTwoBuffersWithoutABarrier();
    void bytesThatAnotherBufferTook();
    void bytesOfNarrowElements();
    void localMemoryNobodyWrote();
    void intermediateNobodyWrote();
    void blocksThatMeet();
    void blocksThatReadWhatOthersWrite();
    void divisionByZero();
    void mistakesOfOnePlaceAreToldOnce();
    void watchCanBeOff();
    void loopsEndByThread();
    void bothSidesOfACondition();
    void valuesRoundAsStored();
    void valuesRoundAsStored_data();
    void warpsSum();
    void blocksAreSampled();
    void whatLaterKernelsReadIsComplete();
    void cancel();
    void refusals();
};

void ExecutorTest::threadsHandValuesOn() {
    HandKernel k;
    const ProgramRun ran = run(k.program({k.write(k.S, k.t, k.read(k.A, k.global())), makeBarrier(),
                                          k.write(k.C, k.global(), k.read(k.S, HandKernel::number(31) - k.t))}));
    QCOMPARE(text(ran.failure), QString());
    for (size_t i = 0; i < 64; ++i) {
        const size_t from = i / 32 * 32 + 31 - i % 32;
        QCOMPARE(ran.outputs[0].floats[i], static_cast<double>(from));
    }
    QCOMPARE(ran.stores, int64_t{128});
}

void ExecutorTest::missingBarrier() {
    HandKernel k;
    const ProgramRun ran = run(k.program({k.write(k.S, k.t, k.read(k.A, k.global())),
                                          k.write(k.C, k.global(), k.read(k.S, HandKernel::number(31) - k.t))}));
    QCOMPARE(text(ran.failure),
             QStringLiteral("race: S[31] is written at line 5 (S in loops b, t) by thread 31 and read at line 6 (C in "
                            "loops b, t) by thread 0 of block 0, with no barrier between"));
}

/// Who has nothing but the sentence reads of it what and where.
void ExecutorTest::sentencesAreReadBack() {
    QCOMPARE(
        toldFinding("race: S[31] is written at line 5 (S in loops b, t) by thread 31 and read at line 6 (C.local in "
                    "loops b, t, k.0) by thread 0 of block 0, with no barrier between"),
        (ToldFinding{"race", {{5, "S", {"b", "t"}}, {6, "C.local", {"b", "t", "k.0"}}}}));
    QCOMPARE(
        toldFinding("divergent barrier: 16 of the 32 threads of block 0 come to the barrier at line 7 (in loops b, "
                    "t); all must, or none"),
        (ToldFinding{"divergent barrier", {{7, "", {"b", "t"}}}}));
    QCOMPARE(
        toldFinding("race between blocks: C[0] is written at line 3 (C in no loop) by block 0 and written at a place "
                    "not known by block 1, and nothing orders the blocks of a kernel"),
        (ToldFinding{"race between blocks", {{3, "C", {}}}}));
    QCOMPARE(toldFinding("output C is wrong at line 3 (C)"), ToldFinding());
    QCOMPARE(toldFinding("race: S[31] at line 5 (S"), (ToldFinding{"race", {}}));
}

/// What is read in one round of a loop is overwritten in the next.
void ExecutorTest::barrierOfTheNextRound() {
    HandKernel k;
    const Expr r = makeVar("r");
    const ProgramRun ran = run(k.program({HandKernel::loop(
        r, HandKernel::number(2),
        makeBlock(std::array{k.write(k.S, k.t, k.read(k.A, k.global())), makeBarrier(),
                             k.write(k.C, k.global(), k.read(k.S, HandKernel::number(31) - k.t))}))}));
    QCOMPARE(
        text(ran.failure),
        QStringLiteral("race: S[0] is read at line 8 (C in loops b, t, r) by thread 31 and written at line 6 (S in "
                       "loops b, t, r) by thread 0 of block 0, with no barrier between"));
}

void ExecutorTest::twoThreadsOneElement() {
    HandKernel k;
    const ProgramRun ran = run(k.program({k.write(k.S, floorDiv(k.t, 2), k.read(k.A, k.global())), makeBarrier(),
                                          k.write(k.C, k.global(), k.read(k.S, floorDiv(k.t, 2)))}));
    QCOMPARE(text(ran.failure),
             QStringLiteral("race: S[0] is written at line 5 (S in loops b, t) by thread 0 and written at line 5 (S in "
                            "loops b, t) by thread 1 of block 0, with no barrier between"));
}

void ExecutorTest::indexOutsideItsDimension() {
    HandKernel k;
    const ProgramRun ran = run(k.program({k.write(k.S, k.t + 1, k.read(k.A, k.global()))}));
    QCOMPARE(
        text(ran.failure),
        QStringLiteral("out of bounds: thread 31 of block 0 writes S at line 5 (S in loops b, t), where index 0 is "
                       "32 and the dimension has 32 elements"));
}

/// Threads that stand aside may have any index.
void ExecutorTest::indexOutsideUnderACondition() {
    HandKernel k;
    const Expr inside = fold(ExprKind::Lt, k.t, HandKernel::number(31));
    const Expr next = k.read(k.A, k.t + 1 + k.b * 33);
    const ProgramRun right =
        run(k.program({k.write(k.C, k.global(), ifThenElse(inside, k.read(k.A, k.t + 33), makeFloat(-1)))}));
    QCOMPARE(text(right.failure), QString());
    QCOMPARE(right.outputs[0].floats[30], 63.0);
    QCOMPARE(right.outputs[0].floats[31], -1.0);
    const ProgramRun wrong = run(k.program({k.write(k.C, k.global(), ifThenElse(inside, next, makeFloat(-1)))}));
    QCOMPARE(text(wrong.failure),
             QStringLiteral("out of bounds: thread 30 of block 1 reads A at line 5 (C in loops b, t), where index 0 is "
                            "64 and the dimension has 64 elements"));
}

void ExecutorTest::divergentBarrier() {
    HandKernel k;
    const Stmt half = makeIf(fold(ExprKind::Lt, k.t, HandKernel::number(16)), makeBarrier());
    const ProgramRun ran = run(k.program({k.write(k.C, k.global(), makeFloat(0)), half}));
    QCOMPARE(text(ran.failure), QStringLiteral("divergent barrier: 16 of the 32 threads of block 0 come to the barrier "
                                               "at line 7 (in loops b, t); all must, or none"));
}

void ExecutorTest::shuffleOfHalfAWarp() {
    HandKernel k;
    const Expr other =
        makeCall(Intrinsic::ShuffleXor, DType::Float32, std::array{k.read(k.A, k.global()), HandKernel::number(1)});
    const Stmt half = makeIf(fold(ExprKind::Lt, k.t, HandKernel::number(16)), k.write(k.C, k.global(), other));
    const ProgramRun ran = run(k.program({k.write(k.C, k.global(), makeFloat(0)), half}));
    QCOMPARE(text(ran.failure), QStringLiteral("partial warp: 16 of the 32 threads of the warp of thread 0 of block 0 "
                                               "come to the shuffle at line 7 (C in loops b, t); all must"));
}

void ExecutorTest::shuffleBeyondTheBlock() {
    HandKernel k(1, 48);
    const Expr other =
        makeCall(Intrinsic::ShuffleXor, DType::Float32, std::array{k.read(k.A, k.global()), HandKernel::number(16)});
    const ProgramRun ran = run(k.program({k.write(k.C, k.global(), other)}, false), 48);
    QCOMPARE(text(ran.failure), QStringLiteral("partial warp: 16 of the 32 threads of the warp of thread 32 of block 0 "
                                               "come to the shuffle at line 4 (C in loops b, t); all must"));
}

void ExecutorTest::sharedMemoryNobodyWrote() {
    HandKernel k;
    const Stmt some = makeIf(fold(ExprKind::Lt, k.b, HandKernel::number(1)), k.write(k.S, k.t, makeFloat(1)));
    const ProgramRun ran = run(k.program({some, makeBarrier(), k.write(k.C, k.global(), k.read(k.S, k.t))}));
    // What the block before left there is not this block's.
    QCOMPARE(text(ran.failure), QStringLiteral("never written: S[0] is read at line 8 (C in loops b, t) by thread 0 of "
                                               "block 1 before anything is stored there"));
}

/// S is handed on, then T in the same bytes (from `byte` on).
struct TwoBuffers {
    HandKernel k;
    Buffer &T;
    int64_t byte;
    explicit TwoBuffers(DType type = DType::Float32, int64_t byte = 0)
        : T(k.buffer("T", {32}, MemoryScope::Shared, type)), byte(byte) {}

    [[nodiscard]] Expr mirrored() const { return HandKernel::number(31) - k.t; }
    [[nodiscard]] Stmt writeS() const { return HandKernel::write(k.S, k.t, HandKernel::read(k.A, k.global())); }
    [[nodiscard]] Stmt writeT() const {
        return HandKernel::write(T, k.t, castTo(T.dtype, HandKernel::read(k.A, k.global())));
    }
    [[nodiscard]] Stmt readS() const { return HandKernel::write(k.C, k.global(), HandKernel::read(k.S, mirrored())); }
    [[nodiscard]] Stmt addT() const {
        return HandKernel::write(k.C, k.global(),
                                 HandKernel::read(k.C, k.global()) +
                                     castTo(DType::Float32, HandKernel::read(T, mirrored())));
    }
    const LoopProgram &program(const std::vector<Stmt> &body) {
        const Stmt threads = HandKernel::loop(k.t, HandKernel::number(32), makeBlock(body), LoopKind::ThreadX);
        const Stmt placed = makeAllocateAt(k.S, 0, makeAllocateAt(T, byte, threads));
        return k.whole(HandKernel::loop(k.b, HandKernel::number(2), placed, LoopKind::BlockX));
    }
};

void ExecutorTest::bytesOfTwoBuffers() {
    for (const DType type : {DType::Float32, DType::Float64, DType::Int8}) {
        TwoBuffers two(type);
        const ProgramRun ran = run(two.program(
            {two.writeS(), makeBarrier(), two.readS(), makeBarrier(), two.writeT(), makeBarrier(), two.addT()}));
        QCOMPARE(text(ran.failure), QString());
        for (size_t i = 0; i < 64; ++i) {
            const size_t from = i / 32 * 32 + 31 - i % 32;
            QCOMPARE(ran.outputs[0].floats[i], static_cast<double>(2 * from));
        }
    }
}

/// Who is late still reads of S what others of T write.
void ExecutorTest::bytesOfTwoBuffersWithoutABarrier() {
    TwoBuffers two;
    const ProgramRun ran =
        run(two.program({two.writeS(), makeBarrier(), two.readS(), two.writeT(), makeBarrier(), two.addT()}));
    QCOMPARE(text(ran.failure),
             QStringLiteral("race: S[0] is read at line 8 (C in loops b, t) by thread 31 and T[0], which lies at the "
                            "same bytes, written at line 9 (T in loops b, t) by thread 0 of block 0, with no barrier "
                            "between"));
}

void ExecutorTest::bytesThatAnotherBufferTook() {
    TwoBuffers two(DType::Float32, 64);
    const ProgramRun ran = run(two.program({two.writeS(), makeBarrier(), two.writeT(), makeBarrier(), two.readS()}));
    QCOMPARE(text(ran.failure),
             QStringLiteral("overwritten: T[15], which lies at the same bytes as S[31], is written at line 8 (T in "
                            "loops b, t) by thread 15 before S[31] is read at line 10 (C in loops b, t) by thread 0 "
                            "of block 0"));
    QCOMPARE(toldFinding(ran.failure), (ToldFinding{"overwritten", {{8, "T", {"b", "t"}}, {10, "C", {"b", "t"}}}}));
}

/// Four bytes of T lie where an element of S lay.
void ExecutorTest::bytesOfNarrowElements() {
    TwoBuffers two(DType::Int8, 16);
    const ProgramRun ran =
        run(two.program({two.writeS(), makeBarrier(), two.readS(), two.writeT(), makeBarrier(), two.addT()}));
    QVERIFY2(ran.failure.find("race: S[4] is read at line 8 (C in loops b, t) by thread 27 and T[0], which lies at the "
                              "same bytes, written at line 9") == 0,
             ran.failure.c_str());
    const ProgramRun stale = run(two.program({two.writeS(), makeBarrier(), two.writeT(), makeBarrier(), two.readS()}));
    QVERIFY2(stale.failure.find("overwritten: T[") == 0, stale.failure.c_str());
}

void ExecutorTest::localMemoryNobodyWrote() {
    HandKernel k;
    const Buffer &mine = k.buffer("L", {2}, MemoryScope::Local);
    const Expr even = fold(ExprKind::Eq, floorMod(k.t, 2), HandKernel::number(0));
    const ProgramRun ran = run(k.program(
        {makeAllocate(mine, makeBlock(std::array{makeIf(even, k.write(mine, HandKernel::number(1), makeFloat(1))),
                                                 k.write(k.C, k.global(), k.read(mine, HandKernel::number(1)))}))}));
    QCOMPARE(text(ran.failure), QStringLiteral("never written: L[1] is read at line 8 (C in loops b, t) by thread 1 of "
                                               "block 0 before anything is stored there"));
}

void ExecutorTest::intermediateNobodyWrote() {
    HandKernel k;
    const Buffer &between = k.buffer("H", {64}, MemoryScope::Heap);
    const Stmt first = k.kernel(
        {makeIf(fold(ExprKind::Ne, k.t, HandKernel::number(7)), k.write(between, k.global(), k.read(k.A, k.global())))},
        false);
    HandKernel second; // variables of its own
    const Stmt reads = second.kernel({k.write(k.C, second.global(), k.read(between, second.global()))}, false);
    const ProgramRun ran = run(k.whole(makeAllocate(between, makeBlock(std::array{first, reads}))));
    QCOMPARE(text(ran.failure), QStringLiteral("never written: H[7] is read at line 9 (C in loops b, t) by thread 7 of "
                                               "block 0 before anything is stored there"));
}

void ExecutorTest::blocksThatMeet() {
    HandKernel k;
    const ProgramRun ran = run(k.program({k.write(k.C, k.t, k.read(k.A, k.global()))}));
    QCOMPARE(
        text(ran.failure),
        QStringLiteral("race between blocks: C[0] is written at line 5 (C in loops b, t) by block 0 and written at "
                       "line 5 (C in loops b, t) by block 1, and nothing orders the blocks of a kernel"));
}

void ExecutorTest::blocksThatReadWhatOthersWrite() {
    HandKernel k;
    const Expr other = (HandKernel::number(1) - k.b) * 32 + k.t;
    const ProgramRun ran = run(k.program(
        {k.write(k.C, k.global(), makeFloat(1)), makeBarrier(),
         makeIf(fold(ExprKind::Eq, k.b, HandKernel::number(1)), k.write(k.C, k.global(), k.read(k.C, other)))}));
    QCOMPARE(text(ran.failure),
             QStringLiteral("race between blocks: C[0] is written at line 5 (C in loops b, t) by block 0 and read at "
                            "line 8 (C in loops b, t) by block 1, and nothing orders the blocks of a kernel"));
}

void ExecutorTest::divisionByZero() {
    HandKernel k(1, 32, DType::Int32);
    const Expr quotient = makeBinary(ExprKind::Div, HandKernel::number(8), k.read(k.A, k.global()));
    const ProgramRun ran = run(k.program({k.write(k.C, k.global(), quotient)}, false), 32);
    QCOMPARE(text(ran.failure), QString());
    const std::vector<int64_t> &elements = ran.outputs.front().integers; // A counts up from 0
    for (size_t i = 0; i < elements.size(); ++i) QCOMPARE(elements[i], i == 0 ? 0 : 8 / static_cast<int64_t>(i));
}

void ExecutorTest::mistakesOfOnePlaceAreToldOnce() {
    HandKernel k;
    const LoopProgram &program = k.program(
        {k.write(k.S, k.t + 1, k.read(k.A, k.global())), k.write(k.C, k.t, k.read(k.S, HandKernel::number(31) - k.t))});
    const Outcome<Executor> executor = Executor::of(program);
    QVERIFY(executor.ok());
    std::vector<float> a(64), c(64);
    std::vector<std::byte *> arguments = {reinterpret_cast<std::byte *>(a.data()),
                                          reinterpret_cast<std::byte *>(c.data())};
    const ExecutorRun ran = executor->run(arguments);
    QStringList found;
    for (const ExecutorFinding &finding : ran.findings)
        found << text(std::string(executorFaultName(finding.fault))) + u' ' + QString::number(finding.times);
    QCOMPARE(found.join(u'\n'), QStringLiteral("out of bounds 2\nrace 60\nnever written 2\nrace between blocks 32"));
    ExecutorOptions one;
    one.maxFindings = 1;
    QCOMPARE(executor->run(arguments, one).findings.size(), size_t{1});
}

void ExecutorTest::watchCanBeOff() {
    HandKernel k;
    ExecutorOptions blind;
    blind.watch = false;
    const ProgramRun ran = run(k.program({k.write(k.S, k.t, k.read(k.A, k.global())),
                                          k.write(k.C, k.global(), k.read(k.S, HandKernel::number(31) - k.t))}),
                               64, blind);
    QCOMPARE(text(ran.failure), QString());
}

/// Thread t adds up t + 1 numbers: those that are done wait for the others.
void ExecutorTest::loopsEndByThread() {
    HandKernel k;
    const Buffer &sum = k.buffer("L", {1}, MemoryScope::Local);
    const Expr r = makeVar("r");
    const Expr zero = HandKernel::number(0);
    const ProgramRun ran = run(k.program({makeAllocate(
        sum, makeBlock(std::array{k.write(sum, zero, makeFloat(0)),
                                  HandKernel::loop(r, k.t + 1, k.write(sum, zero, k.read(sum, zero) + k.read(k.A, r))),
                                  k.write(k.C, k.global(), k.read(sum, zero))}))}));
    QCOMPARE(text(ran.failure), QString());
    for (int i = 0; i < 32; ++i) QCOMPARE(ran.outputs[0].floats[static_cast<size_t>(i)], i * (i + 1) / 2.0);
}

void ExecutorTest::bothSidesOfACondition() {
    HandKernel k;
    const Expr small = fold(ExprKind::Lt, k.read(k.A, k.global()), makeFloat(40));
    const Stmt both = makeIf(small, k.write(k.C, k.global(), makeFloat(1)), k.write(k.C, k.global(), makeFloat(2)));
    const ProgramRun ran = run(k.program({both}, false));
    QCOMPARE(text(ran.failure), QString());
    QCOMPARE(ran.outputs[0].floats[39], 1.0);
    QCOMPARE(ran.outputs[0].floats[40], 2.0);
}

namespace {
constexpr int64_t kFactor = 100000005; // wraps around in 32 bits, too
}

void ExecutorTest::valuesRoundAsStored_data() {
    QTest::addColumn<int>("type");
    QTest::addColumn<double>("expected"); // of 63 / 3 * 0.1 + 2049
    const auto wrapped = [](DType type) { return static_cast<double>(wrapToType(63 * kFactor, type)); };
    QTest::newRow("float64") << static_cast<int>(DType::Float64) << 63.0 / 3 * 0.1 + 2049;
    QTest::newRow("float32") << static_cast<int>(DType::Float32) << static_cast<double>(63.0F / 3 * 0.1F + 2049.0F);
    QTest::newRow("float16") << static_cast<int>(DType::Float16) << 2050.0; // steps of 2 there
    QTest::newRow("bfloat16") << static_cast<int>(DType::BFloat16) << 2048.0;
    QTest::newRow("int8") << static_cast<int>(DType::Int8) << wrapped(DType::Int8);
    QTest::newRow("uint8") << static_cast<int>(DType::UInt8) << wrapped(DType::UInt8);
    QTest::newRow("int16") << static_cast<int>(DType::Int16) << wrapped(DType::Int16);
    QTest::newRow("uint16") << static_cast<int>(DType::UInt16) << wrapped(DType::UInt16);
    QTest::newRow("uint32") << static_cast<int>(DType::UInt32) << wrapped(DType::UInt32);
    QTest::newRow("int64") << static_cast<int>(DType::Int64) << wrapped(DType::Int64);
}

void ExecutorTest::valuesRoundAsStored() {
    QFETCH(const int, type);
    QFETCH(const double, expected);
    const auto dtype = static_cast<DType>(type);
    HandKernel k(2, 32, dtype);
    const Expr a = k.read(k.A, k.global());
    const auto real = [&](double value) { return makeFloat(value, dtype); };
    const Expr value =
        isFloat(dtype)
            ? makeBinary(ExprKind::Add, makeBinary(ExprKind::Mul, makeBinary(ExprKind::Div, a, real(3)), real(0.1)),
                         real(dtype == DType::Float16 ? 2048 : 2049))
            : makeBinary(ExprKind::Mul, a, makeInt(kFactor, dtype));
    const ProgramRun ran = run(k.program({k.write(k.C, k.global(), value)}, false));
    QCOMPARE(text(ran.failure), QString());
    QCOMPARE(isFloat(dtype) ? ran.outputs[0].floats[63] : static_cast<double>(ran.outputs[0].integers[63]), expected);
}

void ExecutorTest::warpsSum() {
    HandKernel k(1, 64);
    const Buffer &part = k.buffer("L", {1}, MemoryScope::Local);
    const Expr zero = HandKernel::number(0);
    std::vector<Stmt> body = {k.write(part, zero, k.read(k.A, k.global()))};
    for (const int64_t mask : {16, 8, 4, 2, 1}) {
        const Expr other =
            makeCall(Intrinsic::ShuffleXor, DType::Float32, std::array{k.read(part, zero), HandKernel::number(mask)});
        body.push_back(k.write(part, zero, k.read(part, zero) + other));
    }
    body.push_back(k.write(k.C, k.global(), k.read(part, zero)));
    const ProgramRun ran = run(k.program({makeAllocate(part, makeBlock(body))}, false));
    QCOMPARE(text(ran.failure), QString());
    QCOMPARE(ran.outputs[0].floats[5], 31 * 32 / 2.0);
    QCOMPARE(ran.outputs[0].floats[40], 31 * 32 / 2.0 + 32 * 32);
}

void ExecutorTest::blocksAreSampled() {
    HandKernel k(64, 4);
    const Outcome<Executor> executor =
        Executor::of(k.program({k.write(k.C, k.global(), k.read(k.A, k.global()))}, false));
    QVERIFY(executor.ok());
    std::vector<float> a(256, 3), c(256);
    std::vector<std::byte *> arguments = {reinterpret_cast<std::byte *>(a.data()),
                                          reinterpret_cast<std::byte *>(c.data())};
    ExecutorOptions options;
    options.maxBlocks = 6;
    const ExecutorRun ran = executor->run(arguments, options);
    QCOMPARE(text(ran.sampleText()), QStringLiteral("6 of 64 blocks"));
    QCOMPARE(std::count(c.begin(), c.end(), 3.0F), ptrdiff_t{24});
    QVERIFY(ran.written[0].empty()); // an input
    QCOMPARE(std::count(ran.written[1].begin(), ran.written[1].end(), 1), ptrdiff_t{24});
    QVERIFY(ran.written[1].front() == 1 && ran.written[1].back() == 1);
    for (size_t i = 0; i < 256; ++i) QCOMPARE(ran.written[1][i] != 0, c[i] == 3.0F);
    options.seed = 1;
    QVERIFY(executor->run(arguments, options).written[1] != ran.written[1]);
    options = {};
    options.maxWork = 8 * executor->run(arguments).counts.laneInstructions / 64.0;
    QVERIFY(executor->run(arguments, options).counts.blocks <= 8);
}

void ExecutorTest::whatLaterKernelsReadIsComplete() {
    HandKernel k(16, 4);
    const Buffer &between = k.buffer("H", {64}, MemoryScope::Heap);
    HandKernel second(16, 4);
    const Stmt first = k.kernel({k.write(between, k.global(), k.read(k.A, k.global()))}, false);
    const Stmt reads = second.kernel(
        {k.write(k.C, second.global(), k.read(between, HandKernel::number(63) - second.global()))}, false);
    ExecutorOptions options;
    options.maxBlocks = 3;
    const ProgramRun ran = run(k.whole(makeAllocate(between, makeBlock(std::array{first, reads}))), 64, options);
    QCOMPARE(text(ran.failure), QString());
    QCOMPARE(ran.stores, int64_t{64 + 12});
    QCOMPARE(ran.outputs[0].floats[0], 63.0);
}

void ExecutorTest::cancel() {
    HandKernel k;
    const Outcome<Executor> executor = Executor::of(k.program({k.write(k.C, k.global(), makeFloat(1))}, false));
    std::vector<float> a(64), c(64);
    std::vector<std::byte *> arguments = {reinterpret_cast<std::byte *>(a.data()),
                                          reinterpret_cast<std::byte *>(c.data())};
    const std::atomic<bool> now = true;
    ExecutorOptions options;
    options.cancel = &now;
    const ExecutorRun ran = executor->run(arguments, options);
    QVERIFY(ran.cancelled);
    QCOMPARE(ran.counts.blocks, int64_t{1});
}

void ExecutorTest::refusals() {
    HandKernel k(1, 2048);
    QCOMPARE(text(Executor::of(k.program({k.write(k.C, k.global(), makeFloat(1))}, false)).why()),
             QStringLiteral("the executor cannot run this kernel: a block of 2048 threads; 1024 are the most"));
    HandKernel plain;
    QCOMPARE(text(Executor::of(plain.whole(plain.write(plain.C, HandKernel::number(0), makeFloat(1)))).why()),
             QStringLiteral("the executor runs programs for GPUs; this one has a statement that no kernel holds"));
}

LOOPSCOPE_TEST(ExecutorTest)
#include "executor_test.moc"
