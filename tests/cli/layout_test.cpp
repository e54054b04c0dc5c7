// `loopscope-cli layout` as a user calls it: the choice as text and as JSON, the files it writes, and what is refused.

#include "cli_process.h"
#include "test_program.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

namespace {

const QByteArray kProduct = "workload product(N = 512)\n"
                            "A = placeholder [16, N] float32\n"
                            "B = placeholder [N, N] float32\n"
                            "C(i < 16, j < N) = sum(k < N; A[i, k] * B[k, j])\n";
const QByteArray kConstant = kProduct + "    @layout_free_placeholders[\"B\"]\n";

QByteArray bytesOf(const QString &path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class LayoutCommandTest : public QObject {
    Q_OBJECT
  private slots:
    void columnsAreTurned() {
        const QTemporaryDir folder;
        const QString file = written(folder, "product.te", kProduct);
        const CliRun run = runCli({"layout", file});
        QVERIFY2(run.exitCode == 0, run.story());
        QVERIFY2(run.out.contains("product, the loops of the naive schedule: what all their accesses miss\n"),
                 run.story());
        QVERIFY2(run.out.contains("* [j][k] "), run.story());
        QVERIFY2(run.out.contains("B_packed(j < 512, k < 512) =\n    B[k, j]\n    @layout["), run.story());
        QVERIFY2(run.out.contains("A[i, k] * B_packed[j, k]"), run.story());
        // On loops that walk the rows there is nothing to gain.
        const QString script = written(folder, "rows.schedule", "reorder C i, k, j\nvectorize C j\n");
        const CliRun rows = runCli({"layout", file, "--script", script});
        QVERIFY2(rows.exitCode == 0, rows.story());
        QVERIFY2(rows.out.endsWith("No layout pays on these loops: the workload stays as it is.\n"), rows.story());
    }

    void choiceAsJson() {
        const QTemporaryDir folder;
        const CliRun run = runCli({"layout", written(folder, "product.te", kProduct), "--tensor", "B", "--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonObject value = run.json().object();
        QCOMPARE(value["workload"].toString(), "product");
        QCOMPARE(value["levels"].toArray().last()["name"].toString(), "pages");
        QVERIFY(value["after"]["cycles"].toDouble() < value["before"]["cycles"].toDouble() / 2);
        const QJsonArray tensors = value["tensors"].toArray();
        QCOMPARE(tensors.size(), 1);
        QCOMPARE(tensors[0]["tensor"].toString(), "B");
        QCOMPARE(tensors[0]["taken"].toArray(), QJsonArray{0});
        const QJsonArray layouts = tensors[0]["layouts"].toArray();
        QCOMPARE(layouts[0]["layout"].toString(), "[j][k]");
        QCOMPARE(layouts[0]["by"].toString(), "a copy stage");
        QVERIFY(layouts[0]["pays"].toBool());
        QCOMPARE(layouts[0]["cost"]["misses"].toArray().size(), value["levels"].toArray().size());
        QCOMPARE(value["chosen"].toArray().size(), 1);
        QVERIFY(value["rewritten"].toString().startsWith("workload product()\n"));
        QVERIFY(value["prepack"].toArray().isEmpty());
    }

    /// What is written is a workload like any other; what packs constants stands beside it.
    void filesAreWritten() {
        const QTemporaryDir folder;
        const QString file = written(folder, "product.te", kConstant);
        const QString out = folder.filePath("laid_out.te");
        const CliRun run = runCli({"layout", file, "--out", out, "--prepack", folder.filePath("packs")});
        QVERIFY2(run.exitCode == 0, run.story());
        QVERIFY2(bytesOf(out).contains("B_packed = placeholder [512, 512] float32\n"), bytesOf(out).constData());
        QVERIFY2(bytesOf(out).contains("A[i, k] * B_packed[j, k]"), bytesOf(out).constData());
        const QByteArray pack = bytesOf(folder.filePath("packs/B_prepack.te"));
        QVERIFY2(pack.startsWith("workload product_prepack()\n") && pack.contains("@layout["), pack.constData());
        const CliRun again = runCli({"layout", out});
        QVERIFY2(again.exitCode == 0, again.story());
        QVERIFY2(again.out.endsWith("the workload stays as it is.\n"), again.story());
        const CliRun none = runCli({"layout", written(folder, "plain.te", kProduct), "--prepack", folder.path()});
        QCOMPARE(none.exitCode, 1);
        QVERIFY2(none.error.contains("layout: --prepack: no constant is laid out otherwise"), none.story());
    }

    /// Images that are read along their rows stay as they are.
    void pipelinesStay() {
        for (const char *name : {"blur", "unsharp"}) {
            const CliRun run = runCli({"layout", sample("pipelines/" + QString(name) + ".te"), "--by", "grouping"});
            QVERIFY2(run.exitCode == 0, run.story());
            QVERIFY2(run.out.endsWith("No layout pays on these loops: the workload stays as it is.\n"), run.story());
        }
    }

    void refusals_data() {
        QTest::addColumn<QStringList>("arguments"); // FOLDER/ stands for a folder with the files made below
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char *name, const QStringList &arguments, int exitCode, const char *sentence) {
            QTest::newRow(name) << arguments << exitCode << QString(sentence);
        };
        const QString file = "FOLDER/product.te";
        row("no such tensor", {file, "--tensor", "C"}, 2,
            "--tensor C: there is no such tensor that may lie otherwise; there are B, A");
        row("no tensor at all", {"FOLDER/line.te", "--tensor", "x"}, 2,
            "--tensor x: there is no such tensor that may lie otherwise; there is none");
        row("a GPU", {file, "--target", "cuda -arch=sm_80"}, 1,
            "layout: the target is a GPU, and what a layout costs is counted for the caches of processors; use "
            "--target llvm");
        row("a mode for nobody", {file, "--mode", "compat"}, 2, "--machine and --mode belong to --by grouping");
        row("a machine for nobody", {file, "--machine", "4,4k,40", "--by", "naive"}, 2,
            "--machine and --mode belong to --by grouping");
        row("a search", {file, "--by", "search"}, 2, "--by");
        row("no beam", {file, "--beam", "0"}, 2, "--beam");
        row("too wide a beam", {file, "--beam", "17"}, 2, "--beam");
        row("no row", {file, "--most", "0"}, 2, "--most");
        row("a script and a scheduler", {file, "--script", "FOLDER/rows.schedule", "--by", "naive"}, 2, "--by");
        row("a log and a scheduler", {file, "--log", "FOLDER/none.json", "--by", "naive"}, 2, "--by");
        row("a script and a log", {file, "--script", "FOLDER/rows.schedule", "--log", "FOLDER/none.json"}, 2, "--log");
        row("no such log", {file, "--log", "FOLDER/none.json"}, 1, "none.json");
        row("a script of other stages", {file, "--script", "FOLDER/wrong.schedule"}, 1, "wrong.schedule:1");
        row("no constant", {file, "--prepack", "FOLDER/packs"}, 1,
            "layout: --prepack: no constant is laid out otherwise, so there is nothing to pack ahead of time");
        row("no folder for the workload", {file, "--out", "FOLDER/there/is/none.te"}, 1,
            "none.te: cannot be written: No such file or directory");
        row("no folder for packs", {"FOLDER/constant.te", "--prepack", "FOLDER/product.te"}, 1,
            "product.te: no such folder can be made");
        row("no workload", {"FOLDER/none.te"}, 1, "none.te");
    }
    void refusals() {
        QFETCH(QStringList, arguments);
        QFETCH(int, exitCode);
        QFETCH(QString, sentence);
        const QTemporaryDir folder;
        written(folder, "product.te", kProduct);
        written(folder, "constant.te", kConstant);
        written(folder, "line.te", "workload line(N = 8)\nx = placeholder [N] float32\ny(i < N) = x[i] + 1.0\n");
        written(folder, "rows.schedule", "reorder C i, k, j\n");
        written(folder, "wrong.schedule", "reorder D i, k, j\n");
        arguments.replaceInStrings("FOLDER/", folder.path() + "/");
        const CliRun run = runCli(QStringList{"layout"} + arguments);
        QCOMPARE(run.exitCode, exitCode);
        QVERIFY2(run.error.contains(sentence), run.story());
        QVERIFY2(run.out.isEmpty(), run.story());
        // A refusal writes nothing.
        QVERIFY(!QFile::exists(folder.filePath("packs")));
        const CliRun json = runCli(QStringList{"layout", "--json"} + arguments);
        QCOMPARE(json.exitCode, exitCode);
        QVERIFY2(json.json().isObject(), json.story());
    }

    /// A beam follows several choices; the one it takes never costs more than the greedy one's.
    void beam() {
        const QTemporaryDir folder;
        const QString file = written(folder, "product.te", kProduct);
        const auto choice = [&](const QStringList &more) {
            const CliRun run = runCli(QStringList{"layout", file, "--json"} + more);
            if (run.exitCode != 0) qFatal("%s", run.story().constData());
            return run.json().object();
        };
        const QJsonObject greedy = choice({});
        QCOMPARE(choice({"--beam", "1"}), greedy);
        const QJsonObject wide = choice({"--beam", "4"});
        QVERIFY(wide["after"]["cycles"].toDouble() <= greedy["after"]["cycles"].toDouble());
        QCOMPARE(wide["before"], greedy["before"]);
        QCOMPARE(wide["chosen"].toArray().size(), 1); // of B
        QCOMPARE(wide["chosen"][0]["tensor"].toString(), "B");
    }
};

LOOPSCOPE_TEST(LayoutCommandTest)
#include "layout_test.moc"
