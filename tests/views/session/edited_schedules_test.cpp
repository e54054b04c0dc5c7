// Schedules made by hand: every edit is a node, and every node can be gone back to.

#include "session_fixture.h"

#include "schedule/script/schedule_script.h"
#include "test_program.h"
#include "views/session/edited_schedules.h"
#include "views/session/text.h"

#include <QSignalSpy>

using namespace loopscope;

namespace edited_schedules_test {

namespace {

using Kind = ScheduleRef::Kind;
const StageId kC{2};

Step split(int64_t length) { return SplitStep{kC, IterId(0), 8, {length}}; }

} // namespace

class EditedSchedulesTest : public QObject {
    Q_OBJECT

  private slots:
    void editsAreNodes() {
        SessionFixture f;
        EditedSchedules &edits = open(f);
        QSignalSpy changed(&edits, &EditedSchedules::nodesChanged);
        QCOMPARE(edits.apply({}, split(4)), QString());
        QCOMPARE(changed.count(), 2); // where editing began, and the edit
        QCOMPARE(f.session->selection().now().schedule, (ScheduleRef{Kind::Edited, 1}));
        QCOMPARE(edits.node(0)->did, QStringLiteral("naive schedule"));
        QCOMPARE(edits.node(1)->did, QStringLiteral("split C i into 4"));
        QCOMPARE(edits.node(1)->parent, 0);
        QCOMPARE(edits.apply({Kind::Edited, 1}, AnnotateStep{kC, IterId(0), Annotation::Parallel}), QString());
        // From the naive schedule again: another branch, of the same root.
        QCOMPARE(edits.apply({}, split(2)), QString());
        QCOMPARE(edits.children(-1), std::vector<int>{0});
        QCOMPARE(edits.children(0), (std::vector<int>{1, 3}));
        // The same edit leads to the node there is.
        QCOMPARE(edits.apply({}, split(4)), QString());
        QCOMPARE(f.session->selection().now().schedule, (ScheduleRef{Kind::Edited, 1}));
        QCOMPARE(f.session->document()->edited.size(), size_t{4});
    }

    void undoGoesUpAndRedoWhereOneCameFrom() {
        SessionFixture f;
        EditedSchedules &edits = open(f);
        QVERIFY(!edits.canUndo() && !edits.canRedo());
        std::vector<std::string> texts;
        QCOMPARE(edits.apply({}, split(4)), QString());
        QCOMPARE(edits.apply(at(f), split(2)), QString()); // i.0 of what is left
        QCOMPARE(edits.apply({Kind::Edited, 1}, AnnotateStep{kC, IterId(1), Annotation::Vectorize}), QString());
        for (const EditNode &node : f.session->document()->edited) texts.push_back(*scriptOf(dag(f), stepsOf(node)));
        QCOMPARE(at(f).number, 3);
        edits.undo();
        QCOMPARE(at(f).number, 1);
        edits.redo();
        QCOMPARE(at(f).number, 3);
        f.session->selection().selectSchedule({Kind::Edited, 2}); // anywhere
        edits.undo();
        edits.undo();
        QCOMPARE(at(f).number, 0);
        QVERIFY(!edits.canUndo());
        edits.undo(); // does nothing
        edits.redo();
        edits.redo();
        QCOMPARE(at(f).number, 2); // seen last
        QVERIFY(!edits.canRedo());
        for (size_t n = 0; n < texts.size(); ++n)
            QCOMPARE(*scriptOf(dag(f), stepsOf(f.session->document()->edited[n])), texts[n]);
    }

    void aRefusedStepMakesNothing() {
        SessionFixture f;
        EditedSchedules &edits = open(f);
        QCOMPARE(edits.apply({}, AnnotateStep{kC, IterId(0), Annotation::Parallel}), QString());
        const QString why = edits.apply(at(f), AnnotateStep{kC, IterId(0), Annotation::Vectorize});
        QVERIFY2(why.contains(QStringLiteral("parallel")), qPrintable(why));
        QCOMPARE(f.session->document()->edited.size(), size_t{2});
        QCOMPARE(edits.apply({Kind::Trial, 7}, split(2)), QStringLiteral("There is no trial 8 any more."));
        QCOMPARE(edits.begin({Kind::Edited, 12}), -1);
    }

    void followedStepsAreCountedWithTheRefusedOnes() {
        SessionFixture f;
        EditedSchedules &edits = open(f);
        auto steps = *edits.stepsOf({});
        steps.insert(0, SplitStep{kC, IterId(7), 8, {2}}); // no such loop
        steps.insert(1, split(4));
        edits.edit({}, steps, QStringLiteral("by hand"));
        QVERIFY(edits.node(1)->steps.refused(0));
        QCOMPARE(edits.apply(at(f), FollowSplitStep{kC, IterId(2), StepId(0), 1}), QString());
        const EditedSteps &made = edits.node(at(f).number)->steps;
        QVERIFY(!made.refused(2));
        QCOMPARE(std::get<FollowSplitStep>(made.step(2)).source, StepId(1));
        QCOMPARE(made.state().steps().size(), size_t{2});
    }

    void whatIsDroppedGoesWithItsBranch() {
        SessionFixture f;
        EditedSchedules &edits = open(f);
        QCOMPARE(edits.apply({}, split(4)), QString());
        QCOMPARE(edits.apply(at(f), split(2)), QString());
        edits.rename(1, QStringLiteral(" wide "));
        QCOMPARE(edits.node(1)->name, QStringLiteral("wide"));
        edits.drop(1);
        QVERIFY(edits.node(1) == nullptr && edits.node(2) == nullptr);
        QCOMPARE(at(f).number, 0);
        QVERIFY(!edits.canRedo());
        QVERIFY(!edits.stepsOf({Kind::Edited, 2}));
        edits.drop(0);
        QCOMPARE(at(f), ScheduleRef());
        QVERIFY(edits.children(-1).empty());
    }

    void measurementsAndPredictionsComeLate() {
        SessionFixture f;
        EditedSchedules &edits = open(f);
        QCOMPARE(edits.apply({}, split(4)), QString());
        const int task = f.session->document()->taskId;
        QSignalSpy changed(&edits, &EditedSchedules::nodesChanged);
        edits.setPredictions(task, {{1, 0.5}});
        edits.setMeasured(task, 1, {0.001, {}, -1});
        QCOMPARE(changed.count(), 2);
        QCOMPARE(edits.node(1)->predicted, 0.5);
        QCOMPARE(edits.node(1)->measured.seconds, 0.001);
        edits.setPredictions(task + 1, {{1, 0.25}}); // closed meanwhile
        edits.setMeasured(task, 5, {});
        QCOMPARE(edits.node(1)->predicted, 0.5);
        QCOMPARE(changed.count(), 2);
    }

  private:
    static EditedSchedules &open(SessionFixture &f) {
        f.session->files().open({f.write(QStringLiteral("m.te"), SessionFixture::matmul(8))});
        if (!f.settled()) qFatal("the workload is not understood");
        return f.session->edits();
    }
    static ScheduleRef at(const SessionFixture &f) { return f.session->selection().now().schedule; }
    static const DagPtr &dag(const SessionFixture &f) { return f.session->document()->task->dag; }
    static const Steps &stepsOf(const EditNode &node) { return node.steps.state().steps(); }
};

LOOPSCOPE_TEST(EditedSchedulesTest)

} // namespace edited_schedules_test
#include "edited_schedules_test.moc"
