// The CUDA C++ that leaves: NVRTC takes the device's part where it is installed, and everything around it is compiled
// and run here, with the launch done by exported C and CUDA's functions of the host by a mock.

#include "command_run.h"
#include "exported_tasks.h"

#include "codegen/lower/lower.h"
#include "codegen/nvidia/cuda_compiler.h"
#include "harness/bind_schedule.h"
#include "test_program.h"

#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>

using namespace loopscope;
using namespace Qt::StringLiterals;

namespace {

/// What the function of the host calls of CUDA, on memory of this machine.
const QByteArray kMock = R"(#include <stdlib.h>
#include <string.h>
#include <time.h>
typedef int cudaError_t;
typedef void *cudaStream_t;
typedef struct timespec *cudaEvent_t;
enum { cudaSuccess = 0, cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };
static const char *cudaGetErrorString(cudaError_t) { return "mock"; }
static cudaError_t cudaMalloc(void **p, size_t n) { *p = malloc(n); return *p ? 0 : 2; }
static cudaError_t cudaFree(void *p) { free(p); return 0; }
static cudaError_t cudaMemcpy(void *to, const void *from, size_t n, int) { memcpy(to, from, n); return 0; }
static cudaError_t cudaDeviceSynchronize() { return 0; }
static cudaError_t cudaEventCreate(cudaEvent_t *e) { *e = (cudaEvent_t)malloc(sizeof(struct timespec)); return 0; }
static cudaError_t cudaEventRecord(cudaEvent_t e, int) { return clock_gettime(CLOCK_MONOTONIC, e); }
static cudaError_t cudaEventSynchronize(cudaEvent_t) { return 0; }
static cudaError_t cudaEventDestroy(cudaEvent_t e) { free(e); return 0; }
static cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t a, cudaEvent_t b) {
    *ms = (float)((double)(b->tv_sec - a->tv_sec) * 1e3 + (double)(b->tv_nsec - a->tv_nsec) * 1e-6);
    return 0;
}
)";

/// The first drawn of which kernels can be made.
ExportRequest boundSchedule(const SmallWorkload &workload, uint64_t seed) {
    ExportRequest request{smallTask(workload), {}, seed % 2 == 0 ? 2 : 0, std::nullopt, {}, {}};
    request.task.target = parseTarget("cuda -arch=sm_80");
    for (uint64_t stream = 0; stream < 100; ++stream) {
        Random random(seed, stream);
        const LoopState drawn = randomSchedule(
            request.task.dag, random, {.attempts = 20, .parallel = false, .shared = true, .maxIterations = 200000});
        const Outcome<LoopState> bound = boundToThreads(drawn, random, 64);
        if (!bound || !lower(*bound, request.task.target)) continue;
        request.steps = bound->steps();
        break;
    }
    return request;
}

QByteArray readAll(const QString &path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void writeAll(const QString &path, const QByteArray &text) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
}

void smallRows() {
    QTest::addColumn<int>("workload");
    for (size_t i = 0; i < smallWorkloads().size(); ++i) QTest::newRow(smallWorkloads()[i].name) << static_cast<int>(i);
}

} // namespace

class ExportedCudaTest : public QObject {
    Q_OBJECT
  private slots:
    void theFileSaysWhatItIs();
    void theDevicesPartCompiles_data() { smallRows(); }
    void theDevicesPartCompiles();
    void theHostsPartChecksAndTimes_data() { smallRows(); }
    void theHostsPartChecksAndTimes();
    void namesOfCudaAreNotTaken();
    void formatsOfOtherTargetsAreRefused();
};

