// Two schedules timed and explained in the side-by-side, by clicks. Times are scripted: a split by four gains a tenth,
// parallel loops halve, whatever the machine does meanwhile.

#include "harness/scripted_measurer.h"
#include "test_program.h"
#include "view_bench.h"
#include "views/compare/compare_view.h"
#include "views/compare/diff_text.h"
#include "views/compare/pair_panel.h"
#include "views/compare/pair_plot.h"

#include <QLabel>
#include <QProgressBar>
#include <QSplitter>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>

#include <chrono>
#include <set>
#include <thread>

using namespace loopscope;

namespace pair_test {

namespace {

using Kind = ScheduleRef::Kind;
const StageId kC{2};

QString s(const char *text) { return QString::fromUtf8(text); }
ScheduleRef edited(int number) { return {Kind::Edited, number}; }

double scripted(const Steps &steps) {
    double time = 1e-3;
    for (const Step &step : steps) {
        if (const auto *split = std::get_if<SplitStep>(&step)) time *= split->lengths[0] == 4 ? 0.9 : 1;
        if (const auto *kind = std::get_if<AnnotateStep>(&step))
            time *= kind->annotation == Annotation::Parallel ? 0.5 : 1;
    }
    return time;
}

struct Bench : ViewBench {
    CompareView view{context};
    int wait = 0; // milliseconds each time
    bool fails = false;

    void open() {
        session.search().setMeasurerFactory([this](const Task &, const MeasureOptions &) {
            auto measurer = std::make_unique<ScriptedMeasurer>();
            measurer->interleaved = [this](const Steps &steps, int rounds) {
                std::this_thread::sleep_for(std::chrono::milliseconds(wait));
                if (fails) return std::vector<double>{};
                return std::vector<double>(static_cast<size_t>(rounds), scripted(steps));
            };
            measurer->fault = [this](const Steps &steps) {
                return fails && !steps.empty() ? TrialError::RunTimeout : TrialError::None;
            };
            return measurer;
        });
        view.resize(700, 600);
        view.show();
        session.documents().openText(s("mm"), s("workload mm(N = 64)\nA = placeholder [N, N]\nB = placeholder [N, N]\n"
                                                "C(i < N, j < N) = sum(k < N; A[i, k] * B[k, j])\n"));
        QTRY_VERIFY_WITH_TIMEOUT(session.document() && !session.document()->sketches.empty(), 20000);
        EditedSchedules &edits = session.edits(); // 1: split, 2: and parallel, 3: split otherwise
        QCOMPARE(edits.apply({}, SplitStep{kC, IterId(0), 64, {4}}), QString());
        QCOMPARE(edits.apply(edited(1), AnnotateStep{kC, IterId(0), Annotation::Parallel}), QString());
        QCOMPARE(edits.apply({}, SplitStep{kC, IterId(0), 64, {8}}), QString());
    }
    [[nodiscard]] QToolButton *button(const char *action) {
        for (QToolButton *one : view.findChildren<QToolButton *>())
            if (one->defaultAction() != nullptr && one->defaultAction() == actions.find(QLatin1String(action)))
                return one;
        return nullptr;
    }
    void click(const char *action) { QTest::mouseClick(button(action), Qt::LeftButton); }
    [[nodiscard]] QString verdict() { return view.findChild<PairPanel *>()->verdict(); }
};

} // namespace

class PairTest : public QObject {
    Q_OBJECT

  private slots:
    void theFasterOneIsNamed() {
        Bench b;
        b.open();
        b.view.compare({}, edited(2));
        QVERIFY(!b.view.findChild<PairPlot *>()->isVisible());
        b.click("compare.time");
        QTRY_VERIFY(!b.verdict().isEmpty());
        QVERIFY2(b.verdict().startsWith(s("edited schedule 3 is faster than naive schedule by 122.2 %")),
                 qPrintable(b.verdict()));
        QVERIFY(b.view.findChild<PairPlot *>()->isVisible());
        QVERIFY(b.view.findChild<PairPlot *>()->accessibleDescription().contains(s("Left: median 1.000 ms")));
        // Swapped, the same is known.
        b.click("compare.swap");
        QVERIFY2(b.verdict().startsWith(s("edited schedule 3 is faster than naive schedule by 122.2 %")),
                 qPrintable(b.verdict()));
        QVERIFY(b.view.findChild<PairPlot *>()->accessibleDescription().contains(s("Right: median 1.000 ms")));
        // Another pair was not timed.
        b.view.compare({}, edited(3));
        QCOMPARE(b.verdict(), QString());
        b.click("compare.time");
        QTRY_VERIFY2(b.verdict().startsWith(s("no difference seen")), qPrintable(b.verdict()));
    }

