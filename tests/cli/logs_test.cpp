// Logs that are in use, gone, of other machines, or not what they should be.

#include "cli_process.h"
#include "log_lines.h"
#include "test_program.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <csignal>
#include <memory>

using namespace loopscope;

namespace logs_test {

namespace {

const QString kTarget = QStringLiteral("llvm -keys=cpu -mcpu=x86-64 -num-cores=2");

int recordCount(const QString &path) { return static_cast<int>(contents(path).count("\n{\"i\"")); }

QStringList tune(const QString &log, int trials = 100000) {
    return QStringList{"tune"} + smallMatmul() + QStringList{"--trials", QString::number(trials), "--log", log};
}

/// Ends what it started, whatever became of the test.
struct Running {
    QProcess process;
    explicit Running(const QStringList &arguments) { process.start(cliPath(), arguments); }
    ~Running() {
        process.kill();
        process.waitForFinished();
    }
    Running(const Running &) = delete;
    Running &operator=(const Running &) = delete;
};

} // namespace

class CliLogsTest : public QObject {
    Q_OBJECT

  private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void aNameMustBeThere() {
        for (const QString &command : {QString("tune"), QString("show")}) {
            QStringList arguments = QStringList{command} + smallMatmul() + QStringList{"--log", ""};
            if (command == "show")
                arguments << "--as"
                          << "loops";
            const CliRun run = runCli(arguments);
            QVERIFY2(run.exitCode == 2, run.story());
            QVERIFY2(run.error.contains("--log: a file name is missing"), run.story());
        }
    }

    void aMissingLogIsSaidWhateverIsShown() {
        for (const char *form : {"dag", "key", "sketches"}) {
            const CliRun run =
                runCli(QStringList{"show"} + smallMatmul() + QStringList{"--as", form, "--log", path("missing.json")});
            QVERIFY2(run.exitCode == 1 && run.out.isEmpty(), run.story());
            QVERIFY2(run.error.contains("the log cannot be opened: No such file"), run.story());
        }
        write("[[\"AN\", 2, 0, 3]]");
        const CliRun run = show("dag", {"--record", "7"});
        QVERIFY2(run.exitCode == 1, run.story());
        QVERIFY2(run.error.contains("no record 7"), run.story());
    }

    /// The name of a file is bytes, JSON is text.
    void aNameNeedBeNoText() {
        QProcess shell;
        QStringList arguments{
            "-c", "log=$(printf '%s/log\\377.json' \"$1\"); shift; exec \"$0\" \"$@\" --log \"$log\" --json", cliPath(),
            m_folder->path()};
        shell.start("/bin/sh", arguments + QStringList{"tune"} + smallMatmul() + QStringList{"--trials", "1"});
        QVERIFY(shell.waitForFinished(60000));
        const QByteArray story = shell.readAllStandardError();
        QVERIFY2(shell.exitCode() == 0, story);
        const QJsonDocument json = QJsonDocument::fromJson(shell.readAllStandardOutput());
        QVERIFY2(json.isObject(), story);
        QVERIFY(json["log"].toString().contains(QChar(QChar::ReplacementCharacter)));
    }

    void threadsOfAGpuAreRefusedOnACpu() {
        write("[[\"CHW\", 2, \"local\"], [\"CA\", 2, 3, 0], [\"AN\", 3, 0, 5], [\"AN\", 3, 1, 6]]");
        for (const char *form : {"loops", "c", "features", "steps"}) {
            const CliRun run = show(form, {"--record", "0"});
            QVERIFY2(run.exitCode == 1 && run.out.isEmpty(), run.story());
            QVERIFY2(run.error.contains("step 2 (AN) binds loop 0 of stage 3 to blockIdx.x, which a CPU does not have; "
                                        "parallel, vectorize and unroll are legal on it"),
                     run.story());
        }
    }

    /// The thread whose memory it is has no number yet where the stage is attached.
    void aStageOutsideItsThreadIsRefused() {
        write("[[\"CHW\", 2, \"local\"], [\"CA\", 2, 3, 0], [\"AN\", 3, 0, 5], [\"AN\", 3, 1, 6]]",
              "cuda -keys=cuda,gpu -arch=sm_80");
        const CliRun run = runCli(QStringList{"show"} + smallMatmul() +
                                  QStringList{"--target", "cuda", "--as", "loops", "--log", m_log, "--record", "0"});
        QVERIFY2(run.exitCode == 1, run.story());
        QVERIFY2(run.error.contains("outside loop j, which is bound to a thread that its memory belongs to"),
                 run.story());
    }

    /// The loops of a schedule for a GPU are kernels; C, which knows no threads, is refused.
    void aScheduleForAGpuShowsItsKernels() {
        write("[[\"AN\", 2, 0, 5], [\"AN\", 2, 1, 6]]", "cuda -keys=cuda,gpu -arch=sm_80");
        const auto shown = [&](const char *form) {
            return runCli(QStringList{"show"} + smallMatmul() +
                          QStringList{"--target", "cuda", "--as", form, "--log", m_log, "--record", "0"});
        };
        const CliRun loops = shown("loops");
        QVERIFY2(loops.exitCode == 0 && loops.out.contains("threadIdx.x j in 0 .. "), loops.story());
        const CliRun c = shown("c");
        QVERIFY2(c.exitCode == 1 && c.error.contains("C is written for processors"), c.story());
        const CliRun counts = shown("asm-summary");
        QVERIFY2(counts.exitCode == 1 && counts.error.contains("asm-summary counts the machine code of processors"),
                 counts.story());
    }

