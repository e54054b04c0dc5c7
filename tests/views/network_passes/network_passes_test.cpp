// Passes over a network: the table under the tester, going through it by keys, what a pass did to which node.

#include "small_network.h"
#include "view_bench.h"
#include "views/network_passes/network_passes_view.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QTableView>
#include <QTest>
#include <QTextBrowser>

namespace loopscope {

namespace {

const std::atomic<bool> kGoOn{false};

struct Bench : ViewBench {
    NetworkPassesView view{context};
    OpenNetworks &networks = session.networks();

    Bench() {
        view.resize(1100, 500);
        view.show();
        (void)QTest::qWaitForWindowActive(&view);
    }
    [[nodiscard]] bool open() {
        networks.show(QStringLiteral("small.net"), smallNetwork());
        return QTest::qWaitFor([this] { return networks.current()->kernels != nullptr; }, 20000);
    }
};

} // namespace

class NetworkPassesTest : public QObject {
    Q_OBJECT

  private slots:
    void theModel() {
        Theme theme;
        PassModel model(theme);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const NetworkKernelsPtr kernels = kernelsOf(*smallNetwork(), FusionMode::Compatible, kGoOn);
        QVERIFY(kernels->forms.size() > 1); // flatten becomes a reshape
        model.show(kernels);
        QCOMPARE(model.rowCount(), static_cast<int>(kernels->report.rows.size()) + 1);
        QCOMPARE(model.index(0, PassModel::Pass).data().toString(), QStringLiteral("as in the file"));
        QCOMPARE(model.index(0, PassModel::Nodes).data().toString(), QStringLiteral("11"));
        int changed = 0;
        for (int row = 1; row < model.rowCount(); ++row)
            if (model.index(row, PassModel::What).data().toString() == QStringLiteral("changed it")) ++changed;
        QCOMPARE(changed, static_cast<int>(kernels->forms.size()) - 1);
        QCOMPARE(model.formOf(model.rowCount() - 1), static_cast<int>(kernels->forms.size()) - 1);
        for (size_t form = 0; form < kernels->forms.size(); ++form)
            QCOMPARE(model.formOf(model.rowOf(static_cast<int>(form))), static_cast<int>(form));
        size_t events = 0;
        for (int row = 0; row < model.rowCount(); ++row) events += model.eventsOf(row).size();
        QCOMPARE(events, kernels->report.events.size());
        model.show(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void nothingOpen() {
        Bench bench;
        QVERIFY(!bench.view.table().isVisible());
        QVERIFY(bench.view.findChild<QLabel *>()->text().startsWith(QStringLiteral("Open a network")));
    }

    void arrowKeysGoThroughThem() {
        Bench bench;
        QVERIFY(bench.open());
        QCOMPARE(bench.view.table().currentIndex().row(), 0);
        QCOMPARE(bench.networks.current()->form, 0);
        bench.view.table().setFocus();
        for (int row = 1; row < bench.view.table().model()->rowCount(); ++row)
            QTest::keyClick(&bench.view.table(), Qt::Key_Down);
        const NetworkKernels &kernels = *bench.networks.current()->kernels;
        QCOMPARE(bench.networks.current()->form, static_cast<int>(kernels.forms.size()) - 1);
        QVERIFY(bench.networks.current()->function() == kernels.function);
        // From elsewhere.
        bench.networks.showForm(bench.networks.current()->id, 0);
        QCOMPARE(bench.view.table().currentIndex().row(), 0);
        bench.networks.showForm(bench.networks.current()->id, 1);
        QVERIFY(bench.view.table().currentIndex().row() > 0);
    }

    void eventsNameNodes() {
        Bench bench;
        QVERIFY(bench.open());
        const auto &model = static_cast<PassModel &>(*bench.view.table().model());
        int row = -1;
        for (int i = 1; i < model.rowCount() && row < 0; ++i)
            if (!model.eventsOf(i).empty()) row = i;
        QVERIFY(row > 0);
        bench.view.table().setCurrentIndex(model.index(row, 0));
        const QString node = QString::fromStdString(model.eventsOf(row)[0].node);
        QVERIFY2(bench.view.events().toPlainText().contains(node), qPrintable(bench.view.events().toPlainText()));
        Q_EMIT bench.view.events().anchorClicked(
            QUrl(QStringLiteral("node:") + QString::fromLatin1(QUrl::toPercentEncoding(node))));
        QCOMPARE(bench.networks.current()->selected, std::set<std::string>{node.toStdString()});
    }
};

} // namespace loopscope

QTEST_MAIN(loopscope::NetworkPassesTest)
#include "network_passes_test.moc"