    void theDifferenceIsExplained() {
        Bench b;
        b.open();
        b.view.compare({}, edited(2));
        b.click("compare.explain");
        auto *steps = b.view.findChild<QTreeWidget *>(s("pair_steps"));
        QTRY_VERIFY_WITH_TIMEOUT(steps->isVisible(), 20000);
        QCOMPARE(steps->topLevelItemCount(), 2);
        QCOMPARE(steps->topLevelItem(0)->text(0), s("only right: split C i into 4"));
        QCOMPARE(steps->topLevelItem(1)->text(0), s("only right: parallel C i.0"));
        QCOMPARE(steps->topLevelItem(0)->text(1), s("13.2 %")); // of the logarithms
        QCOMPARE(steps->topLevelItem(1)->text(1), s("86.8 %"));
        QCOMPARE(steps->topLevelItem(1)->text(2), s("-50.0 % (-50.0 to -50.0 %)"));
        QVERIFY(b.verdict().startsWith(s("edited schedule 3 is faster"))); // timed as well
        // A click shows the step among the aligned ones.
        QTest::mouseClick(steps->viewport(), Qt::LeftButton, {},
                          steps->visualItemRect(steps->topLevelItem(1)).center());
        QCOMPARE(b.session.selection().now().schedule, edited(2));
        QCOMPARE(b.session.selection().now().step, 1);
    }

    void identicalOnesAreSaidToBe() {
        Bench b;
        b.open();
        b.view.compare({}, edited(0)); // where editing began
        QCOMPARE(b.verdict(), s("identical schedules: they have the same steps"));
        QVERIFY(!b.button("compare.time")->isEnabled());
        b.view.compare(edited(2), edited(2));
        QCOMPARE(b.verdict(), s("identical schedules: they have the same steps"));
    }

    void whatCannotBeTimedSaysWhy() {
        Bench b;
        b.open();
        b.view.compare({Kind::Sketch, 0}, {});
        QVERIFY(!b.button("compare.time")->isEnabled());
        QVERIFY2(b.button("compare.time")->toolTip().contains(s("lengths of sketch 0 are still open")),
                 qPrintable(b.button("compare.time")->toolTip()));
        b.fails = true;
        b.view.compare({}, edited(1));
        b.click("compare.time");
        auto *failure = b.view.findChild<QLabel *>(s("pair_failure"));
        QTRY_VERIFY(failure->isVisible());
        QVERIFY2(failure->text().startsWith(s("The right one fails")), qPrintable(failure->text()));
        QCOMPARE(b.verdict(), QString());
        b.fails = false;
        b.click("compare.time");
        QTRY_VERIFY(b.verdict().startsWith(s("edited schedule 2 is faster")));
        QVERIFY(!failure->isVisible());
    }

    void itGoesOnInTheBackgroundAndCanBeCancelled() {
        Bench b;
        b.open();
        b.wait = 40;
        b.view.compare({}, edited(2));
        QVERIFY(!b.button("compare.cancel")->isVisible());
        b.click("compare.time");
        QVERIFY(b.button("compare.cancel")->isVisible());
        QVERIFY(!b.button("compare.explain")->isEnabled()); // one at a time
        QVERIFY(b.session.search().whyNotContinue().contains(s("being timed")));
        QTRY_VERIFY(b.view.findChild<QProgressBar *>()->value() > 0);
        b.click("compare.cancel");
        QTRY_VERIFY(!b.button("compare.cancel")->isVisible());
        QCOMPARE(b.verdict(), QString());
        QVERIFY(b.button("compare.time")->isEnabled());
    }

    void stepsAreAlignedByWhatTheyAreAppliedTo() {
        Bench b;
        b.open();
        b.view.setTab(CompareTab::Steps);
        b.view.compare(edited(2), edited(3));
        QTRY_VERIFY_WITH_TIMEOUT(b.view.notice().isEmpty(), 20000);
        const auto &text = *b.view.diff().text();
        QCOMPARE(text.text(AlignedText::Left), std::string("split C i into 4\nparallel C i.0\n"));
        QCOMPARE(text.text(AlignedText::Right), std::string("split C i into 8\n"));
        QCOMPARE(text.count(DiffKind::Changed), 1);
        QCOMPARE(text.count(DiffKind::Removed), 1);
        QCOMPARE(text.count(DiffKind::Added), 0);
    }

