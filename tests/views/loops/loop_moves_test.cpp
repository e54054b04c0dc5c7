// Scheduling by hand in the tree of loops, by clicks and keys: the menu of a loop, the palette over it, dragging, and
// what is answered to an illegal request.

#include "language/expr/arena.h"
#include "loop_hand.h"
#include "schedule/bound_inference.h"
#include "schedule/script/schedule_script.h"
#include "test_program.h"
#include "view_bench.h"
#include "views/loops/move_request.h"

namespace loopscope {

namespace {

const QString kProgram = QStringLiteral("workload mm(M = 64, N = 64, K = 64)\n"
                                        "A = placeholder [M, K] float32\n"
                                        "B = placeholder [K, N] float32\n"
                                        "C(i < M, j < N) = sum(k < K; A[i, k] * B[k, j])\n"
                                        "D(i < M, j < N) = max(C[i, j], 0)\n");
using Kind = ScheduleRef::Kind;

} // namespace

class LoopMovesTest : public QObject {
    Q_OBJECT

    struct Window : ViewBench {
        LoopsView view{context};
    };
    struct Bench : Window, LoopHand {
        Bench() : LoopHand{Window::session, Window::view} {
            Window::view.resize(900, 700);
            Window::view.show();
            Window::session.documents().openText(QStringLiteral("mm"), kProgram);
            if (!QTest::qWaitForWindowActive(&(Window::view)) || !settled()) qFatal("the loops are not shown");
        }
        using LoopHand::session;
        using LoopHand::view;
    };

    static QAction *entry(QMenu &menu, const QString &text) { return LoopHand::entry(menu, text); }
    static QMenu *under(QMenu &menu, const QString &heading) { return LoopHand::under(menu, heading); }

  private slots:
    void theMenuHasLegalMovesWithTheirWorth() {
        Bench bench;
        bench.menu(QStringLiteral("C"), QStringLiteral("i"), [](MoveMenu &menu) {
            QMenu *split = under(menu, QStringLiteral("Split into"));
            QVERIFY(split);
            QAction *eight = entry(*split, QStringLiteral("8 \u00d7 8"));
            QVERIFY(eight);
            QVERIFY2(eight->text().contains(u'\t') && eight->text().endsWith(u'%'), qPrintable(eight->text()));
            QVERIFY(eight->toolTip().startsWith(QLatin1String("split C i into 8")));
            QVERIFY(eight->toolTip().contains(QLatin1String("the analytic estimate")));
            QVERIFY(entry(*split, QStringLiteral("2 \u00d7 32")) &&
                    entry(*split, QStringLiteral("Other lengths \u2026")));
            QVERIFY(!entry(*split, QStringLiteral("9 \u00d7 7")));
            QMenu *move = under(menu, QStringLiteral("Move"));
            QVERIFY(move && entry(*move, QStringLiteral("innermost, inside k")));
            QVERIFY(entry(menu, QStringLiteral("Parallel")));
            QVERIFY(!entry(menu, QStringLiteral("Vectorize"))); // k is innermost
            QVERIFY(under(menu, QStringLiteral("Fuse with")));
            QVERIFY(under(menu, QStringLiteral("Unroll all loops up to")));
            QVERIFY(under(menu, QStringLiteral("Compute inside")));
            QVERIFY(under(menu, QStringLiteral("Cache what is written")));
            // A reduction is computed where its reader is, not in place of it.
            QMenu *forbidden = under(menu, QStringLiteral("Not here"));
            QVERIFY(forbidden);
            const auto all = forbidden->actions();
            QVERIFY(std::any_of(all.begin(), all.end(), [](const QAction *action) {
                return action->text().startsWith(QLatin1String("compute_inline: "));
            }));
        });
        QVERIFY(bench.session.document()->edited.empty());
    }

