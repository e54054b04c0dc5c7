// Logs as files: what is skipped and why, what a crash in the middle of a line costs, and that reasons survive.

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "records/record/record_writer.h"
#include "test_program.h"

#include <cmath>
#include <csignal>
#include <limits>
#include <sys/resource.h>

using namespace loopscope;

namespace {

// moc loses its way in raw strings with a backslash, hence the escapes.
const QByteArray kLine =
    QByteArray("{\"i\": [[\"[\\\"k\\\", 8]\", \"llvm -keys=cpu\", [1, 64, 64, 0, 0, 0, 0, 0], \"\", 1, []], ") +
    R"([[], [["SP", 2, 0, 64, [4, 1, 8], 1]]]], "r": [[0.5, 0.25], 0, 1.5, 1700000000], "v": "v0.6"})";

void writeFile(const std::string &path, const QByteArray &text) {
    QFile file(QString::fromStdString(path));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(text), text.size());
}

QByteArray readFile(const std::string &path) {
    QFile file(QString::fromStdString(path));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

Record sample() { return parseRecord(kLine.toStdString(), "", 0); }

} // namespace

class RecordLogTest : public QObject {
    Q_OBJECT

  private slots:
    void init() { m_path = m_dir.filePath("log.json").toStdString(); }
    void cleanup() { QFile::remove(QString::fromStdString(m_path)); }

    void skipsWithReasons() {
        writeFile(m_path,
                  "# a comment\n\n" + kLine + "\r\n indented comment\nnonsense\n" + kLine + "\n" + kLine.left(80));
        const RecordLog log = loadRecordLog(m_path);
        QCOMPARE(log.records.size(), size_t{2});
        QCOMPARE(countRecords(m_path), size_t{2});
        QCOMPARE(log.records[0].line, 3);
        QCOMPARE(log.records[1].line, 6);
        QCOMPARE(log.skipped.size(), size_t{2});
        QCOMPARE(log.skipped[0].line, 5);
        QVERIFY(QByteArray::fromStdString(log.skipped[0].reason).startsWith("the line is not JSON"));
        QCOMPARE(log.skipped[1].line, 7);
        QVERIFY2(QByteArray::fromStdString(log.skipped[1].reason).startsWith("the last line is cut off: "),
                 log.skipped[1].reason.c_str());
    }

    /// Checked by the executor: valid, without a time; older readers see the cost of a failure.
    void whatWasNotTimedIsReadBack() {
        Record record = sample();
        record.trial.seconds.clear();
        record.trial.reason = "checked by the executor, not timed: 4 of 6 blocks ran";
        const std::string line = recordLine(record);
        QVERIFY2(line.find("\"r\": [[1e+10], 0, 1.5, 1700000000]") != std::string::npos, line.c_str());
        QCOMPARE(recordComment(record), std::string("# checked by the executor, not timed: 4 of 6 blocks ran\n"));
        writeFile(m_path, QByteArray::fromStdString(recordComment(record) + line + "\n") + kLine + "\n");
        const RecordLog log = loadRecordLog(m_path);
        QCOMPARE(log.records.size(), size_t{2});
        const Trial &trial = log.records[0].trial;
        QVERIFY(trial.valid() && trial.seconds.empty() && std::isinf(trial.cost()));
        QCOMPARE(trial.reason, record.trial.reason);
        QVERIFY(log.records[1].trial.reason.empty());
    }

    void whereItWasMeasuredIsReadBack() {
        Record record = sample();
        record.machine = "gpubox: NVIDIA A100; driver 550.54, CUDA 12.4; NVRTC 12.4";
        QVERIFY(recordComment(record).ends_with(
            "# measured on gpubox: NVIDIA A100; driver 550.54, CUDA 12.4; NVRTC 12.4\n"));
        writeFile(m_path, QByteArray::fromStdString(recordComment(record) + recordLine(record) + "\n") + kLine + "\n");
        const RecordLog log = loadRecordLog(m_path);
        QCOMPARE(log.records.size(), size_t{2});
        QCOMPARE(log.records[0].machine, record.machine);
        QVERIFY(log.records[1].machine.empty());
        QCOMPARE(recordName(log.records[0]), recordName(sample())); // the schedule is the same wherever it runs
    }

