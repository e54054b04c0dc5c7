// Locks, mutations and a schedule put into a running search, in the window: patterns are typed, chips are clicked,
// commands are triggered as menus and palette do, and every trial that a search finds keeps what was locked.

#include "harness/scripted_measurer.h"
#include "schedule/script/schedule_script.h"
#include "test_program.h"
#include "views/search_progress/lock_strip.h"
#include "views/search_progress/search_panel.h"
#include "views/search_progress/search_view.h"
#include "views/session/text.h"
#include "window_start.h"

#include <QCompleter>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <QToolButton>

#include <chrono>
#include <thread>

using namespace loopscope;

namespace {

const char *const kByHand = "split C i into 2, 4\n"
                            "split C j into 2, 8\n"
                            "split C k into 4\n"
                            "reorder C i.0, j.0, i.1, k.0, j.1, k.1, i.2, j.2\n"
                            "fuse C i.0, j.0\n"
                            "parallel C i.0@j.0@\n";

struct LockedWindow : WindowInOwnFolder {
    explicit LockedWindow(int wait = 0) {
        session.search().setMeasurerFactory([wait](const Task &, const MeasureOptions &) {
            auto measurer = std::make_unique<ScriptedMeasurer>();
            measurer->before = [wait](size_t) { std::this_thread::sleep_for(std::chrono::milliseconds(wait)); };
            return measurer;
        });
        const QString path = folder.filePath(QStringLiteral("m.te"));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
        file.write("workload m(N = 64)\n"
                   "A = placeholder [N, N] float32\n"
                   "B = placeholder [N, N] float32\n"
                   "C(i < N, j < N) = sum(k < N; A[i, k] * B[k, j])\n");
        file.close();
        open(path);
        if (!QTest::qWaitFor([this] { return !session.document()->sketches.empty(); }, 20000)) qFatal("no sketches");
        SearchSetup setup = session.document()->setup;
        setup.options.trials = 16;
        setup.options.trialsPerRound = 4;
        setup.options.population = 64;
        session.search().setSetup(setup);
        window.docks().showDock(QStringLiteral("search"), true);
    }
    SearchPanel &panel() {
        auto *view = window.findChild<SearchView *>();
        if (view == nullptr) qFatal("no search view");
        return view->panel();
    }
    /// The schedule as a node of the tree of edits, which is shown then.
    int byHand(const char *script) {
        const DagPtr dag = session.document()->task->dag;
        const AppliedScript applied = applyScript(dag, script);
        if (applied.problem) qFatal("%s", applied.problem->text("script").c_str());
        return session.edits().edit({}, EditedSteps(dag, applied.state.steps()), QStringLiteral("by hand"));
    }
    void type(const QString &pattern) {
        QLineEdit &line = panel().locks().line();
        line.setFocus();
        line.selectAll();
        QTest::keyClicks(&line, pattern);
        if (line.completer() && line.completer()->popup()->isVisible()) line.completer()->popup()->hide();
        QTest::keyClick(&line, Qt::Key_Return);
    }
    [[nodiscard]] QStringList chips() {
        QStringList texts;
        for (const QToolButton *chip : panel().locks().chips()) texts << chip->text();
        return texts;
    }
};

} // namespace

class WindowLocksTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { qputenv("LOOPSCOPE_WORKER", LOOPSCOPE_BIN_DIR "/loopscope-worker"); }

    void aSearchKeepsWhatWasTyped() {
        LockedWindow w;
        QVERIFY(w.ready);
        w.byHand(kByHand);
        w.type(QStringLiteral("split C *[0]"));
        QCOMPARE(w.chips(), (QStringList{QStringLiteral("split C i[0]=8"), QStringLiteral("split C j[0]=4"),
                                         QStringLiteral("split C k[0]=16")}));
        QVERIFY(w.panel().locks().line().text().isEmpty());
        // What cannot be locked is told where it was typed.
        auto *problem = w.window.findChild<QLabel *>(QStringLiteral("lockProblem"));
        w.type(QStringLiteral("split C q"));
        QVERIFY(problem->isVisible());
        QVERIFY2(problem->text().contains(
                     QLatin1String("at column 9, no line of the schedule reads `split C q`; there are i, j, k")),
                 qPrintable(problem->text()));
        QCOMPARE(w.chips().size(), 3);
        w.type(QStringLiteral("reorder *"));
        QVERIFY(!problem->isVisible());
        QCOMPARE(w.chips().size(), 4);
        // A click takes one away.
        QToolButton *chip = w.panel().locks().chips()[2];
        QTest::mouseClick(chip, Qt::LeftButton);
        QCOMPARE(w.chips().size(), 3);
        QVERIFY(!w.chips().contains(QStringLiteral("split C k[0]=16")));
        auto *start = w.window.findChild<QPushButton *>(QStringLiteral("searchPrimary"));
        QTest::mouseClick(start, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(w.session.search().underWay() || !w.session.document()->trials.empty(), 20000);
        QTRY_VERIFY_WITH_TIMEOUT(!w.session.search().underWay(), 60000);
        const Document *document = w.session.document();
        QCOMPARE(document->trials.size(), size_t{16});
        for (const TrialEntry &entry : document->trials) {
            const auto kept = w.session.locks().now().keptBy(document->task->dag, entry.trial.steps.unpack());
            QVERIFY2(kept.ok(), kept ? "" : kept.why().c_str());
        }
    }

    void nothingLeftIsTold() {
        LockedWindow w;
        QVERIFY(w.ready);
        w.byHand(kByHand);
        w.type(QStringLiteral("stage:C"));
        QCOMPARE(w.chips(), QStringList{QStringLiteral("stage:C")});
        QTest::mouseClick(w.window.findChild<QPushButton *>(QStringLiteral("searchPrimary")), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(w.session.document()->search.state, SearchState::Failed, 20000);
        QVERIFY2(w.session.document()->search.ended.contains(QLatin1String("leave nothing to vary")),
                 qPrintable(w.session.document()->search.ended));
        QVERIFY(w.session.document()->trials.empty());
        // Typed again it is unlocked.
        w.type(QStringLiteral("stage:C"));
        QCOMPARE(w.chips(), QStringList());
    }

    void patternsOfTheScheduleAreOffered() {
        LockedWindow w;
        QVERIFY(w.ready);
        w.byHand(kByHand);
        QLineEdit &line = w.panel().locks().line();
        line.clearFocus();
        line.setFocus();
        QTest::keyClicks(&line, QStringLiteral("par"));
        QCompleter *completer = line.completer();
        QTRY_VERIFY(completer->completionCount() > 0);
        QCOMPARE(completer->currentCompletion(), QStringLiteral("parallel C i.0@j.0@"));
        completer->popup()->hide();
        // What is locked is another schedule's as soon as that is shown.
        QVERIFY(w.session.locks().toggle(QStringLiteral("parallel C")).isEmpty());
        QVERIFY(w.session.locks().locked(QStringLiteral("parallel C")));
        w.session.selection().selectSchedule({});
        QVERIFY(!w.session.locks().locked(QStringLiteral("parallel C")));
    }

    void mutationsAreNodes() {
        LockedWindow w;
        QVERIFY(w.ready);
        const int parent = w.byHand(kByHand);
        QVERIFY(w.session.locks().toggle(QStringLiteral("split C i")).isEmpty());
        for (int i = 0; i < 3; ++i) {
            w.session.selection().selectSchedule({ScheduleRef::Kind::Edited, parent});
            w.actions.find(QStringLiteral("edit.mutate_tile_size"))->trigger();
            const ScheduleRef now = w.session.selection().now().schedule;
            QVERIFY(now.kind == ScheduleRef::Kind::Edited && now.number != parent);
            const EditNode *made = w.session.edits().node(now.number);
            QCOMPARE(made->parent, parent);
            QVERIFY2(made->did.startsWith(QLatin1String("tile-size: split C ")) &&
                         !made->did.startsWith(QLatin1String("tile-size: split C i ")),
                     qPrintable(made->did));
        }
        w.session.edits().undo();
        QCOMPARE(w.session.selection().now().schedule.number, parent);
        const size_t before = w.session.document()->edited.size();
        // A rule that finds nothing says what is missing and what adds it: in the menu, and when it is chosen.
        QAction *unroll = w.actions.find(QStringLiteral("edit.mutate_auto_unroll"));
        const QString lacks = QStringLiteral("no step of it says how far a stage is unrolled; complete the schedule, "
                                             "which adds it");
        QVERIFY2(unroll->toolTip().contains(lacks), qPrintable(unroll->toolTip()));
        unroll->trigger();
        QCOMPARE(w.session.document()->edited.size(), before);
        QVERIFY2(w.session.messages().all().back().text.contains(lacks),
                 qPrintable(w.session.messages().all().back().text));
        QVERIFY(!w.actions.find(QStringLiteral("edit.mutate_tile_size"))->toolTip().contains(QLatin1String("nothing")));
        w.actions.find(QStringLiteral("edit.mutate"))->trigger(); // by any rule
        QVERIFY(w.session.selection().now().schedule.number != parent);
        w.session.selection().selectSchedule({ScheduleRef::Kind::Edited, parent});
        w.actions.find(QStringLiteral("edit.complete"))->trigger();
        const EditNode *complete = w.session.edits().node(w.session.selection().now().schedule.number);
        QCOMPARE(complete->did, QStringLiteral("completed"));
        const std::string script = scriptOf(w.session.document()->task->dag, complete->steps.state().steps()).value();
        QVERIFY2(script.starts_with(kByHand) && script.size() > std::string(kByHand).size(), script.c_str());
    }

    void aScheduleIsPutIntoTheSearch() {
        LockedWindow w(64); // rounds enough for a busy machine to be in time
        QVERIFY(w.ready);
        QAction *inject = w.actions.find(QStringLiteral("edit.put_in"));
        QVERIFY(!inject->isEnabled());
        const int node = w.byHand(kByHand);
        QTest::mouseClick(w.window.findChild<QPushButton *>(QStringLiteral("searchPrimary")), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(w.session.document()->trials.size() > 1, 30000);
        QVERIFY(inject->isEnabled());
        inject->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!w.session.search().underWay(), 60000);
        const Steps mine = w.session.edits().node(node)->steps.state().steps();
        int found = 0;
        for (const TrialEntry &entry : w.session.document()->trials)
            found += entry.trial.steps.unpack() == mine ? 1 : 0;
        QCOMPARE(found, 1);
        QVERIFY(!inject->isEnabled());
    }
};

LOOPSCOPE_WINDOW_TEST(WindowLocksTest)
#include "window_locks_test.moc"
