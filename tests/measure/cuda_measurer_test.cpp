// Kernels of GPUs measured through a driver, a mock of one: checked and timed by the same workers as those of
// processors, and a fault that a driver does not get over costs one candidate.

#include <QTest>

#include "harness/environment.h"
#include "harness/recorded_steps.h"
#include "harness/sample_dags.h"
#include "quick_measuring.h"
#include "test_program.h"

#include <QFile>
#include <QTemporaryDir>

using namespace loopscope;

namespace {

Task cudaTask(DagPtr dag) { return makeTask(std::move(dag), parseTarget("cuda -arch=sm_80")); }

std::vector<Trial> measureAll(Measurer &measurer, const std::vector<Steps> &candidates) {
    std::vector<Trial> trials;
    measurer.measure(candidates, [&](size_t, const Trial &trial) { trials.push_back(trial); });
    return trials;
}

} // namespace

class CudaMeasurerTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    DagPtr m_dag = matmulDag(6, 8, 4);
    Steps m_rows = stateOf(m_dag, R"([["AN",2,0,5],["AN",2,1,6]])").steps();

  private slots:
    void initTestCase() {
        qputenv("LOOPSCOPE_CUDA_DRIVER", LOOPSCOPE_MOCK_CUDA);
        qputenv("LOOPSCOPE_MOCK_CUDA_ANSWER", "matmul:6,8,4");
    }

    void rightAnswersHaveTheDevicesTimes() {
        const auto measurer = makeWorkerMeasurer(cudaTask(m_dag), quickMeasuring());
        for (const Trial &trial : measureAll(*measurer, {m_rows, {}})) {
            QVERIFY2(trial.valid(), trial.reason.c_str());
            QCOMPARE(trial.cost(), 0.25e-3);
            QVERIFY(!trial.unstable);
            QVERIFY2(trial.maxError >= 0 && trial.maxError <= 1, std::to_string(trial.maxError).c_str());
        }
        const auto turns = measurer->measureInterleaved({m_rows, {}}, 3);
        QCOMPARE(turns.size(), size_t{2});
        QVERIFY(!turns[0].seconds.empty() && !turns[1].seconds.empty());
    }

    void wrongAnswersAreNoticed() {
        const Environment other("LOOPSCOPE_MOCK_CUDA_ANSWER", "add:16");
        const auto measurer = makeWorkerMeasurer(cudaTask(m_dag), quickMeasuring());
        const std::vector<Trial> trials = measureAll(*measurer, {m_rows});
        QCOMPARE(trials[0].error, TrialError::WrongAnswer);
        QVERIFY2(trials[0].reason.starts_with("output `C` is "), trials[0].reason.c_str());
    }

    /// The driver refuses everything else in the process where a kernel went astray: the next candidate has another.
    void afterAFaultTheNextCandidateHasANewProcess_data() {
        QTest::addColumn<QByteArray>("fault");
        QTest::addColumn<QString>("sentence");
        const QString kernel = QStringLiteral("kernel kernel_kernel0 of 6 x 1 x 1 blocks with 8 x 1 x 1 "
                                              "threads and 0 bytes of shared memory each: ");
        QTest::newRow("astray") << QByteArray("cuCtxSynchronize:700")
                                << QStringLiteral("the GPU stopped ") + kernel +
                                       QStringLiteral("CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was "
                                                      "encountered)");
        QTest::newRow("too slow for the driver") << QByteArray("cuCtxSynchronize:702")
                                                 << QStringLiteral("the GPU stopped ") + kernel +
                                                        QStringLiteral("CUDA_ERROR_LAUNCH_TIMEOUT (the mock says no)");
        QTest::newRow("while it is timed")
            << QByteArray("cuEventSynchronize:700")
            << QStringLiteral("the GPU failed while the kernel was timed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal "
                              "memory access was encountered)");
    }
    void afterAFaultTheNextCandidateHasANewProcess() {
        QFETCH(const QByteArray, fault);
        QFETCH(const QString, sentence);
        const QString marker = m_folder.filePath(QStringLiteral("once"));
        QFile file(marker);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.close();
        const Environment failing("LOOPSCOPE_MOCK_CUDA_FAIL", (fault + ":" + marker.toLocal8Bit()).constData());
        const auto measurer = makeWorkerMeasurer(cudaTask(m_dag), quickMeasuring());
        const std::vector<Trial> trials = measureAll(*measurer, {m_rows, m_rows});
        QCOMPARE(trials.size(), size_t{2});
        QCOMPARE(trials[0].error, TrialError::RuntimeDevice);
        QCOMPARE(QString::fromStdString(trials[0].reason), sentence);
        QVERIFY2(trials[1].valid(), trials[1].reason.c_str());
        QVERIFY(!QFile::exists(marker));
    }

    void aKernelWithoutEndIsEnded() {
        const QString marker = m_folder.filePath(QStringLiteral("once"));
        QFile file(marker);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.close();
        const Environment hanging("LOOPSCOPE_MOCK_CUDA_FAIL",
                                  ("cuCtxSynchronize:-2:" + marker.toLocal8Bit()).constData());
        MeasureOptions options = quickMeasuring();
        options.runTimeout = 1;
        const auto measurer = makeWorkerMeasurer(cudaTask(m_dag), options);
        const std::vector<Trial> trials = measureAll(*measurer, {m_rows, m_rows});
        QCOMPARE(trials[0].error, TrialError::RunTimeout);
        QCOMPARE(trials[0].reason, std::string("no end within 1 s in the run that checks the answer"));
        QVERIFY2(trials[1].valid(), trials[1].reason.c_str());
    }

    void trespassesAndLackOfMemoryAreTheCandidates() {
        const auto reasonOf = [&](const char *variable, const char *value) {
            const Environment changed(variable, value);
            const auto measurer = makeWorkerMeasurer(cudaTask(m_dag), quickMeasuring());
            return measureAll(*measurer, {m_rows}).at(0).reason;
        };
        QCOMPARE(reasonOf("LOOPSCOPE_MOCK_CUDA_WRITES", "2:-1"),
                 std::string("it wrote 1 bytes before the start of output `C`"));
        QCOMPARE(reasonOf("LOOPSCOPE_MOCK_CUDA_MEMORY", "1000"),
                 std::string("the GPU has no 8288 bytes for input `A`: CUDA_ERROR_OUT_OF_MEMORY (the mock says no)"));
        QCOMPARE(reasonOf("LOOPSCOPE_MOCK_CUDA_DEVICES", "0"),
                 std::string("the kernel could not be loaded: the CUDA driver finds no GPU"));
    }
};

LOOPSCOPE_TEST(CudaMeasurerTest)
#include "cuda_measurer_test.moc"
