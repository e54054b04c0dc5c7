// Candidates that leave in bundles and come back as trials: by hand with `bundle export` and `bundle import`, and by a
// search that waits for its rounds, is ended, and is continued.

#include "cli_process.h"
#include "log_lines.h"
#include "test_program.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace loopscope;

class BundleCliTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;
    QString m_runner; // compiled once
    int m_folders = 0;

    QString newPath(const char *name) {
        return m_dir.filePath(QString::number(++m_folders) + QLatin1Char('-') + QLatin1String(name));
    }
    /// Has a round run, with the runner that was compiled before.
    QString runs() const { return QStringLiteral("cp %1 {}/runner && make -C {} run").arg(m_runner); }
    static QStringList words(const QString &text) { return text.split(u' '); }
    QStringList tuned(const QString &folder, const QString &log, const QString &command) const {
        QStringList arguments = QStringList(QStringLiteral("tune")) + smallMatmul() +
                                words(QStringLiteral("--trials 4 --trials-per-round 2 --runner")) +
                                QStringList{QStringLiteral("bundle:") + folder, QStringLiteral("--log"), log};
        if (!command.isEmpty()) arguments += QStringList{QStringLiteral("--bundle-command"), command};
        return arguments;
    }
    static int madeRun(const QString &round, const QString &goal) {
        return QProcess::execute(QStringLiteral("make"), {QStringLiteral("-s"), QStringLiteral("-C"), round, goal});
    }
    CliRun exported(const QString &folder, const QString &more) const {
        return runCli(words(QStringLiteral("bundle export")) + smallMatmul() + words(more) +
                      QStringList{QStringLiteral("-o"), folder});
    }
    static CliRun imported(const QString &folder, const QString &log, bool json = false) {
        QStringList arguments =
            words(QStringLiteral("bundle import")) + QStringList{folder, QStringLiteral("--log"), log};
        if (json) arguments += QStringLiteral("--json");
        return runCli(arguments);
    }

  private slots:
    void initTestCase();
    void byHand();
    void aSearchThroughBundles();
    void resultsThatArriveByHalves();
    void aSearchThatIsContinued();
    void aSearchThatWaits();
    void gpuCandidates();
    void aSearchForAGpu();
    void refusals_data();
    void refusals();
};

void BundleCliTest::initTestCase() {
    const QString folder = newPath("runner");
    const CliRun run = exported(folder, QStringLiteral("--candidates 1"));
    QVERIFY2(run.exitCode == 0, run.story().constData());
    QCOMPARE(madeRun(folder + QStringLiteral("/round-001"), QStringLiteral("runner")), 0);
    m_runner = folder + QStringLiteral("/round-001/runner");
}

