// CUDA text of lowered schedules, word for word: kernels with their comments and links, words of vectorized loops,
// shared memory in one block where it has to be, the launcher, and a sentence for what no kernel has a place for.

#include "codegen/cuda/cuda_source.h"
#include "harness/recorded_steps.h"
#include "harness/sample_dags.h"
#include "harness/sample_targets.h"
#include "lower/lower.h"

#include <QTest>

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

QString cudaOf(const LoopProgram &program) {
    const Outcome<CudaSource> source = emitCuda(program, gpuTarget());
    return QString::fromStdString(source ? source->code.text : source.why());
}

/// The kernels alone.
QString kernelsOf(const LoopProgram &program) { return cudaOf(program).section(QStringLiteral("\n#ifndef"), 0, 0); }

} // namespace

class CudaSourceTest : public QObject {
    Q_OBJECT
  private slots:
    void theLauncher();
    void aTiledProductLoadsWords();
};

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

QTEST_APPLESS_MAIN(CudaSourceTest)
#include "cuda_source_test.moc"