void ExportedCudaTest::theFileSaysWhatItIs() {
    ExportRequest request{smallTask(smallWorkloads()[0]), {}, 0, std::nullopt, {}, {}};
    request.task.target = parseTarget("cuda -arch=sm_86");
    request.steps = {AnnotateStep{StageId(2), IterId(0), Annotation::BlockX},
                     AnnotateStep{StageId(2), IterId(1), Annotation::ThreadX}};
    request.stem = "k";
    request.measured = Trial{};
    request.measured->seconds = {0.25};
    const auto files = exportSchedule(request, ExportFormat::Cuda);
    QVERIFY2(files.ok(), files ? "" : files.why().c_str());
    QCOMPARE(files->size(), size_t{1});
    QCOMPARE(files->front().name, std::string("k.cu"));
    const QString text = QString::fromStdString(files->front().bytes);
    const QString head = text.left(text.indexOf(u"\n\n"_s) + 1);
    QCOMPARE(
        head,
        uR"(// matmul on cuda -keys=cuda,gpu -arch=sm_86 -max_num_threads=1024 -thread_warp_size=32, scheduled by Loopscope; 87986 floating-point operations a call.
//
//     nvcc -O3 -arch=sm_86 -c k.cu
//
// `matmul` of C launches the kernels on a stream and returns at once, with CUDA's error where there is one. It takes
// pointers to memory of the device, which may not overlap, in this order:
//   A: read, float32 37 x 29, row after row
//   B: read, float32 29 x 41, row after row
//   C: written, float32 37 x 41, row after row
//
// The kernels, launched one after the other:
//   matmul_kernel0: 37 blocks of 41 threads; takes A, B, C
//
// Loopscope measured 250 ms on cuda -keys=cuda,gpu -arch=sm_86 -max_num_threads=1024 -thread_warp_size=32.
//
// The schedule:
//   bind C i blockIdx.x
//   bind C j threadIdx.x
)"_s);
    QVERIFY(text.contains(u"matmul_kernel0<<<dim3(37, 1, 1), dim3(41, 1, 1), 0, stream>>>(A, B, C);"_s));
}

void ExportedCudaTest::theDevicesPartCompiles() {
    QFETCH(int, workload);
    if (foundNvidiaTools().nvrtc.empty()) QSKIP(missingTool("NVRTC").c_str());
    static CudaCompiler compiler(foundNvidiaTools(), {.workerPath = LOOPSCOPE_BIN_DIR "/loopscope-worker"});
    for (const uint64_t seed : {1, 2}) {
        const ExportRequest request = boundSchedule(smallWorkloads()[static_cast<size_t>(workload)], seed);
        for (const ExportFormat format : {ExportFormat::Cuda, ExportFormat::Reproducer}) {
            const auto files = exportSchedule(request, format);
            QVERIFY2(files.ok(), files ? "" : files.why().c_str());
            const auto file = std::find_if(files->begin(), files->end(),
                                           [](const ExportedFile &one) { return one.name.ends_with(".cu"); });
            QVERIFY(file != files->end());
            const Outcome<CompiledCuda> compiled = compiler.toPtx(file->bytes, "sm_80");
            QVERIFY2(compiled.ok(), compiled ? "" : (compiled.why() + "\n" + file->bytes).c_str());
            QVERIFY2(compiled->log.empty(), compiled->log.c_str());
        }
    }
}

