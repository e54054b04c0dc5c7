// What of a network there is to tune: the table as text and under the tester, filter, selection both ways, the way into
// a task, times from logs; and the search of all of it, steered by clicks and keys.

#include "../session/session_fixture.h"
#include "harness/scripted_measurer.h"
#include "small_network.h"
#include "test_program.h"
#include "view_bench.h"
#include "views/network_tasks/network_tasks_view.h"
#include "views/network_tasks/task_table.h"
#include "views/session/open_logs.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>

#include <chrono>
#include <thread>

namespace loopscope::network_tasks_test {

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
    /// Times come from the steps alone, after `wait` milliseconds each; rounds are of four.
    void script(int trials, int wait = 0) {
        session.peaks().setMeasurer(&SessionFixture::peaksAtOnce);
        session.tuning().setMeasurerFactory([wait](const Task &) {
            auto measurer = std::make_unique<ScriptedMeasurer>();
            measurer->before = [wait](size_t) { std::this_thread::sleep_for(std::chrono::milliseconds(wait)); };
            return measurer;
        });
        session.tuning().setSetup({trials, 0, QStringLiteral("gain")});
        view.bar().refresh();
    }
    [[nodiscard]] const NetworkProgress &progress() const {
        return const_cast<Session &>(session).tuning().progress(networks.current()->id);
    }
    [[nodiscard]] bool ended() {
        return QTest::qWaitFor([this] { return session.tuning().searched() == 0; }, 120000);
    }
    [[nodiscard]] QString cell(int row, int column) const {
        return view.findChild<QTableView *>()->model()->index(row, column).data().toString();
    }
    void press(Qt::Key key) { QTest::keyClick(&view.table(), key); }
    [[nodiscard]] QString failures() const {
        QStringList texts;
        for (const Message &message : const_cast<Session &>(session).messages().all())
            if (message.severity == Message::Severity::Failure) texts << message.text + u' ' + message.detail;
        return texts.join(u'\n');
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
    void initTestCase() { qputenv("LOOPSCOPE_WORKER", LOOPSCOPE_BIN_DIR "/loopscope-worker"); }

    void theModel() {
        Theme theme;
        NetworkTaskModel model(theme);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const NetworkKernelsPtr kernels = kernelsOf(*smallNetwork(), {}, kGoOn);
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
        NetworkProgress progress;
        progress.state = SearchState::Running;
        progress.tasks = {{.number = 0,
                           .key = kernels->tasks[0].key,
                           .name = QStringLiteral("conv_relu"),
                           .weight = 2,
                           .flops = kernels->tasks[0].flops,
                           .known = 3,
                           .trials = 4,
                           .best = 2e-4,
                           .gain = 5e-5},
                          {.number = 1, .key = kernels->tasks[1].key, .name = QStringLiteral("conv_add"), .weight = 2}};
        progress.picked = 0;
        progress.why = QStringLiteral("it was chosen");
        model.setProgress(progress, {{kernels->tasks[1].key, {.excluded = true, .boost = 4}}});
        QStringList cells;
        for (const int column : {NetworkTaskModel::Best, NetworkTaskModel::TimeShare, NetworkTaskModel::Trials,
                                 NetworkTaskModel::Gain, NetworkTaskModel::State})
            cells << model.index(0, column).data().toString();
        QCOMPARE(cells.join(u'|'), QStringLiteral("200.0 \u00b5s|100.0 %|7|50.00 \u00b5s|searching"));
        QCOMPARE(model.index(1, NetworkTaskModel::State).data().toString(),
                 QStringLiteral("excluded, boosted \u00d74"));
        QVERIFY(model.index(0, 0).data(Qt::ToolTipRole).toString().contains(QStringLiteral("as it was chosen")));
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
        QCOMPARE(bench.networks.current()->choice.fusion, FusionMode::Better);
        QTRY_VERIFY_WITH_TIMEOUT(bench.networks.current()->kernels != before, 20000);
        QCOMPARE(bench.networks.current()->kernels->partition.mode, FusionMode::Better);
        QVERIFY(bench.view.table().model()->rowCount() > 0);
        const NetworkKernelsPtr better = bench.networks.current()->kernels;
        QTest::keyClick(fusion, Qt::Key_Down);
        QVERIFY(bench.networks.current()->choice.confirmed);
        QTRY_VERIFY_WITH_TIMEOUT(bench.networks.current()->kernels != better, 60000);
        QCOMPARE(bench.networks.current()->kernelsProblem, QString());
        QCOMPARE(bench.networks.current()->kernels->partition.mode, FusionMode::Better);
        QCOMPARE(fusion->currentIndex(), 2);
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

    void theWholeIsSearched() {
        Bench bench;
        QVERIFY(bench.open());
        bench.script(8);
        QAction *search = bench.actions.find(QStringLiteral("network_tasks.search"));
        QVERIFY(search->isEnabled());
        search->trigger();
        QVERIFY(bench.session.tuning().searched() != 0);
        QCOMPARE(search->text(), QStringLiteral("Pause network search"));
        // No other search meanwhile.
        QVERIFY(bench.session.search().machineUse().contains(QStringLiteral("small.net is being searched")));
        QVERIFY(bench.ended());
        QCOMPARE(bench.failures(), QString());
        QCOMPARE(bench.progress().trials, 32);
        QCOMPARE(bench.progress().timed(), size_t{4});
        QTRY_COMPARE(bench.column(NetworkTaskModel::Trials), QStringLiteral("8|8|8|8"));
        QVERIFY(!bench.column(NetworkTaskModel::Best).contains(u'\u2013'));
        QVERIFY2(
            bench.view.bar().headline().contains(QStringLiteral("estimated for the network \u00b7 32 of 32 trials")),
            qPrintable(bench.view.bar().headline()));
        QVERIFY2(bench.view.bar().turn().startsWith(QStringLiteral("Ended after 32 trials; log: ")),
                 qPrintable(bench.view.bar().turn()));
        QVERIFY(bench.view.plot().isVisible());
        QVERIFY(!bench.view.plot().empty());
        QVERIFY(bench.progress().estimated.size() > 1);
        QVERIFY(bench.progress().estimated.back().seconds <= bench.progress().estimated.front().seconds);
        QFile log(bench.progress().logPath);
        QVERIFY(log.open(QIODevice::ReadOnly));
        QVERIFY(log.readAll().contains("next: conv_relu, as it has had no round yet"));
    }

    void tasksAreSteered() {
        Bench bench;
        QVERIFY(bench.open());
        bench.script(200, 2);
        // Excluded beforehand: not one trial of it.
        bench.click(1);
        bench.press(Qt::Key_X);
        QTRY_COMPARE(bench.cell(1, NetworkTaskModel::State), QStringLiteral("excluded"));
        QVERIFY(bench.actions.find(QStringLiteral("network_tasks.exclude"))->isChecked());
        bench.actions.find(QStringLiteral("network_tasks.search"))->trigger();
        const auto &tasks = bench.progress().tasks;
        QTRY_VERIFY_WITH_TIMEOUT(tasks.size() == 4 && bench.progress().trials > 0, 60000);
        bench.click(2);
        bench.press(Qt::Key_P);
        QTRY_VERIFY_WITH_TIMEOUT(bench.progress().picked == 2, 60000);
        const int others = tasks[0].trials + tasks[3].trials, mine = tasks[2].trials;
        QTRY_VERIFY_WITH_TIMEOUT(tasks[2].trials > mine + 12, 60000);
        QCOMPARE(tasks[0].trials + tasks[3].trials, others);
        QTRY_COMPARE(bench.cell(2, NetworkTaskModel::State), QStringLiteral("searching, pinned"));
        QVERIFY2(bench.view.bar().turn().startsWith(QStringLiteral("Now no. 3, ")),
                 qPrintable(bench.view.bar().turn()));
        bench.press(Qt::Key_P);
        bench.press(Qt::Key_B);
        bench.press(Qt::Key_B);
        QTRY_VERIFY(bench.cell(2, NetworkTaskModel::State).endsWith(QStringLiteral("boosted \u00d74")));
        bench.press(Qt::Key_H);
        QTRY_VERIFY(bench.cell(2, NetworkTaskModel::State).contains(QStringLiteral("paused")));
        QCOMPARE(tasks[1].trials, 0);
        // All of it, paused and stopped.
        QAction *search = bench.actions.find(QStringLiteral("network_tasks.search"));
        search->trigger();
        QCOMPARE(bench.progress().state, SearchState::Paused);
        QTRY_COMPARE(search->text(), QStringLiteral("Continue network search"));
        search->trigger();
        QCOMPARE(bench.progress().state, SearchState::Running);
        bench.actions.find(QStringLiteral("network_tasks.stop"))->trigger();
        QVERIFY(bench.ended());
        QTRY_VERIFY(bench.view.bar().turn().startsWith(QStringLiteral("Stopped after")));
        QCOMPARE(bench.failures(), QString());
    }

    void aLogIsGoneOnFrom() {
        Bench bench;
        QVERIFY(bench.open());
        bench.script(4);
        bench.actions.find(QStringLiteral("network_tasks.search"))->trigger();
        QVERIFY(bench.ended());
        const QString log = bench.progress().logPath;
        const double seconds = bench.progress().seconds();
        bench.session.tuning().setLog(bench.networks.current()->id, {});
        QVERIFY(bench.progress().tasks.empty());
        bench.actions.find(QStringLiteral("network_tasks.options"))->setChecked(true);
        auto *line = bench.view.findChild<QLineEdit *>(QStringLiteral("network_log"));
        QTRY_COMPARE(line->text(), QString());
        line->setFocus();
        QTest::keyClicks(line, log);
        QTest::keyClick(line, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(bench.progress().timed(), size_t{4}, 20000);
        QVERIFY(std::abs(bench.progress().seconds() - seconds) < 1e-3 * seconds); // six digits in the log
        QTRY_COMPARE(bench.column(NetworkTaskModel::Trials), QStringLiteral("4|4|4|4"));
        bool told = false;
        for (const Message &message : bench.session.messages().all())
            told = told || message.text.contains(QStringLiteral("has times of 4 of the 4 tasks of small.net"));
        QVERIFY(told);
        auto *trials = bench.view.findChild<QSpinBox *>(QStringLiteral("network_trials"));
        trials->setFocus();
        trials->selectAll();
        QTest::keyClicks(trials, QStringLiteral("6"));
        bench.actions.find(QStringLiteral("network_tasks.search"))->trigger();
        QVERIFY(bench.ended());
        QCOMPARE(bench.progress().logPath, log);
        QCOMPARE(bench.progress().trials, 8); // two more of each
    }

    void comesBackWithTheSession() {
        Bench bench;
        bench.script(4);
        const QString path = bench.folder.filePath(QStringLiteral("two.net"));
        QFile text(path);
        QVERIFY(text.open(QIODevice::WriteOnly));
        text.write("network two\n\nfunc main(x: float32[1, 4, 8, 8]) {\n"
                   "  w = constant float32[4, 4, 3, 3] random he(fan_in = 36)\n"
                   "  a = conv(x, w, pads = [1, 1, 1, 1])\n  b = relu(a)\n"
                   "  c = conv(b, w, pads = [1, 1, 1, 1])\n  return c\n}\n");
        text.close();
        bench.networks.open(path);
        QTRY_VERIFY_WITH_TIMEOUT(bench.networks.current()->kernels != nullptr, 20000);
        QTRY_COMPARE(bench.view.table().model()->rowCount(), 2);
        bench.click(1);
        bench.press(Qt::Key_B);
        bench.actions.find(QStringLiteral("network_tasks.search"))->trigger();
        QVERIFY(bench.ended());
        const NetworkProgress before = bench.progress();
        QCOMPARE(before.timed(), size_t{2});
        const QString file = bench.folder.filePath(QStringLiteral("s.loopscope"));
        QCOMPARE(bench.session.file().save(file, {}), QString());

        Bench again;
        QVERIFY(again.session.file().load(file, nullptr));
        QVERIFY(again.networks.current() != nullptr);
        QTRY_COMPARE_WITH_TIMEOUT(again.progress().timed(), size_t{2}, 60000);
        const NetworkProgress &after = again.progress();
        QCOMPARE(after.logPath, before.logPath);
        QCOMPARE(after.ended, before.ended);
        QCOMPARE(after.trials, before.trials);
        QVERIFY(std::abs(after.seconds() - before.seconds()) < 1e-3 * before.seconds()); // six digits in the log
        QVERIFY(after.estimated.size() >= before.estimated.size());
        QCOMPARE(after.estimated.front().seconds, before.estimated.front().seconds);
        QTRY_COMPARE(again.column(NetworkTaskModel::Trials), QStringLiteral("4|4"));
        QVERIFY(again.cell(1, NetworkTaskModel::State).contains(QStringLiteral("boosted \u00d72")));
        QVERIFY2(again.view.bar().turn().startsWith(QStringLiteral("Ended after 8 trials")),
                 qPrintable(again.view.bar().turn()));
        QVERIFY(!again.view.plot().empty());
        // A log that is set while the kernels are not known is looked into when they are.
        again.networks.reopen(again.networks.current()->id);
        again.session.tuning().setLog(again.networks.current()->id, {});
        again.session.tuning().setLog(again.networks.current()->id, before.logPath);
        QTRY_COMPARE_WITH_TIMEOUT(again.progress().timed(), size_t{2}, 60000);
        QCOMPARE(again.failures(), QString());
    }

    void closedWhileItIsSearched() {
        Bench bench;
        QVERIFY(bench.open());
        bench.script(200, 5);
        bench.actions.find(QStringLiteral("network_tasks.search"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(bench.progress().trials > 0, 60000);
        bench.networks.close(bench.networks.current()->id);
        QCOMPARE(bench.session.tuning().searched(), 0);
        QTRY_VERIFY_WITH_TIMEOUT(bench.session.jobs().running().empty(), 60000);
        QCOMPARE(bench.failures(), QString());
        QVERIFY(!bench.actions.find(QStringLiteral("network_tasks.search"))->isEnabled());
    }

    /// By isolated workers, as users do; and run as a whole.
    void kernelsAreReallyTuned() {
        Bench bench;
        QVERIFY(bench.open());
        bench.script(2);
        bench.session.tuning().setMeasurerFactory(nullptr);
        bench.actions.find(QStringLiteral("network_tasks.search"))->trigger();
        QVERIFY(bench.ended());
        QCOMPARE(bench.failures(), QString());
        QCOMPARE(bench.progress().timed(), size_t{4});
        bench.actions.find(QStringLiteral("network_tasks.time"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!bench.progress().measured.empty(), 60000);
        QVERIFY(bench.progress().measured.back().seconds > 0);
        QTRY_VERIFY(bench.view.bar().headline().contains(QStringLiteral("a run took")));
        QCOMPARE(bench.failures(), QString());
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

LOOPSCOPE_WINDOW_TEST(NetworkTasksTest)
} // namespace loopscope::network_tasks_test

#include "network_tasks_test.moc"
