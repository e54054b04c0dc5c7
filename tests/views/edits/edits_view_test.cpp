// The tree of edits: its layout in rows, the model as text, and the view by clicks and keys.

#include "test_program.h"
#include "view_bench.h"
#include "views/edits/drop_bar.h"
#include "views/edits/edit_tree_model.h"
#include "views/edits/edit_tree_view.h"
#include "views/edits/edits_view.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QtTest>

namespace loopscope {

namespace {

using Kind = ScheduleRef::Kind;

const QString kMatmul = QStringLiteral("workload mm(M = 8, N = 8, K = 8)\n"
                                       "A = placeholder [M, K] float32\n"
                                       "B = placeholder [K, N] float32\n"
                                       "C(i < M, j < N) = sum(k < K; A[i, k] * B[k, j])\n");
const StageId kC{2};

/// "0 (1 (2) 3) 4": nodes in the order of rows, those below one in brackets.
QString shape(const EditTreeModel &model, const QModelIndex &parent = {}) {
    QStringList parts;
    for (int row = 0; row < model.rowCount(parent); ++row) {
        const QModelIndex index = model.index(row, 0, parent);
        parts << QString::number(model.nodeAt(index));
        if (model.rowCount(index) > 0) parts << u'(' + shape(model, index) + u')';
    }
    return parts.join(u' ');
}

} // namespace

class EditsViewTest : public QObject {
    Q_OBJECT

    struct Bench : ViewBench {
        EditsView view{context};
        QAbstractItemModelTester tester{&view.model(), QAbstractItemModelTester::FailureReportingMode::QtTest};
        EditedSchedules &edits = session.edits();

        Bench() {
            view.resize(900, 400);
            view.show();
            session.documents().openText(QStringLiteral("mm"), kMatmul);
            ready = QTest::qWaitForWindowActive(&view) &&
                    QTest::qWaitFor(
                        [this] { return session.document() != nullptr && session.document()->task != nullptr; }, 20000);
        }
        bool ready = false;

        [[nodiscard]] int at() {
            const ScheduleRef &ref = session.selection().now().schedule;
            return ref.kind == Kind::Edited ? ref.number : -1;
        }
        int split(int from, int64_t length) {
            const ScheduleRef ref = from < 0 ? ScheduleRef{} : ScheduleRef{Kind::Edited, from};
            const QString why = edits.apply(
                ref, SplitStep{kC, IterId(0), edits.stepsOf(ref)->state().stage(kC).iters[0].extent, {length}});
            return why.isEmpty() ? at() : -2;
        }
        /// A line of 0 to 3, and made from 1: 4, 5 (longer than 2, 3: 6) and 7.
        void grow() {
            split(-1, 4);                                                                                // 0, 1
            split(1, 2);                                                                                 // 2
            split(2, 1);                                                                                 // 3
            session.edits().apply({Kind::Edited, 1}, AnnotateStep{kC, IterId(0), Annotation::Parallel}); // 4
            session.edits().apply({Kind::Edited, 1}, AnnotateStep{kC, IterId(1), Annotation::Unroll});   // 5
            session.edits().apply({Kind::Edited, 5}, AnnotateStep{kC, IterId(0), Annotation::Parallel}); // 6
            session.edits().apply({Kind::Edited, 6}, AnnotateStep{kC, IterId(3), Annotation::Unroll});   // 7
        }
        [[nodiscard]] QPoint middle(int node, int column = 0) const {
            return view.tree().visualRect(view.model().indexOf(node, column)).center();
        }
        void click(int node, Qt::KeyboardModifiers with = Qt::NoModifier) const {
            QTest::mouseClick(view.tree().viewport(), Qt::LeftButton, with, middle(node));
        }
        [[nodiscard]] QAction *action(const char *id) const { return actions.find(QLatin1String(id)); }
    };

  private slots:
    void saysHowToBegin() {
        const Bench bench;
        QVERIFY(bench.ready);
        bool said = false;
        for (const QLabel *label : bench.view.findChildren<QLabel *>())
            said =
                said || (label->isVisible() && label->text().startsWith(QLatin1String("No schedule was made by hand")));
        QVERIFY(said);
        QVERIFY(!bench.action("edits.undo")->isEnabled());
        QVERIFY(!bench.action("edits.drop")->isEnabled());
    }

    void aLineIsNotIndentedAndTheLongestGoesOn() {
        Bench bench;
        QString all = QStringLiteral("0");
        for (int i = 1; i <= 40; ++i) {
            QCOMPARE(bench.split(bench.at(), 1), i);
            all += QStringLiteral(" %1").arg(i);
        }
        QCOMPARE(shape(bench.view.model()), all);
        QCOMPARE(bench.view.model().rowAt(bench.view.model().indexOf(40))->depth, 0);
    }