    void aReductionIsNotParallel() {
        Bench bench;
        bench.menu(QStringLiteral("C"), QStringLiteral("k"), [](MoveMenu &menu) {
            QVERIFY(!entry(menu, QStringLiteral("Parallel")));
            QMenu *forbidden = under(menu, QStringLiteral("Not here"));
            const auto all = forbidden->actions();
            QVERIFY(std::any_of(all.begin(), all.end(), [](const QAction *action) {
                return action->text().startsWith(QLatin1String("parallel: ")) && action->toolTip().contains(u'k');
            }));
            QVERIFY(under(menu, QStringLiteral("Split into"))); // which partial sums begin with
        });
    }

    void choosingMakesANode() {
        Bench bench;
        bench.menu(QStringLiteral("C"), QStringLiteral("i"), [](MoveMenu &menu) {
            QMenu *split = under(menu, QStringLiteral("Split into"));
            entry(*split, QStringLiteral("8 \u00d7 8"))->trigger();
        });
        QCOMPARE(bench.session.selection().now().schedule.kind, Kind::Edited);
        QCOMPARE(bench.steps(), (Steps{SplitStep{StageId(2), IterId(0), 64, {8}, true}}));
        QVERIFY(bench.settled());
        bench.menu(QStringLiteral("C"), QStringLiteral("i.1"),
                   [](MoveMenu &menu) { QVERIFY(under(menu, QStringLiteral("Split into"))); });
    }

    /// Every move of every loop and stage stands in exactly the menus of what it is about.
    void everyMoveIsInAMenu() {
        Bench bench;
        const OfferedMovesPtr offered = bench.view.moves().offered();
        for (const Step &step : offered->moves) {
            int loops = concerns(step, {stageOf(step), IterId()}) ? 1 : 0;
            for (size_t i = 0; i < offered->state.stage(stageOf(step)).iters.size(); ++i)
                loops += concerns(step, {stageOf(step), IterId(i)}) ? 1 : 0;
            QVERIFY2(loops > 0, qPrintable(moveText(offered->state, step, {stageOf(step), IterId()})));
        }
    }

    void theStatementIsTheStage() {
        Bench bench;
        bench.menu(QStringLiteral("C"), {}, [](MoveMenu &menu) {
            QVERIFY(!under(menu, QStringLiteral("Split into")));
            QMenu *places = under(menu, QStringLiteral("Compute inside"));
            QVERIFY(places && entry(*places, QStringLiteral("j of D")));
            entry(*places, QStringLiteral("j of D"))->trigger();
        });
        QCOMPARE(bench.steps(), (Steps{ComputeAtStep{StageId(2), StageId(3), IterId(1)}}));
    }

    void thePaletteTakesAbbreviations_data() {
        QTest::addColumn<QString>("loop");
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("line");
        QTest::newRow("split") << "i" << "split 8" << "split C i into 8";
        QTest::newRow("several lengths") << "i" << "split 4 2" << "split C i into 4, 2";
        QTest::newRow("another loop") << "i" << "split j 16" << "split C j into 16";
        QTest::newRow("no divisor") << "i" << "split 7" << "split C i into 7";
        QTest::newRow("parallel") << "i" << "par" << "parallel C i";
        QTest::newRow("unroll the loop") << "k" << "unroll" << "unroll C k";
        QTest::newRow("unrolling") << "j" << "unroll 64" << "pragma C i auto_unroll_max_step$64";
        QTest::newRow("fuse") << "i" << "fuse" << "fuse C i, j";
        QTest::newRow("at") << "i" << "at D j" << "compute_at C D j";
        QTest::newRow("cache write") << "i" << "cache write" << "cache_write C local";
        QTest::newRow("cache read") << "i" << "cache_read A" << "cache_read A global C";
        QTest::newRow("order") << "i" << "reorder k i j" << "reorder C k, i, j";
        QTest::newRow("a whole line") << "i" << "vectorize D j" << "vectorize D j";
    }
    void thePaletteTakesAbbreviations() {
        QFETCH(QString, loop);
        QFETCH(QString, typed);
        QFETCH(QString, line);
        Bench bench;
        bench.click(QStringLiteral("C"), loop);
        CommandPalette *palette = bench.palette(typed);
        QVERIFY(palette->model().rowCount() > 0);
        QCOMPARE(palette->model().item(0).text, line);
        QTest::keyClick(Bench::line(*palette), Qt::Key_Return);
        QVERIFY(!palette->isVisible());
        QCOMPARE(bench.session.document()->edited.back().did, line);
        QCOMPARE(bench.steps().size(), size_t{1});
    }