    void howItWasTimedIsReadBack() {
        Record record = sample();
        record.trial.weightBytes = 5'000'000;
        QVERIFY(recordComment(record).ends_with("# 5000000 bytes of weights between calls\n"));
        const QByteArray line = QByteArray::fromStdString(recordLine(record) + "\n");
        writeFile(m_path, QByteArray::fromStdString(recordComment(record)) + line + line +
                              "# many bytes of weights between calls\n" + line +
                              "# -5 bytes of weights between calls\n" + line);
        const RecordLog log = loadRecordLog(m_path);
        QCOMPARE(log.records.size(), size_t{4});
        QCOMPARE(log.records[0].trial.weightBytes, int64_t{5'000'000});
        for (const size_t other : {1, 2, 3}) QCOMPARE(log.records[other].trial.weightBytes, int64_t{0});
        record.trial.error = TrialError::RunTimeout; // was not timed at all
        QVERIFY(recordComment(record).find("weights") == std::string::npos);
    }

    void anAbsurdNumberCostsItsLineOnly() {
        writeFile(m_path, kLine + "\n" + QByteArray(kLine).replace("1.5", "1e999") + "\n" + kLine + "\n");
        const RecordLog log = loadRecordLog(m_path);
        QCOMPARE(log.records.size(), size_t{2});
        QCOMPARE(log.skipped.size(), size_t{1});
        QCOMPARE(log.skipped[0].line, 2);
        QCOMPARE(log.skipped[0].reason, std::string("the line holds a number that is out of range"));
    }