    void sideLinesAreIndented() {
        Bench bench;
        bench.grow();
        QCOMPARE(bench.session.document()->edited.size(), size_t{8});
        QCOMPARE(shape(bench.view.model()), QStringLiteral("0 1 (2 3 4) 5 6 7"));
        // Where a side line begins and ends.
        const auto row = [&](int node) { return *bench.view.model().rowAt(bench.view.model().indexOf(node)); };
        QVERIFY(row(2).first && !row(2).last && row(3).last && row(4).first && row(4).last);
        QVERIFY(!row(5).first && row(7).last && row(0).first);
        bench.edits.drop(5);
        QCOMPARE(shape(bench.view.model()), QStringLiteral("0 1 (4) 2 3"));
    }

    void aClickGoesThere() {
        Bench bench;
        bench.grow();
        QCOMPARE(bench.at(), 7);
        bench.click(3);
        QCOMPARE(bench.at(), 3);
        QVERIFY(bench.view.model().indexOf(3).data(EditTreeModel::ShownRole).toBool());
        QVERIFY(!bench.view.model().indexOf(7).data(EditTreeModel::ShownRole).toBool());
        QTest::keyClick(&bench.view.tree(), Qt::Key_Down);
        QCOMPARE(bench.at(), 4);
        bench.session.selection().selectSchedule({Kind::Edited, 0});
        QCOMPARE(bench.view.model().nodeAt(bench.view.tree().currentIndex()), 0);
        bench.session.selection().selectSchedule({});
        QVERIFY(!bench.view.tree().currentIndex().isValid());
    }

    void undoAndRedoByKeys() {
        Bench bench;
        bench.grow();
        bench.view.tree().setFocus();
        QTest::keyClick(&bench.view.tree(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(bench.at(), 6);
        QTest::keyClick(&bench.view.tree(), Qt::Key_Z, Qt::ControlModifier);
        QTest::keyClick(&bench.view.tree(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(bench.at(), 1);
        QTest::keyClick(&bench.view.tree(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(bench.at(), 5); // where one came from, not the first
    }

    void doubleClickAndF2Rename() {
        Bench bench;
        bench.grow();
        bench.click(4);
        QTest::mouseDClick(bench.view.tree().viewport(), Qt::LeftButton, {}, bench.middle(4));
        const auto visibleEditor = [&] {
            auto *line = bench.view.tree().viewport()->findChild<QLineEdit *>();
            return line != nullptr && line->isVisible() ? line : nullptr;
        };
        auto *editor = visibleEditor();
        QVERIFY(editor != nullptr);
        QTest::keyClicks(editor, QStringLiteral("npz"));
        bench.edits.setPredictions(bench.session.document()->taskId, {{4, 0.5}}); // comes late, and takes nothing away
        QTest::keyClicks(editor, QStringLiteral(" parallel"));
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE(bench.edits.node(4)->name, QStringLiteral("npz parallel"));
        QCOMPARE(scheduleName(*bench.session.document(), {Kind::Edited, 4}),
                 QStringLiteral("edited schedule 5 (npz parallel)"));
        bench.view.tree().setFocus();
        QTest::keyClick(&bench.view.tree(), Qt::Key_F2);
        QTRY_VERIFY(visibleEditor() != nullptr);
        editor = visibleEditor();
        QTest::keyClicks(editor, QStringLiteral("other"));
        QTest::keyClick(editor, Qt::Key_Escape);
        QCOMPARE(bench.edits.node(4)->name, QStringLiteral("npz parallel"));
        QTest::keyClick(&bench.view.tree(), Qt::Key_N);
        QTRY_VERIFY(visibleEditor() != nullptr);
        editor = visibleEditor();
        QTest::keyClicks(editor, QStringLiteral("too slow"));
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE(bench.edits.node(4)->note, QStringLiteral("too slow"));
        QTRY_VERIFY(bench.view.tree().hasFocus()); // the keys go on from here
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_P);
        QVERIFY(bench.edits.node(4)->pinned);
        QTest::keyClick(&bench.view.tree(), Qt::Key_P);
        QVERIFY(!bench.edits.node(4)->pinned);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Up);
        QCOMPARE(bench.at(), 3);
    }

    void droppingABranchIsAskedAbout() {
        Bench bench;
        bench.grow();
        bench.click(6);
        auto *bar = bench.view.findChild<DropBar *>();
        QTest::keyClick(&bench.view.tree(), Qt::Key_Delete);
        QVERIFY(bar->isVisible());
        QVERIFY2(bar->findChild<QLabel *>()->text().contains(
                     QLatin1String("edited schedule 7 with 1 schedule made from it")),
                 qPrintable(bar->findChild<QLabel *>()->text()));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return); // keep has the focus
        QVERIFY(!bar->isVisible() && bench.edits.node(6) != nullptr);
        QTest::keyClick(&bench.view.tree(), Qt::Key_Delete);
        for (auto *button : bar->findChildren<QPushButton *>())
            if (button->text() == QLatin1String("Drop")) QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(bench.edits.node(6) == nullptr && bench.edits.node(7) == nullptr && bench.edits.node(5) != nullptr);
        QCOMPARE(bench.at(), 5);
        // A single one without name, note or time goes at once.
        bench.click(4);
        QTest::keyClick(&bench.view.tree(), Qt::Key_Delete);
        QVERIFY(!bar->isVisible() && bench.edits.node(4) == nullptr);
        QCOMPARE(bench.at(), 1);
        bench.edits.setMeasured(bench.session.document()->taskId, 3, {0.001, {}, -1});
        bench.click(3);
        QTest::keyClick(&bench.view.tree(), Qt::Key_Delete);
        QVERIFY(bar->isVisible());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        QVERIFY(!bar->isVisible() && bench.edits.node(3) != nullptr);
    }

    void aRightClickComparesWithTheOneShown() {
        Bench bench;
        bench.grow();
        QSignalSpy asked(&bench.session.selection(), &Selection::comparisonAsked);
        QTest::mouseClick(bench.view.tree().viewport(), Qt::RightButton, {}, bench.middle(3));
        QContextMenuEvent event(QContextMenuEvent::Mouse, bench.middle(3),
                                bench.view.tree().viewport()->mapToGlobal(bench.middle(3)));
        QApplication::sendEvent(bench.view.tree().viewport(), &event);
        auto *menu = bench.view.findChild<QMenu *>();
        QVERIFY(menu && menu->isVisible());
        QCOMPARE(bench.at(), 7); // it chose nothing
        QCOMPARE(bench.action("edits.compare")->text(), QStringLiteral("Compare with the one shown"));
        QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(bench.action("edits.compare")).center());
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked[0][0].value<TaskSchedule>().ref, (ScheduleRef{Kind::Edited, 3}));
        QCOMPARE(asked[0][1].value<TaskSchedule>().ref, (ScheduleRef{Kind::Edited, 7}));
        QCOMPARE(bench.at(), 7);
        // The one shown, with what it was made from; two chosen, with each other.
        QTRY_COMPARE(bench.action("edits.compare")->text(), QStringLiteral("Compare with what it was made from"));
        bench.view.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&bench.view));
        bench.view.tree().setFocus();
        QTest::keyClick(&bench.view.tree(), Qt::Key_D, Qt::ControlModifier);
        QCOMPARE(asked.count(), 2);
        QCOMPARE(asked[1][0].value<TaskSchedule>().ref, (ScheduleRef{Kind::Edited, 6}));
        bench.click(2, Qt::ControlModifier);
        QCOMPARE(bench.action("edits.compare")->text(), QStringLiteral("Compare the two selected"));
        QTest::keyClick(&bench.view.tree(), Qt::Key_D, Qt::ControlModifier);
        QCOMPARE(asked.count(), 3);
        QCOMPARE(asked[2][0].value<TaskSchedule>().ref, (ScheduleRef{Kind::Edited, 2}));
        QCOMPARE(asked[2][1].value<TaskSchedule>().ref, (ScheduleRef{Kind::Edited, 7}));
        bench.session.selection().selectSchedule({Kind::Edited, 0}); // where editing began: with what it is a copy of
        QTest::keyClick(&bench.view.tree(), Qt::Key_D, Qt::ControlModifier);
        QCOMPARE(asked.count(), 4);
        QCOMPARE(asked[3][0].value<TaskSchedule>().ref, ScheduleRef{});
    }

