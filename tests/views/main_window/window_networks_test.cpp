// A network in the window: opened as a file it is seen at once; from a task one comes to a workload with its schedules,
// and back; the next start has the network again.

#include "../session/session_fixture.h"
#include "harness/scripted_measurer.h"
#include "test_program.h"
#include "views/main_window/status_line.h"
#include "views/network_graph/network_graph_view.h"
#include "views/network_tasks/network_tasks_view.h"
#include "views/session/network_tuning.h"
#include "views/session/open_networks.h"
#include "window_start.h"

#include <QTableView>
#include <QToolButton>

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
    QString path = folder.filePath(QStringLiteral("two.net"));
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

    void theStatusLineTellsOfTheSearch() {
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
        tuning.setSetup({400, 0, QStringLiteral("round-robin")});
        const int network = start.session.networks().current()->id;
        tuning.start(network);
        const auto running = [&]() -> QString {
            const auto all = whatRuns(start.session, {});
            return all.empty() ? QString() : all.front().text;
        };
        QTRY_VERIFY2_WITH_TIMEOUT(running().contains(QStringLiteral("of 800 trials")), qPrintable(running()), 60000);
        QTRY_VERIFY2_WITH_TIMEOUT(running().contains(QStringLiteral("left")), qPrintable(running()), 60000);
        QVERIFY2(running().startsWith(QStringLiteral("Search of two.net: task no. ")), qPrintable(running()));
        auto *cancel = start.window.findChild<QToolButton *>(QStringLiteral("status_cancel"));
        auto *show = start.window.findChild<QToolButton *>(QStringLiteral("status_show"));
        QTRY_VERIFY(cancel->isVisible());
        QCOMPARE(cancel->text(), QStringLiteral("Stop"));
        QVERIFY(!show->isVisible()); // it is the network that one sees
        start.session.networks().show(QStringLiteral("other.net"), start.session.networks().current()->contents);
        QTRY_VERIFY(show->isVisible());
        QTest::mouseClick(show, Qt::LeftButton);
        QCOMPARE(start.session.networks().current()->id, network);
        QTest::mouseClick(cancel, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(tuning.searched() == 0, 20000);
        QVERIFY(whatRuns(start.session, {}).empty());
    }

    void whatTheStatusLineSays() {
        NetworkProgress progress;
        progress.state = SearchState::Running;
        progress.phase = QStringLiteral("evolving");
        progress.tasks = {{.number = 4, .weight = 2, .best = 0.5e-3}, {.number = 6}};
        progress.picked = 1;
        progress.trials = 10;
        progress.elapsed = 20;
        const auto said = [&](int wanted, double limit) {
            return networkSearchText(QStringLiteral("n"), progress, wanted, limit);
        };
        QCOMPARE(said(100, 0),
                 QStringLiteral("Search of n: task no. 7, evolving, 10 of 100 trials, 1 of 2 tasks timed, "
                                "about 3 min 0 s left"));
        QVERIFY(said(100, 30).endsWith(QStringLiteral("about 10 s left"))); // the clock ends it first
        progress.tasks[1].best = 1e-3;
        QVERIFY(said(100, 0).contains(QStringLiteral("2.000 ms estimated for the network")));
        progress.state = SearchState::Paused;
        QVERIFY(said(100, 0).contains(QStringLiteral("paused")) && !said(100, 0).contains(QStringLiteral("left")));
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

LOOPSCOPE_WINDOW_TEST(WindowNetworksTest)
} // namespace loopscope

#include "window_networks_test.moc"
