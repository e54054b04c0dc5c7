// Nodes in the window: the table as text and under the tester, and a fleet of workers on this machine that is drained
// and used again by clicks.

#include "harness/sample_dags.h"
#include "measure/quick_measuring.h"
#include "test_program.h"
#include "view_bench.h"
#include "views/fleet/fleet_view.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QTableView>
#include <QTest>

namespace loopscope {

namespace {

NodeStatus node(const char *name, NodeState state, size_t trials, double reference) {
    NodeStatus status;
    status.name = name;
    status.state = state;
    status.trials = trials;
    status.minutes = 2;
    status.firstReference = 10e-3;
    status.reference = reference;
    status.hello.model = "a processor";
    status.hello.cores = 4;
    return status;
}

QString row(const QAbstractItemModel &model, int row) {
    QStringList cells;
    for (int column = 0; column < FleetModel::Processor; ++column) cells << model.index(row, column).data().toString();
    return cells.join(u'|');
}

} // namespace

class FleetViewTest : public QObject {
    Q_OBJECT

  private slots:
    void theModel() {
        Theme theme;
        FleetModel model(theme);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        NodeStatus measuring = node("n1", NodeState::Measuring, 30, 10.1e-3);
        measuring.inFlight = 3;
        measuring.current = 6;
        measuring.task = "conv_relu";
        measuring.unstable = 3;
        measuring.waits = 4;
        measuring.waited = 0.31e-3;
        NodeStatus apart = node("n2", NodeState::Apart, 10, 11e-3);
        apart.why = "its reference kernel takes 9.0 % longer than that of the others";
        apart.lost = 1;
        NodeStatus fresh;
        fresh.name = "n3";
        model.show({measuring, apart, fresh});
        QCOMPARE(row(model, 0),
                 QStringLiteral(
                     "n1|measuring|conv_relu: no. 7 of the round, 3 in flight|30|15.0|10.0 %|10.10 ms|+1.0 %|\u2013"));
        QCOMPARE(row(model, 1),
                 QStringLiteral("n2|apart|Its reference kernel takes 9.0 % longer than that of the others|10|5.0|0.0 %|"
                                "11.00 ms|+10.0 %|1"));
        QCOMPARE(model.index(0, FleetModel::Trials).data(Qt::ToolTipRole).toString(),
                 QStringLiteral("Between candidates it stood still for 0.31 ms (the median of 4)"));
        QCOMPARE(model.index(1, FleetModel::Trials).data(Qt::ToolTipRole).toString(), QStringLiteral("10"));
        QCOMPARE(row(model, 2), QStringLiteral("n3|starting|\u2013|0|\u2013|\u2013|\u2013|\u2013|\u2013"));
        QCOMPARE(model.index(0, FleetModel::Processor).data().toString(), QStringLiteral("a processor, 4 cores"));
        NodeStatus preparing = node("n4", NodeState::Preparing, 0, 0);
        preparing.task = "conv_relu";
        NodeStatus idle = node("n5", NodeState::Idle, 0, 0);
        idle.prepared = 3;
        model.show({preparing, idle});
        QCOMPARE(model.index(0, FleetModel::State).data().toString(), QStringLiteral("preparing"));
        QCOMPARE(model.index(0, FleetModel::Now).data().toString(),
                 QStringLiteral("conv_relu: computes the reference"));
        QCOMPARE(model.index(1, FleetModel::Now).data().toString(), QStringLiteral("3 tasks prepared"));
        model.show({measuring, apart, fresh});
        QCOMPARE(
            fleetSentence(model.nodes()),
            QStringLiteral("3 nodes, 1 of them measuring; 40 trials, 20.0 a minute, 1.3 times what one node measured"));
        measuring.trials = 31;
        model.show({measuring, apart, fresh});
        QCOMPARE(model.index(0, FleetModel::Trials).data().toString(), QStringLiteral("31"));
        model.show({});
        QCOMPARE(model.rowCount(), 0);
    }

    void nothingMeasures() {
        ViewBench bench;
        FleetView view(bench.context);
        view.show();
        QVERIFY(view.emptyText().startsWith(QStringLiteral("No node of a cluster measures now.")));
        for (const char *id : {"fleet.drain", "fleet.use", "fleet.stop"})
            QVERIFY2(!bench.actions.find(QLatin1String(id))->isEnabled(), id);
    }

    void nodesAreDrainedByClicks() {
        ViewBench bench;
        FleetView view(bench.context);
        view.resize(1200, 400);
        view.show();
        FleetOptions options;
        options.measure = quickMeasuring();
        options.tolerance = 1000;
        const std::vector<std::string> serve{LOOPSCOPE_BIN_DIR "/loopscope-worker", "serve"};
        const auto fleet =
            std::make_shared<Fleet>(std::vector<FleetNodeSpec>{{"n1", serve}, {"n2", serve}}, std::move(options));
        view.watch(fleet);
        QCOMPARE(view.table().model()->rowCount(), 2);
        const auto state = [&](int row) {
            return view.table().model()->index(row, FleetModel::State).data().toString();
        };
        QTRY_COMPARE_WITH_TIMEOUT(state(0), QStringLiteral("idle"), 60000);
        QTRY_COMPARE_WITH_TIMEOUT(state(1), QStringLiteral("idle"), 60000);
        QTest::mouseClick(view.table().viewport(), Qt::LeftButton, {},
                          view.table().visualRect(view.table().model()->index(1, 0)).center());
        QVERIFY(bench.actions.find(QStringLiteral("fleet.drain"))->isEnabled());
        bench.actions.find(QStringLiteral("fleet.drain"))->trigger();
        QCOMPARE(state(1), QStringLiteral("drained"));
        QVERIFY(!bench.actions.find(QStringLiteral("fleet.drain"))->isEnabled());
        const auto measurer = makeFleetMeasurer(fleet, taskOf(matmulDag(24, 16, 8)));
        QVERIFY(measurer->prepare());
        measurer->measure({{}, {}, {}}, [](size_t, const Trial &) {});
        QTRY_COMPARE(view.table().model()->index(0, FleetModel::Trials).data().toString(), QStringLiteral("3"));
        QVERIFY(view.sentence().startsWith(QStringLiteral("2 nodes, 0 of them measuring; 3 trials, ")));
        bench.actions.find(QStringLiteral("fleet.use"))->trigger();
        QVERIFY(state(1) != QStringLiteral("drained"));
        QTRY_COMPARE_WITH_TIMEOUT(state(1), QStringLiteral("idle"), 60000); // first it prepares the task
    }
};

LOOPSCOPE_WINDOW_TEST(FleetViewTest)
} // namespace loopscope

#include "fleet_view_test.moc"
