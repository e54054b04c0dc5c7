// `loopscope-cli layout` as a user calls it: the choice as text and as JSON, the files it writes, and what is refused.

#include "cli_process.h"

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

    void refusals() {
        const QTemporaryDir folder;
        const QString file = written(folder, "product.te", kProduct);
        const CliRun tensor = runCli({"layout", file, "--tensor", "C"});
        QCOMPARE(tensor.exitCode, 2);
        QVERIFY2(tensor.error.contains("--tensor C: there is no such tensor that may lie otherwise; there are B, A"),
                 tensor.story());
        const CliRun gpu = runCli({"layout", file, "--target", "cuda -arch=sm_80"});
        QCOMPARE(gpu.exitCode, 1);
        QVERIFY2(gpu.error.contains("layout: the target is a GPU"), gpu.story());
        const CliRun mode = runCli({"layout", file, "--mode", "compat"});
        QCOMPARE(mode.exitCode, 2);
        QVERIFY2(mode.error.contains("--machine and --mode belong to --by grouping"), mode.story());
    }
};

QTEST_GUILESS_MAIN(LayoutCommandTest)
#include "layout_test.moc"
