// `loopscope-cli net dispatch` as a user calls it.

#include "cli_process.h"

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

QTEST_GUILESS_MAIN(NetDispatchTest)
#include "net_dispatch_test.moc"
