// A processor's schedule beside a GPU's: two tasks of one document, each with its own code, its own facts and its own
// machine. Nothing is timed here, and nothing needs a GPU.

#include "test_program.h"
#include "view_bench.h"
#include "views/actions/elided_label.h"
#include "views/compare/compare_view.h"
#include "views/compare/compared_pair.h"
#include "views/compare/diff_text.h"
#include "views/compare/side_card.h"

#include <QAbstractItemModelTester>
#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QFontMetricsF>
#include <QLineEdit>
#include <QScrollBar>
#include <QTabBar>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <cmath>

using namespace loopscope;

namespace compare_targets_test {

namespace {

using Kind = ScheduleRef::Kind;
const StageId kC{2};
const StageId kD{3};
constexpr auto kCuda = "cuda -arch=sm_80";

QString s(const char *text) { return QString::fromUtf8(text); }
ScheduleRef trial(int number) { return {Kind::Trial, number}; }

TrialEntry entryOf(const Steps &steps, std::vector<double> seconds) {
    TrialEntry entry;
    entry.trial.steps = PackedSteps(steps);
    entry.trial.seconds = std::move(seconds);
    return entry;
}

struct Bench : ViewBench {
    CompareView view{context};
    int llvm = 0; // its task
    int cuda = 0;

    Bench() { qputenv("LOOPSCOPE_WORKER", LOOPSCOPE_BIN_DIR "/loopscope-worker"); }

