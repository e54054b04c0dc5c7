// Standard output and standard error that do not take what is written, and failures as scripts read them.

#include "cli_process.h"
#include "test_program.h"

#include <QFile>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

class OutputTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    /// `line` in a shell that knows $CLI and $SAMPLES, within the test's folder.
    CliRun shell(const QString &line) {
        QProcess process;
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert("CLI", cliPath());
        environment.insert("SAMPLES", sample(""));
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(m_folder.path());
        process.start("bash", {"-c", line});
        CliRun run;
        if (process.waitForFinished(120000) && process.exitStatus() == QProcess::NormalExit)
            run.exitCode = process.exitCode();
        run.out = QString::fromUtf8(process.readAllStandardOutput());
        run.error = QString::fromUtf8(process.readAllStandardError());
        return run;
    }

  private slots:
    /// A terminal obeys what a log, a workload or a network may hold; JSON keeps it, escaped.
    void noTextOfAFileIsObeyed_data() {
        QTest::addColumn<QString>("command");
        for (const char *command :
             {"log info keys.json", "log list keys.json", "log best keys.json", "log show keys.json 0",
              "log info keys.json --json", "log list keys.json --json", "log diff keys.json keys.json",
              "log info broken.json", "show broken.te --as dag", "show broken.te --as dag --json",
              "show $SAMPLES/matmul.te --as loops --log keys.json", "net check broken.net",
              "show $SAMPLES/matmul.te --as key --target $'llvm -model=\\x1b[31m'"})
            QTest::newRow(command) << QString(command);
    }
    void noTextOfAFileIsObeyed() {
        QFETCH(QString, command);
        const auto write = [&](const char *name, const QByteArray &text) {
            QFile file(m_folder.filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(text);
        };
        const QByteArray escape = "\\u001b]0;owned\\u0007\\u001b[31m\\u009b31m\\u202e";
        write("keys.json", "# failed: \x1b[31mred\n{\"i\": [[\"[\\\"f" + escape +
                               "\\\", 1]\", \"llvm -model=" + escape + "\"], [[], [[\"PR\", 2, 0, \"" + escape +
                               "\"]]]], \"r\": [[0.001], 0, 0.1, 1700000000], \"v\": \"v0.6\"}\n");
        write("broken.json", "\x1b[31mred\n{\"i\": \"\x1b[31m\n");
        write("broken.te", "workload w(N = 4)\nA = placeholder [N] float32\nB(i < N) = A[\x1b[31mi]\n");
        write("broken.net", "network \x1b[31m\nfunc main(x: float32[4]) { return x }\n");
        const CliRun run = shell("$CLI " + command);
        QVERIFY2(run.exitCode == 0 || run.exitCode == 1, run.story());
        QVERIFY2(!(run.out + run.error).isEmpty(), run.story());
        for (const QChar obeyed : {QChar(0x1b), QChar(7), QChar(0x9b), QChar(0x202e)})
            QVERIFY2(!run.out.contains(obeyed) && !run.error.contains(obeyed), run.story());
        if (command.contains("--json")) QVERIFY2(!run.json().isNull(), run.story());
    }

    void sentencesAreNoLongerThanAnybodyReads() {
        QFile file(m_folder.filePath("long.te"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("workload w(N = 4)\nA = placeholder [N] float32\nB(i < N) = " + QByteArray(100000, 'x') + "[i]\n");
        file.close();
        const CliRun run = shell("$CLI show long.te --as dag --json");
        QVERIFY2(run.exitCode == 1 && run.error.size() < 3000 && run.out.size() < 3000, run.story().left(5000));
        QVERIFY2(run.error.contains(" bytes ...] "), run.story());
        QVERIFY2(!run.json().isNull(), run.story());
    }

    void aFullDeviceIsSaid_data() {
        QTest::addColumn<QString>("command");
        QTest::newRow("text") << "show $SAMPLES/matmul.te --as dag";
        QTest::newRow("json") << "show $SAMPLES/matmul.te --as dag --json";
        QTest::newRow("help") << "tune --help";
        QTest::newRow("version") << "--version";
        QTest::newRow("completion") << "completion bash";
        QTest::newRow("failure as json") << "show missing.te --as dag --json";
    }
    void aFullDeviceIsSaid() {
        QFETCH(QString, command);
        const CliRun run = shell("$CLI " + command + " > /dev/full");
        QVERIFY2(run.exitCode == 1, run.story());
        QVERIFY2(run.error.contains("standard output cannot be written: No space left on device"), run.story());
    }

    void aClosedStandardOutputIsSaid() {
        const CliRun run = shell("$CLI show $SAMPLES/matmul.te --as dag >&-");
        QVERIFY2(run.exitCode == 1, run.story());
        QVERIFY2(run.error.contains("standard output cannot be written"), run.story());
    }

    void aFileSizeLimitIsSaid() {
        // More than fits into the one KiB that is allowed.
        const CliRun run = shell("ulimit -f 1; exec $CLI show $SAMPLES/conv2d_bias_relu.te --as c > big.c");
        QVERIFY2(run.exitCode == 1, run.story());
        QVERIFY2(run.error.contains("standard output cannot be written: File too large"), run.story());
    }

    void aLogBeyondTheFileSizeLimitIsSaid() {
        // As large as is allowed already; inputs and reference answer, which count too, are smaller.
        QFile log(m_folder.filePath("limited.json"));
        QVERIFY(log.open(QIODevice::WriteOnly));
        log.write(QByteArray("# a remark\n").repeated(100000).left(400 * 1024));
        log.close();
        const CliRun run = shell("ulimit -f 400; exec $CLI tune $SAMPLES/matmul.te --param M=48 --param N=64 --param "
                                 "K=32 --trials 2 --log limited.json");
        QVERIFY2(run.exitCode == 1, run.story());
        QVERIFY2(run.error.contains("limited.json: ") && run.error.contains("File too large"), run.story());
    }

    void progressNeverEndsInTheLog() {
        const CliRun run = shell("exec $CLI tune $SAMPLES/matmul.te --param M=48 --param N=64 --param K=32 --trials 2 "
                                 "--log quiet.json <&- 2>&-");
        QVERIFY2(run.exitCode == 0, run.story());
        QFile log(m_folder.filePath("quiet.json"));
        QVERIFY(log.open(QIODevice::ReadOnly));
        int records = 0;
        for (const QByteArray &line : log.readAll().split('\n')) {
            if (line.isEmpty() || line.startsWith('#')) continue;
            QVERIFY2(QJsonDocument::fromJson(line).isObject(), line);
            ++records;
        }
        QCOMPARE(records, 2);
    }

    void failuresAsJson_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QString>("word");
        const QString matmul = sample("matmul.te");
        QTest::newRow("missing file") << QStringList{"show", "missing.te", "--as", "dag"} << 1 << "missing.te";
        QTest::newRow("no trials") << QStringList{"tune", matmul, "--trials", "0"} << 2 << "--trials";
        QTest::newRow("unknown command") << QStringList{"tun"} << 2 << "tun";
        QTest::newRow("param") << QStringList{"show", matmul, "--as", "key", "--param", "N"} << 2 << "NAME=VALUE";
        QTest::newRow("missing log") << QStringList{"measure", matmul, "--log", "missing.json"} << 1 << "missing.json";
        QTest::newRow("target") << QStringList{"machine", "--target", "abacus"} << 1 << "abacus";
        QTest::newRow("unknown rival") << QStringList{"bench", matmul, "--log", "x", "--against", "mkl"} << 2 << "mkl";
    }
    void failuresAsJson() {
        QFETCH(QStringList, arguments);
        QFETCH(int, exitCode);
        QFETCH(QString, word);
        const CliRun run = runCli(arguments + QStringList{"--json"});
        QVERIFY2(run.exitCode == exitCode, run.story());
        QVERIFY2(run.json().isObject(), run.story());
        const QString sentence = run.json().object()["error"].toString();
        QVERIFY2(sentence.contains(word), run.story());
        QVERIFY2(run.error.startsWith("loopscope-cli: " + sentence), run.story());
    }

    void aFailureAsJsonHasItsPlace() {
        QFile file(m_folder.filePath("broken.te"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("workload w(N = 4)\nA = placeholder [N] float32\nB(i < N) = A[i] + + 2\n");
        file.close();
        const CliRun run = runCli({"show", file.fileName(), "--as", "dag", "--json"});
        QVERIFY2(run.exitCode == 1, run.story());
        const QJsonObject json = run.json().object();
        QCOMPARE(json["file"].toString(), file.fileName());
        QCOMPARE(json["line"].toInt(), 3);
        QCOMPARE(json["column"].toInt(), 19);
    }

    void aFileNameThatIsNoTextBreaksNoJson() {
        const CliRun run = shell("$CLI show $'caf\\xe9.te' --as dag --json");
        QVERIFY2(run.exitCode == 1 && run.json().object()["error"].toString().contains("caf"), run.story());
    }

    /// What was asked for was not done, yet the report is printed: one value that holds both.
    void aSearchWithoutAValidKernelIsOneJsonValue() {
        const CliRun run = runCli(QStringList{"tune"} + smallMatmul() +
                                  QStringList{"--trials", "100000", "--time-limit", "0.001", "--json"});
        QVERIFY2(run.exitCode == 1, run.story());
        QVERIFY2(run.json().isObject(), run.story());
        QVERIFY2(run.json().object()["error"].toString().contains("--time-limit"), run.story());
    }
};

LOOPSCOPE_TEST(OutputTest)
#include "output_test.moc"
