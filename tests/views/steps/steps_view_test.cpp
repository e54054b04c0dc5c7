// The steps view by clicks and keys: numbers chosen and typed, steps deleted, moved, inserted; every edit is a node.

#include "schedule/steps_json.h"
#include "test_program.h"
#include "view_bench.h"
#include "views/loops/loop_tree_model.h"
#include "views/steps/edited_step_model.h"
#include "views/steps/loops_beside.h"
#include "views/steps/offered_steps.h"
#include "views/steps/step_editor.h"
#include "views/steps/steps_view.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QTableView>
#include <QToolButton>
#include <QtTest>

namespace loopscope::steps_view_test {

namespace {

using Kind = ScheduleRef::Kind;

const QString kMatmul = QStringLiteral("workload mm(M = 12, N = 8, K = 16)\n"
                                       "A = placeholder [M, K] float32\n"
                                       "B = placeholder [K, N] float32\n"
                                       "C(i < M, j < N) = sum(k < K; A[i, k] * B[k, j])\n"
                                       "D(i < M, j < N) = max(C[i, j], 0)\n");
const StageId kC{2};

} // namespace

class StepsViewTest : public QObject {
    Q_OBJECT

    struct Bench : ViewBench {
        StepsView view{context};
        QAbstractItemModelTester tester{&view.model(), QAbstractItemModelTester::FailureReportingMode::QtTest};
        EditedSchedules &edits = session.edits();
        bool ready = false;

        Bench() {
            view.resize(1100, 600);
            view.show();
            session.documents().openText(QStringLiteral("mm"), kMatmul);
            ready = QTest::qWaitForWindowActive(&view) &&
                    QTest::qWaitFor(
                        [this] { return session.document() != nullptr && session.document()->task != nullptr; }, 20000);
        }
        /// split C i into 4; split C j into 2; unroll C i.1; parallel C i.0
        void give() {
            Steps steps{SplitStep{kC, IterId(0), 12, {4}}, SplitStep{kC, IterId(2), 8, {2}},
                        AnnotateStep{kC, IterId(1), Annotation::Unroll},
                        AnnotateStep{kC, IterId(0), Annotation::Parallel}};
            QCOMPARE(edits.edit({}, EditedSteps(session.document()->task->dag, steps), QStringLiteral("given")), 1);
        }
        [[nodiscard]] const EditNode &now() { return *edits.node(session.selection().now().schedule.number); }
        [[nodiscard]] QStringList scripts() const {
            QStringList all;
            for (const StepText &step : view.model().steps())
                all << (step.problem.isEmpty() ? step.script : u'!' + step.script);
            return all;
        }
        void click(int row, Qt::KeyboardModifiers with = Qt::NoModifier) {
            QTest::mouseClick(view.table().viewport(), Qt::LeftButton, with,
                              view.table().visualRect(view.model().index(row, 1)).center());
        }
        void press(Qt::Key key, Qt::KeyboardModifiers with = Qt::NoModifier) {
            view.table().setFocus();
            QTest::keyClick(&view.table(), key, with);
        }
        [[nodiscard]] QToolButton *chip(const QString &name) const {
            for (auto *button : view.editor().findChildren<QToolButton *>(QStringLiteral("chip")))
                if (button->isVisible() && button->accessibleName() == name) return button;
            return nullptr;
        }
        [[nodiscard]] bool says(const QString &beginning) const {
            const auto labels = view.findChildren<QLabel *>();
            return std::any_of(labels.begin(), labels.end(), [&](const QLabel *label) {
                return label->isVisible() && label->text().startsWith(beginning);
            });
        }
    };

  private slots:
    void emptyAndWrong() {
        {
            ViewBench bench;
            StepsView view(bench.context);
            view.show();
            bool said = false;
            for (const QLabel *label : view.findChildren<QLabel *>())
                said = said || (label->isVisible() && label->text().startsWith(QLatin1String("Open a workload")));
            QVERIFY(said);
        }
        Bench bench;
        QVERIFY(bench.ready);
        QTRY_VERIFY(bench.says(QStringLiteral("This schedule has no steps")));
        QVERIFY(!bench.actions.find(QStringLiteral("steps.delete"))->isEnabled());
    }