    [[nodiscard]] Document &document() { return *const_cast<Document *>(session.document()); } // as a search would
    void target(const char *text) {
        session.documents().setTarget(s(text));
        QTRY_VERIFY_WITH_TIMEOUT(session.document()->source.targetText == s(text) && !session.document()->analysing &&
                                     !session.document()->sketches.empty(),
                                 20'000);
    }
    /// Two trials on llvm, timed, one of which failed first; two on cuda, checked, the second with a time from
    /// elsewhere.
    void open() {
        view.resize(1100, 700);
        view.show();
        session.documents().openText(
            s("mm"), s("workload mm(N = 64)\nA = placeholder [N, N]\nB = placeholder [N, N]\n"
                       "C(i < N, j < N) = sum(k < N; A[i, k] * B[k, j])\nD(i < N, j < N) = max(C[i, j], 0)\n"));
        QTRY_VERIFY_WITH_TIMEOUT(session.document() && !session.document()->sketches.empty(), 20'000);
        llvm = document().taskId;
        const SplitStep split{kC, IterId(0), 64, {8}};
        session.trials().add(document(), {entryOf({split}, {2e-3, 2e-3, 2e-3}), entryOf({}, {3e-3, 3e-3, 3e-3})});
        session.trials().updateBest(document());
        target(kCuda);
        cuda = document().taskId;
        QVERIFY(cuda != llvm);
        const Steps bound{
            AnnotateStep{kC, IterId(0), Annotation::BlockX}, AnnotateStep{kC, IterId(1), Annotation::ThreadX},
            AnnotateStep{kD, IterId(0), Annotation::BlockX}, AnnotateStep{kD, IterId(1), Annotation::ThreadX}};
        std::vector<TrialEntry> entries{entryOf(bound, {}), entryOf(bound, {1e-4, 1e-4, 1e-4})};
        entries[1].later.change().machine = s("gpubox: NVIDIA A100");
        session.trials().add(document(), std::move(entries));
        session.trials().updateBest(document());
    }
    void sides(int left, int right) { view.compareOfTasks({llvm, trial(left)}, {cuda, trial(right)}); }
    [[nodiscard]] QComboBox *choice(AlignedText::Side side) {
        return view.findChildren<SideCard *>()[side]->findChild<QComboBox *>();
    }
    void type(AlignedText::Side side, const char *text) {
        QLineEdit *line = choice(side)->lineEdit();
        line->setFocus();
        line->selectAll();
        QTest::keyClicks(line, s(text));
        QTest::keyClick(line, Qt::Key_Return);
    }
    [[nodiscard]] QString facts(AlignedText::Side side) {
        return view.findChildren<SideCard *>()[side]->findChild<ElidedLabel *>()->text();
    }
    [[nodiscard]] QString verdict() { return view.findChild<ElidedLabel *>(s("verdict"))->text(); }
    [[nodiscard]] QString text(AlignedText::Side side) {
        return QString::fromStdString(view.diff().text()->text(side));
    }
    [[nodiscard]] QString tabs() {
        QStringList titles;
        const auto *bar = view.findChild<QTabBar *>();
        for (int i = 0; i < bar->count(); ++i)
            if (bar->isTabVisible(i)) titles << bar->tabText(i);
        return titles.join(s(", "));
    }
    void shown(CompareTab tab, const char *onTheRight) {
        view.setTab(tab);
        QTRY_VERIFY2_WITH_TIMEOUT(view.notice().isEmpty() && text(AlignedText::Right).contains(s(onTheRight)),
                                  qPrintable(view.notice()), 60'000);
    }
};

/// A real click on that row of that side.
void click(Bench &b, AlignedText::Side side, int row) {
    DiffText &diff = b.view.diff();
    diff.goToRow(row);
    const int height = static_cast<int>(std::ceil(QFontMetricsF(b.theme.codeFont()).height())) + 1;
    const int y = (row - diff.verticalScrollBar()->value()) * height + height / 2;
    const int x = diff.viewport()->width() / 4 * (side == AlignedText::Left ? 1 : 3);
    QTest::mouseClick(diff.viewport(), Qt::LeftButton, {}, QPoint(x, y));
}

} // namespace

class CompareTargetsTest : public QObject {
    Q_OBJECT

  private slots:
    /// Everything a side shows is made for its own target.
    void eachSideHasItsOwnCode() {
        Bench b;
        b.open();
        QCOMPARE(b.tabs(), s("Loops, Steps, CUDA, LLVM IR, PTX, SASS, Facts"));
        b.sides(0, 0);
        QCOMPARE(b.tabs(), s("Loops, Steps, C | CUDA, LLVM IR, Assembly | PTX, Assembly | SASS, Facts"));
        b.shown(CompareTab::Loops, "blockIdx.x");
        QVERIFY(!b.text(AlignedText::Left).contains(s("blockIdx")));
        b.shown(CompareTab::C, "__global__");
        QVERIFY(b.text(AlignedText::Left).contains(s("#include")));
        QVERIFY(!b.text(AlignedText::Left).contains(s("__global__")));
        b.shown(CompareTab::Assembly, ".visible .entry");
        QVERIFY(b.text(AlignedText::Left).contains(s(".text")));
        b.shown(CompareTab::LlvmIr, "nvptx64");
        QVERIFY(b.text(AlignedText::Left).contains(s("define ")) && !b.text(AlignedText::Left).contains(s("nvptx64")));
        // Nothing in them is called a difference, and there is none to go to.
        QVERIFY(b.view.diff().text()->differences().empty());
        QVERIFY(!b.actions.find(s("compare.next"))->isEnabled());
        // Loops before they are lowered are of one language, but not of one shape.
        auto *pass = b.view.findChildren<QComboBox *>().back();
        for (QComboBox *box : b.view.findChildren<QComboBox *>())
            if (box->accessibleName() == s("Pass")) pass = box;
        b.shown(CompareTab::Loops, "blockIdx.x");
        QVERIFY(pass->findText(s("unroll loops")) == pass->count() - 1);
        QCOMPARE(pass->findText(s("place barriers")), -1); // a pass that one of them does not have
        QCOMPARE(pass->findText(s("skip padding")), -1);
    }

    /// Compared while the dock is hidden, all tabs are there to click once it is shown.
    void tabsAreWholeWhenShownLater() {
        Bench b;
        b.open();
        b.view.hide();
        b.sides(0, 0);
        b.view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&b.view));
        const auto *bar = b.view.findChild<QTabBar *>();
        for (int tab = 0; tab < bar->count(); ++tab) {
            QTRY_VERIFY2(bar->rect().contains(bar->tabRect(tab)), qPrintable(bar->tabText(tab)));
            QVERIFY2(bar->tabRect(tab).width() >= bar->fontMetrics().horizontalAdvance(bar->tabText(tab)),
                     qPrintable(bar->tabText(tab)));
        }
    }

