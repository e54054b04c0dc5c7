// What of a network there is to tune: the table as text and under the tester, filter, selection both ways, the way into
// a task, times from logs.

#include "small_network.h"
#include "view_bench.h"
#include "views/network_tasks/network_tasks_view.h"
#include "views/network_tasks/task_table.h"
#include "views/session/open_logs.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QComboBox>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>

namespace loopscope {

namespace {

const std::atomic<bool> kGoOn{false};

struct Bench : ViewBench {
    NetworkTasksView view{context};
    OpenNetworks &networks = session.networks();

    Bench() {
        view.resize(1200, 400);
        view.show();
        (void)QTest::qWaitForWindowActive(&view);
    }
    [[nodiscard]] bool open() {
        networks.show(QStringLiteral("small.net"), smallNetwork());
        return QTest::qWaitFor([this] { return networks.current()->kernels != nullptr; }, 20000);
    }
    [[nodiscard]] QString column(int column) const {
        QStringList cells;
        const QAbstractItemModel &model = *view.findChild<QTableView *>()->model();
        for (int row = 0; row < model.rowCount(); ++row) cells << model.index(row, column).data().toString();
        return cells.join(u'|');
    }
    void click(int row, bool twice = false) {
        const QPoint at = view.table().visualRect(view.table().model()->index(row, NetworkTaskModel::Name)).center();
        QTest::mouseClick(view.table().viewport(), Qt::LeftButton, {}, at);
        if (twice) QTest::mouseDClick(view.table().viewport(), Qt::LeftButton, {}, at);
    }
    [[nodiscard]] QString selected() const {
        QStringList names;
        for (const std::string &name : networks.current()->selected) names << QString::fromStdString(name);
        return names.join(u' ');
    }
};

} // namespace

class NetworkTasksTest : public QObject {
    Q_OBJECT

