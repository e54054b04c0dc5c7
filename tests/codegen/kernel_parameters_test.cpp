// What the kernels of a program for a GPU are handed, and how they are launched.

#include "codegen/kernel_parameters.h"
#include "codegen/lower/lower.h"
#include "harness/recorded_steps.h"
#include "harness/sample_dags.h"
#include "harness/sample_targets.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

namespace {

LoopProgram programOf(const DagPtr &dag, const char *steps) {
    Outcome<LoopProgram> program = lower(stateOf(dag, steps), gpuTarget());
    if (!program) throw std::runtime_error(program.why());
    program->name = "sample";
    return std::move(program).value();
}

QString described(const GpuKernel &kernel) {
    QStringList parts{QString::fromStdString(kernel.name)};
    for (const KernelParameter &parameter : kernel.parameters) {
        const std::string uses = std::string(parameter.read ? "r" : "") + (parameter.written ? "w" : "");
        parts << QString::fromStdString(parameter.buffer->name + ":" + uses);
    }
    for (const Buffer *buffer : kernel.sharedBuffers)
        parts << QStringLiteral("shared ") + QString::fromStdString(buffer->name);
    for (const BoundLoop &bound : kernel.bound) parts << QString::fromUtf8(loopKindName(bound.kind).data());
    return parts.join(u' ');
}

} // namespace

class KernelParametersTest : public QObject {
    Q_OBJECT
  private slots:
    void eachKernelIsHandedWhatItUses() {
        const LoopProgram program =
            programOf(elementwiseDag(8, 8), R"([["AN",1,0,6],["AN",2,0,5],["AN",2,1,6],["AN",3,0,5]])");
        const std::vector<GpuKernel> kernels = gpuKernelsOf(program);
        QStringList told;
        for (const GpuKernel &kernel : kernels) told << described(kernel);
        QCOMPARE(told.join(u'\n'), QStringLiteral("sample_kernel0 A:r B:w blockIdx.x threadIdx.x\n"
                                                  "sample_kernel1 B:r C:w blockIdx.x threadIdx.x\n"
                                                  "sample_kernel2 D:w C:r blockIdx.x threadIdx.x"));
        const std::vector<const Buffer *> heap = heapBuffersOf(program);
        QCOMPARE(heap.size(), size_t(2));
        QCOMPARE(heap[0]->name, std::string("B"));
        const Outcome<KernelLaunch> launch = describeLaunch(program, TargetKind::Cuda, "sample");
        QVERIFY(launch.ok());
        QCOMPARE(launch->grids.size(), kernels.size());
        for (size_t i = 0; i < kernels.size(); ++i) QVERIFY(kernels[i].launch == launch->grids[i]);
        QVERIFY(kernels[1].launch == (GridLaunch{{8, 1, 1}, {8, 1, 1}, 0}));
    }

    void aReductionReadsWhatItWrites() {
        const LoopProgram program =
            programOf(matmulDag(128, 128, 128), R"([["RE",2,[0,2,1]],["AN",2,0,5]])"); // too many sums to keep
        const std::vector<GpuKernel> kernels = gpuKernelsOf(program);
        QCOMPARE(kernels.size(), size_t(1));
        QCOMPARE(described(kernels[0]), QStringLiteral("sample_kernel0 A:r B:r C:rw blockIdx.x threadIdx.x"));
    }

    void sumsThatAThreadKeepsAreWrittenOnly() {
        const LoopProgram program = programOf(matmulDag(8, 8, 8), R"([["AN",2,0,5],["AN",2,1,6]])");
        const std::vector<GpuKernel> kernels = gpuKernelsOf(program);
        QCOMPARE(kernels.size(), size_t(1));
        QCOMPARE(described(kernels[0]), QStringLiteral("sample_kernel0 A:r B:r C:w blockIdx.x threadIdx.x"));
    }

    void sharedBuffersAreTheBlocks() {
        const LoopProgram program =
            programOf(elementwiseDag(13, 5), R"([["CHW",3,"shared"],["SP",4,0,0,[8],1],["AN",4,0,5],["CA",3,4,0],
                ["AN",4,1,6],["CI",1],["CI",2],["SP",3,0,0,[4],1],["AN",3,1,6]])");
        const std::vector<GpuKernel> kernels = gpuKernelsOf(program);
        QCOMPARE(kernels.size(), size_t(1));
        QCOMPARE(described(kernels[0]),
                 QStringLiteral("sample_kernel0 A:r D:w shared D.shared blockIdx.x threadIdx.x"));
        QCOMPARE(kernels[0].launch.sharedBytes, int64_t{8 * 5 * 4});
        QVERIFY(kernels[0].body->kind == StmtKind::Block); // a barrier between the two halves
        QVERIFY(!kernels[0].sharesOnePiece());
    }

    /// 401 and 12100 floats are more than can be declared.
    void largeTilesAreOnePiece() {
        const char *steps = R"([["CHR",1,"shared",[2]],["CHR",0,"shared",[3]],["AN",4,0,5],["CA",3,4,0],["CA",1,4,0]])";
        Target target = gpuTarget();
        target.hardware.maxSharedMemoryPerBlock = 163 * 1024;
        Outcome<LoopProgram> program = lower(stateOf(matmulDag(4, 30, 401), steps), target);
        QVERIFY2(program.ok(), program.ok() ? "" : program.why().c_str());
        const std::vector<GpuKernel> kernels = gpuKernelsOf(*program);
        QCOMPARE(kernels.size(), size_t(1));
        QCOMPARE(kernels[0].sharedBuffers.size(), size_t(2));
        QVERIFY(kernels[0].asksForShared());
        const int64_t second = kernels[0].shared.offsets.at(kernels[0].sharedBuffers[1]);
        QVERIFY(second == 1616 || second == 48128);
        QCOMPARE(kernels[0].launch.sharedBytes, int64_t{1616 + 48128});
    }
};

LOOPSCOPE_TEST(KernelParametersTest)
#include "kernel_parameters_test.moc"