    /// What is of one stage begins in one row, in the code of either.
    void stagesBeginInOneRow() {
        Bench b;
        b.open();
        b.sides(0, 0);
        b.shown(CompareTab::C, "__global__");
        const AlignedText &text = *b.view.diff().text();
        QCOMPARE(text.count(DiffKind::Beside), static_cast<int>(text.rows().size()));
        const auto rowWith = [&](AlignedText::Side side, const char *words) {
            for (size_t row = 0; row < text.rows().size(); ++row) {
                const int line = side == AlignedText::Left ? text.rows()[row].left : text.rows()[row].right;
                if (line >= 0 && text.line(side, line).find(words) != std::string_view::npos)
                    return static_cast<int>(row);
            }
            return -1;
        };
        // The first line of each stage on the left has a line of the same stage beside it.
        const ComparedSide left = b.view.pair().known(AlignedText::Left, CompareTab::C);
        const ComparedSide right = b.view.pair().known(AlignedText::Right, CompareTab::C);
        const auto marks = left.landmarks(CompareTab::C, {}, text.text(AlignedText::Left));
        const auto others = right.landmarks(CompareTab::C, {}, text.text(AlignedText::Right));
        int met = 0;
        for (const AlignedRow &row : text.rows()) {
            if (row.left < 0 || row.right < 0) continue;
            const std::string &mark = marks[static_cast<size_t>(row.left)];
            if (!mark.empty() && mark == others[static_cast<size_t>(row.right)]) ++met;
        }
        QVERIFY2(met >= 2, qPrintable(QString::number(met)));
        QVERIFY(rowWith(AlignedText::Right, "__global__") >= 0);
    }

    /// A line of the side whose task is shown selects as ever; one of the other only what has the same name.
    void linesLinkWithinTheirSide() {
        Bench b;
        b.open();
        b.sides(0, 0);
        b.session.selection().selectSchedule(trial(1));
        b.shown(CompareTab::Loops, "blockIdx.x");
        const auto rowOf = [&](AlignedText::Side side, const QString &words) {
            const AlignedText &text = *b.view.diff().text();
            for (size_t row = 0; row < text.rows().size(); ++row) {
                const int line = side == AlignedText::Left ? text.rows()[row].left : text.rows()[row].right;
                if (line >= 0 && QString::fromUtf8(text.line(side, line).data(),
                                                   static_cast<qsizetype>(text.line(side, line).size()))
                                     .contains(words))
                    return static_cast<int>(row);
            }
            return -1;
        };
        const int left = rowOf(AlignedText::Left, s("i.0"));
        QVERIFY(left >= 0);
        click(b, AlignedText::Left, left);
        const Selected &now = b.session.selection().now();
        QCOMPARE(now.schedule, trial(1)); // of the GPU, as before
        QCOMPARE(now.stage, s("C"));
        QCOMPARE(now.iterator, s("i.0"));
        QCOMPARE(now.node, -1);
        QVERIFY(!b.view.diff().marked(AlignedText::Left).empty());
        QVERIFY(b.view.diff().marked(AlignedText::Right).empty()); // there is no such loop
        const int right = rowOf(AlignedText::Right, s("blockIdx.x"));
        click(b, AlignedText::Right, right);
        QCOMPARE(now.schedule, trial(0));
        QVERIFY(now.node >= 0);
    }

