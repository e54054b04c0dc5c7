// Whatever is wrong with what the user gives: one clear sentence on standard error, nothing on standard output, exit
// code 1 for what cannot be done and 2 for a command line that makes no sense.

#include "cli_process.h"
#include "test_program.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

class BadInputTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

  private slots:
    void commandLines_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("names"); // what the message must name
        const QString matmul = sample("matmul.te");
        const QStringList show = {"show", matmul, "--as", "loops"};
        QTest::newRow("nothing") << QStringList{} << "command is missing";
        QTest::newRow("unknown command") << QStringList{"poem"} << "there is no command poem;";
        QTest::newRow("mistyped command") << QStringList{"tun", matmul} << "no command tun (did you mean `tune`?)";
        QTest::newRow("mistyped option") << QStringList{"tune", matmul, "--trails", "9"}
                                         << "tune has no option --trails (did you mean `--trials`?)";
        QTest::newRow("mistyped option that is needed")
            << QStringList{"show", matmul, "--ass", "dag"} << "show has no option --ass (did you mean `--as`?)";
        QTest::newRow("mistyped option with a value")
            << QStringList{"tune", matmul, "--sed=9"} << "no option --sed (did you mean `--seed`?)";
        QTest::newRow("mistyped option of no command") << QStringList{"--verison"} << "(did you mean `--version`?)";
        QTest::newRow("mistyped form") << QStringList{"show", matmul, "--as", "dga"} << "(did you mean `dag`?)";
        QTest::newRow("mistyped rival") << QStringList{"bench", matmul, "--log", "x", "--against", "naive,openblsa"}
                                        << "(did you mean `openblas`?)";
        QTest::newRow("no file") << QStringList{"tune"} << "file";
        QTest::newRow("unknown option") << QStringList{"tune", matmul, "--speed", "9"} << "--speed";
        QTest::newRow("no form") << QStringList{"show", matmul} << "--as";
        QTest::newRow("unknown form") << QStringList{"show", matmul, "--as", "poem"} << "poem";
        QTest::newRow("zero trials") << QStringList{"tune", matmul, "--trials", "0"} << "--trials";
        QTest::newRow("trials as a word") << QStringList{"tune", matmul, "--trials", "many"} << "many";
        QTest::newRow("negative time") << QStringList{"tune", matmul, "--time-limit", "-1"} << "--time-limit";
        QTest::newRow("resume without log") << QStringList{"tune", matmul, "--resume"} << "--log";
        QTest::newRow("record without log") << show + QStringList{"--record", "3"} << "--log";
        QTest::newRow("best without log") << show + QStringList{"--record", "best"} << "--log";
        QTest::newRow("param without value") << show + QStringList{"--param", "N"} << "NAME=VALUE";
        QTest::newRow("param without name") << show + QStringList{"--param", "=4"} << "NAME=VALUE";
        QTest::newRow("param as a word") << show + QStringList{"--param", "N=four"} << "whole number";
        QTest::newRow("param as a fraction") << show + QStringList{"--param", "N=4.5"} << "whole number";
        QTest::newRow("param beyond 64 bits") << show + QStringList{"--param", "N=9223372036854775808"}
                                              << "between -9223372036854775808 and 9223372036854775807";
        QTest::newRow("param twice") << show + QStringList{"--param", "N=4", "--param", "N=5"} << "given twice";
        QTest::newRow("negative seed") << QStringList{"tune", matmul, "--seed", "-1"} << "from 0 to";
        QTest::newRow("seed as a word") << QStringList{"tune", matmul, "--seed", "x"} << "from 0 to";
        QTest::newRow("seed beyond 64 bits")
            << QStringList{"tune", matmul, "--seed", "18446744073709551616"} << "18446744073709551615";
        QTest::newRow("no number of seconds") << QStringList{"tune", matmul, "--time-limit", "nan"} << "from 0 to 1e9";
        QTest::newRow("measure without log") << QStringList{"measure", matmul} << "--log";
        for (const QString list : {",", "", "naive,", ",naive", "naive,,onednn"})
            QTest::addRow("rivals '%s'", qPrintable(list))
                << QStringList{"bench", matmul, "--log", "x", "--against", list}
                << "`" + list + "` has an empty name; give naive, openblas, onednn, blis, with commas between";
        QTest::newRow("unknown rival") << QStringList{"bench", matmul, "--log", "x", "--against", "mkl"} << "mkl";
    }
    void commandLines() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, names);
        const CliRun run = runCli(arguments);
        QVERIFY2(run.exitCode == 2, run.story());
        QVERIFY2(run.out.isEmpty(), run.story());
        QVERIFY2(run.error.contains(names), run.story());
        QVERIFY2(run.error.startsWith("loopscope-cli: ") && run.error.count('\n') == 1, run.story());
    }

    void aReferenceBeyondTheTimeLimit() {
        QElapsedTimer timer;
        timer.start();
        const CliRun run = runCli({"tune", sample("matmul.te"), "--param", "N=3000", "--param", "M=3000", "--param",
                                   "K=6000", "--time-limit", "1", "--json"});
        QVERIFY2(run.exitCode == 1 && run.json().isObject(), run.story()); // {"error": ...}
        // Where another process had the machine first, it says so between the two.
        QVERIFY2(
            run.error.contains("computing the reference answer, which every kernel is checked against, took longer "
                               "than --time-limit 1") &&
                run.error.contains("; give it more seconds"),
            run.story());
        QVERIFY(timer.elapsed() < 15000);
    }

    void workloads_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("place"); // line:column and a word of the sentence
        QTest::addColumn<QString>("word");
        const QByteArray head = "workload w(N = 4)\nA = placeholder [N] float32\n";
        QTest::newRow("empty") << QByteArray() << ":1:1: "
                               << "workload";
        QTest::newRow("syntax") << head + "B(i < N) = A[i] + + 2\n"
                                << ":3:19: "
                                << "expression";
        QTest::newRow("cycle") << head + "B(i < N) = C[i] + 1\nC(i < N) = B[i] + 1\n"
                               << ":3:12: "
                               << "cyclic";
        QTest::newRow("reads itself") << head + "B(i < N) = B[i] + A[i]\n"
                                      << ":3:12: "
                                      << "cyclic";
        QTest::newRow("types") << head + "B(i < N) = A[i] && A[i]\n"
                               << ":3:17: "
                               << "float32";
        QTest::newRow("rank") << head + "B(i < N) = A[i, i]\n"
                              << ":3:12: "
                              << "1 dimension";
        QTest::newRow("unknown tensor") << head + "B(i < N) = Q[i]\n"
                                        << ":3:12: "
                                        << "Q";
        QTest::newRow("zero extent") << QByteArray("workload w(N = 0)\nA = placeholder [N] float32\n") << ":2:18: "
                                     << "at least 1";
        QTest::newRow("nothing computed") << head << ":2:"
                                          << "computes nothing";
        QTest::newRow("number beyond 64 bits") << head + "B(i < N) = A[i] + 9223372036854775808\n"
                                               << ":3:19: "
                                               << "9223372036854775807 is the largest";
        QTest::newRow("binary") << head + QByteArray("B\x00\xff", 3) << ":3:2: "
                                << "0x00";
        QTest::newRow("not UTF-8") << head + "# na\xefve\n"
                                   << ":3:5: "
                                   << "0xef";
        QTest::newRow("always outside") << head + "B(i < N) = A[i + 100]\n"
                                        << ":3:12: "
                                        << "outside";
    }
    void workloads() {
        QFETCH(QByteArray, text);
        QFETCH(QString, place);
        QFETCH(QString, word);
        const QString path = written(m_folder, "broken.te", text);
        for (const QStringList &command : {QStringList{"show", path, "--as", "dag"}, QStringList{"tune", path}}) {
            const CliRun run = runCli(command);
            QVERIFY2(run.exitCode == 1, run.story());
            QVERIFY2(run.out.isEmpty(), run.story());
            const QStringList lines = run.error.split('\n', Qt::SkipEmptyParts);
            QVERIFY2(lines[0].startsWith("loopscope-cli: " + path + place), run.story());
            QVERIFY2(lines[0].contains(word), run.story());
            QVERIFY2(lines.size() == 1 || lines.last().trimmed().startsWith("^"), run.story());
        }
    }

    void theCaretStandsBelowTheFault() {
        const QString path =
            written(m_folder, "caret.te", "workload w(N = 4)\nA = placeholder [N] float32\nB(i < N) = A[i] + + 2\n");
        const QStringList lines = runCli({"show", path, "--as", "dag"}).error.split('\n');
        QCOMPARE(lines[1], "B(i < N) = A[i] + + 2");
        QCOMPARE(lines[2], QString(18, ' ') + "^");
    }

    void filesAndValues_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("sentence");
        const QString matmul = sample("matmul.te");
        const auto with = [&](const QString &param) {
            return QStringList{"show", matmul, "--as", "key", "--param", param};
        };
        QTest::newRow("missing file") << QStringList{"show", "missing.te", "--as", "dag"} << "missing.te: ";
        QTest::newRow("folder") << QStringList{"show", sample(""), "--as", "dag"} << "directory";
        QTest::newRow("unknown param") << with("Q=3") << "no parameter `Q`";
        QTest::newRow("zero extent") << with("N=0") << "at least 1";
        QTest::newRow("negative extent") << with("N=-7") << "at least 1";
        QTest::newRow("huge extent") << with("N=4000000000") << "at most";
        QTest::newRow("largest number") << with("N=9223372036854775807") << "at most";
        QTest::newRow("huge tensors") << QStringList{"tune",         matmul,    "--param",
                                                     "N=1000000000", "--param", "M=1000000000"}
                                      << "more than";
        QTest::newRow("unknown target") << QStringList{"show", matmul, "--as", "dag", "--target", "abacus"} << "abacus";
        QTest::newRow("unknown cpu") << QStringList{"show", matmul, "--as", "dag", "--target", "llvm -mcpu=abacus"}
                                     << "abacus";
        QTest::newRow("cuda search") << QStringList{"tune", matmul, "--target", "cuda"} << "GPU";
        QTest::newRow("missing log") << QStringList{"measure", matmul, "--log", "missing.json"} << "missing.json: ";
        QTest::newRow("missing log to resume")
            << QStringList{"tune", matmul, "--resume", "--log", m_folder.filePath("missing.json")}
            << "no log to resume from";
        QTest::newRow("too many cores") << QStringList{"show", matmul,     "--as",
                                                       "dag",  "--target", "llvm -num-cores=99999999999"}
                                        << "from 1 to 2147483647";
        QTest::newRow("unwritable log") << QStringList{"tune", matmul, "--log", "/proc/no/log.json"} << "/proc/no/log";
        QTest::newRow("folder as log") << QStringList{"tune", matmul, "--log", m_folder.path()} << "directory";
        QTest::newRow("empty log") << QStringList{"bench", matmul, "--log", written(m_folder, "empty.json", "")}
                                   << "no record";
        QTest::newRow("empty log, number")
            << QStringList{"measure", matmul, "--log", written(m_folder, "empty2.json", ""), "--record", "0"}
            << "no readable record";
        const QString autoTvm =
            written(m_folder, "autotvm.log",
                    R"({"input": ["llvm", "dense_pack.x86", [["TENSOR", [1, 512], "float32"]], {}], )"
                    R"("config": {"index": 7, "entity": []}, "result": [[0.001], 0, 0.4, 1.6e9], "version": 0.2})"
                    "\n");
        const QStringList none{"log", "info", written(m_folder, "none.json", "# a remark\n")};
        QTest::newRow("empty log, best") << QStringList{"log", "best", none[2]} << "the log holds no readable record";
        for (const QStringList &command :
             {QStringList{"log", "info", autoTvm}, QStringList{"log", "best", autoTvm},
              QStringList{"tune", matmul, "--log", autoTvm}, QStringList{"measure", matmul, "--log", autoTvm},
              QStringList{"log", "follow", autoTvm, "--seconds", "1"}})
            QTest::newRow(qPrintable("AutoTVM: " + command[0] + " " + command[1]))
                << command << "this is an AutoTVM log";
        QTest::newRow("device as log") << QStringList{"tune", matmul, "--log", "/dev/null"}
                                       << "this is a pipe or a device";
        QTest::newRow("deep keys") << QStringList{"log", "info", autoTvm, "--keys",
                                                  written(m_folder, "deep.json", QByteArray(1000000, '['))}
                                   << "the key table nests deeper than 64 levels";
        QTest::newRow("deep table") << QStringList{"net", "run", m_folder.filePath("no.net"), "--dispatch",
                                                   written(m_folder, "table.json", QByteArray(1000000, '{'))}
                                    << "the dispatch table nests deeper than 64 levels";
        QTest::newRow("deep plan") << QStringList{"net", "run",
                                                  written(m_folder, "deep.plan", QByteArray(1000000, '['))}
                                   << "nests deeper than 64 levels";
        QTest::newRow("plan of another type")
            << QStringList{"net", "run",
                           written(m_folder, "type.plan", R"({"format": "loopscope execution plan", "version": "1"})")}
            << "this plan has version \"1\"";
        QTest::newRow("table of another type")
            << QStringList{"net", "run", m_folder.filePath("no.net"), "--dispatch",
                           written(m_folder, "type.json",
                                   R"({"format": "loopscope dispatch table", "version": 1, "network": 3})")}
            << "network is a number; a string is expected";
        QTest::newRow("not a log") << QStringList{"measure", matmul, "--log",
                                                  written(m_folder, "novel.json", "It was a dark night\n")}
                                   << "no record";
    }
    void aLogWithoutARecordIsTold() {
        const QString log = written(m_folder, "nothing.json", "# a remark\nnot JSON\n");
        const CliRun text = runCli({"log", "info", log});
        QVERIFY2(text.exitCode == 1 && text.out.contains("0 records"), text.story());
        QVERIFY2(text.error.contains("nothing.json: the log holds no readable record"), text.story());
        const CliRun json = runCli({"log", "info", log, "--json"});
        QVERIFY2(json.exitCode == 1, json.story());
        QCOMPARE(json.json()["error"].toString(), QString("the log holds no readable record"));
    }

    void filesAndValues() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, sentence);
        const CliRun run = runCli(arguments);
        QVERIFY2(run.exitCode == 1, run.story());
        QVERIFY2(run.out.isEmpty(), run.story());
        QVERIFY2(run.error.contains(sentence), run.story());
        QVERIFY2(run.error.count("loopscope-cli: ") == 1, run.story());
        QVERIFY2(run.error.count('\n') <= 8, run.story()); // also of a log in which every line is broken
    }

    /// What the processes beside this one need is missing: the sentence names it, whichever command comes upon it.
    void withoutAWorker_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("tune") << QStringList{"tune"} + smallMatmul() + QStringList{"--trials", "1"};
        QTest::newRow("show") << QStringList{"show"} + smallMatmul() + QStringList{"--as", "asm"};
    }
    void withoutAWorker() {
        QFETCH(QStringList, arguments);
        const auto lastLineUnder = [&](const QString &shell) {
            QProcess process;
            process.start("bash", QStringList{"-c", shell + " exec \"$0\" \"$@\"", cliPath()} + arguments);
            const bool ended = process.waitForFinished(60000);
            return QString::fromUtf8(process.readAllStandardError()).trimmed().section('\n', -1) +
                   QString(" (%1)").arg(ended ? process.exitCode() : -1);
        };
        const QString other = lastLineUnder("LOOPSCOPE_WORKER=/bin/false");
        QVERIFY2(other.contains("exited with code 1") &&
                     other.endsWith("; LOOPSCOPE_WORKER names /bin/false, which has to be the loopscope-worker of this "
                                    "version (1)"),
                 qPrintable(other));
        // One of an older build answers in its own way: it does not understand what it is told.
        const QString old = written(m_folder, "old-worker",
                                    "#!/bin/sh\n"
                                    "printf '\\022\\0\\0\\0\\0\\0\\0\\0\\001\\001\\0\\0\\0\\0\\0\\0\\0x"
                                    "\\0\\0\\0\\0\\0\\0\\0\\0' >&3\n"
                                    "exec sleep 5\n");
        QVERIFY(QFile::setPermissions(old, QFile::ReadOwner | QFile::ExeOwner));
        const QString told = lastLineUnder("LOOPSCOPE_WORKER=" + old);
        QVERIFY2(told.endsWith(old + ": this worker is of another build of Loopscope than the program that started it; "
                                     "build both together, or name the right one with LOOPSCOPE_WORKER (1)"),
                 qPrintable(told));
        QCOMPARE(lastLineUnder("ulimit -n 12;"),
                 "loopscope-cli: ulimit -n allows 12 open files at once, and working with child processes takes 32; "
                 "allow more, as with `ulimit -n 1024` (1)");
    }
};

LOOPSCOPE_TEST(BadInputTest)
#include "bad_input_test.moc"
