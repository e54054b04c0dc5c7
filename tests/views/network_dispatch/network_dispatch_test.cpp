// Dispatch tables in the window: curves and penalties from a table by hand, one made by the command line program, one
// of another network told from it, by clicks and keys.

#include "deploy/dispatch/dispatch_table_json.h"
#include "test_program.h"
#include "view_bench.h"
#include "views/network_dispatch/network_dispatch_view.h"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTest>

#include <cmath>

namespace loopscope {

namespace {

const char *const kNet = R"(network small()

func main(x: float32[n, 8], w: float32[8, 8]) {
  y = matmul(x, w)
  z = relu(y)
  return z
}
)";

/// Two variants, of which the second is for even sizes.
DispatchTable byHand() {
    DispatchTable table;
    table.network = "small";
    table.target = "llvm";
    table.symbol = "n";
    table.bound = 8;
    table.points = {1, 2, 4, 8};
    table.weights = {1, 1, 1, 1};
    KernelTable kernel;
    kernel.name = "matmul_relu";
    kernel.node = "y";
    kernel.weight = 2;
    TableVariant first;
    first.origin = "default at n = 1";
    first.seconds = {2e-6, 4e-6, 8e-6, 16e-6};
    TableVariant second;
    second.origin = "default at n = 8";
    second.multiple = 2;
    second.seconds = {std::nullopt, 2e-6, 2e-6, 2e-6};
    kernel.variants = {first, second};
    kernel.rows = {{SizeGuard{2, 8, 2, {0}}, 1}};
    kernel.otherwise = 0;
    kernel.fixedSeconds = {1e-6, 2e-6, 4e-6, 2e-6};
    kernel.fixedSource = {"default", "default", "default", "default"};
    table.kernels = {kernel};
    return table;
}

struct Bench : ViewBench {
    NetworkDispatchView view{context};
    OpenNetworks &networks = session.networks();

    Bench() {
        view.resize(1100, 800);
        view.show();
        (void)QTest::qWaitForWindowActive(&view);
    }
    QString written(const QString &name, const QByteArray &text) {
        QFile file(folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly)) qFatal("no file");
        file.write(text);
        return file.fileName();
    }
    [[nodiscard]] bool open(const QByteArray &text = kNet) {
        networks.open(written(QStringLiteral("small.net"), text));
        return QTest::qWaitFor(
            [this] {
                return networks.current() != nullptr && networks.current()->contents && !networks.current()->working();
            },
            20000);
    }
    [[nodiscard]] bool enabled(const char *action) { return actions.find(QLatin1String(action))->isEnabled(); }
};

} // namespace

class NetworkDispatchTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { qputenv("LOOPSCOPE_CLI", LOOPSCOPE_BIN_DIR "/loopscope-cli"); }

    void curves() {
        const DispatchTable table = byHand();
        const DispatchCurves kernel = curvesOf(table, 0);
        QCOMPARE(kernel.variants.size(), size_t{2});
        QCOMPARE(kernel.variants[1].points.size(), size_t{3});
        QCOMPARE(kernel.table[0].seconds, 2e-6); // the second is for even sizes
        QCOMPARE(kernel.table[3].seconds, 2e-6);
        const DispatchCurves whole = curvesOf(table, -1);
        QVERIFY(whole.variants.empty());
        QCOMPARE(whole.table[0].seconds, 4e-6); // the kernel runs twice
        const auto penalty = penaltyOf(kernel);
        QVERIFY(penalty.has_value());
        QCOMPARE(penalty->worst, 2.0);
        QCOMPARE(penalty->at, int64_t{1});
        QVERIFY(std::abs(penalty->geomean - 1) < 1e-12); // 2, 1, 1/2, 1
        QCOMPARE(headlineOf(table),
                 QStringLiteral("1.00 times static kernels' time, worst 2.00 at n = 1; a single kernel 2.00 "
                                "(matmul_relu at n = 1); n = 1 to 8, timed at 4 sizes"));
        QCOMPARE(variantText(table, table.kernels[0], 1), QStringLiteral("v1: default at n = 8, for multiples of 2"));
    }

    void models() {
        const auto table = std::make_shared<const DispatchTable>(byHand());
        Theme theme;
        KernelTableModel kernels(theme);
        GuardModel guards;
        const QAbstractItemModelTester kernelTester(&kernels);
        const QAbstractItemModelTester guardTester(&guards);
        kernels.show(table);
        QCOMPARE(kernels.rowCount(), 2);
        const auto cell = [](const QAbstractItemModel &model, int row, int column) {
            return model.index(row, column).data().toString();
        };
        QCOMPARE(cell(kernels, 0, KernelTableModel::NameColumn), QStringLiteral("All kernels"));
        QCOMPARE(cell(kernels, 1, KernelTableModel::VariantsColumn), QStringLiteral("2"));
        QCOMPARE(cell(kernels, 1, KernelTableModel::WorstColumn), QStringLiteral("2.00"));
        QCOMPARE(cell(kernels, 1, KernelTableModel::AtColumn), QStringLiteral("n = 1"));
        guards.show(table, 0);
        QCOMPARE(guards.rowCount(), 2);
        QCOMPARE(cell(guards, 0, GuardModel::GuardColumn), QStringLiteral("2 <= n <= 8 and n mod 2 is 0"));
        QCOMPARE(cell(guards, 0, GuardModel::PointsColumn), QStringLiteral("2, 4, 8"));
        QCOMPARE(cell(guards, 0, GuardModel::WorstColumn), QStringLiteral("1.00"));
        QCOMPARE(cell(guards, 1, GuardModel::GuardColumn), QStringLiteral("otherwise"));
        QCOMPARE(cell(guards, 1, GuardModel::PointsColumn), QStringLiteral("1"));
        QCOMPARE(guards.variantOf(1), 0);
        guards.show(nullptr, -1);
        kernels.show(nullptr);
        QCOMPARE(kernels.rowCount(), 0);
    }

    void nothingOpen() {
        Bench bench;
        QVERIFY(bench.view.emptyText().startsWith(QStringLiteral("Open a network")));
        for (const char *id : {"dispatch.make", "dispatch.cancel", "dispatch.open", "dispatch.save"})
            QVERIFY2(!bench.enabled(id), id);
    }

    void sizesThatAreNumbers() {
        Bench bench;
        QVERIFY(bench.open(QByteArray(kNet).replace("[n, 8]", "[4, 8]")));
        QVERIFY2(bench.view.emptyText().startsWith(QStringLiteral("All sizes of small.net are numbers")),
                 qPrintable(bench.view.emptyText()));
        QVERIFY(!bench.enabled("dispatch.make"));
    }

    /// By the program itself, saved, opened again, and told from a table of something else.
    void madeAndOpened() {
        Bench bench;
        QVERIFY(bench.open());
        QVERIFY(bench.view.emptyText().startsWith(QStringLiteral("No table of small.net yet")));
        bench.view.bound().setValue(8);
        bench.actions.find(QStringLiteral("dispatch.make"))->trigger();
        QVERIFY(bench.enabled("dispatch.cancel") && !bench.enabled("dispatch.make"));
        QTRY_VERIFY_WITH_TIMEOUT(!bench.view.sentence().isEmpty(), 120000);
        QVERIFY2(bench.view.sentence().endsWith(QStringLiteral("; n = 1 to 8, timed at 8 sizes")),
                 qPrintable(bench.view.sentence()));
        QVERIFY(bench.view.warning().isEmpty());
        QCOMPARE(bench.view.kernels().model()->rowCount(), 2);
        QVERIFY(!bench.view.plot().empty());
        QVERIFY(bench.view.guards().isHidden()); // of all kernels together there are none
        bench.view.kernels().setFocus();
        QTest::keyClick(&bench.view.kernels(), Qt::Key_Down);
        QVERIFY(!bench.view.guards().isHidden());
        QVERIFY(!bench.view.plot().curves().variants.empty());
        QTableView &guards = bench.view.guards();
        QTest::mouseClick(guards.viewport(), Qt::LeftButton, {},
                          guards.visualRect(guards.model()->index(0, 0)).center());
        QVERIFY(bench.view.plot().marked() >= 0);
        const QString csv = bench.folder.filePath(QStringLiteral("curves.csv"));
        QCOMPARE(bench.view.exportTo(csv), QString());
        QFile file(csv);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().startsWith("size,table_seconds,static_seconds,ratio,v0_seconds"));
        // Of something else.
        const QString other = bench.folder.filePath(QStringLiteral("other.json"));
        writeDispatchTable(byHand(), other.toStdString());
        bench.view.openTable(other);
        QTRY_VERIFY_WITH_TIMEOUT(bench.view.sentence().contains(QStringLiteral("timed at 4 sizes")), 20000);
        QTRY_VERIFY_WITH_TIMEOUT(
            bench.view.warning().startsWith(QStringLiteral("This table is not to be used with the network: ")), 20000);
    }

    /// Kernels are searched at powers of two first, into a log of the window's own.
    void tunedBefore() {
        Bench bench;
        bench.settings.setValue(QStringLiteral("defaults/log_folder"), bench.folder.path());
        QVERIFY(bench.open());
        bench.view.bound().setValue(2);
        bench.view.tune().setValue(2);
        bench.actions.find(QStringLiteral("dispatch.make"))->trigger();
        QTRY_VERIFY2_WITH_TIMEOUT(!bench.view.sentence().isEmpty(), qPrintable(bench.view.emptyText()), 120000);
        const auto &messages = bench.session.messages().all();
        const auto told = std::ranges::find_if(messages, [](const Message &message) {
            return message.text.startsWith(QStringLiteral("Trials of small.net at sizes go to "));
        });
        QVERIFY(told != messages.end());
        QFile log(told->text.mid(qstrlen("Trials of small.net at sizes go to ")));
        QVERIFY(log.open(QIODevice::ReadOnly));
        QVERIFY(log.readAll().count("\n{") + 1 >= 4); // two sizes, two candidates each
    }

    void cancelled() {
        Bench bench;
        QVERIFY(bench.open());
        bench.actions.find(QStringLiteral("dispatch.make"))->trigger();
        bench.actions.find(QStringLiteral("dispatch.cancel"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(bench.enabled("dispatch.make"), 20000);
        QVERIFY(bench.view.emptyText().startsWith(QStringLiteral("No table of small.net yet")));
    }

    void whatFailsIsSaid() {
        Bench bench;
        QVERIFY(bench.open(QByteArray(kNet).replace("w: float32[8, 8]", "w: float32[8, m]")));
        bench.actions.find(QStringLiteral("dispatch.make"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(bench.view.emptyText().contains(QStringLiteral("symbol")), 60000);
        bench.view.openTable(bench.folder.filePath(QStringLiteral("none.json")));
        QTRY_VERIFY_WITH_TIMEOUT(bench.session.jobs().running().empty(), 20000);
        QVERIFY(bench.view.sentence().isEmpty());
        qputenv("LOOPSCOPE_CLI", "/nowhere/loopscope-cli");
        bench.actions.find(QStringLiteral("dispatch.make"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(bench.view.emptyText().contains(QStringLiteral("cannot be started")), 20000);
        qputenv("LOOPSCOPE_CLI", LOOPSCOPE_BIN_DIR "/loopscope-cli");
    }
};

LOOPSCOPE_WINDOW_TEST(NetworkDispatchTest)
} // namespace loopscope

#include "network_dispatch_test.moc"
