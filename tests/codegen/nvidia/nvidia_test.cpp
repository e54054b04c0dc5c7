// NVIDIA's tools: what is found where, what their texts are read as, and, where they are installed, whether they make
// of CUDA what they should, and say in one sentence why not. A mock of ptxas stands in for one that misbehaves.

#include "codegen/nvidia/cuda_compiler.h"
#include "codegen/nvidia/nvidia_tools.h"
#include "codegen/nvidia/ptx_assembler.h"
#include "codegen/nvidia/sass_text.h"
#include "test_program.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace loopscope;

namespace {

constexpr const char *kSource = R"(static __device__ inline int twice(int a) { return a * 2; }
extern "C" __global__ void __launch_bounds__(32) first(const int *__restrict__ A, int *__restrict__ B) {
    __shared__ int held[32];
    held[threadIdx.x] = A[threadIdx.x];
    __syncthreads();
    B[threadIdx.x] = twice(held[31 - threadIdx.x]);
}
extern "C" __global__ void __launch_bounds__(64) second(float *__restrict__ C) {
    C[threadIdx.x] = 1.0f;
}
)";

void writeProgram(const QString &path, const QByteArray &text) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
}

QByteArray toolOf(const char *release, const QByteArray &rest) {
    return QByteArray("#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'Cuda compilation tools, release ") +
           QByteArray(release).left(4) + ", V" + release +
           "'; exit 0; fi\nif [ \"$1\" = --help ]; then echo \"Allowed "
           "values: 'compute_80','sm_80','sm_90a'\"; exit 0; fi\n" +
           rest;
}

CudaCompilerOptions workerOptions() {
    return {.workerPath = LOOPSCOPE_BIN_DIR "/loopscope-worker", .timeout = 120, .debugLines = true};
}

} // namespace

class NvidiaTest : public QObject {
    Q_OBJECT
  private slots:
    void toolsOfSeveralVersions();
    void nothingIsThere();
    void resourcesAreRead();
    void sassIsRead();
    void linksGoThrough();
    void aPtxasThatFails();
    void cudaBecomesMachineCode();
    void everyArchitecture_data();
    void everyArchitecture();
    void whatDoesNotCompile();
    void unknownArchitectures();
};

void NvidiaTest::toolsOfSeveralVersions() {
    QTemporaryDir root;
    QDir(root.path()).mkpath(QStringLiteral("cuda-tools/13.5/bin"));
    QDir(root.path()).mkpath(QStringLiteral("cuda-tools/12.9"));
    writeProgram(root.filePath(QStringLiteral("cuda-tools/13.5/bin/ptxas")), toolOf("13.5.37", ""));
    writeProgram(root.filePath(QStringLiteral("cuda-tools/12.9/ptxas")), toolOf("12.9.86", ""));
    writeProgram(root.filePath(QStringLiteral("cuda-tools/12.9/libnvrtc.so.12")), "");
    writeProgram(root.filePath(QStringLiteral("cuda-tools/12.9/libnvrtc-builtins.so.12.9")), "");
    writeProgram(root.filePath(QStringLiteral("cuda-tools/12.9/cuobjdump")), "#!/bin/sh\nexit 1\n");
    const NvidiaTools tools = nvidiaToolsIn({root.filePath(QStringLiteral("cuda-tools")).toStdString()});
    QCOMPARE(QString::fromStdString(tools.told()).remove(root.path() + QStringLiteral("/cuda-tools/")),
             QStringLiteral("NVRTC 12.9, 12.9/libnvrtc.so.12\nptxas 13.5.37, 13.5/bin/ptxas\n"
                            "ptxas 12.9.86, 12.9/ptxas\nnvdisasm: not found\ncuobjdump: not found\n"));
    QCOMPARE(tools.ptxas.front().architectures, (std::set<std::string>{"sm_80", "sm_90a"}));
}

