// Two schedules timed and explained in the side-by-side, by clicks. Times are scripted: a split by four gains a tenth,
// parallel loops halve, whatever the machine does meanwhile.

#include "harness/scripted_measurer.h"
#include "view_bench.h"
#include "views/compare/compare_view.h"
#include "views/compare/diff_text.h"
#include "views/compare/pair_panel.h"
#include "views/compare/pair_plot.h"

#include <QLabel>
#include <QProgressBar>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>

#include <chrono>
#include <thread>

using namespace loopscope;

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
};

QTEST_MAIN(PairTest)
#include "pair_test.moc"