    void stepsAndFactsStandInRows() {
        Bench b;
        b.open();
        b.sides(0, 1);
        b.shown(CompareTab::Steps, "bind C");
        QVERIFY2(b.text(AlignedText::Left).startsWith(s("split C i into 8")), qPrintable(b.text(AlignedText::Left)));
        const Selected before = b.session.selection().now();
        Q_EMIT b.view.diff().lineChosen(AlignedText::Left, 0); // a step of a schedule that no view shows
        QVERIFY(b.session.selection().now() == before);
        b.shown(CompareTab::Facts, "occupancy");
        QVERIFY2(b.text(AlignedText::Left).startsWith(s("For llvm\n2.000 ms\n  measured here")),
                 qPrintable(b.text(AlignedText::Left)));
        QVERIFY2(
            b.text(AlignedText::Right).startsWith(s("For cuda -arch=sm_80\n100.0 us\n  on gpubox: NVIDIA A100\n")) ||
                b.text(AlignedText::Right).contains(s("  on gpubox: NVIDIA A100\n")),
            qPrintable(b.text(AlignedText::Right)));
        QVERIFY(b.text(AlignedText::Left).contains(s("Hottest block")));
        QVERIFY(b.text(AlignedText::Right).contains(s("of 64 threads")));
        QVERIFY(!b.text(AlignedText::Left).contains(s("score")) && !b.text(AlignedText::Right).contains(s("score")));
    }

    /// Times of different machines make no ratio, and nothing times them in turn.
    void timesSayTheirMachine() {
        Bench b;
        b.open();
        b.sides(0, 1);
        QVERIFY2(b.verdict().startsWith(s("Different machines, so no ratio: 2.000 ms measured here")) &&
                     b.verdict().endsWith(s("on gpubox: NVIDIA A100")),
                 qPrintable(b.verdict()));
        QVERIFY2(b.facts(AlignedText::Left).contains(s("measured here")), qPrintable(b.facts(AlignedText::Left)));
        QVERIFY2(b.facts(AlignedText::Right).contains(s("on gpubox: NVIDIA A100")),
                 qPrintable(b.facts(AlignedText::Right)));
        for (const char *id : {"compare.time", "compare.explain"}) {
            QVERIFY(!b.actions.find(s(id))->isEnabled());
            QVERIFY2(b.actions.find(s(id))->toolTip().contains(
                         s("trial 1 is for llvm and trial 2 for cuda -arch=sm_80: what runs on different machines "
                           "cannot be timed in turn, so each has its own time")),
                     qPrintable(b.actions.find(s(id))->toolTip()));
        }
        b.sides(0, 0);
        QVERIFY2(b.verdict().endsWith(s("| not timed")), qPrintable(b.verdict()));
        QVERIFY2(
            b.facts(AlignedText::Right).startsWith(s("checked, not timed \u00b7 by the executor on this processor")),
            qPrintable(b.facts(AlignedText::Right)));
        b.view.compareOfTasks({b.llvm, {Kind::Sketch, 0}}, {b.cuda, trial(0)});
        QCOMPARE(b.verdict(), s("Different targets, and neither was timed"));
        // Of one task that is not shown they are timed as ever.
        b.view.compareOfTasks({b.llvm, trial(0)}, {b.llvm, trial(1)});
        QVERIFY2(b.actions.find(s("compare.time"))->isEnabled(),
                 qPrintable(b.actions.find(s("compare.time"))->toolTip()));
    }

