// Vectorized loops as CUDA text, word for word: which become loads and stores of words, and which do not.

#include "harness/cuda_lines.h"
#include "harness/kernel_maker.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

class CudaWordsTest : public QObject {
    Q_OBJECT
  private slots:
    void copiesOfWords();
    void computedWords();
    void paddingIsChosenOnce();
    void wordsOfNarrowTypes();
};

void CudaWordsTest::copiesOfWords() {
    OneBlock k;
    Buffer &a = k.argument("A", {64, 64});
    Buffer &c = k.output("C", {64, 64});
    const Expr v = makeVar("v");
    const LoopProgram program = k.of({KernelMaker::loop(
        LoopKind::Vectorized, v, 4, {KernelMaker::store(c, {k.t, v}, KernelMaker::load(a, {makeInt(3), k.t + v}))})});
    QCOMPARE(bodyOf(program), QStringLiteral(R"({
    __align__(16) float C_lanes[4];
    #pragma unroll
    for (int v = 0; v < 4; ++v) {
        C_lanes[v] = A[3*64 + (t + v)];
    }
    *(float4 *)&C[t*64] = *(const float4 *)&C_lanes[0];
}
)")); // t + v is not aligned

    OneBlock aligned;
    Buffer &from = aligned.argument("A", {64, 64});
    Buffer &to = aligned.output("C", {64, 64});
    const LoopProgram words = aligned.of({KernelMaker::loop(
        LoopKind::Vectorized, v, 8,
        {KernelMaker::store(to, {aligned.t, v},
                            KernelMaker::load(from, {makeInt(3), aligned.t * 8 - v * 7 + v * 8}))})});
    QCOMPARE(bodyOf(words), QStringLiteral(R"(#pragma unroll
for (int v = 0; v < 8; v += 4)
    *(float4 *)&C[t*64 + v] = *(const float4 *)&A[3*64 + (((t * 8) - (v * 7)) + (v * 8))];
)"));
}

void CudaWordsTest::computedWords() {
    OneBlock k;
    Buffer &a = k.argument("A", {64, 64});
    Buffer &s = k.argument("S", {64});
    Buffer &c = k.output("C", {64, 64});
    const Expr v = makeVar("v");
    const Expr product = KernelMaker::load(a, {k.t, v}) * KernelMaker::load(s, {k.t});
    const LoopProgram program =
        k.of({KernelMaker::loop(LoopKind::Vectorized, v, 4, {KernelMaker::store(c, {k.t, v}, product)})});
    QCOMPARE(bodyOf(program), QStringLiteral(R"({
    __align__(16) float A_lanes[4];
    *(float4 *)&A_lanes[0] = *(const float4 *)&A[t*64];
    __align__(16) float C_lanes[4];
    #pragma unroll
    for (int v = 0; v < 4; ++v) {
        C_lanes[v] = (A_lanes[v] * S[t]);
    }
    *(float4 *)&C[t*64] = *(const float4 *)&C_lanes[0];
}
)"));
}

void CudaWordsTest::paddingIsChosenOnce() {
    OneBlock k;
    Buffer &a = k.argument("A", {64, 4});
    Buffer &s = k.buffer("S", {32, 4}, MemoryScope::Shared);
    const Expr v = makeVar("v");
    const Expr padded =
        ifThenElse(fold(ExprKind::Lt, k.t, makeInt(30)), KernelMaker::load(a, {k.t + 2, v}), makeFloat(0));
    Stmt body = KernelMaker::loop(LoopKind::Vectorized, v, 4, {KernelMaker::store(s, {k.t, v}, padded)});
    body = makeIf(fold(ExprKind::Lt, k.t, makeInt(31)), body);
    QCOMPARE(bodyOf(k.of({makeAllocate(s, body)})), QStringLiteral(R"(__shared__ __align__(16) float S[128];
if (t < 31) {
    if (t < 30) {
        *(float4 *)&S[t*4] = *(const float4 *)&A[(t + 2)*4];
    } else {
        __align__(16) float S_lanes[4];
        #pragma unroll
        for (int v = 0; v < 4; ++v) {
            S_lanes[v] = 0.0f;
        }
        *(float4 *)&S[t*4] = *(const float4 *)&S_lanes[0];
    }
}
)"));
}

void CudaWordsTest::wordsOfNarrowTypes() {
    OneBlock k;
    Buffer &a = k.argument("A", {32, 8}, DType::Float16);
    Buffer &b = k.argument("B", {32, 4}, DType::Int8);
    Buffer &c = k.output("C", {32, 8}, DType::Float16);
    Buffer &d = k.output("D", {32, 4}, DType::Int8);
    const Expr v = makeVar("v");
    const Expr w = makeVar("w");
    const Expr one = makeFloat(1, DType::Float16);
    QCOMPARE(
        kernelsOf(k.of({KernelMaker::loop(LoopKind::Vectorized, v, 8,
                                          {KernelMaker::store(c, {k.t, v}, KernelMaker::load(a, {k.t, v}) + one)}),
                        KernelMaker::loop(LoopKind::Vectorized, w, 4,
                                          {KernelMaker::store(d, {k.t, w}, KernelMaker::load(b, {k.t, w}))})})),
        QStringLiteral(
            R"(static __device__ inline float from_float16(unsigned short bits) { float value; asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits)); return value; }
static __device__ inline unsigned short to_float16(float value) { unsigned short bits; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value)); return bits; }

// C, D: 1 block of 32 threads
extern "C" __global__ void __launch_bounds__(32) kernel_kernel0(const unsigned short *__restrict__ A, const signed char *__restrict__ B, unsigned short *__restrict__ C, signed char *__restrict__ D) {
    const int t = threadIdx.x; // 0 .. 32
    // C
    {
        __align__(16) unsigned short A_lanes[8];
        *(uint4 *)&A_lanes[0] = *(const uint4 *)&A[t*8];
        __align__(16) unsigned short C_lanes[8];
        #pragma unroll
        for (int v = 0; v < 8; ++v) {
            C_lanes[v] = to_float16((from_float16(A_lanes[v]) + 1.0f));
        }
        *(uint4 *)&C[t*8] = *(const uint4 *)&C_lanes[0];
    }
    // D
    *(unsigned int *)&D[t*4] = *(const unsigned int *)&B[t*4];
}
)"));
}

LOOPSCOPE_TEST(CudaWordsTest)
#include "cuda_words_test.moc"