    void aChipMakesANode() {
        Bench bench;
        bench.give();
        QCOMPARE(bench.scripts().first(), QStringLiteral("split C i into 4"));
        bench.click(0);
        QCOMPARE(bench.session.selection().now().step, 0);
        QTRY_VERIFY(bench.chip(QStringLiteral("i.1: 2")) != nullptr);
        QVERIFY(bench.chip(QStringLiteral("i.1: 4"))->isChecked());
        QVERIFY(bench.chip(QStringLiteral("i.1: 5")) != nullptr); // with a guard
        QTest::mouseClick(bench.chip(QStringLiteral("i.1: 2")), Qt::LeftButton);
        QCOMPARE(bench.session.selection().now().schedule, (ScheduleRef{Kind::Edited, 2}));
        QCOMPARE(bench.now().did, QStringLiteral("changed split C i: 4 \u2192 2"));
        QCOMPARE(bench.now().parent, 1);
        QCOMPARE(bench.scripts().first(), QStringLiteral("split C i into 2"));
        QCOMPARE(bench.session.selection().now().step, 0); // where one was
        QCOMPARE(bench.view.table().currentIndex().row(), 0);
        QTRY_VERIFY(bench.chip(QStringLiteral("i.1: 2")) != nullptr &&
                    bench.chip(QStringLiteral("i.1: 2"))->isChecked());
        // By keys.
        bench.chip(QStringLiteral("i.1: 6"))->setFocus();
        QTest::keyClick(bench.chip(QStringLiteral("i.1: 6")), Qt::Key_Space);
        QCOMPARE(bench.now().did, QStringLiteral("changed split C i: 2 \u2192 6"));
        QCOMPARE(bench.edits.node(1)->steps.step(0), (Step(SplitStep{kC, IterId(0), 12, {4}}))); // nothing in place
    }

    void theLoopsBeforeAndAfter() {
        Bench bench;
        bench.give();
        bench.click(1);
        const LoopTreeModel &after = bench.view.beside().model(LoopsBeside::After);
        const LoopTreeModel &before = bench.view.beside().model(LoopsBeside::Before);
        QTRY_VERIFY(after.tree() && before.tree());
        QCOMPARE(before.rowsOf(QStringLiteral("C"), QStringLiteral("j.1")).size() +
                     before.rowsOf(QStringLiteral("C"), QStringLiteral("j.0")).size(),
                 size_t{0});
        QCOMPARE(after.rowsOf(QStringLiteral("C"), QStringLiteral("j.1")).size(), size_t{1});
        QVERIFY(!after.marks().empty() && !before.marks().empty());
        for (const int row : after.marks()) QCOMPARE(after.tree()->row(row).stage, QStringLiteral("C"));
        QVERIFY(after.marks().size() < after.tree()->rows.size());
    }

    void deletingInTheMiddleMarksWhatNoLongerApplies() {
        Bench bench;
        bench.give();
        bench.click(0);
        bench.press(Qt::Key_Delete);
        QCOMPARE(bench.now().did, QStringLiteral("deleted split C i into 4"));
        QCOMPARE(bench.scripts(), (QStringList{QStringLiteral("split C j into 2"), QStringLiteral("!unroll C i.1"),
                                               QStringLiteral("!parallel C i.0")}));
        const QModelIndex refused = bench.view.model().index(1, EditedStepModel::WordsColumn);
        QCOMPARE(refused.data(Qt::ForegroundRole).value<QColor>(), bench.theme.color(Role::Bad));
        QVERIFY(refused.data().toString().contains(QStringLiteral("i.1")));
        QVERIFY(
            refused.data(Qt::ToolTipRole).toString().contains(QStringLiteral("i, j.0, j.1, k"))); // what would be legal
        bench.click(1);
        QVERIFY(bench.view.editor().verdict().contains(QStringLiteral("i, j.0, j.1, k")));
        QVERIFY(bench.says(QStringLiteral("This step changes nothing")));
        // Repaired by typing, in place.
        bench.press(Qt::Key_F2);
        QVERIFY(bench.view.editor().line().hasFocus());
        QTest::keyClicks(&bench.view.editor().line(), QStringLiteral("unroll C j.1"));
        QTRY_VERIFY(bench.view.editor().verdict().startsWith(QLatin1String("This applies")));
        QTest::keyClick(&bench.view.editor().line(), Qt::Key_Return);
        QCOMPARE(bench.scripts()[1], QStringLiteral("unroll C j.1"));
        QCOMPARE(bench.now().did, QStringLiteral("changed unroll C: i.1 \u2192 j.1"));
        // Several at once.
        bench.click(1);
        bench.click(2, Qt::ControlModifier);
        bench.press(Qt::Key_Delete);
        QCOMPARE(bench.scripts(), QStringList{QStringLiteral("split C j into 2")});
    }

