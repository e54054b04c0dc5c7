// What the views look at, and the way back.

#include "test_program.h"
#include "views/session/selection.h"

#include <QSignalSpy>
#include <QTest>

using namespace loopscope;

namespace {
ScheduleRef trial(int number) { return {ScheduleRef::Kind::Trial, number}; }
} // namespace

class SelectionTest : public QObject {
    Q_OBJECT

  private slots:
    void tellsWhatChanged() {
        Selection selection;
        std::vector<QString> heard;
        connect(&selection, &Selection::changed, this, [&](const Selected &now, const Selected &before) {
            heard.push_back(before.stage + QStringLiteral(">") + now.stage);
        });
        selection.selectStage(QStringLiteral("conv"));
        selection.selectStage(QStringLiteral("conv"));
        selection.selectStage(QStringLiteral("relu"));
        QCOMPARE(heard, (std::vector<QString>{QStringLiteral(">conv"), QStringLiteral("conv>relu")}));
    }

    void anotherScheduleKeepsTheStageAndForgetsNumbers() {
        Selection selection;
        selection.selectNode(7, QStringLiteral("conv"), QStringLiteral("i.0"));
        selection.selectSchedule(trial(3));
        QCOMPARE(selection.now().stage, QStringLiteral("conv"));
        QCOMPARE(selection.now().iterator, QStringLiteral("i.0"));
        QCOMPARE(selection.now().node, -1);
        QCOMPARE(selection.now().step, -1);
    }

    void goesBackAndForward() {
        Selection selection;
        QVERIFY(!selection.canGoBack());
        selection.selectSchedule(trial(0));
        selection.selectSchedule(trial(1));
        selection.back();
        QCOMPARE(selection.now().schedule, trial(0));
        QVERIFY(selection.canGoForward());
        selection.forward();
        QCOMPARE(selection.now().schedule, trial(1));
        selection.back();
        selection.selectStage(QStringLiteral("conv"));
        QVERIFY2(!selection.canGoForward(), "a new choice ends the way forward");
    }

    void brushingIsNoPlaceToComeBackTo() {
        Selection selection;
        selection.selectSchedule(trial(0));
        for (int i = 0; i < 50; ++i) selection.selectTrials({0, i});
        selection.selectSchedule(trial(1));
        selection.back();
        QCOMPARE(selection.now().schedule, trial(0));
        selection.back();
        QVERIFY(!selection.canGoBack());
    }

    void historyIsBounded() {
        Selection selection;
        for (int i = 0; i < 1000; ++i) selection.selectSchedule(trial(i));
        int steps = 0;
        for (; selection.canGoBack(); ++steps) selection.back();
        QCOMPARE(steps, 199);
    }

    void anotherDocumentHasNoWayBack() {
        Selection selection;
        selection.selectSchedule(trial(4));
        QSignalSpy spy(&selection, &Selection::changed);
        selection.reset();
        QCOMPARE(spy.count(), 1);
        QVERIFY(!selection.canGoBack());
        QCOMPARE(selection.now(), Selected{});
    }

    void schedulesHaveNames() {
        QCOMPARE(scheduleName({}), QStringLiteral("naive schedule"));
        QCOMPARE(scheduleName({ScheduleRef::Kind::Sketch, 2}), QStringLiteral("sketch 2"));
        QCOMPARE(scheduleName(trial(16)), QStringLiteral("trial 17"));
    }
};

LOOPSCOPE_TEST(SelectionTest)
#include "selection_test.moc"