    /// Steps that only go together are one difference.
    void whatOnlyGoesTogetherIsSaidToBeCoupled() {
        Bench b;
        b.open();
        EditedSchedules &edits = b.session.edits();
        QCOMPARE(edits.apply(edited(1), ReorderStep{kC, {IterId(2), IterId(0), IterId(1), IterId(3)}}), QString());
        const ScheduleRef left = b.session.selection().now().schedule;
        QCOMPARE(edits.apply({}, ReorderStep{kC, {IterId(1), IterId(0), IterId(2)}}), QString());
        b.view.compare(left, b.session.selection().now().schedule);
        b.click("compare.explain");
        auto *steps = b.view.findChild<QTreeWidget *>(s("pair_steps"));
        QTRY_VERIFY_WITH_TIMEOUT(steps->isVisible(), 20000);
        QCOMPARE(steps->topLevelItemCount(), 1);
        const QTreeWidgetItem &item = *steps->topLevelItem(0);
        QCOMPARE(item.text(0), s("coupled: only left: split C i into 4; reorder C j, i.0, i.1, k → reorder C j, i, k"));
        QCOMPARE(item.text(1), s("100.0 %"));
        QCOMPARE(item.text(2), s("11.1 % (11.1 to 11.1 %)"));
        QVERIFY2(item.toolTip(0).startsWith(s("These only apply together:\nonly left: split C i into 4\n")),
                 qPrintable(item.toolTip(0)));
    }

    /// Refused steps are compared with nothing, but the others keep the numbers they have in the list.
    void refusedStepsShiftNothing() {
        Bench b;
        b.open();
        const Steps steps{AnnotateStep{kC, IterId(7), Annotation::Unroll}, SplitStep{kC, IterId(0), 64, {4}},
                          AnnotateStep{kC, IterId(9), Annotation::Unroll},
                          AnnotateStep{kC, IterId(0), Annotation::Parallel}};
        const int node = b.session.edits().edit({}, EditedSteps(b.session.document()->task->dag, steps), s("given"));
        QCOMPARE(b.session.edits().node(node)->steps.state().steps().size(), size_t{2});
        b.view.setTab(CompareTab::Steps);
        b.view.compare({}, edited(node));
        QTRY_VERIFY_WITH_TIMEOUT(b.view.notice().isEmpty() && b.view.diff().text(), 20000);
        const auto &text = *b.view.diff().text();
        QCOMPARE(text.text(AlignedText::Right), std::string("split C i into 4\nparallel C i.0\n"));
        QCOMPARE(text.number(AlignedText::Right, 0), 1);
        QCOMPARE(text.number(AlignedText::Right, 1), 3);
        Q_EMIT b.view.diff().lineChosen(AlignedText::Right, text.number(AlignedText::Right, 1));
        QCOMPARE(b.session.selection().now().step, 3);
        b.session.selection().selectStep(1);
        QCOMPARE(b.view.diff().marked(AlignedText::Right), std::set<int>{1});
        b.session.selection().selectStep(2); // refused: it stands nowhere
        QVERIFY(b.view.diff().marked(AlignedText::Right).empty());
        b.click("compare.explain");
        auto *tree = b.view.findChild<QTreeWidget *>(s("pair_steps"));
        QTRY_VERIFY_WITH_TIMEOUT(tree->isVisible(), 20000);
        QCOMPARE(tree->topLevelItem(1)->text(0), s("only right: parallel C i.0"));
        QTRY_VERIFY(tree->viewport()->rect().contains(tree->visualItemRect(tree->topLevelItem(1)))); // all in sight
        QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, tree->visualItemRect(tree->topLevelItem(1)).center());
        QCOMPARE(b.session.selection().now().step, 3);
    }

    /// With everything known of two schedules there is room for what they are made of, however low the dock is.
    void textsHaveRoomInALowDock() {
        Bench b;
        b.open();
        b.view.compare({}, edited(2));
        b.click("compare.explain");
        auto *steps = b.view.findChild<QTreeWidget *>(s("pair_steps"));
        QTRY_VERIFY_WITH_TIMEOUT(steps->isVisible(), 20000);
        QVERIFY(b.view.findChild<PairPlot *>()->isVisible());
        const int line = b.view.fontMetrics().height();
        b.view.resize(700, line * 18);
        QTRY_VERIFY(!b.view.findChild<PairPlot *>()->isVisible());
        QVERIFY(steps->isVisible());
        QTRY_COMPARE(b.view.height(), line * 18); // nothing asks for more
        QTRY_VERIFY2(b.view.diff().viewport()->height() >= line * 4,
                     qPrintable(QString::number(b.view.diff().viewport()->height())));
        // What earned what is dragged away, and the texts have nearly all.
        auto *halves = b.view.findChild<QSplitter *>();
        halves->setSizes({0, 1000});
        QVERIFY2(b.view.diff().viewport()->height() >= line * 8,
                 qPrintable(QString::number(b.view.diff().viewport()->height())));
    }
};

LOOPSCOPE_WINDOW_TEST(PairTest)

} // namespace pair_test
#include "pair_test.moc"
