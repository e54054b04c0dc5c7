// CUDA text of loop programs, word for word: kernels with their comments and links, words of vectorized loops,
// shared memory in one block where it has to be, the launcher, and a sentence for what no kernel has a place for.

#include "codegen/cuda/cuda_source.h"
#include "codegen/loop_ir/shared_layout.h"
#include "codegen/lower/lower.h"
#include "harness/cuda_lines.h"
#include "harness/kernel_maker.h"
#include "harness/recorded_steps.h"
#include "harness/sample_dags.h"
#include "harness/sample_targets.h"
#include "test_program.h"

#include <QTest>
#include <array>
#include <cmath>

using namespace loopscope;

namespace {

constexpr const char *kTiledProduct = R"([["CHW",2,"local"],["SP",2,0,16,[1,4,1,2],1],["SP",2,5,24,[2,2,1,2],1],
    ["SP",2,10,12,[2,3],1],["RE",2,[0,5,1,6,2,7,10,11,3,8,12,4,9]],["FSP",3,0,1,3],["FSP",3,4,2,3],
    ["RE",3,[0,4,1,5,2,6,3,7]],["CA",2,3,5],["CHR",1,"shared",[2]],["CA",2,3,6],["CHR",0,"shared",[3]],["CA",1,4,6],
    ["FU",5,[0,1]],["AN",5,0,5],["FU",5,[1,2]],["AN",5,1,4],["FU",5,[2,3]],["AN",5,2,6],
    ["FU",1,[0,1]],["SP",1,0,0,[2],1],["AN",1,1,2],["FFSP",1,0,[1,2],1,1],["AN",1,1,6],
    ["FU",3,[0,1]],["FFSP",3,0,[1,2],1,1],["AN",3,1,6]])";

LoopProgram kernelOf(const DagPtr &dag, const char *steps) {
    Outcome<LoopProgram> program = lower(stateOf(dag, steps), gpuTarget());
    if (!program) throw std::runtime_error(program.why());
    return std::move(program).value();
}

} // namespace

class CudaSourceTest : public QObject {
    Q_OBJECT
  private slots:
    void loopsThatAreWrittenOut();
    void sharedMemoryBeyondWhatIsDeclared();
    void sharedMemoryUsedTwice();
    void sharedMemoryInTurn();
    void wideOffsets();
    void functions();
    void constantsAreATable();
    void variables();
    void namesOfTheLanguage();
    void linksLeadToTheLoops();
    void theLauncher();
    void aTiledProductLoadsWords();
    void refusals();
};