    void otherTargetsAreLookedAtButNotContinued() {
        write("[[\"AN\", 2, 0, 3]]");
        const QStringList other{"--target", "llvm -mcpu=x86-64 -num-cores=7"};
        const CliRun shown = runCli(QStringList{"show"} + smallMatmul() + other +
                                    QStringList{"--as", "steps", "--log", m_log, "--record", "best"});
        QVERIFY2(shown.exitCode == 0, shown.story());
        QVERIFY2(shown.error.contains("record 0 of " + m_log +
                                      ": it was measured on another target, "
                                      "`llvm -mcpu=x86-64 -num-cores=2`; the task's is `llvm -mcpu=x86-64 "
                                      "-num-cores=7`"),
                 shown.story());
        const CliRun resumed = runCli(tune(m_log, 1) + other + QStringList{"--resume", "--json"});
        QVERIFY2(resumed.exitCode == 0, resumed.story());
        QCOMPARE(resumed.json()["resumed"].toInt(), 0);
        QVERIFY2(resumed.error.contains("1 trial of this workload is left out: it was measured on another target"),
                 resumed.story());
        QCOMPARE(recordCount(m_log), 2);
    }

    void aLogInUseNamesItsWriter() {
        const QString log = path("busy.json");
        Running first(tune(log));
        QTRY_VERIFY_WITH_TIMEOUT(recordCount(log) >= 1, 60000);
        const CliRun second = runCli(tune(log));
        QVERIFY2(second.exitCode == 1, second.story());
        QVERIFY2(second.error.contains(QString("%1: the log is being written by loopscope-cli (process %2); wait")
                                           .arg(log)
                                           .arg(first.process.processId())),
                 second.story());
        const CliRun reader =
            runCli(QStringList{"show"} + smallMatmul() + QStringList{"--as", "steps", "--log", log, "--record", "0"});
        QVERIFY2(reader.exitCode == 0, reader.story()); // readers are not kept out
    }

    void aDeletedLogComesBack() {
        const QString log = path("gone.json");
        Running search(tune(log));
        QTRY_VERIFY_WITH_TIMEOUT(recordCount(log) >= 3, 60000);
        const int before = recordCount(log);
        QVERIFY(QFile::remove(log));
        QTRY_VERIFY_WITH_TIMEOUT(recordCount(log) > before, 60000);
        search.process.terminate();
        QVERIFY(search.process.waitForFinished(30000));
        const QByteArray said = search.process.readAllStandardError();
        QVERIFY2(said.contains("was deleted while it was being written; "), said);
        QVERIFY2(said.contains("records are written again from memory"), said);
    }

    /// Something that knows no lock writes, too: the record named is still the one that is best.
    void theBestIsFoundWhereverItStands() {
        write("[[\"AN\", 2, 0, 3]]");
        const QByteArray line = contents(m_log);
        const QString log = path("shared.json");
        Running search(tune(log, 6) + QStringList{"--json"});
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(log), 60000);
        QFile foreign(log);
        QVERIFY(foreign.open(QIODevice::Append));
        foreign.write(line); // before the first trial
        foreign.close();
        QVERIFY(search.process.waitForFinished(60000));
        const auto json = QJsonDocument::fromJson(search.process.readAllStandardOutput());
        QList<QByteArray> records;
        for (const QByteArray &each : contents(log).split('\n'))
            if (each.startsWith('{')) records << each;
        QCOMPARE(records.size(), 7);
        const auto best = QJsonDocument::fromJson(records.at(json["best"]["record"].toInt()));
        QCOMPARE(best["i"][1][1].toArray(), json["best"]["steps"].toArray());
    }

    /// What the log has counts, even when nothing was added to it.
    void interruptedAtOnceTheLogStillHasItsBest() {
        write("[[\"AN\", 2, 0, 3]]", kTarget, {"--param", "M=700", "--param", "N=700", "--param", "K=700"});
        Running search(QStringList{"tune", sample("matmul.te"), "--param", "M=700", "--param", "N=700", "--param",
                                   "K=700", "--target", kTarget, "--log", m_log, "--resume"});
        QByteArray error;
        const auto described = [&] {
            error += search.process.readAllStandardError();
            return error.contains("floating-point operations, target");
        };
        QTRY_VERIFY_WITH_TIMEOUT(described(), 60000);
        search.process.terminate();
        QVERIFY(search.process.waitForFinished(60000));
        error += search.process.readAllStandardError();
        QVERIFY2(!error.contains("valid"), error);
        QVERIFY2(error.contains("tune: interrupted after 1 of 64 trials; the log keeps them"), error);
        QVERIFY(search.process.readAllStandardOutput().contains("(record 0)"));
    }

  private:
    [[nodiscard]] QString path(const QString &name) const { return m_folder->filePath(name); }
    /// A log of one record of the small matmul, or of the matmul with these arguments.
    void write(const QByteArray &steps, const QString &target = kTarget, const QStringList &params = {}) {
        m_log = path("log.json");
        const CliRun key = runCli(QStringList{"show"} +
                                  (params.isEmpty() ? smallMatmul() : QStringList{sample("matmul.te")} + params) +
                                  QStringList{"--as", "key", "--json"});
        QVERIFY2(key.exitCode == 0, key.story());
        QByteArray escaped = key.json()["key"].toString().toUtf8();
        escaped.replace('"', "\\\"");
        QFile file(m_log);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("# a remark\n{\"i\": [[\"" + escaped + "\", \"" + target.toUtf8() + "\"], [[], " + steps +
                   "]], \"r\": [[0.001], 0, 0.1, 1700000000], \"v\": \"v0.6\"}\n");
    }
    CliRun show(const QString &form, const QStringList &more) {
        return runCli(QStringList{"show"} + smallMatmul() +
                      QStringList{"--target", kTarget, "--as", form, "--log", m_log} + more);
    }
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_log;
};

LOOPSCOPE_TEST(CliLogsTest)

} // namespace logs_test
#include "logs_test.moc"