void ExportedCudaTest::theHostsPartChecksAndTimes() {
    QFETCH(int, workload);
    const QTemporaryDir folder;
    if (const QString why = whyNoCompiler("gcc", folder.path()); !why.isEmpty()) QSKIP(qPrintable(why));
    const SmallWorkload &small = smallWorkloads()[static_cast<size_t>(workload)];
    ExportRequest request = boundSchedule(small, 1);
    const QString path = folder.filePath("r");
    exportInto(path, request, ExportFormat::Reproducer);
    // What launches is the C of the same workload.
    ExportRequest plain{smallTask(small), {}, 0, std::nullopt, "plain", {}};
    exportInto(path + u"/../plain.c"_s, plain, ExportFormat::C);
    if (QTest::currentTestFailed()) return;
    const QString stem = QString::fromStdString(request.task.dag->name());
    const QByteArray cuda = readAll(path + u'/' + stem + u".cu"_s);
    const auto marked = cuda.indexOf("\n#ifndef __CUDACC_RTC__ // the function of the host");
    QVERIFY(marked > 0);
    const QRegularExpression launcher(u"extern \"C\" cudaError_t (\\w+)\\((.*), cudaStream_t stream\\) \\{"_s);
    const QRegularExpressionMatch found = launcher.match(QString::fromUtf8(cuda));
    QVERIFY(found.hasMatch());
    QByteArray types;
    QByteArray names;
    for (const QString &parameter : found.captured(2).split(u", "_s)) {
        const QByteArray name = "p" + QByteArray::number(types.size());
        names += (names.isEmpty() ? "" : ", ") + name;
        types += (types.isEmpty() ? "" : ", ") + parameter.section(u'*', 0, 0).toUtf8() + "*" + name;
    }
    const QByteArray function = found.captured(1).toUtf8();
    writeAll(folder.filePath("host.cpp"),
             kMock + "extern \"C\" void launched(" + types + ");\n" + "static cudaError_t " + function + "(" + types +
                 ", cudaStream_t) { launched(" + names + "); return 0; }\n" + cuda.mid(marked));
    const QString commands =
        u"g++ -O1 -Wall -Wextra -Werror -c host.cpp && gcc -O1 -fopenmp -D%1=launched -c plain.c && gcc -O1 -Wall "
        "-Wextra -Werror -c r/%1_main.c -o main.o && g++ host.o plain.o main.o -fopenmp -lm -o k && ./k 3"_s.arg(stem);
    const CommandRun run = runIn(folder.path(), commands);
    QVERIFY2(run.exitCode == 0, run.said.constData());
    QVERIFY2(run.said.contains("right, largest error"), run.said.constData());
    QVERIFY2(run.said.contains("time: ") && run.said.contains(" ms a call"), run.said.constData());
    QVERIFY(readAll(path + u"/Makefile"_s).contains("NVCCFLAGS = -O3 -arch=sm_80"));
    QVERIFY(readAll(path + u"/machine.json"_s).contains("\"multiprocessors\": 108"));
}

void ExportedCudaTest::namesOfCudaAreNotTaken() {
    if (foundNvidiaTools().nvrtc.empty()) QSKIP(missingTool("NVRTC").c_str());
    CudaCompiler compiler(foundNvidiaTools(), {.workerPath = LOOPSCOPE_BIN_DIR "/loopscope-worker"});
    for (const std::string name : {"dim3", "threadIdx", "float4", "cudaMalloc", "min", "__syncthreads", "stream"}) {
        const Workload workload = parseWorkload(
            "workload " + name + "(n = 8)\nstatus = placeholder [n] float32\nthreadIdx(i < n) = status[i] + 1\n",
            "w.te");
        ExportRequest request{makeTask(ComputeDag::fromWorkload(workload), parseTarget("cuda")), {}, 0, {}, {}, {}};
        request.steps = {AnnotateStep{StageId(1), IterId(0), Annotation::ThreadX}};
        const auto files = exportSchedule(request, ExportFormat::Cuda);
        QVERIFY2(files.ok(), files ? "" : files.why().c_str());
        const Outcome<CompiledCuda> compiled = compiler.toPtx(files->front().bytes, "sm_80");
        QVERIFY2(compiled.ok(), compiled ? "" : (compiled.why() + "\n" + files->front().bytes).c_str());
    }
}

void ExportedCudaTest::formatsOfOtherTargetsAreRefused() {
    ExportRequest request = boundSchedule(smallWorkloads()[0], 3);
    const auto whyNot = [&](ExportFormat format) {
        const auto files = exportSchedule(request, format);
        return files ? QString() : QString::fromStdString(files.why());
    };
    for (const ExportFormatInfo &info : exportFormats())
        if (info.targets == ExportTargets::Processors)
            QCOMPARE(whyNot(info.format),
                     u"the format %1 is made for processors (llvm targets), and this schedule is one for a GPU; "
                     "record, script, cuda, te-python and reproducer are legal"_s.arg(
                         QString::fromUtf8(info.name.data(), static_cast<qsizetype>(info.name.size()))));
    for (const ExportFormat format : {ExportFormat::Record, ExportFormat::Script, ExportFormat::Cuda})
        QCOMPARE(whyNot(format), QString());
    request.task.target = parseTarget("llvm");
    request.steps.clear();
    QCOMPARE(whyNot(ExportFormat::Cuda),
             u"the format cuda is made for GPUs (cuda targets), and this schedule is one for a processor; record, "
             "script, c, cpp, llvm, asm, object, library, tir-python, te-python, halide and reproducer are legal"_s);
}

LOOPSCOPE_TEST(ExportedCudaTest)
#include "exported_cuda_test.moc"