void BundleCliTest::byHand() {
    const QString folder = newPath("bundles");
    const QString log = newPath("log.json");
    CliRun run = exported(folder, QStringLiteral("--candidates 3 --json"));
    QVERIFY2(run.exitCode == 0, run.story().constData());
    const QString round = run.json().object()[QStringLiteral("round")].toString();
    QCOMPARE(round, folder + QStringLiteral("/round-001"));
    QCOMPARE(run.json().object()[QStringLiteral("candidates")].toInt(), 3);
    QCOMPARE(run.json().object()[QStringLiteral("command")].toString(), QStringLiteral("make -C %1 run").arg(round));

    run = imported(folder, log);
    QVERIFY2(run.exitCode == 0, run.story().constData());
    QCOMPARE(run.out, QStringLiteral("round-001: 0 trials filed, 3 candidates without a result yet\n"));

    QVERIFY(QFile::copy(m_runner, round + QStringLiteral("/runner")));
    QCOMPARE(madeRun(round, QStringLiteral("run")), 0);
    run = imported(folder, log, true);
    QVERIFY2(run.exitCode == 0, run.story().constData());
    const QJsonObject told = run.json().object()[QStringLiteral("rounds")].toArray().at(0).toObject();
    QCOMPARE(told[QStringLiteral("filed")].toInt(), 3);
    QCOMPARE(told[QStringLiteral("open")].toInt(), 0);
    const QString machine = told[QStringLiteral("machine")].toString();
    QVERIFY(machine.contains(QStringLiteral(": ")));
    QCOMPARE(records(log).size(), 3);
    QCOMPARE(contents(log).count("# measured on " + machine.toUtf8() + "\n"), 3);

    run = imported(round, log); // a round alone; all of it is known
    QCOMPARE(run.out, QStringLiteral("round-001: 0 trials filed, 3 known already; measured on %1\n").arg(machine));
    QCOMPARE(records(log).size(), 3);

    run = runCli({QStringLiteral("log"), QStringLiteral("show"), log, QStringLiteral("0")});
    QVERIFY2(run.out.contains(QStringLiteral("machine   %1\n").arg(machine)), run.story().constData());

    // They are records like all others: the best of them goes on another journey.
    run = exported(folder, QStringLiteral("--record best --log ") + log);
    QVERIFY2(run.exitCode == 0, run.story().constData());
    QVERIFY2(run.out.startsWith(folder + QStringLiteral("/round-002: 1 candidate for llvm")), run.story().constData());
    run = exported(folder, QStringLiteral("--record all --log ") + log);
    QVERIFY2(run.out.startsWith(folder + QStringLiteral("/round-001: 3 candidates for llvm")), run.story().constData());

    // Of records that lie differently somebody has to choose.
    const QString mixed =
        written(m_dir, QStringLiteral("mixed.json"),
                contents(log) + QByteArray(records(log).at(0)).replace("\", 2, []", "\", 0, []") + "\n");
    run = exported(newPath("mixed"), QStringLiteral("--record all --log ") + mixed);
    QCOMPARE(run.exitCode, 1);
    QVERIFY2(run.error.contains(QStringLiteral("this record was measured with layout rewrite 0, others with 2; choose "
                                               "one for all with --layout-rewrite")),
             run.story().constData());
    run = exported(newPath("mixed"), QStringLiteral("--record all --layout-rewrite 0 --log ") + mixed);
    QVERIFY2(run.out.contains(QStringLiteral("/round-001: 3 candidates for llvm")), run.story().constData());

    // The log says itself what it computes.
    const auto ofLog = [&](const QString &more) {
        return runCli(words(QStringLiteral("bundle export")) + QStringList{log} + words(more) +
                      QStringList{QStringLiteral("-o"), newPath("alone")});
    };
    run = ofLog(QStringLiteral("--te ") + sample(QStringLiteral("matmul.te")));
    QVERIFY2(run.exitCode == 0, run.story().constData());
    QVERIFY2(run.out.contains(QStringLiteral("/round-001: 1 candidate of matmul")), run.story().constData());
    run = ofLog(QStringLiteral("--json --record all --te ") + sample(QStringLiteral("matmul.te")));
    const QJsonObject alone = run.json().object()[QStringLiteral("rounds")].toArray().at(0).toObject();
    QCOMPARE(alone[QStringLiteral("candidates")].toInt(), 3);
    QVERIFY(alone[QStringLiteral("target")].toString().startsWith(QStringLiteral("llvm ")));
    const QByteArray bundle = contents(alone[QStringLiteral("round")].toString() + QStringLiteral("/bundle.json"));
    QVERIFY(bundle.contains("\"layout_rewrite\":2") || bundle.contains("\", 2, []"));
    run = ofLog(QStringLiteral("--candidates 2"));
    QVERIFY2(run.exitCode == 2 && run.error.contains(QStringLiteral("is a tuning log, whose records leave")),
             run.story().constData());
    run = ofLog(QStringLiteral("--target cuda --te ") + sample(QStringLiteral("matmul.te")));
    QVERIFY2(run.exitCode == 1 && run.error.contains(QStringLiteral("whose steps are not for it")),
             run.story().constData());

    // What comes back of a changed source is not filed.
    QFile source(folder + QStringLiteral("/round-002/candidate-000.c"));
    QVERIFY(source.open(QIODevice::Append) && source.write("/* faster */\n") > 0);
    source.close();
    QVERIFY(QFile::copy(m_runner, folder + QStringLiteral("/round-002/runner")));
    QCOMPARE(madeRun(folder + QStringLiteral("/round-002"), QStringLiteral("run")), 0);
    run = imported(folder, log);
    QCOMPARE(run.exitCode, 1);
    QVERIFY2(run.error.contains(QStringLiteral("candidate 0: its source was changed before it was run")),
             run.story().constData());
    QCOMPARE(records(log).size(), 3);
}