    void anIllegalRequestIsAnswered() {
        Bench bench;
        bench.click(QStringLiteral("C"), QStringLiteral("k"));
        CommandPalette *palette = bench.palette(QStringLiteral("par"));
        const QString why = Bench::answer(*palette);
        QVERIFY2(why.contains(u'k') && why.contains(QLatin1String("reduc")), qPrintable(why));
        // What merely looks alike was not meant; what would be legal is offered and applies.
        QStringList offered;
        for (int row = 0; row < palette->model().rowCount(); ++row) offered << palette->model().item(row).text;
        QVERIFY2(!offered.isEmpty(), qPrintable(why));
        for (const QString &line : offered) QVERIFY2(line != QLatin1String("parallel C k"), qPrintable(line));
        const int edits = static_cast<int>(bench.session.document()->edited.size());
        // Return alone takes nothing else than was typed.
        QTest::keyClick(Bench::line(*palette), Qt::Key_Return);
        QVERIFY(palette->isVisible());
        QCOMPARE(static_cast<int>(bench.session.document()->edited.size()), edits);
        QTest::keyClick(Bench::line(*palette), Qt::Key_Down);
        QTest::keyClick(Bench::line(*palette), Qt::Key_Return);
        QVERIFY(static_cast<int>(bench.session.document()->edited.size()) > edits);
        QCOMPARE(bench.session.document()->edited.back().did, offered.front());
    }

    void theHeadSaysWhatIsPredictedAndMeasured() {
        Bench bench;
        QCOMPARE(bench.session.edits().apply({Kind::Naive, 0}, SplitStep{StageId(2), IterId(0), 64, {8}, true}),
                 QString());
        const auto head = [&](const QString &part) -> const QLabel * {
            for (const QLabel *label : bench.view.findChildren<QLabel *>())
                if (label->text().contains(part)) return label;
            return nullptr;
        };
        const QLabel *said = nullptr;
        QTRY_VERIFY((said = head(QStringLiteral("\u00a0of the naive time predicted"))));
        QCOMPARE(said->toolTip(), QStringLiteral("Predicted by the analytic estimate"));
        const int node = bench.session.selection().now().schedule.number;
        bench.session.edits().setMeasured(bench.session.document()->taskId, node, {0.001, {}, -1});
        QVERIFY(head(QStringLiteral("1.000 ms\u00a0measured")));
        bench.session.edits().setMeasured(bench.session.document()->taskId, node, {0, QStringLiteral("too slow"), -1});
        QVERIFY(head(QStringLiteral("It failed: too slow")));
    }

    void requestsAreCured_data() {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("rule");
        QTest::addColumn<QString>("cure");
        QTest::newRow("no reader") << "compute_at D C i" << "read" << "";
        QTest::newRow("reduction") << "parallel C k" << "reduc" << "unroll C k";
        QTest::newRow("misspelt") << "split C jj 8" << "jj" << "split C j into 8";
    }
    /// What would be legal instead is a line that applies.
    void requestsAreCured() {
        QFETCH(QString, typed);
        QFETCH(QString, rule);
        QFETCH(QString, cure);
        Bench bench;
        const LoopState naive(bench.session.document()->task->dag);
        const MoveRequest request = understandRequest(naive, typed, MoveTarget{StageId(0), IterId()});
        QVERIFY(request.steps.empty());
        QVERIFY2(request.problem.contains(rule), qPrintable(request.problem));
        QVERIFY2(cure.isEmpty() ? request.legal.isEmpty() : request.legal.contains(cure),
                 qPrintable(request.problem + request.legal.join(u'|')));
        for (const QString &line : request.legal)
            QVERIFY2(!understandRequest(naive, line, {}).steps.empty(), qPrintable(line));
    }