    void sidesAreChosenByNameAndFromTheList() {
        Bench b;
        b.open();
        b.type(AlignedText::Left, "2 on llvm");
        b.type(AlignedText::Right, "best");
        QCOMPARE(b.view.pair().side(AlignedText::Left), (TaskSchedule{b.llvm, trial(1)}));
        QCOMPARE(b.view.pair().side(AlignedText::Right), (TaskSchedule{b.cuda, trial(1)}));
        QCOMPARE(b.choice(AlignedText::Left)->currentText(), s("trial 2 on llvm"));
        QCOMPARE(b.choice(AlignedText::Right)->currentText(), s("trial 2 on cuda -arch=sm_80"));
        b.type(AlignedText::Right, "naive on cuda");
        QCOMPARE(b.view.pair().side(AlignedText::Right), (TaskSchedule{b.cuda, {}}));
        b.type(AlignedText::Left, "best on hip");
        QCOMPARE(b.facts(AlignedText::Left),
                 s("nothing of this computation is open for ‘hip’, but for cuda -arch=sm_80, llvm"));
        b.type(AlignedText::Left, "9 on llvm");
        QVERIFY2(b.facts(AlignedText::Left).startsWith(s("there is no ‘9’: type a trial from 1 to 2")),
                 qPrintable(b.facts(AlignedText::Left)));
        QCOMPARE(b.view.pair().side(AlignedText::Left), (TaskSchedule{b.llvm, trial(1)})); // as it was

        QComboBox *choice = b.choice(AlignedText::Left);
        const QAbstractItemModelTester tester(choice->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        choice->showPopup();
        const int heading = choice->findText(s("On llvm (2 trials, best 2.000 ms)"));
        QVERIFY(heading > 0);
        QVERIFY(!choice->model()->flags(choice->model()->index(heading, 0)).testFlag(Qt::ItemIsEnabled));
        QVERIFY2(choice->itemText(heading + 1).startsWith(s("the best: trial 1   2.000 ms")),
                 qPrintable(choice->itemText(heading + 1)));
        QAbstractItemView *list = choice->view();
        const QModelIndex item = choice->model()->index(heading + 1, 0);
        list->scrollTo(item);
        QTest::mouseMove(list->viewport(), list->visualRect(item).center());
        QTest::qWait(QApplication::doubleClickInterval()); // a popup takes no click so soon after it opened
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(item).center());
        QTRY_COMPARE(b.view.pair().side(AlignedText::Left), (TaskSchedule{b.llvm, trial(0)}));
    }

