// The runner program of bundles for itself: it compiles without a warning, and what it asks of NVIDIA's driver is right
// as far as a driver that is none can tell. The sources it is given are compiled by NVRTC where that is found.

#include "bundle_run.h"
#include "codegen/nvidia/nvidia_tools.h"
#include "test_program.h"

#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

using namespace loopscope;

namespace runner_test {

namespace {

const std::string kTarget = "cuda -arch=sm_80";

/// Rows by blocks of four threads; and rows by threads alone.
const std::vector<std::string> kSchedules = {R"([["SP", 2, 0, 24, [4], 1], ["AN", 2, 0, 5], ["AN", 2, 1, 6]])",
                                             R"([["AN", 2, 0, 5], ["AN", 2, 1, 6]])"};

} // namespace

class RunnerTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;
    int m_rounds = 0;
    QProcessEnvironment m_environment = QProcessEnvironment::systemEnvironment();

    BundleRound newRound() {
        return writtenRound(m_dir.filePath(QString::number(++m_rounds)), smallProduct(kTarget), stepsOf(kSchedules));
    }
    QProcessEnvironment withFault(const char *fault) {
        QProcessEnvironment environment = m_environment;
        environment.insert(QStringLiteral("MOCK_FAULT"), QLatin1String(fault));
        return environment;
    }
    BundleRound ranWith(const char *fault, BundleRun *told = nullptr) {
        BundleRound round = newRound();
        const BundleRun ran = run(round, withFault(fault));
        if (told != nullptr) *told = ran;
        round.readAgain();
        return round;
    }

  private slots:
    void initTestCase();
    void compilesWithoutAWarning_data();
    void compilesWithoutAWarning();
    void launchesAreAsDescribed();
    void muchSharedMemoryIsAllowedFirst();
    void kernelsAfterOneAnother();
    void faultsStayInTheirCandidate();
    void wrongAnswersAreSeen();
    void nothingIsFiledWithoutAGpu();
    void anotherGpuIsRefused();
    void nvrtcCompilesTheSources();
};

