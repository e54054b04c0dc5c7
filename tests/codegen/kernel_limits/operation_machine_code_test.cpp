// Every operation of every type, as CUDA text through NVRTC and as PTX of LLVM, becomes machine code without a warning.

#include "codegen/kernel_launch.h"
#include "harness/device_code.h"
#include "harness/kernel_maker.h"
#include "test_program.h"

#include <QTest>
#include <array>
#include <functional>

using namespace loopscope;

namespace {

constexpr std::array kTypes = {DType::Bool,    DType::Int8,     DType::UInt8,   DType::Int32,  DType::Int64,
                               DType::Float16, DType::BFloat16, DType::Float32, DType::Float64};

struct Operation {
    std::string name;
    std::function<Expr(Expr, Expr)> value;
};

Operation call(Intrinsic intrinsic, DType result) {
    return {std::string(intrinsicName(intrinsic)), [=](Expr a, Expr b) {
                const Expr both[] = {a, b};
                const auto arity = static_cast<size_t>(intrinsicArity(intrinsic));
                return makeCall(intrinsic, result, std::span(both, arity));
            }};
}

/// `throughLlvm`: without what it refuses, which nvptx_test names.
std::vector<Operation> operationsOf(DType type, bool throughLlvm) {
    std::vector<Operation> all;
    const auto binary = [&](ExprKind first, ExprKind last) {
        for (int k = static_cast<int>(first); k <= static_cast<int>(last); ++k)
            all.push_back({"binary " + std::to_string(k),
                           [k](Expr a, Expr b) { return makeBinary(static_cast<ExprKind>(k), a, b); }});
    };
    if (type == DType::Bool)
        binary(ExprKind::And, ExprKind::Or);
    else if (isInteger(type))
        binary(ExprKind::Add, ExprKind::Ge);
    else {
        binary(ExprKind::Add, ExprKind::Div);
        binary(ExprKind::Min, ExprKind::Ge);
    }
    if (isFloat(type))
        for (int f = static_cast<int>(Intrinsic::Exp); f <= static_cast<int>(Intrinsic::Fmod); ++f) {
            const auto function = static_cast<Intrinsic>(f);
            const bool ofDouble = type == DType::Float64 && (function == Intrinsic::Erf || function == Intrinsic::Pow ||
                                                             function == Intrinsic::Fmod);
            if (!throughLlvm || !ofDouble) all.push_back(call(function, type));
        }
    else if (isInteger(type))
        for (int f = static_cast<int>(Intrinsic::Popcount); f <= static_cast<int>(Intrinsic::BitwiseXor); ++f)
            all.push_back(call(static_cast<Intrinsic>(f), type));
    if (isFloat(type)) all.push_back(call(Intrinsic::Isnan, DType::Bool));
    for (const DType to : kTypes)
        if (to != type)
            all.push_back(
                {"cast to " + std::string(dtypeName(to)), [to](Expr a, Expr) { return makeCastNode(to, a); }});
    all.push_back(
        {"shuffle", [type](Expr a, Expr) { return KernelMaker::call(Intrinsic::ShuffleXor, type, {a, makeInt(16)}); }});
    all.push_back({"select", [](Expr a, Expr b) { return makeSelectNode(makeBinary(ExprKind::Eq, a, b), a, b); }});
    return all;
}

LoopProgram programOf(const std::vector<Operation> &operations, DType type) {
    OneBlock k;
    const Buffer &a = k.argument("A", {32}, type);
    const Buffer &b = k.argument("B", {32}, type);
    std::vector<Stmt> stores;
    for (size_t i = 0; i < operations.size(); ++i) {
        const Expr value = operations[i].value(KernelMaker::load(a, {k.t}), KernelMaker::load(b, {k.t}));
        const Buffer &c = k.output("C" + std::to_string(i), {32}, value->dtype);
        stores.push_back(KernelMaker::store(c, {k.t}, value));
    }
    return k.of({makeBlock(stores)});
}

} // namespace

class OperationMachineCodeTest : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase() {
        if (foundNvidiaTools().nvrtc.empty()) QSKIP(missingTool("NVRTC").c_str());
        if (foundNvidiaTools().ptxas.empty()) QSKIP(missingTool("ptxas").c_str());
    }

    void everyType_data() {
        QTest::addColumn<int>("type");
        for (const DType type : kTypes) QTest::newRow(dtypeName(type).data()) << static_cast<int>(type);
    }
    void everyType() {
        QFETCH(const int, type);
        const auto dtype = static_cast<DType>(type);
        static CudaCompiler compiler(foundNvidiaTools(), {.workerPath = LOOPSCOPE_BIN_DIR "/loopscope-worker"});
        for (const char *architecture : {"sm_75", "sm_100"}) {
            const Target target = parseTarget(std::string("cuda -arch=") + architecture);
            const DeviceCode cuda = throughCuda(programOf(operationsOf(dtype, false), dtype), target, compiler);
            QVERIFY2(cuda.problem.empty(), cuda.problem.c_str());
            const std::vector<Operation> operations = operationsOf(dtype, true);
            const DeviceCode llvm = throughLlvm(programOf(operations, dtype), target);
            if (llvm.problem.empty()) continue;
            std::string wrong;
            for (const Operation &one : operations) {
                const DeviceCode alone = throughLlvm(programOf({one}, dtype), target);
                if (!alone.problem.empty()) wrong += one.name + ": " + alone.problem + "\n";
            }
            QFAIL((wrong.empty() ? llvm.problem : wrong).c_str());
        }
    }

    /// More than a kernel may declare is one piece that the launch asks for: ptxas finds none of it.
    void sharedMemoryOfTheLaunch() {
        OneBlock k;
        const Buffer &a = k.argument("A", {32});
        const Buffer &c = k.output("C", {32});
        const Buffer &first = k.buffer("first", {7001}, MemoryScope::Shared);
        const Buffer &second = k.buffer("second", {7001}, MemoryScope::Shared);
        const Stmt thread = KernelMaker::loop(
            LoopKind::ThreadX, k.t, 32,
            {KernelMaker::store(first, {k.t}, KernelMaker::load(a, {k.t})),
             KernelMaker::store(second, {k.t * 200}, KernelMaker::load(a, {k.t})), makeBarrier(),
             KernelMaker::store(c, {k.t},
                                makeBinary(ExprKind::Add, KernelMaker::load(first, {makeInt(31) - k.t}),
                                           KernelMaker::load(second, {makeInt(6200) - k.t * 200})))});
        const LoopProgram program = k.program({KernelMaker::loop(LoopKind::BlockX, makeVar("b"), 1,
                                                                 {makeAllocate(first, makeAllocate(second, thread))})});
        const Target target = parseTarget("cuda -arch=sm_80");
        const Outcome<KernelLaunch> launch = describeLaunch(program, TargetKind::Cuda, program.name);
        QVERIFY(launch.ok());
        QCOMPARE(launch->grids.at(0).sharedBytes, int64_t{2 * 28016});
        CudaCompiler compiler(foundNvidiaTools(), {.workerPath = LOOPSCOPE_BIN_DIR "/loopscope-worker"});
        for (const DeviceCode &code : {throughCuda(program, target, compiler), throughLlvm(program, target)}) {
            QVERIFY2(code.problem.empty(), code.problem.c_str());
            QCOMPARE(code.kernels.size(), size_t{1});
            QCOMPARE(code.kernels[0].sharedBytes, int64_t{0});
        }
    }
};

LOOPSCOPE_TEST(OperationMachineCodeTest)
#include "operation_machine_code_test.moc"