    void whatIsNoLogIsNotReadToItsEnd() {
        const auto refusal = [&](bool counted = false) {
            try {
                if (counted)
                    (void)countRecords(m_path);
                else
                    (void)loadRecordLog(m_path);
            } catch (const Error &error) {
                return QByteArray(error.what());
            }
            return QByteArray("read");
        };
        writeFile(m_path, kLine + "\n" + QByteArray("x\n").repeated(100'001));
        QVERIFY2(refusal().contains("log.json:2: this is no log: 100000 of its lines hold no record; here, the line"),
                 refusal());
        QCOMPARE(refusal(true), refusal());
        writeFile(m_path, "[" + QByteArray("1,").repeated(9 << 20) + "1]\n" + QByteArray("#\n").repeated(1000) + kLine);
        const RecordLog log = loadRecordLog(m_path);
        QCOMPARE(log.records.size(), size_t{1});
        QCOMPARE(countRecords(m_path), size_t{1});
        QCOMPARE(log.skipped.size(), size_t{1});
        QVERIFY2(log.skipped[0].reason.starts_with("the line has 18874371 bytes, a record at most "),
                 log.skipped[0].reason.c_str());
    }

    void lastLineMayLackItsNewline() {
        writeFile(m_path, kLine);
        QCOMPARE(loadRecordLog(m_path).records.size(), size_t{1});
        QCOMPARE(countRecords(m_path), size_t{1});
    }

    void missingFileIsAnError() {
        QVERIFY_THROWS_EXCEPTION(Error, loadRecordLog(m_dir.filePath("nowhere.json").toStdString()));
        QVERIFY_THROWS_EXCEPTION(Error, loadRecordLog(m_dir.path().toStdString()));
        QVERIFY_THROWS_EXCEPTION(Error, RecordWriter(m_dir.filePath("no/such/folder.json").toStdString()));
    }

    void appendsAndKeepsReasons() {
        Record failed = sample();
        failed.trial.seconds.clear();
        failed.trial.error = TrialError::RuntimeDevice;
        failed.trial.reason = "crashed:\n  path C:\\new \"quoted\" ü";
        Record unstable = sample();
        unstable.trial.unstable = true;
        {
            RecordWriter writer(m_path);
            writer.append(sample());
            writer.append(failed);
            QCOMPARE(loadRecordLog(m_path).records.size(), size_t{2}); // there before the writer is closed
        }
        RecordWriter(m_path).append(unstable);
        const RecordLog log = loadRecordLog(m_path);
        QCOMPARE(log.skipped.size(), size_t{0});
        QCOMPARE(log.records.size(), size_t{3});
        QVERIFY(log.records[0].trial.reason.empty());
        QVERIFY(!log.records[0].trial.unstable);
        QCOMPARE(log.records[1].trial.reason, failed.trial.reason);
        QCOMPARE(log.records[1].trial.error, TrialError::RuntimeDevice);
        QVERIFY(log.records[2].trial.unstable);
        QCOMPARE(log.records[2].trial.seconds, sample().trial.seconds);
    }

    void keepsWhatTheBuildTookAndTheError() {
        Record measured = sample();
        measured.trial.buildSeconds = 0.25;
        measured.trial.runSeconds = 0.5;
        measured.trial.maxError = 0.03125;
        measured.trial.unstable = true;
        Record failed = measured;
        failed.trial.error = TrialError::WrongAnswer;
        failed.trial.reason = "wrong answer";
        failed.trial.maxError = std::numeric_limits<double>::infinity();
        RecordWriter writer(m_path);
        writer.append(measured);
        writer.append(failed);
        const RecordLog log = loadRecordLog(m_path);
        QCOMPARE(log.records.size(), size_t{2});
        QCOMPARE(log.records[0].trial.buildSeconds, 0.25);
        QCOMPARE(log.records[0].trial.runSeconds, 0.5);
        QCOMPARE(log.records[0].trial.maxError, 0.03125);
        QVERIFY(log.records[0].trial.unstable);
        QVERIFY(std::isinf(log.records[1].trial.maxError));
        QCOMPARE(log.records[1].trial.reason, failed.trial.reason);
        // A reader of v0.6 skips the comments and finds build and run together.
        const QList<QByteArray> lines = readFile(m_path).split('\n');
        QVERIFY(lines[0].startsWith("# ") && lines[1].startsWith("# ") && lines[2].contains(", 0, 0.75, "));
    }

    void foreignRemarksChangeNothing() {
        writeFile(m_path, "# build yesterday\n" + kLine + "\n# build 1e9 s, error 1\n" + kLine + "\n");
        const RecordLog log = loadRecordLog(m_path);
        QCOMPARE(log.records.size(), size_t{2});
        for (const Record &record : log.records) {
            QCOMPARE(record.trial.buildSeconds, 0.0);
            QCOMPARE(record.trial.runSeconds, sample().trial.runSeconds);
            QCOMPARE(record.trial.maxError, 0.0);
        }
    }

    void bytesThatAreNoTextAreShownAsNumbers() {
        writeFile(m_path, QByteArray("\x1b[31m\xff\x00 v", 9) + "\n");
        const RecordLog log = loadRecordLog(m_path);
        QCOMPARE(log.skipped.size(), size_t{1});
        for (const char c : log.skipped[0].reason) QVERIFY2(c >= 0x20 && c < 0x7F, log.skipped[0].reason.c_str());
    }

    void commentBelongsToTheNextLineOnly() {
        const QByteArray failed = QByteArray(kLine).replace("[0.5, 0.25], 0", "[1e+10], 4");
        writeFile(m_path, "# failed: first\n" + failed + "\n" + failed + "\n");
        const RecordLog log = loadRecordLog(m_path);
        QCOMPARE(log.records.size(), size_t{2});
        QCOMPARE(log.records[0].trial.reason, std::string("first"));
        QVERIFY(log.records[1].trial.reason.empty());
    }

    void mendsALineCutOff() {
        writeFile(m_path, kLine + "\n" + kLine.left(50));
        RecordWriter(m_path).append(sample());
        const RecordLog log = loadRecordLog(m_path);
        QCOMPARE(log.records.size(), size_t{2});
        QCOMPARE(log.skipped.size(), size_t{1});
        QCOMPARE(log.skipped[0].line, 2);
        QCOMPARE(readFile(m_path), kLine + "\n" + kLine.left(50) + "\n" + kLine + "\n");
    }

    void fullDiskIsAnError() {
        rlimit before{};
        QCOMPARE(::getrlimit(RLIMIT_FSIZE, &before), 0);
        std::signal(SIGXFSZ, SIG_IGN);
        // Room for one record and a half, then for none: what is whole stays, and a log without a record does not.
        for (const qsizetype room : {kLine.size() + 1 + kLine.size() / 2, kLine.size() / 2}) {
            QFile::remove(QString::fromStdString(m_path));
            const rlimit small{static_cast<rlim_t>(room), before.rlim_max};
            QCOMPARE(::setrlimit(RLIMIT_FSIZE, &small), 0);
            std::string why;
            try {
                RecordWriter writer(m_path);
                for (int i = 0; i < 2; ++i) writer.append(sample());
            } catch (const Error &error) {
                why = error.what();
            }
            QCOMPARE(::setrlimit(RLIMIT_FSIZE, &before), 0);
            QVERIFY2(why.ends_with("the record cannot be written: File too large"), why.c_str());
            QCOMPARE(QFile::exists(QString::fromStdString(m_path)), room > kLine.size());
            if (room > kLine.size()) QCOMPARE(readFile(m_path), kLine + "\n");
        }
    }

    void logsOfOtherTunersAreNamed_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("AutoTVM")
            << QByteArray(
                   R"({"input": ["llvm -mcpu=skylake", "dense_pack.x86", [["TENSOR", [1, 512], "float32"]], {}], )"
                   R"("config": {"index": 7, "code_hash": null, "entity": [["tile_y", "sp", [-1, 1]]]}, )"
                   R"("result": [[0.001], 0, 0.4, 1600000000.0], "version": 0.2, "tvm_version": "0.8.0"})"
                   "\n")
            << "this is an AutoTVM log";
        QTest::newRow("MetaSchedule")
            << QByteArray(R"([0,[[[["GetSBlock",[],["C","main"],["b0"]]],[[4,[1,4,8,4]]]],[0.001],{"kind":"llvm"},[]]])"
                          "\n")
            << "these are the tuning records of MetaSchedule";
        QTest::newRow("workloads") << "[\"14096637468064709962\",\"" + QByteArray("xWAA").repeated(30000) + "\"]\n"
                                   << "these are the workloads of MetaSchedule";
        QTest::newRow("Kernel Tuner") << QByteArray(
                                             "{\n\"device_name\": \"NVIDIA A100\",\n\"kernel_name\": \"vector_add\",\n"
                                             "\"tune_params_keys\": [\"block_size_x\"],\n\"cache\": {\n\"128\": "
                                             "{\"block_size_x\": 128, \"time\": 0.04},\n")
                                      << "this is a cache or a result of Kernel Tuner";
        QTest::newRow("T4") << QByteArray("{\"schema_version\": \"1.0.0\", \"metadata\": {}, \"results\": "
                                          "[{\"configuration\": {\"x\": 1}, \"invalidity\": \"correct\"}]}\n")
                            << "this is a cache or a result of Kernel Tuner";
    }
    void logsOfOtherTunersAreNamed() {
        QFETCH(QByteArray, text);
        QFETCH(QString, sentence);
        for (const QByteArray &begin : {QByteArray(), QByteArray("# a remark\n\n"), QByteArray("\xEF\xBB\xBF")}) {
            writeFile(m_path, begin + text);
            const auto says = [&](const auto &read) {
                try {
                    read();
                } catch (const Error &error) {
                    return QString::fromUtf8(error.what());
                }
                return QString();
            };
            const QString wanted = QString::fromStdString(m_path) + ": " + sentence;
            QVERIFY(says([&] { (void)loadRecordLog(m_path); }).startsWith(wanted));
            QVERIFY(says([&] { (void)countRecords(m_path); }).startsWith(wanted));
            QVERIFY(says([&] { RecordWriter writer(m_path); }).startsWith(wanted));
            QCOMPARE(readFile(m_path), begin + text);
        }
        // Beside a record of Ansor's it is one line that cannot be read.
        writeFile(m_path, kLine + "\n" + text);
        QCOMPARE(loadRecordLog(m_path).records.size(), size_t{1});
    }

    /// Real logs, where they are at hand: every line is a comment or comes back byte for byte.
    void realLogsComeBackByteForByte() {
        const char *shared = std::getenv("LOOPSCOPE_SHARED");
        const QDir folder(shared != nullptr ? QString(shared) : QString(LOOPSCOPE_SOURCE_DIR) + "/../shared/data");
        const QStringList logs = folder.entryList({"*.json"}, QDir::Files);
        if (logs.isEmpty()) QSKIP("no real logs here (LOOPSCOPE_SHARED names their folder)");
        for (const QString &name : logs) {
            const std::string path = folder.filePath(name).toStdString();
            const RecordLog log = loadRecordLog(path);
            QVERIFY(!log.records.empty());
            QVERIFY2(log.skipped.empty(), log.skipped.empty() ? "" : log.skipped[0].reason.c_str());
            const QList<QByteArray> lines = readFile(path).split('\n');
            for (const Record &record : log.records)
                QCOMPARE(QByteArray::fromStdString(recordLine(record)), lines[record.line - 1]);
        }
    }

  private:
    QTemporaryDir m_dir;
    std::string m_path;
};

LOOPSCOPE_TEST(RecordLogTest)
#include "record_log_test.moc"