  private slots:
    void theModel() {
        Theme theme;
        NetworkTaskModel model(theme);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const NetworkKernelsPtr kernels = kernelsOf(*smallNetwork(), FusionMode::Compatible, kGoOn);
        model.show(kernels);
        QStringList rows;
        for (int row = 0; row < model.rowCount(); ++row)
            rows << QStringLiteral("%1 x%2 %3")
                        .arg(model.index(row, NetworkTaskModel::Name).data().toString(),
                             model.index(row, NetworkTaskModel::Uses).data().toString(),
                             model.index(row, NetworkTaskModel::Weights).data().toString());
        QCOMPARE(rows.mid(0, 2).join(u'\n'), QStringLiteral("conv_relu x2 576 B\nconv_add x2 576 B"));
        QVERIFY2(tasksSentence(model).startsWith(QStringLiteral("4 tasks to tune, for 6 of the")),
                 qPrintable(tasksSentence(model)));
        const std::string key = kernels->tasks[0].key;
        model.setKnown({{key, {1e-3, 12, QStringLiteral("a.json")}}});
        QCOMPARE(model.index(0, NetworkTaskModel::Best).data().toString(), QStringLiteral("1.000 ms"));
        QCOMPARE(model.index(0, NetworkTaskModel::NetworkTime).data().toString(), QStringLiteral("2.000 ms"));
        QCOMPARE(model.index(0, NetworkTaskModel::Records).data().toString(), QStringLiteral("12"));
        QCOMPARE(model.index(1, NetworkTaskModel::Records).data().toString(), QStringLiteral("none"));
        QVERIFY(tasksSentence(model).endsWith(QStringLiteral("; 1 of them with records, 2.000 ms altogether")));
        QVERIFY(model.index(0, 0).data(Qt::ToolTipRole).toString().contains(QStringLiteral("1.000 ms in a.json")));
        model.show(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void nothingOpen() {
        Bench bench;
        QVERIFY(static_cast<TaskTable &>(bench.view.table()).emptyText().startsWith(QStringLiteral("Open a network")));
        QVERIFY(bench.view.exportTo(QStringLiteral("/tmp/none.csv")).contains(QStringLiteral("no tasks")));
    }

    void rowsSelectNodesAndTheOtherWayRound() {
        Bench bench;
        QVERIFY(bench.open());
        QCOMPARE(bench.view.table().model()->rowCount(), 4);
        bench.click(0);
        QCOMPARE(bench.selected(), QStringLiteral("stage1/first stage1/relu stage2/first stage2/relu"));
        bench.networks.select(bench.networks.current()->id, {"stage2/sum"});
        QCOMPARE(bench.view.table().currentIndex().row(), 1);
        QCOMPARE(bench.selected(), QStringLiteral("stage2/sum")); // it is not widened by that
        bench.networks.select(bench.networks.current()->id, {});
        QVERIFY(!bench.view.table().selectionModel()->hasSelection());
    }

    void aDoubleClickOpensTheTask() {
        Bench bench;
        QVERIFY(bench.open());
        QSignalSpy asked(&bench.networks, &OpenNetworks::taskAsked);
        bench.click(1, true);
        QCOMPARE(asked.size(), 1);
        QCOMPARE(asked.takeFirst().at(1).value<size_t>(), size_t{1});
        QTest::keyClick(&bench.view.table(), Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(asked.size(), 1);
    }

    void filterAndAllKernels() {
        Bench bench;
        QVERIFY(bench.open());
        bench.view.startFind();
        auto *filter = bench.view.findChild<QLineEdit *>(QStringLiteral("network_task_filter"));
        QTRY_VERIFY(filter->hasFocus());
        QTest::keyClicks(filter, QStringLiteral("conv add"));
        QCOMPARE(bench.column(NetworkTaskModel::Name), QStringLiteral("conv_add"));
        filter->clear();
        QTest::keyClicks(filter, QStringLiteral("nobody"));
        QCOMPARE(static_cast<TaskTable &>(bench.view.table()).emptyText(), QStringLiteral("No task fits the filter."));
        filter->clear();
        bench.actions.find(QStringLiteral("network_tasks.all"))->trigger();
        QCOMPARE(bench.view.table().model()->rowCount(), 5);
        QVERIFY(bench.column(NetworkTaskModel::Name).contains(QStringLiteral("reshape")));
    }

    void theOtherFusion() {
        Bench bench;
        QVERIFY(bench.open());
        const NetworkKernelsPtr before = bench.networks.current()->kernels;
        auto *fusion = bench.view.findChild<QComboBox *>(QStringLiteral("network_fusion"));
        fusion->setFocus();
        QTest::keyClick(fusion, Qt::Key_Down);
        QCOMPARE(bench.networks.current()->fusion, FusionMode::Better);
        QTRY_VERIFY_WITH_TIMEOUT(bench.networks.current()->kernels != before, 20000);
        QCOMPARE(bench.networks.current()->kernels->partition.mode, FusionMode::Better);
        QVERIFY(bench.view.table().model()->rowCount() > 0);
    }

    void copiedAndExported() {
        Bench bench;
        QVERIFY(bench.open());
        bench.click(0);
        bench.actions.find(QStringLiteral("network_tasks.copy"))->trigger();
        QVERIFY(QApplication::clipboard()->text().startsWith(QStringLiteral("No.\tTask\tUses")));
        QCOMPARE(QApplication::clipboard()->text().count(u'\n'), 2);
        const QString path = bench.folder.filePath(QStringLiteral("tasks.csv"));
        QCOMPARE(bench.view.exportTo(path), QString());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll().count('\n'), 5);
    }

    void timesComeFromLogs() {
        Bench bench;
        QVERIFY(bench.open());
        const std::string key = bench.networks.current()->kernels->tasks[0].key;
        QString escaped = QString::fromStdString(key).replace(u'"', QStringLiteral("\\\""));
        const QString path = bench.folder.filePath(QStringLiteral("log.json"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            QStringLiteral("{\"i\": [[\"%1\", \"llvm -keys=cpu\"], [[], []]], \"r\": [[5e-06], 0, 0.5, 1700000000], "
                           "\"v\": \"v0.6\"}\n")
                .arg(escaped)
                .toUtf8());
        file.close();
        bench.session.logs().open(path);
        QTRY_VERIFY_WITH_TIMEOUT(bench.column(NetworkTaskModel::Records).startsWith(QStringLiteral("1|none")), 20000);
        QVERIFY2(bench.column(NetworkTaskModel::Best).startsWith(QStringLiteral("5.000 \u00b5s|\u2013")),
                 qPrintable(bench.column(NetworkTaskModel::Best)));
    }
};

} // namespace loopscope

QTEST_MAIN(loopscope::NetworkTasksTest)
#include "network_tasks_test.moc"
