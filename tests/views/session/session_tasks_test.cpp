// One document, several tasks: an edit of text, parameters or target makes another task, and whatever belongs to the
// one before, trials, search, log, stays with it.

#include "scripted_session.h"

#include "records/record/record.h"
#include "test_program.h"
#include "views/session/tasks.h"
#include "views/session/text.h"

#include <QFileInfo>
#include <QSignalSpy>

using namespace loopscope;

namespace {

/// Sets N and waits until its task is shown.
bool shape(const SessionFixture &f, int n) {
    f.session->documents().setParams(n == 64 ? ParamOverrides{} : ParamOverrides{{"N", n}});
    return f.settled() && f.session->document()->workload->params.front().value == n;
}

std::vector<QString> times(const TaskState &state) {
    std::vector<QString> list;
    for (const TrialEntry &entry : state.trials) list.push_back(timeText(entry.seconds()));
    return list;
}

} // namespace

class SessionTasksTest : public QObject {
    Q_OBJECT

  private slots:
    void trialsStayWithTheirTask() {
        ScriptedSession f;
        f.openMatmul(8);
        f.session->search().start();
        QVERIFY(f.ended());
        const Document &document = *f.session->document();
        const TaskState before = document;
        QCOMPARE(before.trials.size(), size_t{8});

        QSignalSpy reset(&f.session->trials(), &TaskTrials::trialsReset);
        QVERIFY(shape(f, 32));
        QVERIFY(reset.count() >= 1);
        QVERIFY(document.trials.empty());
        QCOMPARE(document.best, -1);
        QVERIFY(document.logPath.isEmpty());
        QCOMPARE(document.search.state, SearchState::Idle);
        QCOMPARE(document.setup.options.trials, 8); // what was asked for goes on
        QCOMPARE(document.others.size(), size_t{1});
        QVERIFY(document.taskId != before.taskId);

        QVERIFY(shape(f, 64));
        QCOMPARE(document.taskId, before.taskId);
        QCOMPARE(times(document), times(before));
        QCOMPARE(document.best, before.best);
        QCOMPARE(document.logPath, before.logPath);
        QCOMPARE(document.rounds.size(), before.rounds.size());
        QCOMPARE(document.search.ended, before.search.ended);
        QVERIFY(document.search.elapsed > 0);
        QCOMPARE(f.session->selection().now().schedule, (ScheduleRef{ScheduleRef::Kind::Trial, before.best}));
        QVERIFY(document.others.empty()); // nothing had happened to the other shape
    }

    void anotherTargetIsAnotherTask() {
        ScriptedSession f;
        f.openMatmul(4);
        f.session->search().start();
        QVERIFY(f.ended());
        const Document &document = *f.session->document();
        f.session->documents().setTarget(QStringLiteral("llvm -num-cores=1"));
        QVERIFY(f.settled());
        QVERIFY(document.trials.empty());
        f.session->documents().setTarget(QStringLiteral("llvm -num-cores=1 -nonsense"));
        QVERIFY(f.settled());
        QVERIFY(document.problem); // no task comes of it, none goes
        f.session->documents().setTarget(QStringLiteral("llvm"));
        QVERIFY(f.settled());
        QCOMPARE(document.trials.size(), size_t{4});
    }

    void theTextOnTheWayMakesNoTasks() {
        ScriptedSession f;
        f.openMatmul(4);
        f.session->search().start();
        QVERIFY(f.ended());
        for (const int n : {16, 24, 32, 48}) QVERIFY(shape(f, n));
        QCOMPARE(tasksOf(*f.session->document()).size(), size_t{2});
        // What was typed last counts, even when another task is gone to at once.
        const int kept = f.session->document()->others.front().taskId;
        f.session->documents().setText(f.session->document()->text + QStringLiteral("# half a "));
        f.session->documents().showTask(kept);
        QVERIFY(f.settled());
        QCOMPARE(f.session->document()->trials.size(), size_t{4});
        QVERIFY(f.session->document()->params.empty());
        QVERIFY(!f.session->document()->modified);
    }

    void aRunningSearchGoesOn() {
        ScriptedSession f(60);
        f.openMatmul(24);
        f.session->search().start();
        const Document &document = *f.session->document();
        QTRY_VERIFY_WITH_TIMEOUT(document.trials.size() >= 2, 30000);
        const int searched = document.taskId;
        QVERIFY(shape(f, 32));
        QVERIFY(f.session->search().underWay());
        QVERIFY(document.trials.empty());
        const TaskState *running = f.session->search().task();
        QVERIFY(running && running != &document);
        QCOMPARE(running->taskId, searched);
        QVERIFY(running->search.underWay());
        const QString why = f.session->search().whyNotStart();
        QVERIFY2(why.contains(QStringLiteral("matmul on llvm is being searched")), qPrintable(why));

        // It goes on where nobody looks, and says so; pausing and stopping reach it.
        QSignalSpy told(&f.session->search(), &SearchRunner::searchChanged);
        const size_t seen = running->trials.size();
        QTRY_VERIFY_WITH_TIMEOUT(f.session->search().task()->trials.size() >= seen + 2, 30000);
        QVERIFY(told.count() > 0);
        f.session->search().pause();
        QTRY_COMPARE_WITH_TIMEOUT(f.session->search().task()->search.state, SearchState::Paused, 10000);
        f.session->search().resume();
        f.session->documents().showTask(searched);
        QCOMPARE(document.taskId, searched);
        QVERIFY(document.params.empty());
        QVERIFY(document.trials.size() >= seen + 2);
        QSignalSpy added(&f.session->trials(), &TaskTrials::trialsAdded);
        QTRY_VERIFY_WITH_TIMEOUT(added.count() > 0 || !f.session->search().underWay(), 30000);
        f.session->search().stop();
        QVERIFY(f.ended());
        QCOMPARE(loadRecordLog(std8(document.logPath)).records.size(), document.trials.size());
    }

