// `export`: a schedule as files, the list of what there is, and what is refused.

#include "cli_process.h"
#include "test_program.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

namespace {

QStringList exported(const QStringList &more) { return QStringList{"export"} + smallMatmul() + more; }

} // namespace

class CliExportTest : public QObject {
    Q_OBJECT
  private slots:
    void theListSaysWhatEachIs() {
        const CliRun text = runCli({"export", "--format", "list"});
        QVERIFY2(text.exitCode == 0 && text.out.contains("reproducer"), text.story());
        const CliRun json = runCli({"export", "--format", "list", "--json"});
        QVERIFY2(json.exitCode == 0, json.story());
        const QJsonArray list = json.json().array();
        QVERIFY(list.size() >= 9);
        for (const QJsonValue one : list) {
            QVERIFY(one["what"].toString().endsWith('.'));
            QVERIFY(text.out.contains(one["format"].toString() + ' '));
        }
    }

    void aScriptLeavesAsEveryFormat_data() {
        QTest::addColumn<QString>("format");
        QTest::addColumn<QString>("out");
        QTest::addColumn<QStringList>("files");
        QTest::newRow("record") << "record" << "r.json" << QStringList{"r.json"};
        QTest::newRow("script") << "script" << "s.schedule" << QStringList{"s.schedule"};
        QTest::newRow("c") << "c" << "k.c" << QStringList{"k.c", "k.h", "k_main.c"};
        QTest::newRow("cpp") << "cpp" << "p" << QStringList{"p/matmul.cpp", "p/CMakeLists.txt"};
        QTest::newRow("llvm") << "llvm" << "k.ll" << QStringList{"k.ll"};
        QTest::newRow("asm") << "asm" << "k.s" << QStringList{"k.s"};
        QTest::newRow("object") << "object" << "k.o" << QStringList{"k.o", "k.h"};
        QTest::newRow("te-python") << "te-python" << "te.py" << QStringList{"te.py"};
        QTest::newRow("tir-python") << "tir-python" << "tir.py" << QStringList{"tir.py"};
        QTest::newRow("halide") << "halide" << "h.cpp" << QStringList{"h.cpp"};
        if (!QStandardPaths::findExecutable("cc").isEmpty())
            QTest::newRow("library") << "library" << "l" << QStringList{"l/libmatmul.so", "l/matmul.h", "l/matmul.pc"};
    }
    void aScriptLeavesAsEveryFormat() {
        QFETCH(QString, format);
        QFETCH(QString, out);
        QFETCH(QStringList, files);
        const QTemporaryDir folder;
        const QString script = written(folder, "by_hand.schedule", "split C i into 16\nparallel C i.0\n");
        const CliRun run =
            runCli(exported({"--script", script, "--format", format, "--out", folder.filePath(out), "--json"}));
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonObject value = run.json().object();
        QCOMPARE(value["format"].toString(), format);
        QCOMPARE(value["files"].toArray().size(), files.size());
        for (qsizetype i = 0; i < files.size(); ++i) {
            const QJsonObject file = value["files"].toArray()[i].toObject();
            QCOMPARE(file["path"].toString(), folder.filePath(files[i]));
            QCOMPARE(QFileInfo(folder.filePath(files[i])).size(), qint64(file["bytes"].toInt()));
        }
    }

