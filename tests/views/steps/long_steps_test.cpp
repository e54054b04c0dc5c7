// A network of a thousand stages with three steps on each: shown, edited in the middle, and locked. It prints how long
// the window does not answer meanwhile; how long that may be is for who reads it, as the machine may be busy.

#include "test_program.h"
#include "view_bench.h"
#include "views/steps/edited_step_model.h"
#include "views/steps/step_editor.h"
#include "views/steps/step_text.h"
#include "views/steps/steps_view.h"

#include <QElapsedTimer>
#include <QLineEdit>
#include <QTableView>
#include <QtTest>

using namespace loopscope;

namespace {

constexpr int kStages = 1000;

QString network() {
    QString text = QStringLiteral("workload network(N = 64)\nS0 = placeholder [N, N] float32\n");
    for (int i = 1; i <= kStages; ++i) text += QStringLiteral("S%1(i < N, j < N) = S%2[i, j] + 1\n").arg(i).arg(i - 1);
    return text;
}

/// Rows split and vectorized, in parallel.
Steps steps() {
    Steps all;
    for (int i = 1; i <= kStages; ++i) {
        all.push_back(SplitStep{StageId(i), IterId(1), 64, {8}});
        all.push_back(AnnotateStep{StageId(i), IterId(2), Annotation::Vectorize});
        all.push_back(AnnotateStep{StageId(i), IterId(0), Annotation::Parallel});
    }
    return all;
}

} // namespace

class LongStepsTest : public QObject {
    Q_OBJECT

  private slots:
    void threeThousandStepsAreShownAndEdited() {
        ViewBench bench;
        StepsView view(bench.context);
        view.resize(1100, 600);
        view.show();
        bench.session.documents().openText(QStringLiteral("network"), network());
        QTRY_VERIFY_WITH_TIMEOUT(bench.session.document() != nullptr && bench.session.document()->task != nullptr,
                                 60000);
        EditedSchedules &edits = bench.session.edits();
        QElapsedTimer timer;
        QStringList told;
        const auto took = [&](const char *what) {
            told << QStringLiteral("%1 %2 ms").arg(QLatin1String(what)).arg(timer.restart());
        };
        const EditedSteps made(bench.session.document()->task->dag, steps());
        timer.start();
        const int first = edits.edit({}, made, QStringLiteral("given"));
        took("showing");
        QCOMPARE(view.model().rowCount(), 3 * kStages);
        QCOMPARE(view.model().steps()[1500].script, QStringLiteral("split S501 j into 8"));

        bench.session.selection().selectStep(1500);
        took("choosing a step");
        QCOMPARE(view.table().currentIndex().row(), 1500);
        QTest::keyClick(&view.table(), Qt::Key_Up, Qt::AltModifier); // in front of the last step of the stage before
        took("moving it");
        QCOMPARE(view.model().steps()[1499].script, QStringLiteral("split S501 j into 8"));
        QCOMPARE(edits.node(bench.session.selection().now().schedule.number)->steps.state().steps().size(),
                 size_t{3 * kStages});

        timer.restart();
        QTest::keyClick(&view.table(), Qt::Key_Delete);
        took("deleting it");
        QCOMPARE(view.model().rowCount(), 3 * kStages - 1);
        QCOMPARE(view.model().steps()[1500].script, QStringLiteral("vectorize S501 j.1")); // refused, not dropped
        QVERIFY(!view.model().steps()[1500].problem.isEmpty());

        timer.restart();
        edits.undo();
        took("undoing");
        QCOMPARE(view.model().rowCount(), 3 * kStages);
        const TypedStep typed = readStep(edits.node(first)->steps, 2999, QStringLiteral("unroll S1000 i"));
        took("judging what is typed");
        QVERIFY2(typed.step.has_value(), qPrintable(typed.problem));

        bench.session.selection().selectStep(3);
        timer.restart();
        QTest::keyClick(&view.table(), Qt::Key_L, Qt::ShiftModifier);
        took("locking");
        QVERIFY(view.model().lock(3) == EditedStepModel::Lock::Whole);
        qInfo().noquote() << told.join(QStringLiteral("; "));
    }
};

LOOPSCOPE_WINDOW_TEST(LongStepsTest)
#include "long_steps_test.moc"
