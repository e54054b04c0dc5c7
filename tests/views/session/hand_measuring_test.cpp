// Schedules that no search found, measured one after the other: each becomes a trial with a record in the log, failures
// included, and waits while a search has the machine.

#include "scripted_session.h"

#include "records/record/record.h"
#include "test_program.h"

#include <QSignalSpy>

using namespace loopscope;

namespace hand_measuring_test {

namespace {

using Kind = ScheduleRef::Kind;

ScheduleRef editedRef(int node) { return {Kind::Edited, node}; }

/// Splits loop i of the product, as a node of its own below the naive schedule.
int splitByHand(const SessionFixture &f, int64_t length) {
    const QString why =
        f.session->edits().apply({Kind::Naive, 0}, SplitStep{StageId(2), IterId(0), 64, {length}, true});
    if (!why.isEmpty()) qFatal("%s", qPrintable(why));
    return f.session->selection().now().schedule.number;
}

} // namespace

class HandMeasuringTest : public QObject {
    Q_OBJECT

    static bool measured(const SessionFixture &f, size_t trials) {
        return QTest::qWaitFor(
            [&] { return f.session->document()->trials.size() >= trials && !f.session->search().byHand().underWay(); },
            30000);
    }

  private slots:
    void becomesATrialAndARecord() {
        ScriptedSession f;
        f.openMatmul(8);
        const int node = splitByHand(f, 8);
        QSignalSpy best(&f.session->trials(), &TaskTrials::bestChanged);
        QCOMPARE(f.session->search().measure(editedRef(node)), QString());
        QVERIFY(f.session->search().byHand().waits(f.session->document()->taskId, editedRef(node)));
        QVERIFY(!f.session->search().whyNotStart().isEmpty()); // the machine is in use
        QVERIFY(measured(f, 1));
        QVERIFY(f.session->search().whyNotStart().isEmpty());
        const Document &document = *f.session->document();
        const TrialEntry &trial = document.trials[0];
        QVERIFY(trial.valid());
        QCOMPARE(trial.mutation, QStringLiteral("by hand"));
        QCOMPARE(document.best, 0);
        QCOMPARE(best.count(), 1);
        QVERIFY(document.naiveSeconds > 0); // there is a ratio
        const EditMeasurement &known = document.edited[static_cast<size_t>(node)].measured;
        QCOMPARE(known.trial, 0);
        QCOMPARE(known.seconds, trial.seconds());
        QVERIFY(known.failure.isEmpty());
        // The log has it, so that a search goes on from it.
        QVERIFY(!document.logPath.isEmpty());
        const RecordLog log = loadRecordLog(document.logPath.toStdString());
        QCOMPARE(log.records.size(), size_t{1});
        QVERIFY(log.records[0].trial.steps == trial.trial.steps);
        QCOMPARE(trial.logRecord, 0);
        QCOMPARE(trial.recordHash, recordHash(log.records[0]));
        QCOMPARE(f.failures(), QString());

        f.session->search().start();
        QVERIFY(f.ended());
        QCOMPARE(document.trials.size(), size_t{8}); // it counts
        QCOMPARE(loadRecordLog(document.logPath.toStdString()).records.size(), size_t{8});
    }

    void aFailureIsATrialToo() {
        ScriptedSession f;
        f.openMatmul(8);
        f.session->search().setMeasurerFactory([](const Task &, const MeasureOptions &) {
            auto measurer = std::make_unique<ScriptedMeasurer>();
            measurer->fault = [](const Steps &steps) {
                return steps.empty() ? TrialError::None : TrialError::WrongAnswer;
            };
            return measurer;
        });
        const int node = splitByHand(f, 8);
        QCOMPARE(f.session->search().measure(editedRef(node)), QString());
        QVERIFY(measured(f, 1));
        const Document &document = *f.session->document();
        QVERIFY(!document.trials[0].valid());
        QCOMPARE(document.best, -1);
        const EditMeasurement &known = document.edited[static_cast<size_t>(node)].measured;
        QCOMPARE(known.trial, 0);
        QCOMPARE(known.seconds, 0.0);
        QVERIFY(!known.failure.isEmpty());
        QCOMPARE(loadRecordLog(document.logPath.toStdString()).records.size(), size_t{1});
    }