    /// A stage inside another is as long as the other needs it, which no script says.
    void loopsOfAStageInsideAnotherHaveTheirLengths() {
        Bench bench;
        const AppliedScript applied =
            applyScript(bench.session.document()->task->dag, "split D i into 8\ncompute_at C D i.0\n");
        QVERIFY(!applied.problem);
        const auto bounded = inferBounds(applied.state, std::make_shared<ExprArena>());
        QVERIFY(bounded.ok());
        const MoveRequest request = understandRequest(bounded->state, QStringLiteral("split C i 4"), {});
        QVERIFY2(request.steps.size() == 1, qPrintable(request.problem));
        const Step known = withKnownExtent(bounded->state, request.steps.front());
        QCOMPARE(std::get<SplitStep>(known).extent, int64_t{8});
        QCOMPARE(scriptLine(bounded->state, known), std::string("split C i into 4"));
    }

    void whatMeansNothingDoesNothing() {
        Bench bench;
        bench.click(QStringLiteral("C"), QStringLiteral("i"));
        CommandPalette *palette = bench.palette(QStringLiteral("split q 8"));
        QVERIFY2(Bench::answer(*palette).contains(u'q'), qPrintable(Bench::answer(*palette)));
        QTest::keyClick(Bench::line(*palette), Qt::Key_Return);
        QTest::keyClick(Bench::line(*palette), Qt::Key_Escape);
        QVERIFY(!palette->isVisible());
        QVERIFY(bench.session.document()->edited.empty());
    }

    void thePaletteShowsWhatMovesAreWorth() {
        Bench bench;
        bench.click(QStringLiteral("D"), QStringLiteral("j"));
        CommandPalette *palette = bench.palette(QStringLiteral("vec"));
        QCOMPARE(palette->model().item(0).text, QStringLiteral("vectorize D j"));
        QVERIFY2(palette->model().item(0).detail.contains(u'%'), qPrintable(palette->model().item(0).detail));
    }

    /// Whoever types faster than the tree is made loses no key, and goes on with the same stage.
    void oneAfterTheOtherByKeys() {
        Bench bench;
        bench.click(QStringLiteral("D"), QStringLiteral("i"));
        QTest::keyClick(Bench::line(*bench.palette(QStringLiteral("split 8"))), Qt::Key_Return);
        QTest::keyClick(bench.view.tree(), Qt::Key_M); // the tree is still the naive schedule's
        auto *palette = bench.view.findChild<CommandPalette *>(QStringLiteral("MovePalette"));
        QTRY_VERIFY_WITH_TIMEOUT(palette->isVisible(), 20000);
        QVERIFY(bench.settled());
        QTest::keyClicks(Bench::line(*palette), QStringLiteral("par"));
        QCOMPARE(palette->model().item(0).text, QStringLiteral("parallel D i.0"));
    }

    void typingFromTheMenu() {
        Bench bench;
        bench.menu(QStringLiteral("C"), QStringLiteral("i"), [](MoveMenu &menu) {
            entry(*under(menu, QStringLiteral("Split into")), QStringLiteral("Other lengths \u2026"))->trigger();
        });
        CommandPalette *palette = nullptr;
        QTRY_VERIFY((palette = bench.view.findChild<CommandPalette *>(QStringLiteral("MovePalette"))) &&
                    palette->isVisible());
        QCOMPARE(Bench::line(*palette)->text(), QStringLiteral("split C i into "));
        QTest::keyClicks(Bench::line(*palette), QStringLiteral("4, 4"));
        QTest::keyClick(Bench::line(*palette), Qt::Key_Return);
        QCOMPARE(bench.steps(), (Steps{SplitStep{StageId(2), IterId(0), 64, {4, 4}, true}}));
    }