void BundleCliTest::aSearchThroughBundles() {
    const QString folder = newPath("bundles");
    const QString log = newPath("log.json");
    const CliRun run = runCli(tuned(folder, log, runs()) + QStringList(QStringLiteral("--json")));
    QVERIFY2(run.exitCode == 0, run.story().constData());
    const QJsonObject json = run.json().object();
    QCOMPARE(json[QStringLiteral("trials")].toInt(), 4);
    QVERIFY(json[QStringLiteral("best")].toObject()[QStringLiteral("seconds")].toDouble() > 0);
    QVERIFY(!json[QStringLiteral("compared")].toArray().isEmpty()); // in turn, in a round of its own
    QCOMPARE(records(log).size(), 4);
    QCOMPARE(contents(log).count("# measured on "), 4);
    QVERIFY2(run.error.contains(QStringLiteral("round-002 waits for results of 2 candidates: cp ")),
             run.story().constData());
    QCOMPARE(QDir(folder).entryList({QStringLiteral("round-*")}).size(), 3);
}

/// As when they are copied from another machine: what is half there is looked at again.
void BundleCliTest::resultsThatArriveByHalves() {
    const QString folder = newPath("bundles");
    const QString log = newPath("log.json");
    const QString copied =
        QStringLiteral("mkdir {}/there && cp {}/Makefile {}/*.* {}/there && cp %1 {}/there/runner && "
                       "make -C {}/there run && head -c 300 {}/there/results.json > {}/results.json && sleep 0.7 && "
                       "cat {}/there/results.json > {}/results.json")
            .arg(m_runner);
    const CliRun run = runCli(tuned(folder, log, copied));
    QVERIFY2(run.exitCode == 0, run.story().constData());
    QCOMPARE(records(log).size(), 4);
}

void BundleCliTest::aSearchThatIsContinued() {
    const QString folder = newPath("bundles");
    const QString log = newPath("log.json");
    // A machine that gives up before the second round.
    const QString once = QStringLiteral("case {} in *001) %1;; *) exit 3;; esac").arg(runs());
    CliRun run = runCli(tuned(folder, log, once));
    QCOMPARE(run.exitCode, 1);
    QVERIFY2(
        run.error.contains(QStringLiteral("the command of round-002 exited with code 3 and left 2 candidates without "
                                          "a result; what came is kept, and the search can be continued with the "
                                          "same folder")),
        run.story().constData());
    QCOMPARE(records(log).size(), 2);

    run = runCli(tuned(folder, log, runs())); // the log is known without --resume: the folder says what was measured
    QVERIFY2(run.exitCode == 0, run.story().constData());
    QVERIFY2(run.error.contains(QStringLiteral("4 trials of rounds in ")), run.story().constData());
    QCOMPARE(records(log).size(), 4);
    const QByteArray text = contents(log);
    for (const QByteArray &record : records(log)) QCOMPARE(text.count(record), 1);
}

void BundleCliTest::aSearchThatWaits() {
    const QString folder = newPath("bundles");
    const QString log = newPath("log.json");
    QProcess search;
    search.start(cliPath(), tuned(folder, log, {}));
    const QString round = folder + QStringLiteral("/round-001");
    QByteArray told;
    const auto says = [&](const char *what) {
        told += search.readAllStandardError();
        return told.contains(what);
    };
    QTRY_VERIFY_WITH_TIMEOUT(says("bring its results.json back to"), 60000);
    QVERIFY2(told.contains("round-001 waits for results of 2 candidates: run `make -C " + round.toUtf8() + " run`"),
             told.constData());
    QVERIFY(QFile::copy(m_runner, round + QStringLiteral("/runner")));
    QCOMPARE(madeRun(round, QStringLiteral("run")), 0);
    QTRY_VERIFY_WITH_TIMEOUT(says("round-002 waits for"), 60000);
    search.terminate(); // as Ctrl-C does
    QVERIFY(search.waitForFinished(20000));
    QCOMPARE(search.exitCode(), 1);
    told += search.readAllStandardError();
    QVERIFY2(told.contains("interrupted after 2 of 4 trials; the log keeps them"), told.constData());
    QCOMPARE(records(log).size(), 2);
}