    /// The target shown may change: the pair stays, with what it is of.
    void thePairStaysWhenAnotherTargetIsShown() {
        Bench b;
        b.open();
        b.sides(0, 1);
        b.shown(CompareTab::C, "__global__");
        const QString cudaText = b.text(AlignedText::Right);
        auto *card = b.view.findChildren<SideCard *>()[AlignedText::Left];
        auto *show = card->findChild<QToolButton *>(s("show_task"));
        QVERIFY(show->isVisible());
        QVERIFY(!b.view.findChildren<SideCard *>()[AlignedText::Right]
                     ->findChild<QToolButton *>(s("show_task"))
                     ->isVisible());
        QTest::mouseClick(show, Qt::LeftButton);
        QCOMPARE(b.session.document()->taskId, b.llvm);
        QCOMPARE(b.session.selection().now().schedule, trial(0));
        QVERIFY(!show->isVisible());
        QCOMPARE(b.view.pair().side(AlignedText::Left), (TaskSchedule{b.llvm, trial(0)}));
        QCOMPARE(b.view.pair().side(AlignedText::Right), (TaskSchedule{b.cuda, trial(1)}));
        QTRY_VERIFY_WITH_TIMEOUT(b.view.notice().isEmpty() && b.text(AlignedText::Right) == cudaText, 20'000);
        // A third target, of which nothing is known yet.
        b.target("cuda -arch=sm_90");
        QCOMPARE(b.view.pair().name(AlignedText::Left), s("trial 1 on llvm"));
        QCOMPARE(b.view.pair().name(AlignedText::Right), s("trial 2 on cuda -arch=sm_80"));
        b.type(AlignedText::Right, "naive");
        QCOMPARE(b.view.pair().name(AlignedText::Right), s("naive schedule on cuda -arch=sm_90"));
        // It was no task worth keeping: with the next target its schedules mean that one's.
        b.target("cuda -arch=sm_75");
        QCOMPARE(b.view.pair().name(AlignedText::Right), s("naive schedule on cuda -arch=sm_75"));
        b.target(kCuda);
        QVERIFY(!b.view.pair().side(AlignedText::Right)); // it went with its task
        QVERIFY2(b.view.notice().startsWith(s("Naive schedule on cuda -arch=sm_75 is not open any more.")),
                 qPrintable(b.view.notice()));
    }

    /// What computes something else, or is gone, leaves with a sentence.
    void whatIsGoneLeavesWithASentence() {
        Bench b;
        b.open();
        b.sides(0, 1);
        b.session.documents().setParams({{"N", 32}});
        QTRY_VERIFY_WITH_TIMEOUT(!b.view.pair().side(AlignedText::Left), 20'000);
        QVERIFY(!b.view.pair().side(AlignedText::Right));
        QVERIFY2(b.view.notice().startsWith(s("Trial 2 on cuda -arch=sm_80 is of mm on cuda -arch=sm_80, and mm (N = "
                                              "32) on cuda -arch=sm_80 is shown, which computes something else.")),
                 qPrintable(b.view.notice()));
        QVERIFY(b.tabs().contains(s("CUDA")));
        // One of another computation takes the place of one that would not fit beside it.
        b.view.pair().choose(AlignedText::Left, {0, {}});
        b.view.pair().choose(AlignedText::Right, {b.llvm, trial(0)});
        QVERIFY(!b.view.pair().side(AlignedText::Left));
        QVERIFY2(b.view.notice().contains(s("computes something else")), qPrintable(b.view.notice()));
        // Trials that are forgotten.
        b.session.documents().showTask(b.cuda);
        b.sides(0, 1);
        b.shown(CompareTab::Loops, "blockIdx.x");
        b.session.search().forgetTrials();
        QVERIFY(!b.view.pair().side(AlignedText::Right));
        QCOMPARE(b.view.pair().side(AlignedText::Left), (TaskSchedule{b.llvm, trial(0)}));
        QVERIFY2(b.view.notice().startsWith(s("The trials that trial 2 on cuda -arch=sm_80 was among were dropped.")),
                 qPrintable(b.view.notice()));
        b.session.documents().close(b.session.document()->id);
        QVERIFY(!b.view.pair().side(AlignedText::Left));
        QVERIFY2(b.view.notice().startsWith(s("Open a workload")), qPrintable(b.view.notice()));
    }

    void oneCommandPutsTheTargetsSideBySide() {
        Bench b;
        b.view.show();
        b.actions.find(Capability::CompareTargets)->trigger();
        QVERIFY(b.session.messages().all().back().text.startsWith(s("No other target of this computation is open")));
        b.open();
        b.session.selection().selectSchedule(trial(0));
        b.actions.find(Capability::CompareTargets)->trigger();
        QCOMPARE(b.view.pair().side(AlignedText::Left), (TaskSchedule{b.llvm, trial(0)})); // the best there
        QCOMPARE(b.view.pair().side(AlignedText::Right), (TaskSchedule{b.cuda, trial(0)}));
        b.session.documents().showTask(b.llvm);
        b.session.selection().selectSchedule(trial(1));
        b.actions.find(Capability::CompareTargets)->trigger();
        QCOMPARE(b.view.pair().side(AlignedText::Left), (TaskSchedule{b.llvm, trial(1)})); // the processor stays left
        QCOMPARE(b.view.pair().side(AlignedText::Right), (TaskSchedule{b.cuda, trial(1)}));
        // Of a row's menu: the row's, not the one shown.
        b.actions.run(Capability::CompareTargets, QVariant::fromValue(trial(0)));
        QCOMPARE(b.view.pair().side(AlignedText::Left), (TaskSchedule{b.llvm, trial(0)}));
        QCOMPARE(b.session.selection().now().schedule, trial(1));
    }
};

LOOPSCOPE_WINDOW_TEST(CompareTargetsTest)

} // namespace compare_targets_test
#include "compare_targets_test.moc"