    void gpuSchedulesLeaveAsCuda() {
        const QTemporaryDir folder;
        const QStringList gpu = {"--target", "cuda -arch=sm_86", "--script",
                                 written(folder, "s.schedule", "bind C i blockIdx.x\nbind C j threadIdx.x\n")};
        const CliRun run = runCli(exported(gpu + QStringList{"--format", "cuda", "--out", folder.filePath("k.cu")}));
        QVERIFY2(run.exitCode == 0, run.story());
        QFile file(folder.filePath("k.cu"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        QVERIFY2(text.contains("nvcc -O3 -arch=sm_86 -c k.cu") && text.contains("//   bind C i blockIdx.x"), text);
        QVERIFY2(text.contains("extern \"C\" cudaError_t matmul("), text);
        const CliRun folderRun =
            runCli(exported(gpu + QStringList{"--format", "reproducer", "--out", folder.filePath("r")}));
        QVERIFY2(folderRun.exitCode == 0, folderRun.story());
        QVERIFY2(folderRun.error.contains("has no times, and expected.json says so"), folderRun.story());
        QVERIFY(QFileInfo::exists(folder.filePath("r/matmul.cu")));
        const CliRun refused = runCli(exported(gpu + QStringList{"--format", "c", "--out", folder.filePath("k.c")}));
        QCOMPARE(refused.exitCode, 1);
        QVERIFY2(refused.error.contains("the format c is made for processors (llvm targets), and this schedule is one "
                                        "for a GPU; record, script, cuda, te-python and reproducer are legal"),
                 refused.story());
        QVERIFY(!QFileInfo::exists(folder.filePath("k.c")));
    }

    /// A script has no times: the reproducer measures.
    void aReproducerKnowsItsTime() {
        const QTemporaryDir folder;
        const QString script = written(folder, "by_hand.schedule", "parallel C i\n");
        const CliRun run =
            runCli(exported({"--script", script, "--format", "reproducer", "--out", folder.filePath("r")}));
        QVERIFY2(run.exitCode == 0, run.story());
        QFile expected(folder.filePath("r/expected.json"));
        QVERIFY(expected.open(QIODevice::ReadOnly));
        QVERIFY(QJsonDocument::fromJson(expected.readAll())["seconds"].toDouble() > 0);
        const CliRun shown = runCli({"show", folder.filePath("r/workload.te"), "--as", "script", "--log",
                                     folder.filePath("r/record.json"), "--record", "best"});
        QVERIFY2(shown.exitCode == 0 && shown.out.contains("parallel C i"), shown.story());
    }

    void recordsOfALogLeaveWithTheirTimes() {
        const QTemporaryDir folder;
        const QString log = folder.filePath("log.json");
        const CliRun tuned =
            runCli(QStringList{"tune"} + smallMatmul() + QStringList{"--trials", "2", "--log", log, "--seed", "3"});
        QVERIFY2(tuned.exitCode == 0, tuned.story());
        const CliRun run = runCli(
            exported({"--log", log, "--record", "1", "--format", "record", "--out", folder.filePath("one.json")}));
        QVERIFY2(run.exitCode == 0, run.story());
        const CliRun one = runCli(QStringList{"show"} + smallMatmul() +
                                  QStringList{"--as", "steps", "--log", folder.filePath("one.json"), "--record", "0"});
        const CliRun two =
            runCli(QStringList{"show"} + smallMatmul() + QStringList{"--as", "steps", "--log", log, "--record", "1"});
        QVERIFY2(one.exitCode == 0, one.story());
        QCOMPARE(one.out, two.out);
        const CliRun none =
            runCli(exported({"--log", log, "--record", "2", "--format", "c", "--out", folder.filePath("k.c")}));
        QCOMPARE(none.exitCode, 1);
        QVERIFY2(none.error.contains("no record 2: the log has 2"), none.story());
        QVERIFY(!QFileInfo::exists(folder.filePath("k.c")));
    }

    void refusals_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("said");
        QTest::newRow("unknown format") << exported({"--format", "reproduce", "--out", "x"}) << 2
                                        << "did you mean `reproducer`";
        QTest::newRow("no format") << exported({"--out", "x"}) << 2 << "--format";
        QTest::newRow("no workload") << QStringList{"export", "--format", "c", "--out", "x"} << 2 << "which workload";
        QTest::newRow("no place") << exported({"--format", "c"}) << 2 << "--out PATH";
        QTest::newRow("no log") << exported({"--format", "c", "--out", "x.c", "--log", "/no/where.json"}) << 1
                                << "/no/where.json";
        QTest::newRow("log and script") << exported({"--format", "c", "--out", "x.c", "--log", "a", "--script", "b"})
                                        << 2 << "--script";
        QTest::newRow("a folder") << exported({"--format", "script", "--out", "/tmp"}) << 1
                                  << "/tmp is a folder; the format script writes a file";
        QTest::newRow("unwritable") << exported({"--format", "script", "--out", "/proc/self/none"}) << 1
                                    << "/proc/self/none cannot be written";
        QTest::newRow("unwritable folder") << exported({"--format", "cpp", "--out", "/proc/self/none"}) << 1
                                           << "the folder /proc/self/none cannot be made";
        QTest::newRow("layout") << exported({"--format", "c", "--out", "x.c", "--layout-rewrite", "3"}) << 2 << "3";
    }
    void refusals() {
        QFETCH(QStringList, arguments);
        QFETCH(int, code);
        QFETCH(QString, said);
        const CliRun run = runCli(arguments);
        QCOMPARE(run.exitCode, code);
        QVERIFY2(run.error.contains(said), run.story());
        QVERIFY2(run.out.isEmpty(), run.story());
    }
};

LOOPSCOPE_TEST(CliExportTest)
#include "export_test.moc"