void NvidiaTest::nothingIsThere() {
    const NvidiaTools none = nvidiaToolsIn({"/nowhere"});
    CudaCompiler compiler(none, workerOptions());
    const QString how = QStringLiteral(" is not found; packaging/cuda-tools installs it into the build, and "
                                       "LOOPSCOPE_CUDA names the folder of a toolkit that is somewhere else");
    QCOMPARE(QString::fromStdString(compiler.toPtx(kSource, "sm_80").why()),
             QStringLiteral("NVRTC, the compiler of CUDA C++,") + how);
    QCOMPARE(QString::fromStdString(assemblePtx("", "sm_80", {}, none).why()), QStringLiteral("ptxas") + how);
    QCOMPARE(QString::fromStdString(disassembleCubin("", 1, none).why()),
             QStringLiteral("a disassembler (nvdisasm or cuobjdump)") + how);
}

void NvidiaTest::resourcesAreRead() {
    const auto kernels = readResources(R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'a_kernel0' for 'sm_80'
ptxas info    : Function properties for a_kernel0
    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 54 registers, used 1 barriers, 384 bytes smem, 376 bytes cmem[0], 8 bytes cmem[2]
ptxas info    : Compiling entry function 'a_kernel1' for 'sm_80'
ptxas info    : Function properties for a_kernel1
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, 360 bytes cmem[0]
)");
    QCOMPARE(kernels.size(), size_t(2));
    QVERIFY((kernels[0] == KernelResources{"a_kernel0", 54, 8, 12, 16, 384, 1, 384}));
    QVERIFY((kernels[1] == KernelResources{"a_kernel1", 8, 0, 0, 0, 0, 0, 360}));
}