    void typingIsJudgedAtOnce() {
        Bench bench;
        bench.give();
        bench.click(2);
        const int nodes = static_cast<int>(bench.session.document()->edited.size());
        bench.press(Qt::Key_F2);
        QTest::keyClicks(&bench.view.editor().line(), QStringLiteral("vectorize C q"));
        QTRY_VERIFY2(bench.view.editor().verdict().contains(QStringLiteral("i.0, i.1, j.0, j.1, k")),
                     qPrintable(bench.view.editor().verdict()));
        QTest::keyClick(&bench.view.editor().line(), Qt::Key_Return);
        QCOMPARE(static_cast<int>(bench.session.document()->edited.size()), nodes); // nothing was made
        QVERIFY(bench.view.editor().line().text().contains(u'q'));                  // and nothing lost
    }

    void movedByKeysAndByDrag() {
        Bench bench;
        bench.give();
        bench.click(1);
        bench.press(Qt::Key_Up, Qt::AltModifier);
        QCOMPARE(bench.now().did, QStringLiteral("moved split C j into 2 from 1 to 0"));
        QCOMPARE(bench.scripts().mid(0, 2),
                 (QStringList{QStringLiteral("split C j into 2"), QStringLiteral("split C i into 4")}));
        QCOMPARE(bench.view.table().currentIndex().row(), 0);
        bench.press(Qt::Key_Down, Qt::AltModifier);
        QCOMPARE(bench.scripts().first(), QStringLiteral("split C i into 4"));
        // The split behind what needs it: refused, not dropped; moved back, all apply.
        QMimeData *drag = bench.view.model().mimeData({bench.view.model().index(0, 1)});
        QVERIFY(!bench.view.model().dropMimeData(drag, Qt::MoveAction, 4, 0, {}));
        delete drag;
        QTRY_COMPARE(bench.scripts(),
                     (QStringList{QStringLiteral("split C j into 2"), QStringLiteral("!unroll C i.1"),
                                  QStringLiteral("!parallel C i.0"), QStringLiteral("split C i into 4")}));
        drag = bench.view.model().mimeData({bench.view.model().index(3, 1)});
        bench.view.model().dropMimeData(drag, Qt::MoveAction, 0, 0, {});
        delete drag;
        QTRY_COMPARE(bench.scripts(),
                     (QStringList{QStringLiteral("split C i into 4"), QStringLiteral("split C j into 2"),
                                  QStringLiteral("unroll C i.1"), QStringLiteral("parallel C i.0")}));
    }

    void insertedFromWhatIsOffered() {
        Bench bench;
        bench.give();
        bench.click(1);
        bench.press(Qt::Key_Insert);
        auto *popup = bench.view.findChild<OfferedSteps *>();
        QVERIFY(popup && popup->isVisible());
        QTRY_VERIFY(popup->list().count() > 20);
        auto *edit = popup->findChild<QLineEdit *>();
        QTest::keyClicks(edit, QStringLiteral("fuse C"));
        QVERIFY(popup->list().count() > 0 && popup->list().count() < 8);
        for (int i = 0; i < popup->list().count(); ++i)
            QVERIFY(popup->list().item(i)->text().startsWith(QLatin1String("fuse C")));
        QTest::keyClick(edit, Qt::Key_Down);
        const QString second = popup->list().item(1)->text();
        QCOMPARE(popup->list().currentRow(), 1);
        QTest::keyClick(edit, Qt::Key_Return);
        QCOMPARE(bench.scripts()[2], second);
        QCOMPARE(bench.now().did, QStringLiteral("inserted %1 as step 2").arg(second));
        QCOMPARE(bench.session.selection().now().step, 2);
    }

