// Machine code that leaves, as IR, assembly, object and library, links with a plain C program and computes what the
// interpreter computes.

#include "command_run.h"
#include "exported_tasks.h"

#include "harness/environment.h"
#include "measure/standalone_build.h"
#include "test_program.h"

#include <QFile>
#include <QTemporaryDir>

using namespace loopscope;

namespace {

/// Has intermediates on the heap, parallel loops and functions of libmvec.
ExportRequest softmaxInParallel() {
    ExportRequest request{smallTask(smallWorkloads()[3]),       {}, 0, std::nullopt, {},
                          LOOPSCOPE_BIN_DIR "/loopscope-worker"};
    const LoopState naive(request.task.dag);
    for (size_t i = 0; i < naive.stageCount(); ++i)
        if (naive.stage(StageId(i)).iters.size() == 2)
            request.steps.push_back(AnnotateStep{StageId(i), IterId(0), Annotation::Parallel});
    return request;
}

} // namespace

class MachineCodeTest : public QObject {
    Q_OBJECT
  private slots:
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        if (const QString why = whyNoCompiler("gcc", m_folder->path()); !why.isEmpty()) QSKIP(qPrintable(why));
        exportInto(at("softmax.c"), softmaxInParallel(), ExportFormat::C); // its main
    }
    void intermediateCode_data();
    void intermediateCode();
    void assembly_data();
    void assembly();
    void object_data();
    void object();
    void library();
    void libraryRefusals();
    void nothingOfOursIsLeftOpen();
    void aCompilerThatDiesIsASentence();

  private:
    [[nodiscard]] QString at(const QString &name) const { return m_folder->filePath(name); }
    void runsRight(const QString &make, const QString &link) {
        const CommandRun run = runIn(m_folder->path(), make + " && gcc -O1 softmax_main.c " + link +
                                                           " -fopenmp -lm -o run && OMP_NUM_THREADS=3 ./run 1");
        QVERIFY2(run.exitCode == 0, run.said.constData());
        QVERIFY2(run.said.contains(": right"), run.said.constData());
    }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void MachineCodeTest::intermediateCode_data() {
    QTest::addColumn<QString>("tool");
    QTest::addColumn<QString>("command");
    QTest::newRow("llc") << "llc-19" << "llc-19 -relocation-model=pic -filetype=obj k.ll -o k.o";
    QTest::newRow("opt") << "opt-19"
                         << "opt-19 -O2 k.ll -o k.bc && llc-19 -relocation-model=pic -filetype=obj k.bc -o k.o";
    QTest::newRow("clang") << "clang-19" << "clang-19 -O2 -Wno-override-module -Werror -fPIC -c k.ll -o k.o";
}

void MachineCodeTest::intermediateCode() {
    QFETCH(QString, tool);
    QFETCH(QString, command);
    if (!installed(tool)) QSKIP(qPrintable(tool + " is not installed"));
    exportInto(at("k.ll"), softmaxInParallel(), ExportFormat::Llvm);
    if (!QTest::currentTestFailed()) runsRight(command, "k.o");
}

void MachineCodeTest::assembly_data() {
    QTest::addColumn<QString>("compiler");
    QTest::newRow("gcc") << "gcc";
    QTest::newRow("clang") << "clang";
}

void MachineCodeTest::assembly() {
    QFETCH(QString, compiler);
    if (!installed(compiler)) QSKIP(qPrintable(compiler + " is not installed"));
    exportInto(at("k.s"), softmaxInParallel(), ExportFormat::Assembly);
    if (!QTest::currentTestFailed()) runsRight(compiler + " -c k.s -o k.o", "k.o");
}

void MachineCodeTest::object_data() {
    QTest::addColumn<int>("workload");
    for (size_t i = 0; i < smallWorkloads().size(); ++i) QTest::newRow(smallWorkloads()[i].name) << static_cast<int>(i);
}

