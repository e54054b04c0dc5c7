// A search under the session's hands: it runs, pauses, stops, continues, and all of it is there after a restart.

#include "scripted_session.h"

#include "records/record/record.h"
#include "test_program.h"
#include "views/session/text.h"

#include <QFileInfo>
#include <QSignalSpy>

using namespace loopscope;

namespace {

QString listed(const Document &document) {
    QStringList lines;
    for (const auto &entry : document.trials)
        lines << QStringLiteral("%1 %2 %3 %4 %5 %6")
                     .arg(entry.sketch)
                     .arg(entry.round)
                     .arg(entry.generation)
                     .arg(entry.mutation)
                     .arg(timeText(entry.seconds()))
                     .arg(entry.ancestry != nullptr);
    return lines.join(u'\n');
}

} // namespace

class SessionSearchTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { qputenv("LOOPSCOPE_WORKER", LOOPSCOPE_BIN_DIR "/loopscope-worker"); }

    void searchesAndRestores() {
        ScriptedSession f;
        f.openMatmul(8);
        QSignalSpy added(&f.session->trials(), &TaskTrials::trialsAdded);
        f.session->search().start();
        QVERIFY(f.session->search().underWay());
        QVERIFY(!f.session->search().whyNotStart().isEmpty());
        QVERIFY(f.ended());
        const Document &document = *f.session->document();
        QCOMPARE(document.search.state, SearchState::Finished);
        QCOMPARE(document.trials.size(), size_t{8});
        QVERIFY(added.count() >= 1);
        QVERIFY(document.best >= 0);
        QVERIFY(document.naiveSeconds > 0);
        QCOMPARE(document.rounds.size(), size_t{2});
        QVERIFY(document.rounds[0].training);
        QVERIFY(!document.rounds[0].generations.empty());
        QCOMPARE(f.session->selection().now().schedule, (ScheduleRef{ScheduleRef::Kind::Trial, document.best}));
        for (const auto &entry : document.trials) {
            QVERIFY(entry.sketch >= 0);
            QVERIFY(entry.ancestry);
            QVERIFY(entry.round >= 1);
        }
        QCOMPARE(loadRecordLog(std8(document.logPath)).records.size(), size_t{8});
        QVERIFY2(f.session->search().whyNotStart().contains(QStringLiteral("all trials asked for (8)")),
                 qPrintable(f.session->search().whyNotStart()));

        f.session->trials().setPinned(3, true);
        f.session->trials().setNote(3, QStringLiteral("look at this"));
        f.session->selection().selectIterator(QStringLiteral("C"), QStringLiteral("i.0"));
        const QString before = listed(document);
        const Selected selected = f.session->selection().now();
        const int best = document.best;
        const QString file = f.folder.filePath(QStringLiteral("s.loopscope"));
        QCOMPARE(f.session->file().save(file, "docks"), QString());

        f.restart();
        QByteArray window;
        QVERIFY(f.session->file().load(file, &window));
        QCOMPARE(window, QByteArray("docks"));
        QTRY_VERIFY(f.session->document() && f.session->document()->trials.size() == 8);
        QVERIFY(f.idle());
        const Document &again = *f.session->document();
        QCOMPARE(listed(again), before);
        QCOMPARE(again.best, best);
        QVERIFY(again.trials[3].pinned);
        QCOMPARE(again.trials[3].later->note, QStringLiteral("look at this"));
        QCOMPARE(again.rounds.size(), size_t{2});
        QCOMPARE(f.session->selection().now(), selected);
        QCOMPARE(f.failures(), QString());

        // And on it goes, in the same log.
        f.session->search().continueWith(4);
        QVERIFY(f.session->search().underWay());
        QVERIFY(f.ended());
        QCOMPARE(f.session->document()->trials.size(), size_t{12});
        QCOMPARE(f.session->document()->rounds.back().round, 3);
        QCOMPARE(loadRecordLog(std8(again.logPath)).records.size(), size_t{12});
    }

    void forgottenTrialsLeaveNoRoom() {
        ScriptedSession f;
        f.openMatmul(24);
        f.session->search().start();
        QVERIFY(f.ended());
        const Document &document = *f.session->document();
        StepSkeletons &skeletons = f.session->trials().skeletons();
        QCOMPARE(document.trials.size(), size_t{24});
        QVERIFY(skeletons.size() > 0);
        f.session->search().forgetTrials();
        QVERIFY(document.trials.empty());
        QCOMPARE(document.trials.capacity(), size_t{0});
        QCOMPARE(document.rounds.capacity(), size_t{0});
        QCOMPARE(skeletons.size(), size_t{0});
    }

    void thePeaksAreMeasuredOnceBeforeTheFirstSearch() {
        ScriptedSession f;
        int measured = 0;
        const auto count = [&](const Target &target, const std::atomic<bool> *cancel) {
            ++measured; // on the search's thread, which is waited for
            return SessionFixture::peaksAtOnce(target, cancel);
        };
        f.session->peaks().setMeasurer(count);
        f.openMatmul(4);
        QVERIFY(f.session->peaks().now() == nullptr);
        const QSignalSpy ready(&f.session->peaks(), &MeasuredPeaks::peaksReady);
        f.session->search().start();
        QVERIFY(f.ended());
        QCOMPARE(measured, 1);
        QCOMPARE(ready.count(), 1);
        QVERIFY(f.session->peaks().now() != nullptr);
        QCOMPARE(f.session->document()->trials.size(), size_t{4});
        f.session->search().continueWith(4);
        QVERIFY(f.ended());
        QCOMPARE(measured, 1);

        // Kept between starts.
        f.restart();
        f.session->peaks().setMeasurer(count);
        f.openMatmul(4);
        QVERIFY(f.session->peaks().now() != nullptr);
        f.session->search().start();
        QVERIFY(f.ended());
        QCOMPARE(measured, 1);

        // A kernel that may use other cores is not held against these.
        f.session->documents().setTarget(QStringLiteral("llvm -num-cores=77"));
        QVERIFY(f.settled());
        QTRY_VERIFY(f.session->document()->task->target.hardware.numCores == 77);
        QVERIFY(f.session->peaks().now() == nullptr);
        f.session->peaks().measure();
        QVERIFY(f.idle());
        QCOMPARE(measured, 2);
        QVERIFY(f.session->peaks().now() != nullptr);
        QCOMPARE(f.session->peaks().now()->threads, 77);
        f.session->documents().setTarget(QStringLiteral("llvm"));
        QTRY_VERIFY(f.session->peaks().now() != nullptr && f.session->peaks().now()->threads != 77); // both are kept
    }

    void peaksThatAKernelOutranAreMeasuredAgain() {
        ScriptedSession f;
        int measured = 0;
        f.session->peaks().setMeasurer([&](const Target &target, const std::atomic<bool> *cancel) {
            auto peaks = SessionFixture::peaksAtOnce(target, cancel);
            if (++measured == 1) peaks->gflopsAll = 1e-6; // the machine was busy
            return peaks;
        });
        f.openMatmul(4);
        f.session->search().start();
        QVERIFY(f.ended());
        QCOMPARE(measured, 1);
        f.session->search().continueWith(4);
        QVERIFY(f.ended());
        QCOMPARE(measured, 2);
        QVERIFY(f.session->peaks().now()->gflopsAll > 1);
    }

    void peaksThatCannotBeMeasuredDoNotStopASearch() {
        ScriptedSession f;
        f.session->peaks().setMeasurer([](const Target &, const std::atomic<bool> *) -> Outcome<MachinePeaks> {
            return Refusal{"no clock is good enough"};
        });
        f.openMatmul(4);
        f.session->search().start();
        QVERIFY(f.ended());
        QCOMPARE(f.session->document()->trials.size(), size_t{4});
        QCOMPARE(f.failures(), QStringLiteral("The machine's peaks could not be measured | no clock is good enough"));
    }

    /// However trials overlap, and whether a result comes at once or is held back.
    void aPauseTakesHoldOnceNothingIsInHand() {
        SearchStatus status;
        status.state = SearchState::Running;
        status.pause();
        QCOMPARE(status.state, SearchState::Paused);
        status.trialAdvanced(0, TrialStage::Building); // it was on its way when the pause was asked for
        QCOMPARE(status.state, SearchState::Pausing);
        status.trialAdvanced(1, TrialStage::Building);
        status.trialAdvanced(0, TrialStage::Built);
        QCOMPARE(status.state, SearchState::Pausing);
        status.trialAdvanced(1, TrialStage::Built);
        QCOMPARE(status.state, SearchState::Paused);

        status.state = SearchState::Running;
        status.trialAdvanced(0, TrialStage::Running);
        QCOMPARE(status.measuring, 0);
        status.pause();
        QCOMPARE(status.state, SearchState::Pausing);
        status.trialAdvanced(0, TrialStage::Ran);
        QCOMPARE(status.state, SearchState::Paused);
        QCOMPARE(status.measuring, -1);
        status.trialEnded(0);
        QCOMPARE(status.state, SearchState::Paused);

        status.state = SearchState::Running;
        status.trialAdvanced(1, TrialStage::Running);
        status.pause();
        status.trialEnded(1);
        QCOMPARE(status.state, SearchState::Paused);
    }

    void pausesAndStops() {
        ScriptedSession f(20);
        f.openMatmul(200);
        f.session->search().start();
        QTRY_VERIFY_WITH_TIMEOUT(f.session->document()->trials.size() >= 2, 30000);
        f.session->search().pause();
        QTRY_COMPARE_WITH_TIMEOUT(f.session->document()->search.state, SearchState::Paused, 10000);
        QTest::qWait(300);
        const size_t trials = f.session->document()->trials.size();
        QTest::qWait(500);
        QCOMPARE(f.session->document()->trials.size(), trials);
        f.session->search().resume();
        QTRY_VERIFY_WITH_TIMEOUT(f.session->document()->trials.size() > trials, 30000);
        f.session->search().stop();
        QCOMPARE(f.session->document()->search.state, SearchState::Stopping);
        QVERIFY(f.ended());
        QVERIFY2(f.session->document()->search.ended.startsWith(QStringLiteral("stopped after")),
                 qPrintable(f.session->document()->search.ended));
        QCOMPARE(loadRecordLog(std8(f.session->document()->logPath)).records.size(),
                 f.session->document()->trials.size());
    }

    void closingInTheMiddleKeepsWhatWasMeasured() {
        ScriptedSession f(20);
        f.openMatmul(200);
        f.session->search().start();
        QTRY_VERIFY_WITH_TIMEOUT(f.session->document()->trials.size() >= 3, 30000);
        const QString log = f.session->document()->logPath;
        const size_t seen = f.session->document()->trials.size();
        f.restart();
        QVERIFY(loadRecordLog(std8(log)).records.size() >= seen);
    }

    void aWorkloadClosedWhileItIsSearchedStopsTheSearch() {
        ScriptedSession f(20);
        f.openMatmul(200);
        f.session->search().start();
        f.session->documents().close(f.session->document()->id);
        QVERIFY(!f.session->search().underWay());
        QVERIFY(!f.session->document());
    }

    void aSearchThatCannotRunSaysWhy() {
        ScriptedSession f;
        f.openMatmul(4);
        SearchSetup setup = f.session->document()->setup;
        setup.logPath = QStringLiteral("/nowhere/at/all.json");
        f.session->search().setSetup(setup);
        f.session->search().start();
        QVERIFY(f.ended());
        QCOMPARE(f.session->document()->search.state, SearchState::Failed);
        QVERIFY2(f.session->document()->search.ended.contains(QStringLiteral("/nowhere/at/all.json")),
                 qPrintable(f.session->document()->search.ended));
        QVERIFY(!f.failures().isEmpty());
    }

    void measuresAgain() {
        ScriptedSession f;
        f.openMatmul(4);
        f.session->search().start();
        QVERIFY(f.ended());
        QSignalSpy changed(&f.session->trials(), &TaskTrials::trialsChanged);
        f.session->search().remeasure({0, 1});
        QVERIFY(!f.session->search().whyNotStart().isEmpty());
        QTRY_COMPARE_WITH_TIMEOUT(changed.count(), 1, 30000);
        int again = 0;
        for (const int trial : {0, 1}) {
            const TrialEntry &entry = f.session->document()->trials[static_cast<size_t>(trial)];
            if (!entry.valid()) continue;
            QCOMPARE(entry.later->again.size(), size_t{1});
            ++again;
        }
        QVERIFY(again > 0);
        QCOMPARE(f.session->document()->trials.size(), size_t{4});
    }

    void listingsComeAndCanBeCancelled() { // from a real worker
        ScriptedSession f;
        f.openMatmul(4);
        QSignalSpy ready(&f.session->representations(), &RepresentationCache::disassemblyReady);
        QVERIFY(!f.session->representations().disassembly({}));
        const auto running = f.session->jobs().running();
        QCOMPARE(running.size(), size_t{1});
        f.session->jobs().cancel(running[0].id);
        QCOMPARE(ready.count(), 1);
        QString problem;
        QVERIFY(!f.session->representations().disassembly({}, &problem));
        QVERIFY2(problem.contains(QStringLiteral("cancelled")), qPrintable(problem));
        f.session->representations().retryDisassembly({});
        QTRY_COMPARE_WITH_TIMEOUT(ready.count(), 2, 20000);
        QVERIFY(f.session->representations().disassembly({}, &problem));
        QVERIFY(problem.isEmpty());
    }
};

LOOPSCOPE_TEST(SessionSearchTest)
#include "session_search_test.moc"
