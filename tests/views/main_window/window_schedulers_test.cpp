// The common door to schedulers, in the window: menus and buttons are clicked, the grouped schedule becomes a node to
// edit and compare, and searches begin with it or stay within one of its groups.

#include "harness/scripted_measurer.h"
#include "search/grouping_scheduler.h"
#include "test_program.h"
#include "views/main_window/dock_host.h"
#include "views/search_progress/lock_strip.h"
#include "views/search_progress/search_panel.h"
#include "views/search_progress/search_view.h"
#include "views/search_progress/start_strip.h"
#include "views/session/text.h"
#include "window_start.h"

#include <QFile>
#include <QJsonDocument>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QTest>
#include <QTimer>
#include <QToolButton>

#include <memory>

using namespace loopscope;

namespace {

/// Half a machine's work: B and C have different readers, D reads both.
const char *const kPipeline = "workload p(N = 96)\n"
                              "A = placeholder [N + 2, N] float32\n"
                              "B(i < N + 2, j < N) = A[i, j] * 2.0\n"
                              "C(i < N, j < N) = B[i, j] + B[i + 1, j] + B[i + 2, j]\n"
                              "D(i < N, j < N) = A[j, i] + 1.0\n";

struct ScheduledWindow : WindowInOwnFolder {
    explicit ScheduledWindow(const char *text = kPipeline) {
        session.search().setMeasurerFactory(
            [](const Task &, const MeasureOptions &) { return std::make_unique<ScriptedMeasurer>(); });
        const QString path = folder.filePath(QStringLiteral("p.te"));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
        file.write(text);
        file.close();
        open(path);
        if (!QTest::qWaitFor([this] { return !session.document()->sketches.empty(); }, 20000)) qFatal("no sketches");
        setTrials(12);
        window.docks().showDock(QStringLiteral("search"), true);
    }
    void setTrials(int trials) {
        SearchSetup setup = session.document()->setup;
        setup.options.trials = trials;
        setup.options.trialsPerRound = 4;
        setup.options.population = 64;
        session.search().setSetup(setup);
    }
    SearchPanel &panel() {
        auto *view = window.findChild<SearchView *>();
        if (view == nullptr) qFatal("no search view");
        return view->panel();
    }
    /// The entry of the menu that opens on a click of the button, clicked once it is there. False: it did not come.
    bool choose(QToolButton &button, const QString &text) {
        bool chosen = false;
        QMenu *menu = button.menu();
        QTimer::singleShot(0, menu, [&chosen, menu, text] {
            QAction *action = nullptr;
            (void)QTest::qWaitFor(
                [&] {
                    for (QAction *each : menu->actions())
                        if (each->text() == text && each->isEnabled()) action = each;
                    return action != nullptr;
                },
                20000);
            if (action == nullptr) {
                menu->close();
                return;
            }
            chosen = true;
            QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
        });
        QTest::mouseClick(&button, Qt::LeftButton); // returns when the menu is closed
        return chosen;
    }
    /// An entry of the menu bar, clicked.
    void clickMenu(const QString &menuText, const QString &text) {
        QMenuBar *bar = window.menuBar();
        for (QAction *top : bar->actions()) {
            if (top->text() != menuText) continue;
            QTest::mouseClick(bar, Qt::LeftButton, {}, bar->actionGeometry(top).center());
            QMenu *menu = top->menu();
            QVERIFY(QTest::qWaitFor([&] { return menu->isVisible(); }, 5000));
            for (QAction *action : menu->actions())
                if (action->text() == text)
                    return QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
            menu->close();
        }
        QFAIL(qPrintable(QStringLiteral("no %1 > %2").arg(menuText, text)));
    }
    [[nodiscard]] Steps grouped() {
        SilentObserver nobody;
        const auto state = GroupingScheduler().schedule(*session.document()->task, nobody, nullptr);
        return state ? state->steps() : Steps();
    }
    [[nodiscard]] QStringList chips() {
        QStringList texts;
        for (const QToolButton *chip : panel().locks().chips()) texts << chip->text();
        return texts;
    }
    void search() {
        QTest::mouseClick(window.findChild<QPushButton *>(QStringLiteral("searchPrimary")), Qt::LeftButton);
        QVERIFY(QTest::qWaitFor([this] { return session.search().underWay() || !session.document()->trials.empty(); },
                                20000));
        QVERIFY(QTest::qWaitFor([this] { return !session.search().underWay(); }, 60000));
    }
    [[nodiscard]] QString told() {
        const auto &all = session.messages().all();
        return all.empty() ? QString() : all.back().text;
    }
    [[nodiscard]] Steps trial(size_t number) const { return session.document()->trials[number].trial.steps.unpack(); }
};

} // namespace

class WindowSchedulersTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { qputenv("LOOPSCOPE_WORKER", LOOPSCOPE_BIN_DIR "/loopscope-worker"); }

    /// A node below the naive schedule, which undo leads back to.
    void theGroupedScheduleIsANode() {
        ScheduledWindow w;
        QVERIFY(w.ready);
        const Steps expected = w.grouped();
        QVERIFY(!expected.empty());
        w.clickMenu(QStringLiteral("Schedule"), QStringLiteral("Schedule by grouping"));
        QTRY_COMPARE_WITH_TIMEOUT(w.session.selection().now().schedule.kind, ScheduleRef::Kind::Edited, 20000);
        const EditNode *node = w.session.edits().node(w.session.selection().now().schedule.number);
        QVERIFY(node->steps.state().steps() == expected);
        QVERIFY2(node->did.startsWith(QLatin1String("grouped, fixed, machine ")), qPrintable(node->did));
        w.session.edits().undo();
        QVERIFY(w.session.edits().node(w.session.selection().now().schedule.number)->steps.state().steps().empty());
        w.clickMenu(QStringLiteral("Schedule"), QStringLiteral("Schedule naively"));
        QCOMPARE(w.session.selection().now().schedule, ScheduleRef{});
        // Again it is the same node.
        w.clickMenu(QStringLiteral("Schedule"), QStringLiteral("Schedule by grouping"));
        QTRY_COMPARE_WITH_TIMEOUT(w.session.selection().now().schedule.kind, ScheduleRef::Kind::Edited, 20000);
        QCOMPARE(w.session.document()->edited.size(), size_t{2});
    }

    void aSearchBeginsWithTheGroupedSchedule() {
        ScheduledWindow w;
        QVERIFY(w.ready);
        StartStrip &strip = w.panel().start();
        QCOMPARE(strip.begins().text(), QStringLiteral("sampled schedules"));
        QVERIFY(w.choose(strip.begins(), QStringLiteral("The grouped schedule")));
        QTRY_COMPARE_WITH_TIMEOUT(strip.begins().text(), QStringLiteral("the grouped schedule"), 20000);
        w.search();
        QCOMPARE(w.session.document()->trials.size(), size_t{12});
        QVERIFY(w.trial(0) == w.grouped());
        // Continued, it is not measured again.
        w.setTrials(16);
        w.search();
        QCOMPARE(w.session.document()->trials.size(), size_t{16});
        for (size_t i = 1; i < 16; ++i) QVERIFY(w.trial(i) != w.grouped());
        QVERIFY(w.choose(strip.begins(), QStringLiteral("Sampled schedules")));
        QCOMPARE(strip.begins().text(), QStringLiteral("sampled schedules"));
        QVERIFY(!w.session.document()->beginning.schedule);
    }

    void aSearchBeginsWithTheScheduleShown() {
        ScheduledWindow w;
        QVERIFY(w.ready);
        const DagPtr dag = w.session.document()->task->dag;
        const Steps mine = {SplitStep{StageId(2), IterId(0), 96, {8}, true}};
        w.session.edits().edit({}, EditedSteps(dag, mine), QStringLiteral("by hand"));
        StartStrip &strip = w.panel().start();
        QVERIFY(w.choose(strip.begins(), QStringLiteral("The schedule shown: edited schedule 2")));
        QCOMPARE(strip.begins().text(), QStringLiteral("edited schedule 2"));
        w.search();
        QVERIFY(w.trial(0) == mine);
        // A sketch is no schedule yet.
        w.session.selection().selectSchedule({ScheduleRef::Kind::Sketch, 0});
        w.clickMenu(QStringLiteral("Schedule"), QStringLiteral("Begin the search with the schedule shown"));
        if (!w.session.document()->sketches[0].state.concrete())
            QVERIFY2(w.told().contains(QLatin1String("whose lengths are open")), qPrintable(w.told()));
    }

    void aSearchStaysWithinAGroup() {
        ScheduledWindow w;
        QVERIFY(w.ready);
        StartStrip &strip = w.panel().start();
        QCOMPARE(strip.searched().text(), QStringLiteral("all stages"));
        QVERIFY(w.choose(strip.searched(), QStringLiteral("Only C (with B)")) ||
                w.choose(strip.searched(), QStringLiteral("Only C")));
        QTRY_COMPARE_WITH_TIMEOUT(strip.searched().text(), QStringLiteral("the group C"), 20000);
        QCOMPARE(strip.begins().text(), QStringLiteral("the grouped schedule"));
        QVERIFY2(w.chips().contains(QStringLiteral("stage:D")), qPrintable(w.chips().join(u' ')));
        QVERIFY(!w.chips().contains(QStringLiteral("stage:C")));
        w.search();
        const Document *document = w.session.document();
        QCOMPARE(document->trials.size(), size_t{12});
        QVERIFY(w.trial(0) == w.grouped());
        for (const TrialEntry &entry : document->trials) {
            const auto kept = w.session.locks().now().keptBy(document->task->dag, entry.trial.steps.unpack());
            QVERIFY2(kept.ok(), kept ? "" : kept.why().c_str());
        }
        // A lock taken away: other stages may change, and the button says so.
        QTest::mouseClick(w.panel().locks().chips()[0], Qt::LeftButton);
        QVERIFY2(strip.searched().text() != QLatin1String("the group C"), qPrintable(strip.searched().text()));
        QVERIFY(w.choose(strip.searched(), QStringLiteral("All stages")));
        QCOMPARE(w.chips(), QStringList());
        QCOMPARE(strip.searched().text(), QStringLiteral("all stages"));
    }

    /// What a session file keeps of it.
    void theBeginningComesBack() {
        ScheduledWindow w;
        QVERIFY(w.ready);
        w.session.scheduling().confineTo(QStringLiteral("C"));
        QTRY_COMPARE_WITH_TIMEOUT(w.session.scheduling().confinedTo(), QStringLiteral("C"), 20000);
        const SearchBeginning before = w.session.document()->beginning;
        const QString path = w.folder.filePath(QStringLiteral("kept.loopscope"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QJsonDocument(w.session.file().json({})).toJson());
        file.close();
        ScheduledWindow other;
        QVERIFY(other.ready);
        other.session.files().open({path});
        QTRY_VERIFY_WITH_TIMEOUT(other.session.document()->beginning.schedule.has_value(), 20000);
        QVERIFY(other.session.document()->beginning.schedule == before.schedule);
        QCOMPARE(other.session.document()->beginning.name, before.name);
        QCOMPARE(other.session.scheduling().confinedTo(), QStringLiteral("C"));
    }

    void aGpuHasNoGroupsAndSaysSo() {
        ScheduledWindow w;
        QVERIFY(w.ready);
        w.session.documents().setTarget(QStringLiteral("cuda -arch=sm_80"));
        QTRY_VERIFY_WITH_TIMEOUT(w.session.document()->task->target.isGpu() && !w.session.document()->analysing, 20000);
        SilentObserver nobody;
        const auto state = GroupingScheduler().schedule(*w.session.document()->task, nobody, nullptr);
        if (state) QSKIP("the grouping makes schedules for GPUs, too");
        w.clickMenu(QStringLiteral("Schedule"), QStringLiteral("Schedule by grouping"));
        const QString expected = QStringLiteral("There is no grouped schedule: ") + qt(state.why());
        QTRY_COMPARE_WITH_TIMEOUT(w.told(), expected, 20000);
        QCOMPARE(w.session.scheduling().whyNoGroups(), qt(state.why()));
        w.session.scheduling().confineTo(QStringLiteral("C"));
        QCOMPARE(w.told(), QStringLiteral("The search cannot be confined to the group C: ") + qt(state.why()));
    }

    void aStageInsideAGroupIsNone() {
        ScheduledWindow w;
        QVERIFY(w.ready);
        w.session.scheduling().confineTo(QStringLiteral("E"));
        QTRY_VERIFY_WITH_TIMEOUT(w.told().contains(QLatin1String("no stage E")), 20000);
        QVERIFY(w.session.document()->locks.empty());
        QVERIFY(!w.session.document()->beginning.schedule);
    }
};

LOOPSCOPE_WINDOW_TEST(WindowSchedulersTest)
#include "window_schedulers_test.moc"
