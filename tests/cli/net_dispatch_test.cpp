// `loopscope-cli net dispatch` as a user calls it.

#include "cli_process.h"
#include "test_program.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

namespace {

constexpr const char *kOpen = R"(network open
func main(x: float32[n, 24]) {
  w = constant float32[24, 16] random he(fan_in = 24)
  product = matmul(x, w)
  y = relu(product)
  return y
}
)";

} // namespace

class NetDispatchTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    QString m_net;

    CliRun dispatched(const QStringList &more) const {
        return runCli(QStringList{"net", "dispatch", m_net, "--target", "llvm -num-cores=1"} + more);
    }

  private slots:
    void initTestCase() { m_net = written(m_folder, "open.net", kOpen); }

    void aTableIsMadeKeptAndChecked() {
        const QString path = m_folder.filePath("table.json");
        const CliRun run = dispatched({"--sizes", "n=1,8*3,40", "--most", "3", "--out", path, "--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonObject table = run.json().object();
        QCOMPARE(table["symbol"].toString(), "n");
        QCOMPARE(table["bound"].toInt(), 40);
        QCOMPARE(table["weights"].toArray(), (QJsonArray{1, 0.25, 3, 0.25, 1}));
        const QJsonObject kernel = table["kernels"].toArray().first().toObject();
        QVERIFY(!kernel["variants"].toArray().isEmpty() && kernel["variants"].toArray().size() <= 3);
        QVERIFY(kernel["answers"].toInt() > 0);
        QCOMPARE(kernel["penalty"].toArray().size(), 5);
        // Points are 1, 5, 8, 25, 40.
        QCOMPARE(table["unseen"].toArray(), (QJsonArray{2, 6, 13, 30}));
        QCOMPARE(kernel["unseen_seconds"].toArray().size(), 4);
        QCOMPARE(kernel["unseen_static_seconds"].toArray().size(), 4);
        QVERIFY(table["unseen_worst"].toDouble() >= table["unseen_geomean"].toDouble());
        QVERIFY(QFile::exists(path));

        const CliRun good = dispatched({"--check", path});
        QVERIFY2(good.exitCode == 0, good.story());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QByteArray text = file.readAll();
        const QByteArray hash = kernel["variants"].toArray().first().toObject()["hash"].toString().toUtf8();
        text.replace(hash, "0000000000000000");
        const CliRun stale = dispatched({"--check", written(m_folder, "stale.json", text), "--json"});
        QCOMPARE(stale.exitCode, 1);
        QVERIFY2(stale.json().object()["problems"].toArray().first().toString().contains("is stale"), stale.story());

        const CliRun again = dispatched({"--sizes", "n=1,8*3,40", "--most", "3", "--against", path});
        QVERIFY2(again.exitCode == 0 && again.out.contains("against " + path), again.story());
        QVERIFY(again.out.contains("whole network against static kernels: geometric mean"));
        QVERIFY2(again.out.contains("at sizes that no variant was made or chosen for: geometric mean "), again.story());
    }

    /// Its kernels are searched at the sizes first, and a second time there is nothing left to do.
    void sizesAreTuned() {
        const QString log = m_folder.filePath("sizes.json");
        const QStringList how{"--sizes", "n=8,24", "--tune", "4", "--log", log};
        const CliRun run = dispatched(how + QStringList{"--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        QVERIFY2(run.error.contains("2 tasks at n = 8, 24: 8 trials to measure"), run.story());
        QVERIFY2(run.error.contains("matmul_relu at n = "), run.story());
        QStringList origins;
        for (const auto &variant : run.json().object()["kernels"].toArray().first().toObject()["variants"].toArray())
            origins << variant.toObject()["origin"].toString();
        QVERIFY2(origins.join(' ').contains("record "), run.story());
        const CliRun again = dispatched(how);
        QVERIFY2(again.exitCode == 0, again.story());
        QVERIFY2(again.error.contains("2 tasks at n = 8, 24: 0 trials to measure"), again.story());
        const CliRun without = dispatched({"--sizes", "n=8,24", "--tune", "4"});
        QCOMPARE(without.exitCode, 2);
        QVERIFY2(without.error.contains("--tune needs one --log FILE"), without.story());
    }

    void aNetworkRunsByItsTable() {
        const QString path = m_folder.filePath("runs.json");
        const CliRun made = dispatched({"--sizes", "n=1,8,24", "--out", path, "--programs"});
        QVERIFY2(made.exitCode == 0, made.story());
        QVERIFY2(made.out.contains("kernel(p0: float32["), made.story());
        const auto byTable = [&](const QString &command, const QStringList &more) {
            return runCli(QStringList{"net", command, m_net, "--target", "llvm -num-cores=1", "--dispatch", path} +
                          more);
        };
        // A size that no kernel was made at.
        const CliRun verified = byTable("verify", {"--dim", "n=13", "--json"});
        QVERIFY2(verified.exitCode == 0, verified.story());
        const QJsonObject json = verified.json().object();
        QCOMPARE(json["size"].toInt(), 13);
        QVERIFY(!json["choices"].toArray().isEmpty());
        QVERIFY(json["outputs"].toArray().first().toObject()["ok"].toBool());
        const CliRun profiled = byTable("profile", {"--dim", "n=20", "--runs", "3"});
        QVERIFY2(profiled.exitCode == 0 && profiled.out.contains("a run takes "), profiled.story());
        // What runs says how large it is, and is what its input says.
        const QString out = m_folder.filePath("y.npy");
        const CliRun run = byTable("run", {"--dim", "n=5", "--output", "y=" + out});
        QVERIFY2(run.exitCode == 0 && run.out.contains("y: float32[5, 16]"), run.story());
        QVERIFY2(run.error.contains("the kernels of this size were chosen in"), run.story());
        QByteArray text(kOpen);
        text.replace("float32[n, 24]", "float32[n, 16]").replace("float32[24, 16]", "float32[16, 16]");
        const CliRun other = runCli({"net", "run", written(m_folder, "wide.net", text), "--target", "llvm -num-cores=1",
                                     "--dispatch", path, "--input", "x=" + out});
        QVERIFY2(other.exitCode == 1 && other.error.contains("the table is not to be used with"), other.story());

        // What comes is kept, and a table is made of it.
        const QString traffic = m_folder.filePath("traffic.txt");
        for (const char *size : {"n=9", "n=3", "n=9"}) {
            const CliRun one = byTable("run", {"--dim", size, "--traffic", traffic});
            QVERIFY2(one.exitCode == 0, one.story());
        }
        const CliRun table = dispatched({"--traffic", traffic, "--json"});
        QVERIFY2(table.exitCode == 0, table.story());
        QCOMPARE(table.json().object()["points"].toArray(), (QJsonArray{3, 7, 9}));
        QCOMPARE(table.json().object()["weights"].toArray(), (QJsonArray{1, 0.25, 2}));
        const CliRun damaged = dispatched({"--traffic", written(m_folder, "bad.txt", "n=4\nm=5\n")});
        QVERIFY2(damaged.exitCode == 1 && damaged.error.contains("bad.txt:2:1: 'm=5' is not of the form n=N"),
                 damaged.story());

        const auto refused = [&](const QStringList &more, const QString &sentence) {
            const CliRun wrong = byTable("run", more);
            QVERIFY2(wrong.exitCode != 0 && wrong.error.contains(sentence), wrong.story());
        };
        refused({}, "say how large n is, with --dim n=N or by an input that has it");
        refused({"--dim", "n=25"}, "n = 25 is none of the table's sizes, which are 1 to 24");
        refused({"--dim", "n=4", "--layouts", "nhwc"}, "--layouts and --dispatch: the table says which schedules run");
    }

    void wrongSizesAreRefused_data() {
        QTest::addColumn<QString>("sizes");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("symbol") << "m=1,2" << "it takes n=N,N*WEIGHT,..., for the network's symbol n";
        QTest::newRow("no symbol") << "1,2" << "it takes n=N,N*WEIGHT,..., for the network's symbol n";
        QTest::newRow("zero") << "n=0" << "'0' is no size from 1 to 65536, and no size*weight";
        QTest::newRow("weight") << "n=4*-1" << "'4*-1' is no size from 1 to 65536, and no size*weight";
        QTest::newRow("nothing") << "n=4,,5" << "'' is no size from 1 to 65536, and no size*weight";
    }
    void wrongSizesAreRefused() {
        QFETCH(QString, sizes);
        QFETCH(QString, sentence);
        const CliRun run = dispatched({"--sizes", sizes});
        QVERIFY2(run.exitCode != 0 && run.error.contains(sentence), run.story());
    }

    void aNetworkWithoutASymbolIsRefused() {
        const CliRun run = dispatched({"--dim", "n=8"});
        QVERIFY2(run.exitCode == 1 && run.error.contains("all dims of the network's inputs are numbers"), run.story());
    }
};

LOOPSCOPE_TEST(NetDispatchTest)
#include "net_dispatch_test.moc"