    void draggingReorders() {
        Bench bench;
        const QRect k = bench.rectOf(QStringLiteral("C"), QStringLiteral("k"));
        const QRect j = bench.rectOf(QStringLiteral("C"), QStringLiteral("j"));
        const QString said = bench.drag(k.center(), QPoint(j.center().x(), j.top() + 2));
        QVERIFY2(said.startsWith(QLatin1String("reorder C i, k, j")), qPrintable(said));
        QVERIFY2(said.contains(u'%'), qPrintable(said)); // and what it is worth
        QCOMPARE(bench.steps(), (Steps{ReorderStep{StageId(2), {IterId(0), IterId(2), IterId(1)}}}));
    }

    void draggingAStageComputesItThere() {
        Bench bench;
        const QRect statement = bench.rectOf(QStringLiteral("C"), {});
        const QRect j = bench.rectOf(QStringLiteral("D"), QStringLiteral("j"));
        const QString said = bench.drag(statement.center(), j.center());
        QVERIFY2(said.startsWith(QLatin1String("compute_at C D j")), qPrintable(said));
        QCOMPARE(bench.steps(), (Steps{ComputeAtStep{StageId(2), StageId(3), IterId(1)}}));
        QVERIFY(bench.settled());
        // Below everything it is on its own again.
        const QRect again = bench.rectOf(QStringLiteral("C"), {});
        bench.drag(again.center(), QPoint(again.center().x(), bench.view.tree()->viewport()->height() - 4));
        QCOMPARE(bench.steps().back(), Step(ComputeRootStep{StageId(2)}));
    }

    void anIllegalDropIsAnswered() {
        Bench bench;
        // What reads a stage is not computed inside it.
        const QString said = bench.drag(bench.rectOf(QStringLiteral("D"), {}).center(),
                                        bench.rectOf(QStringLiteral("C"), QStringLiteral("i")).center());
        QVERIFY2(said.startsWith(QLatin1String("compute_at D C i: ")), qPrintable(said));
        QVERIFY(bench.session.document()->edited.empty());
        QCOMPARE(bench.view.findChild<LoopDrag *>()->hint(), said); // it can be read to its end
        QVERIFY(!bench.session.messages().all().empty());
        QVERIFY(bench.session.messages().all().back().detail.contains(QLatin1String("compute_at D C i")));
        // Escape ends a drag, and nothing comes of it.
        QWidget *where = bench.view.tree()->viewport();
        const QPoint from = bench.rectOf(QStringLiteral("C"), QStringLiteral("k")).center();
        QTest::mousePress(where, Qt::LeftButton, {}, from);
        Bench::moveTo(where, bench.rectOf(QStringLiteral("C"), QStringLiteral("i")).center());
        QVERIFY(bench.view.findChild<LoopDrag *>()->dragging());
        QTest::keyClick(bench.view.tree(), Qt::Key_Escape);
        QVERIFY(!bench.view.findChild<LoopDrag *>()->dragging());
        QTest::mouseRelease(where, Qt::LeftButton, {}, from);
        QVERIFY(bench.session.document()->edited.empty());
    }

    void changesReadWell() {
        QCOMPARE(changeText(-0.18), QStringLiteral("\u221218 %"));
        QCOMPARE(changeText(0.034), QStringLiteral("+3.4 %"));
        QCOMPARE(changeText(-0.0001), QStringLiteral("0 %"));
        QCOMPARE(changeText(11), QStringLiteral("\u00d712"));
    }
};

LOOPSCOPE_WINDOW_TEST(LoopMovesTest)
} // namespace loopscope

#include "loop_moves_test.moc"