void RunnerTest::initTestCase() {
    // nvcc -cubin ... -o OUT IN: the mock driver takes anything for machine code.
    const QString nvcc = m_dir.filePath(QStringLiteral("nvcc"));
    writeText(nvcc, "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\ncp \"$3\" \"$2\"\n");
    QFile::setPermissions(nvcc, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    m_environment.insert(QStringLiteral("CUDA_DRIVER"), QStringLiteral(LOOPSCOPE_MOCK_DRIVER));
    m_environment.insert(QStringLiteral("NVCC"), nvcc);
    m_environment.insert(QStringLiteral("MOCK_SHAPE"), QStringLiteral("24,20,16"));
}

void RunnerTest::compilesWithoutAWarning_data() {
    QTest::addColumn<QString>("compiler");
    QTest::newRow("c++") << QStringLiteral("c++");
    QTest::newRow("clang++") << QStringLiteral("clang++-19");
}

void RunnerTest::compilesWithoutAWarning() {
    QFETCH(const QString, compiler);
    const QString path = QStandardPaths::findExecutable(compiler);
    if (path.isEmpty()) QSKIP("this compiler is not here");
    const BundleRound round = newRound();
    QProcess process;
    process.start(path, {QStringLiteral("-std=c++17"), QStringLiteral("-fsyntax-only"), QStringLiteral("-Wall"),
                         QStringLiteral("-Wextra"), QStringLiteral("-Wpedantic"), QStringLiteral("-Wconversion"),
                         QStringLiteral("-Wshadow"), QStringLiteral("-Werror"),
                         QString::fromStdString(round.path + "/run.cpp")});
    QVERIFY(process.waitForFinished(120000));
    QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
}

void RunnerTest::launchesAreAsDescribed() {
    BundleRound round = newRound();
    QProcessEnvironment environment = m_environment;
    const QString launches = m_dir.filePath(QStringLiteral("launches"));
    environment.insert(QStringLiteral("MOCK_LAUNCHES"), launches);
    const BundleRun ran = run(round, environment);
    QVERIFY2(ran.exitCode == 0, ran.output.constData());
    round.readAgain();
    for (const auto &one : round.trials) {
        QVERIFY2(one && one->trial.valid(), ran.output.constData());
        QCOMPARE(one->trial.seconds, std::vector<double>(10, 1.25e-3));
        QVERIFY(one->machine.ends_with(": Mock GPU; CUDA 12.8; nvcc") ||
                one->machine.find("driver") != std::string::npos);
    }
    const QByteArray text = textOf(launches);
    // Checked once, estimated twice, ten samples of two calls each.
    QCOMPARE(text.count("candidate_000_kernel0 6x1x1 4x1x1 0\n"), text.count("candidate_000_kernel0"));
    QCOMPARE(text.count("candidate_001_kernel0 24x1x1 20x1x1 0\n"), text.count("candidate_001_kernel0"));
    QCOMPARE(text.count("candidate_000_kernel0"), 1 + 1 + 1 + 20);
}

/// Beyond what a kernel may declare, the driver is told before the launch.
void RunnerTest::muchSharedMemoryIsAllowedFirst() {
    BundleRound round = writtenRound(m_dir.filePath(QStringLiteral("large")),
                                     smallProduct(kTarget + " -max_shared_memory_per_block=65536"),
                                     stepsOf({R"([["CHR",0,"shared",[2]],["SA",1,0,600,0],["RE",3,[1,0,2]],
                                         ["AN",3,0,5],["CA",1,3,0],["AN",3,1,6]])"}));
    QProcessEnvironment environment = m_environment;
    const QString launches = m_dir.filePath(QStringLiteral("large_launches"));
    environment.insert(QStringLiteral("MOCK_LAUNCHES"), launches);
    const BundleRun ran = run(round, environment);
    QVERIFY2(ran.exitCode == 0, ran.output.constData());
    const QByteArray told = textOf(launches);
    QVERIFY2(told.startsWith("candidate_000_kernel0 attribute 8 55264\ncandidate_000_kernel0 20x1x1 24x1x1 55264\n"),
             told.constData());
}

/// What one kernel leaves for the next lies in a buffer of its own, behind the arguments.
void RunnerTest::kernelsAfterOneAnother() {
    const char *text = R"(workload chain(M = 24, N = 20)

A = placeholder [M, N] float32
B(i < M, j < N) = A[i, j] * 2
C(i < M, j < N) = B[i, j] + B[i, 0]
)";
    const Task task = makeTask(ComputeDag::fromWorkload(parseWorkload(text, "chain.te")), parseTarget(kTarget));
    const BundleRound round =
        writtenRound(m_dir.filePath(QStringLiteral("chain")), task,
                     stepsOf({R"([["AN", 1, 0, 5], ["AN", 1, 1, 6], ["AN", 2, 0, 5], ["AN", 2, 1, 6]])"}));
    const QByteArray bundle = textOf(QString::fromStdString(round.path + "/bundle.json"));
    const QByteArray call = bundle.mid(bundle.indexOf("\"kernels\""));
    QCOMPARE(call, QByteArray("\"kernels\":[{\"name\":\"candidate_000_kernel0\",\"blocks\":[24,1,1],\"threads\":[20,1,"
                              "1],\"shared\":0,\"parameters\":[0,2]},{\"name\":\"candidate_000_kernel1\",\"blocks\":["
                              "24,1,1],\"threads\":[20,1,1],\"shared\":0,\"parameters\":[1,2]}],\"temporaries\":[1920]}"
                              "]}\n"));
}

void RunnerTest::faultsStayInTheirCandidate() {
    const BundleRound round = ranWith("illegal");
    QCOMPARE(round.open(), size_t{0});
    QVERIFY(round.trials[0]->trial.error == TrialError::RuntimeDevice);
    QCOMPARE(round.trials[0]->trial.reason,
             std::string("the kernel failed: an illegal memory access was encountered (700)"));
    QVERIFY2(round.trials[1]->trial.valid(), round.trials[1]->trial.reason.c_str());
}

void RunnerTest::wrongAnswersAreSeen() {
    const BundleRound wrong = ranWith("wrong");
    QVERIFY(wrong.trials[0]->trial.error == TrialError::WrongAnswer);
    QVERIFY2(wrong.trials[0]->trial.reason.find(" at element 77 instead of ") != std::string::npos,
             wrong.trials[0]->trial.reason.c_str());
    const BundleRound outside = ranWith("outside");
    QVERIFY(outside.trials[0]->trial.error == TrialError::RuntimeDevice);
    QCOMPARE(outside.trials[0]->trial.reason, std::string("the kernel wrote outside of C"));
}

void RunnerTest::nothingIsFiledWithoutAGpu() {
    BundleRun told;
    QCOMPARE(ranWith("no device", &told).open(), size_t{2});
    QVERIFY(told.exitCode != 0);
    QVERIFY2(told.output.contains("run: this machine runs no candidate: the driver does not start: "),
             told.output.constData());
    QProcessEnvironment none = m_environment;
    none.insert(QStringLiteral("CUDA_DRIVER"), QStringLiteral("/nowhere/libcuda.so.1"));
    BundleRound round = newRound();
    const BundleRun ran = run(round, none);
    QVERIFY2(ran.exitCode != 0 &&
                 ran.output.contains("NVIDIA's driver (/nowhere/libcuda.so.1) is not here; run this on "
                                     "a machine with a GPU"),
             ran.output.constData());
    round.readAgain();
    QCOMPARE(round.open(), size_t{2});
}

void RunnerTest::anotherGpuIsRefused() {
    BundleRound round =
        writtenRound(m_dir.filePath(QStringLiteral("other")), smallProduct("cuda -arch=sm_90"), stepsOf(kSchedules));
    const BundleRun ran = run(round, m_environment);
    QVERIFY2(ran.exitCode != 0 && ran.output.contains("the candidates are for sm_90 and this GPU is sm_80; OTHER_GPU=1 "
                                                      "runs them nevertheless"),
             ran.output.constData());
    QProcessEnvironment allowed = m_environment;
    allowed.insert(QStringLiteral("OTHER_GPU"), QStringLiteral("1"));
    const BundleRun nevertheless = run(round, allowed);
    QVERIFY2(nevertheless.exitCode == 0, nevertheless.output.constData());
}

void RunnerTest::nvrtcCompilesTheSources() {
    const NvidiaTools tools = nvidiaToolsIn({LOOPSCOPE_SOURCE_DIR "/build/cuda-tools"});
    if (tools.nvrtc.empty()) QSKIP("NVRTC is not in build/cuda-tools; packaging/cuda-tools installs it");
    for (const NvidiaTool &nvrtc : tools.nvrtc) {
        BundleRound round = newRound();
        QProcessEnvironment environment = m_environment;
        environment.remove(QStringLiteral("NVCC"));
        environment.insert(QStringLiteral("NVRTC"), QString::fromStdString(nvrtc.path));
        const BundleRun ran = run(round, environment);
        QVERIFY2(ran.exitCode == 0, ran.output.constData());
        round.readAgain();
        for (const auto &one : round.trials) {
            QVERIFY2(one && one->trial.valid(), ran.output.constData());
            QVERIFY2(one->machine.find("NVRTC ") != std::string::npos, one->machine.c_str());
        }
        QVERIFY(textOf(QString::fromStdString(round.path + "/candidate-000.cubin"))
                    .startsWith("\x7f"
                                "ELF"));
        replaceIn(QString::fromStdString(round.path + "/candidate-000.cu"), "float *__restrict__ C",
                  "float *__restrict__ Q");
        QFile::remove(QString::fromStdString(round.resultsPath()));
        const BundleRun broken = run(round, environment);
        QVERIFY2(broken.output.contains("candidate 0: NVRTC does not compile it: kernels.cu(") &&
                     broken.output.contains("identifier \"C\" is undefined"),
                 broken.output.constData());
    }
}

LOOPSCOPE_TEST(RunnerTest)

} // namespace runner_test
#include "runner_test.moc"
