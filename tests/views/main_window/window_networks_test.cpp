// A network in the window: opened as a file it is seen at once; from a task one comes to a workload with its schedules,
// and back; the next start has the network again.

#include "../session/session_fixture.h"
#include "harness/scripted_measurer.h"
#include "views/network_graph/network_graph_view.h"
#include "views/network_tasks/network_tasks_view.h"
#include "views/session/network_tuning.h"
#include "views/session/open_networks.h"
#include "window_start.h"

#include <QTableView>

#include <chrono>
#include <thread>

namespace loopscope {

namespace {

const QByteArray kNetwork = R"(network two
func main(x: float32[1, 4, 8, 8]) {
  w = constant float32[4, 4, 3, 3] random normal(seed = 7, deviation = 0.1)
  a = conv(x, w, pads = [1, 1, 1, 1])
  b = relu(a)
  v = constant float32[4, 4, 3, 3] random normal(seed = 8, deviation = 0.1)
  c = conv(b, v, pads = [1, 1, 1, 1])
  d = add(c, x)
  return d
}
)";

QString written(const QTemporaryDir &folder) {
    const QString path = folder.filePath(QStringLiteral("two.net"));
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(kNetwork) != kNetwork.size()) return {};
    return path;
}

bool open(WindowStart &start, const QString &path) {
    start.window.openFiles({path}, false);
    return QTest::qWaitFor(
        [&] {
            const OpenNetwork *network = start.session.networks().current();
            return network != nullptr && network->kernels != nullptr && start.session.jobs().running().empty();
        },
        20000);
}

} // namespace

class WindowNetworksTest : public QObject {
    Q_OBJECT

  private slots:
    void aTaskBecomesAWorkload() {
        WindowInOwnFolder start;
        QVERIFY(start.ready);
        QVERIFY(open(start, written(start.folder)));
        QVERIFY(!start.window.onStartPage());
        QVERIFY(start.window.docks().isInFront(QStringLiteral("network")));
        QVERIFY(start.window.docks().isInFront(QStringLiteral("network_tasks")));
        QVERIFY(start.settings.recentFiles().first().endsWith(QStringLiteral("two.net")));
        auto *tasks = qobject_cast<NetworkTasksView *>(start.window.docks().view(QStringLiteral("network_tasks")));
        QVERIFY(tasks && tasks->table().model()->rowCount() == 2);
        const QPoint row = tasks->table().visualRect(tasks->table().model()->index(0, 1)).center();
        QTest::mouseClick(tasks->table().viewport(), Qt::LeftButton, {}, row);
        QTest::mouseDClick(tasks->table().viewport(), Qt::LeftButton, {}, row);
        QTRY_VERIFY_WITH_TIMEOUT(start.session.document() != nullptr && start.session.document()->task != nullptr,
                                 20000);
        const std::string key = start.session.document()->task->key;
        QCOMPARE(key, start.session.networks().current()->kernels->tasks[0].key);
        QVERIFY(start.window.docks().isInFront(QStringLiteral("dag")));
        QTRY_VERIFY_WITH_TIMEOUT(!start.session.document()->sketches.empty(), 20000);
        // Once more it is the same document.
        start.session.networks().openTask(start.session.networks().current()->id, 0);
        QCOMPARE(start.session.documents().all().size(), size_t{1});
        start.session.networks().openTask(start.session.networks().current()->id, 1);
        QCOMPARE(start.session.documents().all().size(), size_t{2});
        start.session.networks().openTask(99, 0); // nobody's
    }

    /// What the search of the network found stands in the workload of its task.
    void aTaskComesWithItsTrials() {
        WindowInOwnFolder start;
        QVERIFY(start.ready);
        QVERIFY(open(start, written(start.folder)));
        NetworkTuning &tuning = start.session.tuning();
        tuning.setMeasurerFactory([](const Task &) { return std::make_unique<ScriptedMeasurer>(); });
        start.session.peaks().setMeasurer(&SessionFixture::peaksAtOnce);
        tuning.setSetup({6, 0, QStringLiteral("round-robin")});
        const int network = start.session.networks().current()->id;
        QTest::keyClick(&start.window, Qt::Key_R, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(tuning.searched() == network);
        QTRY_VERIFY_WITH_TIMEOUT(tuning.searched() == 0, 60000);
        QCOMPARE(tuning.progress(network).trials, 12);
        start.session.networks().openTask(network, 1);
        QTRY_VERIFY_WITH_TIMEOUT(start.session.document() != nullptr && start.session.document()->trials.size() == 6,
                                 20000);
        QVERIFY(start.session.document()->best >= 0);
        QCOMPARE(start.session.selection().now().schedule.kind, ScheduleRef::Kind::Trial);
        // More trials, and the task again: they have come, too.
        tuning.setSetup({8, 0, QStringLiteral("round-robin")});
        tuning.start(network);
        QTRY_VERIFY_WITH_TIMEOUT(tuning.searched() == 0, 60000);
        start.session.networks().openTask(network, 1);
        QTRY_COMPARE_WITH_TIMEOUT(start.session.document()->trials.size(), size_t{8}, 20000);
    }

    /// A window that is closed meanwhile ends the search.
    void closedWhileTheNetworkIsSearched() {
        WindowInOwnFolder start;
        QVERIFY(start.ready);
        QVERIFY(open(start, written(start.folder)));
        NetworkTuning &tuning = start.session.tuning();
        tuning.setMeasurerFactory([](const Task &) {
            auto measurer = std::make_unique<ScriptedMeasurer>();
            measurer->before = [](size_t) { std::this_thread::sleep_for(std::chrono::milliseconds(5)); };
            return measurer;
        });
        start.session.peaks().setMeasurer(&SessionFixture::peaksAtOnce);
        tuning.setSetup({400, 0, QStringLiteral("gain")});
        tuning.start(start.session.networks().current()->id);
        QTRY_VERIFY_WITH_TIMEOUT(tuning.progress(start.session.networks().current()->id).trials > 0, 60000);
        start.window.close();
        QTRY_VERIFY_WITH_TIMEOUT(tuning.searched() == 0, 10000);
    }

    void theNextStartHasItAgain() {
        const QTemporaryDir folder;
        const QString config = folder.filePath(QStringLiteral("config"));
        {
            WindowStart start(config, {true, {1300, 800}});
            QVERIFY(start.ready);
            QVERIFY(open(start, written(folder)));
            start.window.close();
        }
        WindowStart again(config, {true, {1300, 800}});
        QVERIFY(again.ready);
        QTRY_VERIFY_WITH_TIMEOUT(again.session.networks().current() != nullptr &&
                                     again.session.networks().current()->kernels != nullptr,
                                 20000);
        QVERIFY(!again.window.onStartPage());
        again.session.networks().close(again.session.networks().current()->id);
        QTRY_VERIFY(again.window.onStartPage());
    }
};

} // namespace loopscope

QTEST_MAIN(loopscope::WindowNetworksTest)
#include "window_networks_test.moc"