void NvidiaTest::sassIsRead() {
    const LinkedText code = readSass(R"(	.target	sm_80

//--------------------- .text.second              --------------------------
	.section	.text.second,"ax",@progbits
	.align	128
        .global         second
second:
.text.second:
	//## File "kernels.cu", line 8
        /*0000*/                   MOV R1, c[0x0][0x28] ;
	//## File "kernels.cu", line 1 inlined at "kernels.cu", line 9
	//## File "kernels.cu", line 9
        /*0010*/                   STG.E [R2.64], R5 ;
.L_x_0:
        /*0020*/                   BRA `(.L_x_0);
)");
    QCOMPARE(QString::fromStdString(code.text),
             QStringLiteral("second:\n    /*0000*/                   MOV R1, c[0x0][0x28] ;\n    /*0010*/            "
                            "       STG.E [R2.64], R5 ;\n.L_x_0:\n    /*0020*/                   BRA `(.L_x_0);\n"));
    QStringList links;
    for (const LineLink &link : code.links) links << QStringLiteral("%1:%2").arg(link.textLine).arg(link.programLine);
    QCOMPARE(links.join(u' '), QStringLiteral("2:8 3:9 5:9"));
}

void NvidiaTest::linksGoThrough() {
    const LinkedText through{"", {{8, 2}, {9, 3}}};
    const LinkedText code = linkedThrough({"", {{1, 9}, {2, 4}, {3, 8}}}, through);
    QCOMPARE(code.links.size(), size_t(2));
    QCOMPARE(code.links[0].programLine, 3);
    QCOMPARE(code.links[1].textLine, 3);
}

void NvidiaTest::aPtxasThatFails() {
    QTemporaryDir root;
    const auto refusal = [&](const QByteArray &script) {
        writeProgram(root.filePath(QStringLiteral("ptxas")), toolOf("13.5.37", script));
        return QString::fromStdString(
            assemblePtx("text", "sm_80", {.timeout = 1}, nvidiaToolsIn({root.path().toStdString()})).why());
    };
    QCOMPARE(refusal("echo 'ptxas info : hello'; echo 'ptxas a.ptx, line 3; error : Unknown symbol'; exit 255\n"),
             QStringLiteral("ptxas 13.5.37 does not accept the PTX: ptxas a.ptx, line 3; error : Unknown symbol"));
    QCOMPARE(refusal("kill -SEGV $$\n"), QStringLiteral("ptxas 13.5.37 was ended by segmentation fault (SIGSEGV)"));
    QCOMPARE(refusal("sleep 30\n"), root.path() + QStringLiteral("/ptxas came to no end within 1 s"));
    QCOMPARE(QString::fromStdString(assemblePtx("", "sm_70", {}, nvidiaToolsIn({root.path().toStdString()})).why()),
             QStringLiteral("no ptxas found here assembles for sm_70; sm_80 and sm_90a are legal"));
}

void NvidiaTest::cudaBecomesMachineCode() {
    if (foundNvidiaTools().nvrtc.empty()) QSKIP(missingTool("NVRTC").c_str());
    CudaCompiler compiler(foundNvidiaTools(), workerOptions());
    const Outcome<CompiledCuda> compiled = compiler.toPtx(kSource, "sm_80");
    QVERIFY2(compiled.ok(), compiled ? "" : compiled.why().c_str());
    QVERIFY(compiled->ptx.find(".visible .entry first(") != std::string::npos);
    if (foundNvidiaTools().ptxas.empty()) QSKIP(missingTool("ptxas").c_str());
    const Outcome<AssembledPtx> assembled = assemblePtx(compiled->ptx, "sm_80", {.debugLines = true});
    QVERIFY2(assembled.ok(), assembled ? "" : assembled.why().c_str());
    QStringList kernels;
    for (const KernelResources &kernel : assembled->kernels) {
        kernels << QString::fromStdString(kernel.kernel) + u' ' + QString::number(kernel.sharedBytes);
        QVERIFY(kernel.registers > 0 && kernel.registers < 64);
        QCOMPARE(kernel.spillStoreBytes + kernel.spillLoadBytes, int64_t(0));
    }
    kernels.sort();
    QCOMPARE(kernels.join(QStringLiteral(", ")), QStringLiteral("first 128, second 0"));
    if (foundNvidiaTools().nvdisasm.empty()) QSKIP(missingTool("nvdisasm").c_str());
    const Outcome<SassText> sass = disassembleCubin(assembled->cubin);
    QVERIFY2(sass.ok(), sass ? "" : sass.why().c_str());
    const QStringList lines = QString::fromStdString(sass->code.text).split(u'\n');
    std::set<int> stores;
    for (const LineLink &link : sass->code.links)
        if (lines.at(link.textLine - 1).contains(QStringLiteral("STG"))) stores.insert(link.programLine);
    QCOMPARE(stores, (std::set<int>{6, 9}));
}

void NvidiaTest::everyArchitecture_data() {
    QTest::addColumn<QString>("architecture");
    for (const char *name : {"sm_70", "sm_75", "sm_80", "sm_86", "sm_90", "sm_90a", "sm_100", "sm_120"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void NvidiaTest::everyArchitecture() {
    QFETCH(QString, architecture);
    if (foundNvidiaTools().nvrtc.size() < 2) QSKIP("two versions of NVRTC are needed for all: packaging/cuda-tools");
    CudaCompiler compiler(foundNvidiaTools(), workerOptions());
    const Outcome<CompiledCuda> compiled = compiler.toPtx(kSource, architecture.toStdString());
    QVERIFY2(compiled.ok(), compiled ? "" : compiled.why().c_str());
    const Outcome<AssembledPtx> assembled = assemblePtx(compiled->ptx, architecture.toStdString());
    QVERIFY2(assembled.ok(), assembled ? "" : assembled.why().c_str());
    QCOMPARE(assembled->kernels.size(), size_t(2));
}

void NvidiaTest::whatDoesNotCompile() {
    if (foundNvidiaTools().nvrtc.empty()) QSKIP(missingTool("NVRTC").c_str());
    CudaCompiler compiler(foundNvidiaTools(), workerOptions());
    const Outcome<CompiledCuda> wrong = compiler.toPtx("__global__ void k() { x = 1; }", "sm_80");
    QVERIFY(!wrong);
    const QString why = QString::fromStdString(wrong.why());
    QVERIFY2(why.startsWith(QStringLiteral("NVRTC ")) && why.contains(QStringLiteral(" does not compile the text: ")) &&
                 why.contains(QStringLiteral("identifier \"x\" is undefined")),
             qPrintable(why));
    QVERIFY(compiler.toPtx(kSource, "sm_80").ok()); // the worker goes on
}

void NvidiaTest::unknownArchitectures() {
    if (foundNvidiaTools().nvrtc.empty()) QSKIP(missingTool("NVRTC").c_str());
    CudaCompiler compiler(foundNvidiaTools(), workerOptions());
    const QString why = QString::fromStdString(compiler.toPtx(kSource, "sm_20").why());
    QVERIFY2(why.startsWith(QStringLiteral("no NVRTC found here compiles for sm_20; sm_")), qPrintable(why));
}

LOOPSCOPE_TEST(NvidiaTest)
#include "nvidia_test.moc"
