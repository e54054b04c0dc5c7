// `loopscope-cli net strategies` and `net pin` as a user calls them, and `--strategies` of what builds networks.

#include "cli_process.h"
#include "test_program.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

namespace {

constexpr const char *kTwo = R"(network two
func main(x: float32[1, 8, 12, 12]) {
  w1 = constant float32[8, 8, 3, 3] random normal(seed = 1, deviation = 0.2)
  w2 = constant float32[4, 8, 3, 3] random normal(seed = 3, deviation = 0.2)
  first = conv(x, w1, pads = [1, 1, 1, 1])
  r = relu(first)
  second = conv(r, w2, strides = [2, 2])
  return second
}
)";

} // namespace

class NetStrategiesTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    QString m_net;

    QString pins() const { return m_net + ".pins.json"; }

  private slots:
    void initTestCase() { m_net = written(m_folder, "two.net", kTwo); }
    void cleanup() { QFile::remove(pins()); }

    void decisionsOfANetwork() {
        const CliRun run = runCli({"net", "strategies", m_net, "--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonArray all = run.json().array();
        QCOMPARE(all.size(), 3);
        const QJsonObject first = all[0].toObject();
        QCOMPARE(first["node"].toString(), QString("first"));
        QCOMPARE(first["operator"].toString(), QString("conv"));
        QCOMPARE(first["chosen"].toString(), QString("conv2d_nchw.x86"));
        QCOMPARE(first["because"].toString(), QString("its level 10 is the highest of 3 offered"));
        QStringList names;
        for (const QJsonValue one : first["specialisations"].toArray())
            for (const QJsonValue implementation : one["implementations"].toArray()) {
                QVERIFY(implementation["evidence"].isNull());
                if (implementation["state"] == "valid") names << implementation["name"].toString();
            }
        QCOMPARE(names, (QStringList{"conv2d_nchw.x86", "conv2d_nchw_winograd4.x86", "conv2d_nchw_winograd2.x86"}));
        const CliRun text = runCli({"net", "strategies", m_net, "--operator", "conv", "--accuracy", "winograd2"});
        QVERIFY2(text.exitCode == 0, text.story());
        QVERIFY2(text.out.contains("conv second: conv2d_nchw.x86\n  because it is the only one offered"), text.story());
        QVERIFY2(text.out.contains("its accuracy class is winograd4, the worst one allowed is winograd2"),
                 text.story());
        QVERIFY2(!text.out.contains("relu"), text.story());
        QVERIFY2(text.out.endsWith("Chosen:\n     2 x conv2d_nchw.x86\n"), text.story());
    }

    void strategiesOfAnOperator() {
        const CliRun run = runCli({"net", "strategies", "--operator", "dense", "--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonObject value = run.json().object();
        QCOMPARE(value["specialisations"].toArray().size(), 2);
        QCOMPARE(value["specialisations"][1]["condition"].toString(), QString("m > 16"));
        QVERIFY(value["specialisations"][1]["clauses"][0]["value"].isNull());
        const CliRun tvm =
            runCli({"net", "strategies", "--operator", "softmax", "--rule", "compatible", "--target", "cuda"});
        QVERIFY2(tvm.exitCode == 0 && tvm.out.contains("softmax.cudnn (level 15, exact, library, needs cudnn)"),
                 tvm.story());
        const CliRun rocm = runCli({"net", "strategies", "--operator", "relu", "--target", "rocm"});
        QVERIFY2(rocm.exitCode == 0 && rocm.out.contains("injective.generic"), rocm.story());
    }

    void aNodeIsPinnedToALibrary() {
        const CliRun offered = runCli({"net", "strategies", m_net, "--operator", "conv", "--library", "onednn"});
        QVERIFY2(offered.exitCode == 0, offered.story());
        if (offered.error.contains("onednn is not offered")) QSKIP("oneDNN is not installed");
        QVERIFY2(offered.out.contains("conv.onednn"), offered.story());
        QVERIFY2(offered.out.endsWith("Chosen:\n     2 x conv2d_nchw.x86\n"), offered.story());
        const CliRun pin = runCli({"net", "pin", m_net, "second", "conv.onednn"});
        QVERIFY2(pin.exitCode == 0, pin.story());
        const QString plan = m_folder.filePath("two.plan");
        const CliRun built = runCli({"net", "build", m_net, "--out", plan, "--json"});
        QVERIFY2(built.exitCode == 0, built.story());
        int left = 0;
        for (const QJsonValue one : built.json().object()["libraries"].toArray())
            if (one["chosen"].toBool()) {
                ++left;
                QCOMPARE(one["nodes"].toArray().first().toString(), QString("second"));
            }
        QCOMPARE(left, 1);
        const CliRun verified = runCli({"net", "verify", m_net});
        QVERIFY2(verified.exitCode == 0 && verified.error.contains("offloaded to the library"), verified.story());
        const CliRun run = runCli({"net", "run", plan});
        QVERIFY2(run.exitCode == 0, run.story());
        const CliRun exported = runCli({"net", "export", m_net, "--out", m_folder.filePath("exported")});
        QVERIFY2(exported.exitCode == 1 && exported.error.contains("is offloaded to the library onednn"),
                 exported.story());
    }

    void aPinIsKeptAppliedAndTaken() {
        CliRun run = runCli({"net", "pin", m_net});
        QVERIFY2(run.exitCode == 0 && run.out.contains("has no pins"), run.story());
        run = runCli({"net", "pin", m_net, "first", "conv2d_nchw_winograd4.x86", "--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        QCOMPARE(run.json()["pins"]["first"].toString(), QString("conv2d_nchw_winograd4.x86"));
        QVERIFY(QFile::exists(pins()));
        run = runCli({"net", "strategies", m_net, "--operator", "conv"});
        QVERIFY2(run.out.contains("conv first: conv2d_nchw_winograd4.x86\n  because it is pinned"), run.story());
        QVERIFY2(run.error.contains("two.net.pins.json are applied"), run.story());

        const CliRun tasks = runCli({"net", "tasks", m_net, "--strategies", "level"});
        QVERIFY2(tasks.exitCode == 0 && tasks.out.contains("1 x winograd_conv_relu"), tasks.story());
        const CliRun without = runCli({"net", "tasks", m_net});
        QVERIFY2(without.exitCode == 0 && without.out.contains("1 x winograd_conv_relu"), without.story());
        QVERIFY2(without.error.contains("two.net.pins.json are applied"), without.story());
        const CliRun verified = runCli({"net", "verify", m_net, "--strategies", "measured", "--json"});
        QVERIFY2(verified.exitCode == 0, verified.story());
        QCOMPARE(verified.json()["kernels"][0]["name"].toString(), QString("winograd_conv_relu"));
        const CliRun exact = runCli({"net", "verify", m_net, "--strategies", "measured", "--accuracy", "exact"});
        QVERIFY2(exact.exitCode == 1 && exact.error.contains("the worst one allowed is exact"), exact.story());

        run = runCli({"net", "pin", m_net, "first", "--remove"});
        QVERIFY2(run.exitCode == 0, run.story());
        QVERIFY(!QFile::exists(pins()));
        run = runCli({"net", "tasks", m_net});
        QVERIFY2(run.exitCode == 0 && !run.out.contains("winograd"), run.story());
    }

    /// Direct against Winograd's forms, and what a later build makes of it.
    void formsCompeteInOneSearch() {
        const QString log = m_folder.filePath("try.json");
        const CliRun run =
            runCli({"net", "tune", m_net, "--strategies", "try", "--trials", "4", "--log", log, "--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonArray choices = run.json()["choices"].toArray();
        QCOMPARE(choices.size(), 1); // the second has strides
        QCOMPARE(choices[0]["node"].toString(), QString("first"));
        const QJsonArray forms = choices[0]["forms"].toArray();
        QVERIFY2(forms.size() >= 3, run.story());
        QMap<QString, double> seconds;
        for (const auto &each : forms) {
            const QJsonObject form = each.toObject();
            seconds[form["name"].toString()] = form["seconds"].toDouble();
        }
        QVERIFY2(seconds.contains("conv2d_nchw.x86") && seconds.contains("conv2d_nchw_winograd4.x86"), run.story());
        const QString fastest = choices[0]["fastest"].toString();
        for (const double one : seconds) QVERIFY2(one >= seconds[fastest], run.story());
        double sum = 0;
        const QJsonArray tasks = run.json()["tasks"].toArray();
        for (const auto &each : tasks) {
            const QJsonObject task = each.toObject();
            if (task["behind_seconds"].toDouble() <= 0) sum += task["weight"].toDouble() * task["seconds"].toDouble();
        }
        QVERIFY(std::abs(sum - run.json()["seconds"].toDouble()) < 1e-12);
        // The search decides what is built.
        const CliRun chosen =
            runCli({"net", "strategies", m_net, "--operator", "conv", "--rule", "measured", "--log", log});
        QVERIFY2(chosen.exitCode == 0 && chosen.out.contains("conv first: " + fastest), chosen.story());
        const CliRun again = runCli({"net", "tasks", m_net, "--strategies", "try"});
        QVERIFY2(again.exitCode == 2, again.story()); // a search alone can try
    }

    void refusals_data() {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("says");
        const auto row = [](const char *name, const QStringList &words, int code, const char *says) {
            QTest::newRow(name) << words << code << QString(says);
        };
        row("nothing", {"net", "strategies"}, 2, "takes a network or --operator NAME");
        row("no operator of this name", {"net", "strategies", "--operator", "convv"}, 2, "there is no such operator");
        row("an operator that is not there", {"net", "strategies", m_net, "--operator", "dense"}, 2,
            "has no such operator");
        row("nothing runs", {"net", "strategies", "--operator", "shape"}, 1, "no implementation of shape");
        row("no target", {"net", "strategies", m_net, "--target", "vulkan"}, 1, "there are strategies for llvm");
        row("no class", {"net", "strategies", m_net, "--accuracy", "best"}, 2, "winograd2");
        row("a log that does not count", {"net", "strategies", m_net, "--rule", "level", "--log", m_net}, 2,
            "--log decides only under --rule measured, not under level");
        row("a pin of nothing", {"net", "pin", m_net, "frist", "conv2d_nchw.x86"}, 1, "did you mean 'first'?");
        row("a pin that is not valid", {"net", "pin", m_net, "second", "conv2d_nchw_winograd4.x86"}, 1,
            "it needs stride_h == 1 (stride_h = 2)");
        row("half a pin", {"net", "pin", m_net, "first"}, 2, "takes NODE and IMPLEMENTATION");
        row("removed twice", {"net", "pin", m_net, "first", "--remove"}, 2, "first is not pinned");
        row("removing what", {"net", "pin", m_net, "--remove"}, 2, "takes the NODE alone");
    }
    void refusals() {
        QFETCH(QStringList, words);
        QFETCH(int, code);
        QFETCH(QString, says);
        const CliRun run = runCli(words);
        QVERIFY2(run.exitCode == code && run.error.contains(says), run.story());
        QVERIFY(!QFile::exists(pins()));
    }
};

LOOPSCOPE_TEST(NetStrategiesTest)
#include "net_strategies_test.moc"
