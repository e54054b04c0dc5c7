// What a file may ask for and what that costs: every input here once took gigabytes, minutes, or both. Each is run with
// little memory and little time, so that whatever grows again fails at once.

#include "base/isolate/sandbox.h"
#include "cli_process.h"
#include "measure/process_watch.h"
#include "test_program.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <functional>
#include <sys/stat.h>

using namespace loopscope;

namespace {

/// Address space: the libraries alone reserve one GiB of it, so that two are left.
constexpr int kMebibytes = 3072;
constexpr int kSeconds = 60; // beside four busy processes; each takes a few alone

QByteArray joined(int count, const std::function<QByteArray(int)> &line) {
    QByteArray text;
    for (int i = 0; i < count; ++i) text += line(i);
    return text;
}
QByteArray number(int value) { return QByteArray::number(value); }

const QByteArray kHead = "workload w(N = 64)\n";
const QByteArray kVector = kHead + "s0 = placeholder [N] float32\n";
// Integers wrap: no number of stages takes their values out of what an answer can be checked in.
const QByteArray kIntegers = kHead + "s0 = placeholder [N] int32\n";

/// s1 = s0*s0, s2 = s1*s1, ...
QByteArray squares(int count) {
    return kIntegers + joined(count, [](int k) {
               return "s" + number(k + 1) + "(i < N) = s" + number(k) + "[i]*s" + number(k) + "[i]\n";
           });
}
/// The same with the index doubling instead of the reads.
QByteArray indexSquares(int count) {
    return kIntegers +
           joined(count, [](int k) { return "s" + number(k + 1) + "(i < N) = s" + number(k) + "[(i*i) % N]\n"; });
}
QByteArray products(int count) {
    return kHead + "M0 = placeholder [N, N] int32\n" + joined(count, [](int k) {
               return "W" + number(k) + " = placeholder [N, N] int32\nM" + number(k + 1) +
                      "(i < N, j < N) = sum(k < N; M" + number(k) + "[i, k] * W" + number(k) + "[k, j])\n";
           });
}
/// let(v0 = s0[i] + s0[i]; let(v1 = v0 + v0; ...))
QByteArray lets(int count) {
    QByteArray text;
    for (int k = 0; k < count; ++k) {
        const QByteArray before = k == 0 ? QByteArray("s0[i]") : "v" + number(k - 1);
        text += "let(v" + number(k) + " = " + before + " + " + before + "; ";
    }
    return text + "v" + number(count - 1) + QByteArray(count, ')');
}

} // namespace

class LimitsTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    CliRun limited(const QStringList &arguments, int seconds = kSeconds) {
        const QString limit = kMemoryCanBeLimited ? QString("ulimit -v %1; ").arg(kMebibytes * 1024) : QString();
        QProcess process;
        process.start("bash", QStringList{"-c", limit + "exec \"$0\" \"$@\"", cliPath()} + arguments);
        CliRun run;
        if (process.waitForFinished(seconds * 1000) && process.exitStatus() == QProcess::NormalExit)
            run.exitCode = process.exitCode();
        else if (process.state() != QProcess::NotRunning)
            process.kill();
        process.waitForFinished();
        run.out = QString::fromUtf8(process.readAllStandardOutput());
        run.error = QString::fromUtf8(process.readAllStandardError());
        return run;
    }

    /// One record with those steps, for the workload.
    QString writeLog(const QString &name, const QString &workload, const QJsonArray &steps) {
        const QString key = runCli({"show", workload, "--as", "key"}).out.section('\n', 0, 0);
        const QJsonArray task = {
            key,         "llvm -keys=cpu -mcpu=x86-64-v3 -num-cores=2", QJsonArray{2, 64, 64, 0, 0, 0, 0, 0}, "", 1,
            QJsonArray{}};
        const QJsonObject record = {{"i", QJsonArray{task, QJsonArray{QJsonArray{}, steps}}},
                                    {"r", QJsonArray{QJsonArray{0.5}, 0, 0.5, 1}},
                                    {"v", "v0.6"}};
        return written(m_folder, name, QJsonDocument(record).toJson(QJsonDocument::Compact) + "\n");
    }

  private slots:
    void refusedWithASentence_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("240000 computes") << kVector + joined(240000,
                                                             [](int k) {
                                                                 return "s" + number(k + 1) + "(i < N) = s" +
                                                                        number(k) + "[i] + 1\n";
                                                             })
                                         << "at most 4096 placeholders and computes";
        QTest::newRow("240000 placeholders")
            << kHead + joined(240000, [](int k) { return "A" + number(k) + " = placeholder [N] float32\n"; })
            << "at most 4096 placeholders and computes";
        QTest::newRow("calls in calls") << kHead + "A = placeholder [N] int32\nB(i < N) = " +
                                               QByteArray("abs(").repeated(60) + "A[i]" + QByteArray(60, ')') + "\n"
                                        << "too large";
        QTest::newRow("17 MiB") << QByteArray("# a remark that goes on\n").repeated(800000) << "larger than 16 MiB";
    }
    void refusedWithASentence() {
        QFETCH(QByteArray, text);
        QFETCH(QString, sentence);
        const CliRun run = limited({"show", written(m_folder, "large.te", text), "--as", "key"});
        QVERIFY2(run.exitCode == 1 && run.error.contains(sentence), run.story());
    }

    void shownInLittleMemory_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QStringList>("forms");
        const QStringList code = {"te", "loops", "c", "llvm", "asm", "features"};
        QTest::newRow("60 squares") << squares(60) << QStringList{"sketches", "loops", "c"};
        QTest::newRow("60 squared indices") << indexSquares(60) << QStringList{"sketches", "loops", "c"};
        QTest::newRow("60 doubling lets") << kVector + "B(i < N) = " + lets(60) + "\n" << code;
        QTest::newRow("200 products") << products(200) << QStringList{"sketches"};
        QTest::newRow("4000 stages") << kVector + joined(4000,
                                                         [](int k) {
                                                             return "s" + number(k + 1) + "(i < N) = s" + number(k) +
                                                                    "[i] + 1\n";
                                                         })
                                     << QStringList{"key", "dag"};
    }
    void shownInLittleMemory() {
        QFETCH(QByteArray, text);
        QFETCH(QStringList, forms);
        const QString path = written(m_folder, "growing.te", text);
        for (const QString &form : forms) {
            const CliRun run = limited({"show", path, "--as", form});
            QVERIFY2(run.exitCode == 0 && !run.out.isEmpty(), form.toUtf8() + run.story().left(2000));
        }
    }

    /// A variable inside an expression cannot be declared before it; it is written out, so far as that goes.
    void letsInsideAnExpressionHaveALimitInC() {
        const QString small = written(m_folder, "few.te", kVector + "B(i < N) = 1 + " + lets(6) + "\n");
        const CliRun few = limited({"show", small, "--as", "c"});
        QVERIFY2(few.exitCode == 0 && few.out.contains("s0[i]"), few.story());
        const QString large = written(m_folder, "many.te", kVector + "B(i < N) = 1 + " + lets(60) + "\n");
        const CliRun many = limited({"show", large, "--as", "c"});
        QVERIFY2(many.exitCode == 1 && many.error.contains("give its value a stage of its own"), many.story());
    }

    void searchesHearTheTimeLimit_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("60 squares") << squares(60);
        QTest::newRow("60 squared indices") << indexSquares(60);
        QTest::newRow("200 products") << products(200);
    }
    void searchesHearTheTimeLimit() {
        QFETCH(QByteArray, text);
        QElapsedTimer timer;
        timer.start();
        const CliRun run =
            limited({"tune", written(m_folder, "searched.te", text), "--trials", "1000", "--time-limit", "5"});
        QVERIFY2(run.exitCode == 0 || run.exitCode == 1, run.story());
        QVERIFY2(!run.error.contains("out of memory") && !run.error.contains("internal error"), run.story());
        QVERIFY2(!run.error.contains("reference answer"), run.story()); // it came to the search
        QVERIFY2(timer.elapsed() < 30000, run.story());
    }

    void searchesHearASignal() {
        QProcess process;
        process.setReadChannel(QProcess::StandardError);
        process.start(cliPath(), {"tune", written(m_folder, "interrupted.te", products(200)), "--trials", "1000"});
        QVERIFY(process.waitForStarted());
        QVERIFY(process.waitForReadyRead(kSeconds * 1000)); // it has begun
        QTest::qWait(500);                                  // somewhere in the sketches
        QCOMPARE(process.state(), QProcess::Running);
        kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(20000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 1);
    }

    void logsAskForNoMore_data() {
        QTest::addColumn<QJsonArray>("steps");
        QTest::addColumn<QString>("sentence");
        QJsonArray names;
        for (int k = 0; k < 30; ++k) {
            names << QJsonArray{"SP", 1, 0, 64, QJsonArray{2}, 1};
            names << QJsonArray{"FU", 1, QJsonArray{0, 1}};
        }
        QTest::newRow("names that double") << names << "the name of the fused loop would have";
        QJsonArray caches;
        for (int k = 0; k < 1200; ++k) caches << QJsonArray{"CHW", 1, "local"};
        QTest::newRow("1200 caches") << caches << "one more stage";
        QJsonArray splits;
        QJsonArray ones;
        for (int k = 0; k < 200; ++k) ones << 1;
        for (int k = 0; k < 500; ++k) splits << QJsonArray{"SP", 1, 0, 64, ones, 1};
        QTest::newRow("100000 loops") << splits << "at most 256";
    }
    void logsAskForNoMore() {
        QFETCH(QJsonArray, steps);
        QFETCH(QString, sentence);
        const QString workload = written(m_folder, "one.te", kVector + "B(i < N) = s0[i] + 1\n");
        const QString log = writeLog("log.json", workload, steps);
        const CliRun run = limited({"show", workload, "--as", "steps", "--log", log, "--record", "0"});
        QVERIFY2(run.exitCode == 1 && run.error.contains(sentence), run.story());
        QVERIFY2(run.error.size() < 2000, run.story());
    }

    void aLineOfALogHasALimit() {
        const QString workload = written(m_folder, "one.te", kVector + "B(i < N) = s0[i] + 1\n");
        const QString log = written(m_folder, "line.json", "{\"i\": [[[" + QByteArray("[1],").repeated(4 << 20) + "\n");
        const CliRun run = limited({"show", workload, "--as", "steps", "--log", log});
        QVERIFY2(run.exitCode == 1 && run.error.contains("a record at most"), run.story());
    }

    void whatIsNoFile_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("zeros without end") << "/dev/zero"
                                           << "it is a device";
        QTest::newRow("nothing") << "/dev/null"
                                 << "it is a device";
        QTest::newRow("folder") << m_folder.path() << "it is a directory";
        QTest::newRow("missing") << m_folder.filePath("missing") << "No such file";
    }
    void whatIsNoFile() {
        QFETCH(QString, path);
        QFETCH(QString, sentence);
        const CliRun workload = limited({"show", path, "--as", "key"});
        QVERIFY2(workload.exitCode == 1 && workload.error.contains(path + ": the workload file cannot be "),
                 workload.story());
        QVERIFY2(workload.error.contains(sentence), workload.story());
        const CliRun log = limited({"show", sample("matmul.te"), "--as", "loops", "--log", path});
        QVERIFY2(log.exitCode == 1 && log.error.contains(path + ": the log cannot be "), log.story());
        QVERIFY2(log.error.contains(sentence), log.story());
    }

    void pipesAreRead() {
        QProcess process;
        process.start("bash",
                      {"-c", "exec \"$0\" show <(sleep 0.2; cat \"$1\") --as key", cliPath(), sample("matmul.te")});
        QVERIFY(process.waitForFinished(kSeconds * 1000));
        QCOMPARE(QString::fromUtf8(process.readAllStandardOutput()),
                 runCli({"show", sample("matmul.te"), "--as", "key"}).out);
        QProcess endless;
        endless.start("bash", {"-c", "exec \"$0\" show <(yes '# a remark') --as key", cliPath()});
        QVERIFY(endless.waitForFinished(kSeconds * 1000));
        const QByteArray error = endless.readAllStandardError();
        QVERIFY2(endless.exitCode() == 1 && error.contains("larger than 16 MiB"), error);
        const QByteArray fifo = m_folder.filePath("fifo").toUtf8();
        QCOMPARE(mkfifo(fifo.constData(), 0600), 0);
        const CliRun nobody = limited({"show", fifo, "--as", "key"}); // at once, although nobody writes
        QVERIFY2(nobody.exitCode == 1, nobody.story());
    }

    /// Code is generated in a child: one that dies, or that Ctrl-C ends, is all that is lost.
    void codeIsMadeInAChild() {
        const QString workload = written(m_folder, "cube.te",
                                         "workload w(N = 512)\nA = placeholder [N, N, N] float32\n"
                                         "B(i < N, j < N, k < N) = A[i, j, k]*2 + 1\n");
        for (const char *form : {"asm", "llvm"}) {
            QProcess process;
            auto environment = QProcessEnvironment::systemEnvironment();
            // A worker that comes to no end, however fast compilers become.
            const QString worker = written(m_folder, "slow-worker", "#!/bin/sh\nexec sleep 1000\n");
            QVERIFY(QFile::setPermissions(worker, QFile::ReadOwner | QFile::ExeOwner));
            environment.insert("LOOPSCOPE_WORKER", worker);
            process.setProcessEnvironment(environment);
            process.start(cliPath(), {"show", workload, "--as", form});
            QVERIFY(process.waitForStarted());
            std::vector<pid_t> children;
            QTRY_VERIFY_WITH_TIMEOUT(!(children = descendants(static_cast<pid_t>(process.processId()))).empty(), 20000);
            kill(static_cast<pid_t>(process.processId()), SIGINT);
            QVERIFY(process.waitForFinished(20000));
            QVERIFY(allGone(children, 10));
        }
    }

    void aWorkloadTooLargeForThisMachine() {
        // 8 TB for the reference answer alone.
        const QString path = written(m_folder, "large.te",
                                     "workload large(N = 1000000)\nA = placeholder [N] float32\n"
                                     "B = placeholder [N] float32\nC(i < N, j < N) = A[i] * B[j]\n");
        const CliRun run = runCli({"tune", path, "--trials", "1"});
        QVERIFY2(run.exitCode == 1, run.story());
        QVERIFY2(run.error.contains(QRegularExpression("large needs [0-9.]+ TiB of memory .* of which [0-9.]+ .iB are "
                                                       "free")),
                 run.story());
    }
};

LOOPSCOPE_TEST(LimitsTest)
#include "limits_test.moc"