    /// Each kind of schedule is a beginning; the naive one has no step to choose.
    void theFirstStepOfTheNaiveSchedule() {
        Bench bench;
        QTRY_VERIFY(bench.says(QStringLiteral("This schedule has no steps")));
        bench.view.setFocus();
        bench.actions.find(QStringLiteral("steps.insert"))->trigger();
        auto *popup = bench.view.findChild<OfferedSteps *>();
        QVERIFY(popup);
        QTest::keyClicks(popup->findChild<QLineEdit *>(), QStringLiteral("split C k into outer 4"));
        QTest::keyClick(popup->findChild<QLineEdit *>(), Qt::Key_Return);
        QCOMPARE(bench.scripts(), QStringList{QStringLiteral("split C k into outer 4")});
        QCOMPARE(bench.now().did, QStringLiteral("split C k into outer 4"));
        QCOMPARE(bench.edits.node(bench.now().parent)->origin, ScheduleRef{});
    }

    void aSketchCanBeEdited() {
        Bench bench;
        QTRY_VERIFY_WITH_TIMEOUT(!bench.session.document()->sketches.empty(), 20000);
        bench.session.selection().selectSchedule({Kind::Sketch, 0});
        const int rows = bench.view.model().rowCount();
        QVERIFY(rows > 2);
        bench.click(rows - 1);
        bench.press(Qt::Key_Delete);
        QCOMPARE(bench.view.model().rowCount(), rows - 1);
        QCOMPARE(bench.edits.node(bench.now().parent)->origin, (ScheduleRef{Kind::Sketch, 0}));
        QCOMPARE(bench.session.document()->sketches[0].state.steps().size(), static_cast<size_t>(rows));
    }

    void copiedAsScriptAndAsArrays() {
        Bench bench;
        bench.give();
        bench.click(0);
        bench.click(2, Qt::ControlModifier);
        bench.press(Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("split C i into 4\nunroll C i.1\n"));
        bench.press(Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("[[\"SP\", 2, 0, 12, [4], 1], [\"AN\", 2, 1, 1]]"));
        // All of them: a log has them so.
        bench.view.table().clearSelection();
        bench.press(Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(QApplication::clipboard()->text(),
                 QString::fromStdString(stepsText(bench.now().steps.state().steps())));
    }

    void stepsAreLockedByKey() {
        Bench bench;
        bench.give();
        using Lock = EditedStepModel::Lock;
        bench.click(0);
        bench.click(3, Qt::ControlModifier);
        bench.press(Qt::Key_L, Qt::ShiftModifier);
        const EditedStepModel &model = bench.view.model();
        QCOMPARE(bench.session.locks().now().all().size(), size_t{2});
        QVERIFY(model.lock(0) == Lock::Whole && model.lock(1) == Lock::None && model.lock(3) == Lock::Whole);
        QVERIFY(!model.index(0, EditedStepModel::NumberColumn).data(Qt::DecorationRole).isNull());
        QVERIFY(model.index(1, EditedStepModel::NumberColumn).data(Qt::DecorationRole).isNull());
        // One of two locked: the other is locked as well, then none is.
        bench.click(3);
        bench.press(Qt::Key_L, Qt::ShiftModifier);
        QVERIFY(model.lock(0) == Lock::Whole && model.lock(3) == Lock::None);
        bench.click(0);
        bench.click(3, Qt::ControlModifier);
        bench.press(Qt::Key_L, Qt::ShiftModifier);
        QVERIFY(model.lock(0) == Lock::Whole && model.lock(3) == Lock::Whole);
        bench.press(Qt::Key_L, Qt::ShiftModifier);
        QVERIFY(bench.session.locks().now().empty());
        // A length alone, locked elsewhere.
        QCOMPARE(bench.session.locks().toggle(QStringLiteral("split C j[0]")), QString());
        QVERIFY(model.lock(1) == Lock::Part);
    }

    /// Out of sight nothing is replayed; shown again, it is what is selected by then.
    void outOfSightItWaits() {
        Bench bench;
        bench.give();
        QCOMPARE(bench.view.model().rowCount(), 4);
        bench.view.hide();
        bench.session.selection().selectSchedule({});
        QCOMPARE(bench.view.model().rowCount(), 4);
        bench.view.show();
        QCOMPARE(bench.view.model().rowCount(), 0);
    }
};

LOOPSCOPE_WINDOW_TEST(StepsViewTest)
} // namespace loopscope::steps_view_test

#include "steps_view_test.moc"