    void oneAfterTheOther() {
        ScriptedSession f(30);
        f.openMatmul(8);
        std::vector<int> nodes;
        for (const int64_t length : {2, 4, 8}) nodes.push_back(splitByHand(f, length));
        for (const int node : nodes) QCOMPARE(f.session->search().measure(editedRef(node)), QString());
        QCOMPARE(f.session->search().measure(editedRef(nodes[2])), QString()); // waits already
        QCOMPARE(f.session->search().byHand().waiting(), size_t{2});
        QVERIFY(measured(f, 3));
        QVERIFY(f.idle());
        const Document &document = *f.session->document();
        QCOMPARE(document.trials.size(), size_t{3});
        for (size_t i = 0; i < nodes.size(); ++i)
            QCOMPARE(document.edited[static_cast<size_t>(nodes[i])].measured.trial, static_cast<int>(i));
    }

    void waitsForTheSearch() {
        ScriptedSession f(20);
        f.openMatmul(8);
        const int node = splitByHand(f, 8);
        f.session->search().start();
        QVERIFY(f.session->search().underWay());
        QCOMPARE(f.session->search().measure(editedRef(node)), QString());
        QVERIFY(!f.session->search().byHand().underWay());
        QVERIFY(f.ended());
        QVERIFY(measured(f, 9));
        const Document &document = *f.session->document();
        QCOMPARE(document.trials.back().mutation, QStringLiteral("by hand"));
        QCOMPARE(document.edited[static_cast<size_t>(node)].measured.trial, 8);
    }

    void whatIsATrialIsMeasuredAgain() {
        ScriptedSession f;
        f.openMatmul(8);
        const int node = splitByHand(f, 8);
        QCOMPARE(f.session->search().measure(editedRef(node)), QString());
        QVERIFY(measured(f, 1));
        QVERIFY(f.idle());
        QCOMPARE(f.session->search().measure(editedRef(node)), QString());
        QVERIFY(f.session->search().remeasuring());
        QVERIFY(f.idle());
        const Document &document = *f.session->document();
        QCOMPARE(document.trials.size(), size_t{1});
        QCOMPARE(document.trials[0].later->again.size(), size_t{1});
        QCOMPARE(document.edited[static_cast<size_t>(node)].measured.seconds, document.trials[0].seconds());
    }

    void theNaiveSchedule() {
        ScriptedSession f;
        f.openMatmul(8);
        QCOMPARE(f.session->search().measure({Kind::Naive, 0}), QString());
        QVERIFY(measured(f, 1));
        const Document &document = *f.session->document();
        QVERIFY(document.trials[0].trial.steps.empty());
        QCOMPARE(document.naiveSeconds, document.trials[0].seconds());
        f.session->search().start(); // a search bears a trial without steps
        QVERIFY(f.ended());
        QCOMPARE(document.trials.size(), size_t{8});
        QCOMPARE(f.failures(), QString());
    }

    void openLengthsAreRefused() {
        ScriptedSession f;
        f.openMatmul(8);
        QVERIFY(!f.session->document()->sketches.empty());
        const QString why = f.session->search().measure({Kind::Sketch, 0});
        QVERIFY2(why.contains(QStringLiteral("open")), qPrintable(why));
        QVERIFY(f.session->messages().all().back().text.contains(why));
        QVERIFY(!f.session->search().measure({Kind::Edited, 7}).isEmpty()); // there is none
        QVERIFY(f.session->document()->trials.empty());
    }