void MachineCodeTest::object() {
    QFETCH(int, workload);
    ExportRequest request = drawnSchedule(smallWorkloads()[static_cast<size_t>(workload)], 11);
    request.workerPath = LOOPSCOPE_BIN_DIR "/loopscope-worker";
    exportInto(at("k.c"), request, ExportFormat::C);
    if (QTest::currentTestFailed()) return;
    QVERIFY(QFile::remove(at("k.c")));
    exportInto(at("k.o"), request, ExportFormat::Object);
    if (QTest::currentTestFailed()) return;
    const CommandRun run = runIn(m_folder->path(), "gcc -O1 k_main.c k.o -fopenmp -lm -o run && ./run 0");
    QVERIFY2(run.exitCode == 0, run.said.constData());
}

void MachineCodeTest::library() {
    if (!installed("pkg-config")) QSKIP("pkg-config is not installed");
    exportInto(at("lib"), softmaxInParallel(), ExportFormat::Library);
    if (QTest::currentTestFailed()) return;
    const CommandRun run =
        runIn(m_folder->path(),
              "export PKG_CONFIG_PATH=$PWD/lib && mkdir away && cp softmax_main.c away && cd away && gcc -O1 "
              "softmax_main.c $(pkg-config --cflags --libs softmax) -lm -o run && ./run 1 && ldd run");
    QVERIFY2(run.exitCode == 0, run.said.constData());
    QVERIFY2(run.said.contains(": right") && run.said.contains("libsoftmax.so"), run.said.constData());
}

void MachineCodeTest::libraryRefusals() {
    const QByteArray path = qgetenv("PATH");
    qputenv("PATH", m_folder->path().toUtf8());
    const auto none = exportSchedule(softmaxInParallel(), ExportFormat::Library);
    qputenv("PATH", path);
    QVERIFY(!none.ok());
    QVERIFY2(QByteArray(none.why().c_str()).contains("no cc, gcc or clang on PATH"), none.why().c_str());
    {
        const Environment nowhere("TMPDIR", "/no/such/folder");
        const auto homeless = exportSchedule(softmaxInParallel(), ExportFormat::Library);
        QVERIFY(!homeless.ok());
        QCOMPARE(QString::fromStdString(homeless.why()),
                 QString("no folder can be made in /no/such/folder to link in: No such file or directory"));
    }
    QFile fake(at("cc"));
    QVERIFY(fake.open(QIODevice::WriteOnly));
    fake.write("#!/bin/sh\necho the linker is out of order\nexit 1\n");
    fake.close();
    QVERIFY(fake.setPermissions(QFile::ReadOwner | QFile::ExeOwner));
    qputenv("PATH", m_folder->path().toUtf8() + ":" + path);
    const auto fails = exportSchedule(softmaxInParallel(), ExportFormat::Library);
    qputenv("PATH", path);
    QVERIFY(!fails.ok());
    QVERIFY2(QByteArray(fails.why().c_str()).contains("the linker is out of order"), fails.why().c_str());
}

void MachineCodeTest::nothingOfOursIsLeftOpen() {
    if (!installed("nm")) QSKIP("nm is not installed");
    exportInto(at("k.o"), softmaxInParallel(), ExportFormat::Object);
    if (QTest::currentTestFailed()) return;
    const CommandRun run = runIn(m_folder->path(), "nm k.o");
    QVERIFY2(run.exitCode == 0, run.said.constData());
    QVERIFY2(run.said.contains(" T softmax\n"), run.said.constData());
    QVERIFY2(run.said.contains(" U GOMP_parallel\n"), run.said.constData());
    for (const QByteArray &line : run.said.split('\n'))
        QVERIFY2(!line.contains("loopscope") || !line.contains(" U "), line.constData());
    QCOMPARE(run.said.count(" T "), 1);
}

void MachineCodeTest::aCompilerThatDiesIsASentence() {
    const ExportRequest request = softmaxInParallel();
    DisassemblyOptions options;
    options.workerPath = request.workerPath;
    options.fault = Fault::BuildCrash;
    const auto code = buildStandalone(request.task, request.steps, 0, "softmax", options);
    QVERIFY(!code.ok());
    QVERIFY2(QByteArray(code.why().c_str()).startsWith("the compiler was ended by"), code.why().c_str());
}

LOOPSCOPE_TEST(MachineCodeTest)
#include "machine_code_test.moc"
