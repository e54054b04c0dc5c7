// Steps dragged by the mouse, from the press to the drop. The platform is Qt's minimal one, which has drags of its own;
// the one without a screen that other tests run on ends each where it begins.

#include "view_bench.h"
#include "views/steps/edited_step_model.h"
#include "views/steps/steps_view.h"

#include <QApplication>
#include <QMouseEvent>
#include <QTableView>
#include <QTimer>
#include <QWindow>
#include <QtTest>

using namespace loopscope;

namespace {

const StageId kC{2};

struct Bench : ViewBench {
    StepsView view{context};
    bool ready = false;

    Bench() {
        view.resize(1100, 600);
        view.show();
        session.documents().openText(QStringLiteral("mm"),
                                     QStringLiteral("workload mm(M = 12, N = 8, K = 6)\n"
                                                    "A = placeholder [M, K]\n"
                                                    "B = placeholder [K, N]\n"
                                                    "C(i < M, j < N) = sum(k < K; A[i, k] * B[k, j])\n"));
        ready = QTest::qWaitForWindowExposed(&view) &&
                QTest::qWaitFor([this] { return session.document() && session.document()->task != nullptr; }, 20000);
    }
    [[nodiscard]] QStringList scripts() const {
        QStringList all;
        for (const StepText &step : view.model().steps())
            all << (step.problem.isEmpty() ? step.script : u'!' + step.script);
        return all;
    }
    /// From the middle of a row to a place in the table. What is sent while the view waits for the drop comes by a
    /// timer.
    void drag(int row, const QPoint &to) {
        QWidget *rows = view.table().viewport();
        const QPoint from = view.table().visualRect(view.model().index(row, EditedStepModel::WordsColumn)).center();
        const auto send = [&](QEvent::Type type, const QPoint &at, Qt::MouseButton button, Qt::MouseButtons held) {
            const QPointF everywhere = rows->mapToGlobal(QPointF(at));
            QMouseEvent event(type, view.windowHandle()->mapFromGlobal(everywhere), everywhere, button, held, {});
            QApplication::sendEvent(view.windowHandle(), &event);
        };
        QTimer hand;
        int moves = 0;
        QObject::connect(&hand, &QTimer::timeout, &view, [&] {
            if (++moves <= 4)
                send(QEvent::MouseMove, from + (to - from) * moves / 4, Qt::NoButton, Qt::LeftButton);
            else if (moves == 5)
                send(QEvent::MouseButtonRelease, to, Qt::LeftButton, Qt::NoButton);
        });
        QTest::mousePress(rows, Qt::LeftButton, {}, from);
        hand.start(10);
        // Far enough to be a drag, which begins its own loop of events in here.
        for (int moved = 0; moved < 8 && moves == 0; ++moved) {
            const QPoint at = from + QPoint(0, (moved + 1) * 4 * (to.y() < from.y() ? -1 : 1));
            QMouseEvent event(QEvent::MouseMove, QPointF(at), rows->mapToGlobal(QPointF(at)), Qt::NoButton,
                              Qt::LeftButton, {});
            QApplication::sendEvent(rows, &event);
        }
        QVERIFY(QTest::qWaitFor([&] { return moves >= 5; }));
    }
};

} // namespace

class StepsDragTest : public QObject {
    Q_OBJECT

  private slots:
    void aStepIsDraggedBehindWhatNeedsItAndBack() {
        Bench bench;
        QVERIFY(bench.ready);
        const Steps steps{SplitStep{kC, IterId(0), 12, {4}}, SplitStep{kC, IterId(2), 8, {2}},
                          AnnotateStep{kC, IterId(1), Annotation::Unroll},
                          AnnotateStep{kC, IterId(0), Annotation::Parallel}};
        bench.session.edits().edit({}, EditedSteps(bench.session.document()->task->dag, steps),
                                   QStringLiteral("given"));
        const QStringList before = bench.scripts();
        QCOMPARE(before.size(), 4);
        const auto edge = [&](int row, bool lower) {
            const QRect rect =
                bench.view.table().visualRect(bench.view.model().index(row, EditedStepModel::WordsColumn));
            return QPoint(rect.center().x(), lower ? rect.bottom() - 1 : rect.top() + 1);
        };
        bench.drag(0, edge(3, true));
        QTRY_COMPARE(bench.scripts(),
                     (QStringList{QStringLiteral("split C j into 2"), QStringLiteral("!unroll C i.1"),
                                  QStringLiteral("!parallel C i.0"), QStringLiteral("split C i into 4")}));
        QCOMPARE(bench.session.document()->edited.back().did, QStringLiteral("moved split C i into 4 from 0 to 3"));
        bench.drag(3, edge(0, false));
        QTRY_COMPARE(bench.scripts(), before);
        QCOMPARE(bench.view.table().currentIndex().row(), 0);
        // Let go where it was taken: nothing is made of it.
        const size_t nodes = bench.session.document()->edited.size();
        bench.drag(1, edge(1, true));
        QCOMPARE(bench.scripts(), before);
        QCOMPARE(bench.session.document()->edited.size(), nodes);
    }
};

int main(int argc, char **argv) {
    qputenv("QT_QPA_PLATFORM", "minimal");
    const QApplication application(argc, argv);
    StepsDragTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "steps_drag_test.moc"