    void forgottenTrialsLeaveTheirTimes() {
        ScriptedSession f;
        f.openMatmul(8);
        const int node = splitByHand(f, 8);
        QCOMPARE(f.session->search().measure(editedRef(node)), QString());
        QVERIFY(measured(f, 1));
        f.session->search().forgetTrials();
        const EditMeasurement &known = f.session->document()->edited[static_cast<size_t>(node)].measured;
        QCOMPARE(known.trial, -1);
        QVERIFY(known.seconds > 0);
    }

    /// The estimate says what a node is worth until there is enough to learn from.
    void nodesArePredicted() {
        ScriptedSession f;
        f.openMatmul(24);
        const int node = splitByHand(f, 8);
        const Document &document = *f.session->document();
        const auto predicted = [&] { return document.edited[static_cast<size_t>(node)].predicted; };
        QTRY_VERIFY_WITH_TIMEOUT(!std::isnan(predicted()), 20000);
        QVERIFY(predicted() > 0);
        // Where editing began is the naive schedule itself.
        QCOMPARE(document.edited[static_cast<size_t>(document.edited[static_cast<size_t>(node)].parent)].predicted,
                 1.0);
        QCOMPARE(f.session->moves().predictedBy(node), QStringLiteral("the analytic estimate"));
        f.session->search().start();
        QVERIFY(f.ended());
        QVERIFY(f.idle());
        QTRY_VERIFY_WITH_TIMEOUT(f.session->moves().predictedBy(node) != QLatin1String("the analytic estimate"), 20000);
        QVERIFY(!std::isnan(predicted()));
    }

    void movesArePredictedAllAtOnce() {
        ScriptedSession f;
        f.openMatmul(8);
        const ScheduleRef naive{Kind::Naive, 0};
        QSignalSpy ready(&f.session->moves(), &MovePredictions::movesReady);
        QVERIFY(!f.session->moves().of(naive));
        QTRY_VERIFY_WITH_TIMEOUT(ready.count() == 2, 20000);
        const OfferedMovesPtr offered = f.session->moves().of(naive);
        QVERIFY(offered && !offered->moves.empty());
        QCOMPARE(offered->changes.size(), offered->moves.size());
        QCOMPARE(offered->predictedBy, QStringLiteral("the analytic estimate"));
        QVERIFY(std::count_if(offered->changes.begin(), offered->changes.end(),
                              [](const auto &change) { return change.has_value(); }) > 10);
        QCOMPARE(ready.count(), 2); // asked for again it costs nothing
        // Another text is another task: its schedules have other moves.
        f.session->documents().setText(QString::fromUtf8(SessionFixture::matmul(32)));
        QVERIFY(f.settled());
        QTRY_VERIFY_WITH_TIMEOUT(
            (f.session->moves().of(naive), f.session->moves().of(naive) && f.session->moves().of(naive) != offered),
            20000);
    }

    /// Of hundreds of stages only so many are gone through; the menu of another finds its own.
    void aLargeNetworkIsNoLongWait() {
        ScriptedSession f;
        QByteArray text = "workload chain(N = 64)\nS0 = placeholder [N, N]\n";
        for (int stage = 1; stage <= 300; ++stage) {
            const QByteArray number = QByteArray::number(stage);
            text += "S" + number + "(i < N, j < N) = S" + QByteArray::number(stage - 1) + "[i, j] + 1\n";
        }
        f.session->files().open({f.write(QStringLiteral("chain.te"), text)});
        QVERIFY(f.settled());
        const ScheduleRef naive{Kind::Naive, 0};
        QTRY_VERIFY_WITH_TIMEOUT(f.session->moves().of(naive), 30000);
        const OfferedMovesPtr offered = f.session->moves().of(naive);
        QVERIFY(!offered->moves.empty());
        QVERIFY2(offered->moves.size() < 1000, QByteArray::number(offered->moves.size()).constData());
        QVERIFY(std::is_sorted(offered->moves.begin(), offered->moves.end(),
                               [](const Step &a, const Step &b) { return stageOf(a) < stageOf(b); }));
    }
};

LOOPSCOPE_TEST(HandMeasuringTest)

} // namespace hand_measuring_test
#include "hand_measuring_test.moc"