void CudaSourceTest::loopsThatAreWrittenOut() {
    OneBlock k;
    Buffer &a = k.argument("A", {64});
    Buffer &c = k.output("C", {32});
    Buffer &l = k.buffer("L", {4}, MemoryScope::Local);
    const Expr i = makeVar("i");
    const Expr j = makeVar("j");
    const Expr w = makeVar("w");
    const Expr sum = KernelMaker::load(l, {i}) + KernelMaker::load(a, {j});
    const Stmt body = makeBlock(std::vector<Stmt>{
        KernelMaker::loop(LoopKind::Serial, i, 4, {KernelMaker::store(l, {i}, makeFloat(0), true)}),
        KernelMaker::loop(LoopKind::Serial, j, 10,
                          {KernelMaker::loop(LoopKind::Serial, i, 4, {KernelMaker::store(l, {i}, sum)})}, makeInt(2)),
        KernelMaker::loop(
            LoopKind::VThread, w, 2,
            {makeIf(fold(ExprKind::Eq, w, makeInt(0)), KernelMaker::store(c, {k.t}, KernelMaker::load(l, {makeInt(0)})),
                    KernelMaker::store(c, {k.t}, KernelMaker::load(l, {makeInt(1)})))})});
    QCOMPARE(bodyOf(k.of({makeAllocate(l, body)})), QStringLiteral(R"(float L[4];
// L, to begin with
#pragma unroll
for (int i = 0; i < 4; ++i) {
    L[i] = 0.0f;
}
// L
for (int j = 2; j < 12; ++j) {
    #pragma unroll
    for (int i = 0; i < 4; ++i) {
        L[i] = (L[i] + A[j]);
    }
}
// C
#pragma unroll
for (int w = 0; w < 2; ++w) {
    if (w == 0) {
        C[t] = L[0];
    } else {
        C[t] = L[1];
    }
}
)"));
}

void CudaSourceTest::sharedMemoryBeyondWhatIsDeclared() {
    OneBlock k;
    Buffer &c = k.output("C", {32});
    Buffer &big = k.buffer("big", {12000}, MemoryScope::Shared);
    Buffer &more = k.buffer("more", {1000}, MemoryScope::Shared, DType::Int32);
    const Stmt body = makeBlock(std::vector<Stmt>{KernelMaker::store(big, {k.t}, makeFloat(1)), makeBarrier(),
                                                  KernelMaker::store(c, {k.t}, KernelMaker::load(big, {k.t}))});
    const LoopProgram program = k.of({makeAllocate(big, makeAllocate(more, body))});
    QCOMPARE(cudaOf(program), QStringLiteral(R"(// C: 1 block of 32 threads with 52000 bytes of shared memory
extern "C" __global__ void __launch_bounds__(32) kernel_kernel0(float *__restrict__ C) {
    extern __shared__ __align__(16) unsigned char shared_memory[]; // 52000 bytes
    const int t = threadIdx.x; // 0 .. 32
    float *const big = (float *)(shared_memory + 0); // 12000 elements
    int *const more = (int *)(shared_memory + 48000); // 1000 elements
    // big
    big[t] = 1.0f;
    __syncthreads();
    // C
    C[t] = big[t];
}

#ifndef __CUDACC_RTC__ // the host's part
#include <cuda_runtime.h>

// Launches the kernels. The pointers are to memory of the device.
extern "C" cudaError_t kernel(float *C, cudaStream_t stream) {
    cudaError_t status = cudaSuccess;
    if (status == cudaSuccess) status = cudaFuncSetAttribute(kernel_kernel0, cudaFuncAttributeMaxDynamicSharedMemorySize, 52000);
    if (status == cudaSuccess) {
        kernel_kernel0<<<dim3(1, 1, 1), dim3(32, 1, 1), 52000, stream>>>(C);
        status = cudaGetLastError();
    }
    return status;
}
#endif
)"));
}

void CudaSourceTest::sharedMemoryUsedTwice() {
    OneBlock k;
    Buffer &c = k.output("C", {32});
    Buffer &one = k.buffer("one", {30}, MemoryScope::Shared);
    Buffer &two = k.buffer("two", {32}, MemoryScope::Shared);
    const LoopProgram program =
        k.of({makeAllocate(one, KernelMaker::store(c, {k.t}, KernelMaker::load(one, {k.t}))), makeBarrier(),
              makeAllocate(two, KernelMaker::store(c, {k.t}, KernelMaker::load(two, {k.t})))});
    QCOMPARE(kernelsOf(program), QStringLiteral(R"(// C: 1 block of 32 threads with 128 bytes of shared memory
extern "C" __global__ void __launch_bounds__(32) kernel_kernel0(float *__restrict__ C) {
    __shared__ __align__(16) unsigned char shared_memory[128];
    const int t = threadIdx.x; // 0 .. 32
    // C
    float *const one = (float *)(shared_memory + 0); // 30 elements
    C[t] = one[t];
    __syncthreads();
    float *const two = (float *)(shared_memory + 0); // 32 elements
    C[t] = two[t];
}
)"));
}

/// Places that lowering has given.
void CudaSourceTest::sharedMemoryInTurn() {
    OneBlock k;
    Buffer &c = k.output("C", {32});
    Buffer &one = k.buffer("one", {30}, MemoryScope::Shared);
    Buffer &two = k.buffer("two", {16}, MemoryScope::Shared, DType::Float64);
    Buffer &three = k.buffer("three", {4}, MemoryScope::Shared);
    const Stmt body = makeBlock(std::array{
        KernelMaker::store(one, {makeInt(0)}, makeFloat(1)), makeBarrier(),
        KernelMaker::store(c, {k.t}, KernelMaker::load(one, {makeInt(0)}) + KernelMaker::load(three, {makeInt(0)}))});
    const LoopProgram program =
        k.of({makeAllocateAt(one, 0, makeAllocateAt(two, 0, makeAllocateAt(three, 128, body)))});
    QCOMPARE(kernelsOf(program), QStringLiteral(R"(// C: 1 block of 32 threads with 144 bytes of shared memory
extern "C" __global__ void __launch_bounds__(32) kernel_kernel0(float *__restrict__ C) {
    __shared__ __align__(16) unsigned char shared_memory[144];
    const int t = threadIdx.x; // 0 .. 32
    float *const one = (float *)(shared_memory + 0); // 30 elements, in turn with two
    double *const two = (double *)(shared_memory + 0); // 16 elements, in turn with one
    float *const three = (float *)(shared_memory + 128); // 4 elements
    // one
    one[0] = 1.0f;
    __syncthreads();
    // C
    C[t] = (one[0] + three[0]);
}
)"));
}

void CudaSourceTest::wideOffsets() {
    OneBlock k;
    Buffer &a = k.argument("A", {65536, 65536});
    Buffer &index = k.argument("index", {32}, DType::Int64);
    Buffer &c = k.output("C", {32});
    Buffer &n = k.output("n", {32}, DType::Int64);
    const Expr i = makeVar("i");
    QCOMPARE(bodyOf(k.of({KernelMaker::loop(LoopKind::Serial, i, 65536,
                                            {KernelMaker::store(c, {k.t}, KernelMaker::load(a, {i, k.t}))}),
                          KernelMaker::store(n, {k.t}, KernelMaker::load(index, {k.t}) + makeInt(1, DType::Int64))})),
             QStringLiteral(R"(// C
for (int i = 0; i < 65536; ++i) {
    C[t] = A[(long long)i*65536 + (long long)t];
}
// n
n[t] = (long long)((unsigned long long)(index_0[t]) + (unsigned long long)(1));
)"));
}

void CudaSourceTest::functions() {
    OneBlock k;
    Buffer &a = k.argument("A", {32});
    Buffer &n = k.argument("n", {32}, DType::Int32);
    Buffer &h = k.argument("h", {32}, DType::BFloat16);
    Buffer &c = k.output("C", {32});
    Buffer &m = k.output("m", {32}, DType::Int32);
    const Expr x = KernelMaker::load(a, {k.t});
    const Expr y = KernelMaker::load(n, {k.t});
    const auto one = [&](Intrinsic f) { return KernelMaker::call(f, DType::Float32, {x}); };
    const LoopProgram program = k.of({
        KernelMaker::store(c, {k.t}, one(Intrinsic::Exp) + one(Intrinsic::Rsqrt)),
        KernelMaker::store(c, {k.t}, one(Intrinsic::Sigmoid) + one(Intrinsic::Erf)),
        KernelMaker::store(c, {k.t}, maxOf(x, makeFloat(0)) + castTo(DType::Float32, KernelMaker::load(h, {k.t}))),
        KernelMaker::store(c, {k.t},
                           makeSelectNode(fold(ExprKind::Lt, x, makeFloat(0)), makeFloat(-INFINITY), makeFloat(NAN))),
        KernelMaker::store(c, {k.t}, x + KernelMaker::call(Intrinsic::ShuffleXor, DType::Float32, {x, makeInt(16)})),
        KernelMaker::store(m, {k.t}, KernelMaker::call(Intrinsic::Popcount, DType::Int32, {y})),
        KernelMaker::store(m, {k.t}, floorDiv(y, 3) + floorMod(y, 5)),
        KernelMaker::store(m, {k.t}, y * y),
    });
    QCOMPARE(
        kernelsOf(program),
        QStringLiteral(
            R"(static __device__ inline int floordiv(int a, int b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }
static __device__ inline int floormod(int a, int b) { return a - (a / b - (a % b != 0 && (a % b < 0) != (b < 0))) * b; }
static __device__ inline float from_bfloat16(unsigned short bits) { return __uint_as_float((unsigned int)bits << 16); }
static __device__ inline float max_float(float a, float b) {
#if __CUDA_ARCH__ >= 800
    float value; asm("max.NaN.f32 %0, %1, %2;" : "=f"(value) : "f"(a), "f"(b)); return value;
#else
    return a != a ? a : a > b ? a : b;
#endif
}

// C, m: 1 block of 32 threads
extern "C" __global__ void __launch_bounds__(32) kernel_kernel0(const float *__restrict__ A, const int *__restrict__ n, const unsigned short *__restrict__ h, float *__restrict__ C, int *__restrict__ m) {
    const int t = threadIdx.x; // 0 .. 32
    // C
    C[t] = (expf(A[t]) + rsqrtf(A[t]));
    C[t] = ((1.0f/(1.0f + expf(-(A[t])))) + erff(A[t]));
    C[t] = (max_float(0.0f, A[t]) + (float)(from_bfloat16(h[t])));
    C[t] = ((A[t] < 0.0f) ? (-__int_as_float(0x7f800000)) : __int_as_float(0x7fc00000));
    C[t] = (A[t] + __shfl_xor_sync(0xffffffffu, A[t], 16));
    // m
    m[t] = __popc((unsigned int)(n[t]));
    m[t] = (int)((unsigned int)(floordiv(n[t], 3)) + (unsigned int)(floormod(n[t], 5)));
    m[t] = (int)((unsigned int)(n[t]) * (unsigned int)(n[t]));
}
)"));
}

void CudaSourceTest::constantsAreATable() {
    OneBlock k;
    Buffer &c = k.output("C", {32});
    Expr choice = makeFloat(0);
    for (int i = 5; i >= 0; --i)
        choice = makeSelectNode(fold(ExprKind::Eq, k.t, makeInt(i)), makeFloat(i + 0.5), choice);
    QCOMPARE(kernelsOf(k.of({KernelMaker::store(c, {k.t}, choice)})).section(u'\n', 0, 2),
             QStringLiteral(R"(static __device__ const float constants[32] = {
    0.5f, 1.5f, 2.5f, 3.5f, 4.5f, 5.5f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f,
};)"));
}

void CudaSourceTest::variables() {
    OneBlock k;
    Buffer &a = k.argument("A", {32});
    Buffer &c = k.output("C", {32});
    const Expr x = makeVar("x", DType::Float32);
    const Expr r = makeVar("r");
    const Stmt row =
        makeLetStmt(r, floorMod(k.t * 5, 32), KernelMaker::store(c, {r}, makeLet(x, KernelMaker::load(a, {r}), x * x)));
    QCOMPARE(bodyOf(k.of({row})), QStringLiteral(R"(const int r = ((t * 5)%32);
{
    const float x = A[r];
    C[r] = (x * x);
}
)"));
}

void CudaSourceTest::namesOfTheLanguage() {
    KernelMaker k;
    Buffer &a = k.argument("float4", {32});
    Buffer &c = k.output("class", {32});
    const Expr t = makeVar("threadIdx");
    const LoopProgram program = k.program(
        {KernelMaker::loop(LoopKind::ThreadX, t, 32, {KernelMaker::store(c, {t}, KernelMaker::load(a, {t}))})});
    QCOMPARE(kernelsOf(program), QStringLiteral(R"(// class: 1 block of 32 threads
extern "C" __global__ void __launch_bounds__(32) kernel_kernel0(const float *__restrict__ float4_0, float *__restrict__ class_0) {
    const int threadIdx_0 = threadIdx.x; // 0 .. 32
    class_0[threadIdx_0] = float4_0[threadIdx_0];
}
)"));
}

void CudaSourceTest::linksLeadToTheLoops() {
    OneBlock k;
    Buffer &a = k.argument("A", {32, 4});
    Buffer &c = k.output("C", {32, 4});
    Buffer &s = k.buffer("S", {32, 4}, MemoryScope::Shared);
    const Expr v = makeVar("v");
    const Expr i = makeVar("i");
    const Stmt body = makeBlock(std::vector<Stmt>{
        KernelMaker::loop(LoopKind::Vectorized, v, 4,
                          {KernelMaker::store(s, {k.t, v}, KernelMaker::load(a, {k.t, v}))}),
        makeBarrier(),
        KernelMaker::loop(
            LoopKind::Serial, i, 4,
            {KernelMaker::store(c, {k.t, i}, KernelMaker::load(s, {fold(ExprKind::Sub, makeInt(31), k.t), i}))})});
    const LoopProgram program = k.of({makeAllocate(s, body)});
    const Outcome<CudaSource> source = emitCuda(program, gpuTarget());
    QVERIFY(source.ok());
    const QStringList loops = QString::fromStdString(printProgram(program)).split(u'\n');
    const QStringList code = QString::fromStdString(source->code.text).split(u'\n');
    QStringList linked;
    for (const LineLink &link : source->code.links)
        linked << code.at(link.textLine - 1).trimmed().left(28) + QStringLiteral(" <- ") +
                      loops.at(link.programLine - 1).trimmed().left(28);
    QCOMPARE(linked.join(u'\n'), QStringLiteral(R"(extern "C" __global__ void _ <- blockIdx.x b in 0 .. 1:
const int t = threadIdx.x; / <- threadIdx.x t in 0 .. 32:
__shared__ __align__(16) flo <- allocate S: float32[32, 4] s
*(float4 *)&S[t*4] = *(const <- vectorized v in 0 .. 4:
__syncthreads(); <- barrier
for (int i = 0; i < 4; ++i)  <- for i in 0 .. 4:
C[t*4 + i] = S[(31 - t)*4 +  <- C[t, i] = S[(31 - t), i]
extern "C" cudaError_t kerne <- kernel(A: float32[32, 4], ou
kernel_kernel0<<<dim3(1, 1,  <- blockIdx.x b in 0 .. 1:)"));
}

void CudaSourceTest::theLauncher() {
    const LoopProgram program =
        kernelOf(elementwiseDag(8, 8), R"([["AN",1,0,6],["AN",2,0,5],["AN",2,1,6],["AN",3,0,5]])");
    QCOMPARE(cudaOf(program), QStringLiteral(R"(// B: 1 block of 8 threads
extern "C" __global__ void __launch_bounds__(8) kernel_kernel0(const float *__restrict__ A, float *__restrict__ B) {
    const int i = threadIdx.x; // 0 .. 8
    for (int j = 0; j < 8; ++j) {
        B[i*8 + j] = (A[i*8 + j] + 1.0f);
    }
}

// C: 8 blocks of 8 threads
extern "C" __global__ void __launch_bounds__(8) kernel_kernel1(const float *__restrict__ B, float *__restrict__ C) {
    const int i = blockIdx.x; // 0 .. 8
    const int j = threadIdx.x; // 0 .. 8
    C[i*8 + j] = (B[i*8 + j] * 2.0f);
}

// D: 8 blocks of 1 thread
extern "C" __global__ void __launch_bounds__(1) kernel_kernel2(float *__restrict__ D, const float *__restrict__ C) {
    const int i = blockIdx.x; // 0 .. 8
    for (int j = 0; j < 8; ++j) {
        D[i*8 + j] = expf(C[i*8 + j]);
    }
}

#ifndef __CUDACC_RTC__ // the host's part
#include <cuda_runtime.h>

// Launches the kernels. The pointers are to memory of the device.
extern "C" cudaError_t kernel(const float *A, float *D, cudaStream_t stream) {
    cudaError_t status = cudaSuccess;
    float *B = 0;
    if (status == cudaSuccess) status = cudaMalloc((void **)&B, 256);
    float *C = 0;
    if (status == cudaSuccess) status = cudaMalloc((void **)&C, 256);
    if (status == cudaSuccess) {
        kernel_kernel0<<<dim3(1, 1, 1), dim3(8, 1, 1), 0, stream>>>(A, B);
        status = cudaGetLastError();
    }
    if (status == cudaSuccess) {
        kernel_kernel1<<<dim3(8, 1, 1), dim3(8, 1, 1), 0, stream>>>(B, C);
        status = cudaGetLastError();
    }
    if (status == cudaSuccess) {
        kernel_kernel2<<<dim3(8, 1, 1), dim3(1, 1, 1), 0, stream>>>(D, C);
        status = cudaGetLastError();
    }
    cudaFree(B); // waits for the kernels
    cudaFree(C); // waits for the kernels
    return status;
}
#endif
)"));
}

void CudaSourceTest::aTiledProductLoadsWords() {
    const LoopProgram program = kernelOf(matmulDag(16, 24, 12), kTiledProduct);
    const QString text = kernelsOf(program);
    QVERIFY2(text.contains(QStringLiteral("*(float2 *)&A_shared[")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("] = *(const float2 *)&A[")), qPrintable(text));
}

void CudaSourceTest::refusals() {
    KernelMaker k;
    Buffer &c = k.output("C", {32});
    const Expr i = makeVar("i");
    const Stmt serial = KernelMaker::loop(LoopKind::Serial, i, 32, {KernelMaker::store(c, {i}, makeFloat(1))});
    const LoopProgram program = k.program({serial});
    QCOMPARE(cudaOf(program), QStringLiteral("line 2 of the loop program is a loop outside of every kernel; only loops "
                                             "bound to blocks or threads may stand there"));
    QCOMPARE(QString::fromStdString(emitCuda(program, processorTarget()).why()),
             QStringLiteral("CUDA is written for GPUs (cuda targets), and this target is a processor: C is legal"));

    OneBlock heap;
    Buffer &out = heap.output("C", {32});
    Buffer &h = heap.buffer("H", {32}, MemoryScope::Heap);
    QCOMPARE(cudaOf(heap.of({makeAllocate(h, KernelMaker::store(out, {heap.t}, KernelMaker::load(h, {heap.t})))})),
             QStringLiteral("line 4 of the loop program allocates H inside a kernel in memory that a kernel cannot "
                            "allocate; shared and local memory are legal"));

    KernelMaker outside;
    Buffer &d = outside.output("D", {32});
    Buffer &s = outside.buffer("S", {32}, MemoryScope::Shared);
    const Expr t = makeVar("t");
    const Stmt kernel =
        KernelMaker::loop(LoopKind::ThreadX, t, 32, {KernelMaker::store(d, {t}, KernelMaker::load(s, {t}))});
    QCOMPARE(cudaOf(outside.program({makeAllocate(s, kernel)})),
             QStringLiteral("line 2 of the loop program allocates S outside of every kernel in memory of a block or "
                            "thread; global memory is legal"));

    KernelMaker twice;
    Buffer &e = twice.output("E", {32, 32});
    const Expr u = makeVar("u");
    const Stmt inner = KernelMaker::loop(LoopKind::ThreadX, u, 16, {KernelMaker::store(e, {t, u}, makeFloat(1))});
    QCOMPARE(cudaOf(twice.program({KernelMaker::loop(LoopKind::ThreadX, t, 32, {inner})})),
             QStringLiteral("loop `u` is bound to threadIdx.x with 16 iterations, loop `t` with 32; one kernel has one "
                            "number of them"));
}

LOOPSCOPE_TEST(CudaSourceTest)
#include "cuda_source_test.moc"