    void closingTheDocumentEndsTheHiddenSearch() {
        ScriptedSession f(60);
        f.openMatmul(24);
        f.session->search().start();
        QTRY_VERIFY_WITH_TIMEOUT(!f.session->document()->trials.empty(), 30000);
        QVERIFY(shape(f, 32));
        f.session->documents().close(f.session->document()->id);
        QVERIFY(!f.session->search().underWay());
        QVERIFY(f.idle());
    }

    void sessionFilesKeepAllTasks() {
        ScriptedSession f;
        f.openMatmul(8);
        f.session->search().start();
        QVERIFY(f.ended());
        f.session->trials().setPinned(3, true);
        f.session->trials().setNote(3, QStringLiteral("of the large one"));
        const std::vector<QString> large = times(*f.session->document());
        const int best = f.session->document()->best;
        QVERIFY(shape(f, 32));
        f.session->search().start();
        QVERIFY(f.ended());
        const std::vector<QString> small = times(*f.session->document());
        const QString file = f.folder.filePath(QStringLiteral("two.loopscope"));
        QCOMPARE(f.session->file().save(file, {}), QString());

        f.restart();
        f.session->files().open({file});
        QVERIFY(f.settled());
        QVERIFY(f.idle());
        QTRY_COMPARE(f.session->document()->trials.size(), size_t{8});
        const Document &document = *f.session->document();
        QCOMPARE(times(document), small);
        QVERIFY(document.search.elapsed > 0); // how long it took, not "0.0 s"
        QCOMPARE(document.search.done, 8);
        QCOMPARE(document.others.size(), size_t{1});
        QTRY_COMPARE(document.others.front().trials.size(), size_t{8});
        QCOMPARE(taskProgressText(document.others.front()).section(u',', 0, 0), QStringLiteral("8 trials"));
        f.session->documents().showTask(document.others.front().taskId);
        QVERIFY(f.settled());
        QCOMPARE(document.workload->params.front().value, int64_t{64});
        QCOMPARE(times(document), large);
        QCOMPARE(document.best, best);
        QVERIFY(document.trials[3].pinned);
        QCOMPARE(document.trials[3].later->note, QStringLiteral("of the large one"));
        QVERIFY(document.trials[3].ancestry);
        QTRY_VERIFY(!document.sketches.empty());
        QCOMPARE(f.failures(), QString());
    }

    void aLogOfAnotherTaskOfTheDocumentIsGoneTo() {
        ScriptedSession f;
        f.openMatmul(4);
        f.session->search().start();
        QVERIFY(f.ended());
        const QString log = f.session->document()->logPath;
        const QString more = f.folder.filePath(QStringLiteral("more.json"));
        QVERIFY(QFile::copy(log, more));
        QVERIFY(shape(f, 32));
        f.session->files().open({more});
        QTRY_VERIFY(f.session->document()->params.empty());
        QCOMPARE(f.session->document()->trials.size(), size_t{4}); // which are there already
        QCOMPARE(f.failures(), QString());
    }

    void memoryThatIsNotThereIsASentence() {
        ScriptedSession f;
        f.session->search().setMeasurerFactory(
            [](const Task &, const MeasureOptions &) -> std::unique_ptr<Measurer> { throw std::bad_alloc(); });
        f.openMatmul(4);
        f.session->search().start();
        QVERIFY(f.ended());
        const SearchStatus &search = f.session->document()->search;
        QCOMPARE(search.state, SearchState::Failed);
        // Three matrices of 64 x 64 floats.
        QVERIFY2(
            search.ended.startsWith(QStringLiteral("there is not enough memory for the search of matmul on llvm: its "
                                                   "tensors take 48.00 KiB, and this process may have ")),
            qPrintable(search.ended));
        QVERIFY(!search.ended.contains(QStringLiteral("bad_alloc")));
    }

    void titlesNameWhatDiffers() {
        ScriptedSession f;
        f.openMatmul(4);
        QCOMPARE(taskTitle(*f.session->document()), QStringLiteral("matmul on llvm"));
        QCOMPARE(taskProgressText(*f.session->document()), QStringLiteral("0 trials"));
        QVERIFY(shape(f, 32));
        QCOMPARE(taskTitle(*f.session->document()), QStringLiteral("matmul (N = 32) on llvm"));
    }
};

LOOPSCOPE_TEST(SessionTasksTest)
#include "session_tasks_test.moc"