    void whatIsPredictedAndMeasuredIsShown() {
        Bench bench;
        bench.grow();
        const EditTreeModel &model = bench.view.model();
        const int task = bench.session.document()->taskId;
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        bench.edits.setPredictions(task, {{2, 0.25}});
        bench.edits.setMeasured(task, 2, {0.0015, {}, -1});
        bench.edits.setMeasured(task, 3, {0, QStringLiteral("the answer is wrong"), -1});
        QCOMPARE(resets.count(), 0); // the cells alone
        QCOMPARE(model.indexOf(2, EditTreeModel::PredictedColumn).data().toString(), QStringLiteral("25.0 %"));
        QCOMPARE(model.indexOf(2, EditTreeModel::MeasuredColumn).data().toString(), QStringLiteral("1.500 ms"));
        QCOMPARE(model.indexOf(3, EditTreeModel::MeasuredColumn).data().toString(), QStringLiteral("failed"));
        QVERIFY(model.indexOf(3, EditTreeModel::MeasuredColumn)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains(QLatin1String("wrong")));
    }

    void closedSideLinesStayClosed() {
        Bench bench;
        bench.grow();
        QVERIFY(bench.view.tree().isExpanded(bench.view.model().indexOf(1)));
        bench.view.tree().collapse(bench.view.model().indexOf(1));
        bench.edits.apply({Kind::Edited, 7}, AnnotateStep{kC, IterId(1), Annotation::None});
        bench.split(7, 2);
        QVERIFY(!bench.view.tree().isExpanded(bench.view.model().indexOf(1)));
        bench.session.selection().selectSchedule({Kind::Edited, 3}); // gone to, it is in sight
        QTRY_VERIFY(bench.view.tree().isExpanded(bench.view.model().indexOf(1)));
    }
};

LOOPSCOPE_WINDOW_TEST(EditsViewTest)
} // namespace loopscope

#include "edits_view_test.moc"