void BundleCliTest::gpuCandidates() {
    const QString folder = newPath("bundles");
    const CliRun run =
        runCli(words(QStringLiteral("bundle export")) + smallMatmul() +
               QStringList{QStringLiteral("--target"), QStringLiteral("cuda -arch=sm_80"),
                           QStringLiteral("--candidates"), QStringLiteral("2"), QStringLiteral("-o"), folder});
    QVERIFY2(run.exitCode == 0, run.story().constData());
    const QByteArray bundle = contents(folder + QStringLiteral("/round-001/bundle.json"));
    QVERIFY(bundle.contains("\"kind\":\"cuda\",\"architecture\":\"sm_80\""));
    const QByteArray source = contents(folder + QStringLiteral("/round-001/candidate-001.cu"));
    QVERIFY2(source.contains("candidate_001_kernel0("), source.constData());
    QVERIFY(contents(folder + QStringLiteral("/round-001/README.txt")).contains("NVRTC or nvcc"));
}

/// The machine with the GPU has a driver and a compiler that only pretend to be some.
void BundleCliTest::aSearchForAGpu() {
    const QString folder = newPath("bundles");
    const QString log = newPath("log.json");
    const QString nvcc =
        written(m_dir, QStringLiteral("nvcc"), "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\ncp \"$3\" \"$2\"\n");
    QVERIFY(QFile::setPermissions(nvcc, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    const QString machine = QStringLiteral("export CUDA_DRIVER=%1 NVCC=%2 MOCK_SHAPE=48,64,32; ")
                                .arg(QStringLiteral(LOOPSCOPE_MOCK_DRIVER), nvcc);
    const CliRun run = runCli(tuned(folder, log, machine + runs()) +
                              QStringList{QStringLiteral("--target"), QStringLiteral("cuda -arch=sm_80")});
    QVERIFY2(run.exitCode == 0, run.story().constData());
    QVERIFY2(run.out.contains(QStringLiteral("4 trials, 4 verified\nbest: 1.250 ms")), run.story().constData());
    QCOMPARE(records(log).size(), 4);
    QCOMPARE(contents(log).count(": Mock GPU; "), 4);
}

void BundleCliTest::refusals_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("why");
    const QStringList tune = QStringList(QStringLiteral("tune")) + smallMatmul();
    QTest::newRow("no folder") << tune + words(QStringLiteral("--runner bundle:")) << 2
                               << QStringLiteral("--runner bundle:DIR: DIR is missing, the folder that rounds are "
                                                 "written to");
    QTest::newRow("command alone") << tune + words(QStringLiteral("--bundle-command make")) << 2
                                   << QStringLiteral("--bundle-command runs the rounds of --runner bundle:DIR");
    QTest::newRow("export of nothing") << words(QStringLiteral("bundle export")) + smallMatmul() +
                                              words(QStringLiteral("-o x"))
                                       << 2
                                       << QStringLiteral("which candidates? give --log FILE for its records, or "
                                                         "--candidates N for those of a search");
    QTest::newRow("import of nothing") << words(QStringLiteral("bundle import /nowhere --log x.json")) << 1
                                       << QStringLiteral("/nowhere: there is no bundle here: neither bundle.json nor a "
                                                         "folder round-NNN with one");
    QTest::newRow("no command") << words(QStringLiteral("bundle")) << 2
                                << QStringLiteral("a command of bundle is missing: export or import");
}

void BundleCliTest::refusals() {
    QFETCH(const QStringList, arguments);
    QFETCH(const int, code);
    QFETCH(const QString, why);
    const CliRun run = runCli(arguments);
    QCOMPARE(run.exitCode, code);
    QVERIFY2(run.error.contains(why), run.story().constData());
}

LOOPSCOPE_TEST(BundleCliTest)
#include "bundle_test.moc"
