// The side-by-side on a real session: what it says when it cannot compare, and what it shows when it can.

#include "fabricated_trials.h"
#include "test_program.h"
#include "view_bench.h"
#include "views/compare/compare_facts.h"
#include "views/compare/compare_view.h"
#include "views/compare/diff_text.h"
#include "views/session/standing.h"

#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QScrollBar>
#include <QTabBar>
#include <QTest>

using namespace loopscope;

namespace {

QString u(const char *text) { return QString::fromUtf8(text); }
ScheduleRef trial(int number) { return {ScheduleRef::Kind::Trial, number}; }

/// A session on the workload of the fabricated trials, with those trials.
struct Window : ViewBench {
    void openTrials() {
        QFile file(QStringLiteral(LOOPSCOPE_SOURCE_DIR "/samples/matmul_relu.te"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        session.documents().openText(u("matmul_relu.te"), QString::fromUtf8(file.readAll()));
        QTRY_VERIFY_WITH_TIMEOUT(session.document() != nullptr && !session.document()->sketches.empty(), 30'000);
        auto *document = const_cast<Document *>(session.document()); // as a search would
        const auto fabricated = fabricateDocument(24);
        document->trials = fabricated->trials;
        document->best = fabricated->best;
        Q_EMIT session.trials().trialsReset();
    }
};

} // namespace

class CompareTest : public QObject {
    Q_OBJECT

  private slots:
    void verdicts() {
        auto document = fabricateDocument(0);
        const auto add = [&](std::vector<double> seconds) {
            TrialEntry entry;
            entry.trial.seconds = std::move(seconds);
            document->trials.push_back(entry);
        };
        add({2e-3, 2e-3, 2e-3});
        add({1e-3, 1e-3, 1e-3});
        add({1e-3, 1e-3, 1e-3, 1.5e-3});
        document->trials.push_back({});
        document->trials[3].trial.error = TrialError::WrongAnswer;
        // Each was timed at another moment: no ratio.
        const QString apart = u("Timed at different moments: Measure again compares them");
        QCOMPARE(speedVerdict(*document, trial(0), trial(1)), apart);
        QCOMPARE(speedVerdict(*document, trial(0), trial(0)), QString());
        takeComparison(*document, {{0, {2e-3, 2e-3, 2e-3}}, {1, {1e-3, 1e-3, 1e-3}}, {2, {1e-3, 1e-3, 1.5e-3}}});
        QCOMPARE(speedVerdict(*document, trial(0), trial(1)),
                 u("trial 2 is 2.00× as fast as trial 1 (2.00× to 2.00×)"));
        QCOMPARE(speedVerdict(*document, trial(1), trial(0)),
                 u("trial 2 is 2.00× as fast as trial 1 (2.00× to 2.00×)"));
        QCOMPARE(speedVerdict(*document, trial(1), trial(2)), u("no clear difference (0.67× to 1.00×)"));
        QCOMPARE(speedVerdict(*document, trial(0), trial(3)), QString());
        QCOMPARE(speedVerdict(*document, trial(0), {}), QString()); // the naive one was never measured
        document->naiveSeconds = 4e-3;                              // before the search
        QCOMPARE(speedVerdict(*document, trial(0), {}), apart);
        takeComparison(*document, {{1, {1e-3, 1e-3, 1e-3}}, {-1, {8e-3, 8e-3, 8e-3}}});
        QCOMPARE(speedVerdict(*document, {}, trial(1)),
                 u("trial 2 is 8.00× as fast as naive schedule (8.00× to 8.00×)"));
        QCOMPARE(speedVerdict(*document, trial(0), trial(1)), apart); // no longer of one comparison
        QCOMPARE(scheduleFacts(*document, trial(2)).section(u(" · "), 0, 0), u("1.000 ms (1.000 ms to 1.500 ms)"));
        QVERIFY(scheduleFacts(*document, trial(3)).startsWith(u("failed: wrong-answer")));
    }

    void namesOfSchedules() {
        const auto document = fabricateDocument(24);
        QCOMPARE(scheduleNamed(*document, u("17")), trial(16));
        QCOMPARE(scheduleNamed(*document, u(" Trial 17 ")), trial(16));
        QCOMPARE(scheduleNamed(*document, u("best")), trial(document->best));
        QCOMPARE(scheduleNamed(*document, u("naive schedule")), ScheduleRef());
        QCOMPARE(scheduleNamed(*document, u("sketch 1")), (ScheduleRef{ScheduleRef::Kind::Sketch, 1}));
        QVERIFY(!scheduleNamed(*document, u("edited 1")));
        document->edited.push_back(EditNode{EditedSteps(document->sketches[0].state.originalDag())});
        document->edited[0].name = u("mine");
        const ScheduleRef first{ScheduleRef::Kind::Edited, 0};
        QCOMPARE(scheduleName(*document, first), u("edited schedule 1 (mine)"));
        for (const char *text : {"edited 1", "Edited schedule 1", "edited schedule 1 (mine)"})
            QCOMPARE(scheduleNamed(*document, u(text)), first);
        document->edited[0].dropped = true;
        QVERIFY(!scheduleNamed(*document, u("edited 1")));
        for (const char *none : {"0", "25", "sketch 99", "seventeen", "", "-3"})
            QVERIFY(!scheduleNamed(*document, u(none)));
    }

    void saysWhatToDoWhileThereIsNothing() {
        Window window;
        CompareView view(window.context);
        QVERIFY(view.notice().startsWith(u("Open a workload")));
        window.openTrials();
        QVERIFY(view.notice().startsWith(u("Select two trials")));
        window.session.selection().selectTrials({1, 2, 3});
        window.actions.find(u("compare.trials"))->trigger();
        QVERIFY(!view.side(AlignedText::Left));
        QCOMPARE(window.session.messages().all().back().text,
                 u("Comparing takes two trials selected together; 3 are selected"));
    }

    /// In the dock of a small screen every form can be chosen, and a difference deep in a nest is seen when gone to.
    void nothingIsOutOfReachWhenNarrow() {
        Window window;
        window.openTrials();
        CompareView view(window.context);
        view.resize(1, 320); // as narrow as can be
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        int valid = 0;
        while (!window.session.document()->trials[static_cast<size_t>(valid)].valid()) ++valid;
        view.compare(trial(valid), {});
        QTRY_VERIFY2_WITH_TIMEOUT(view.notice().isEmpty(), qPrintable(view.notice()), 30'000);
        const auto *tabs = view.findChild<QTabBar *>();
        for (int tab = 0; tab < tabs->count(); ++tab)
            QVERIFY2(!tabs->isTabVisible(tab) || tabs->rect().contains(tabs->tabRect(tab)),
                     qPrintable(tabs->tabText(tab)));
        QVERIFY2(view.width() <= 430, qPrintable(QString::number(view.width())));
    }

    void aDifferenceDeepInANestComesIntoSight() {
        Theme theme;
        DiffText diff(theme);
        diff.resize(400, 300);
        diff.show();
        const std::string deep(90, ' ');
        diff.setText(AlignedText::make({"for i\n" + deep + "left\n", {}, 1}, {"for i\n" + deep + "right\n", {}, 1}, {}),
                     CodeLanguage::Plain);
        QCOMPARE(diff.horizontalScrollBar()->value(), 0);
        QTest::keyClick(&diff, Qt::Key_N);
        QCOMPARE(diff.currentRow(), 1);
        const int begin = 90 * QFontMetrics(theme.codeFont()).horizontalAdvance(QLatin1Char('0'));
        const int shift = diff.horizontalScrollBar()->value();
        QVERIFY2(begin >= shift && begin - shift < diff.viewport()->width() / 4, qPrintable(QString::number(shift)));
        diff.goToRow(0);
        QCOMPARE(diff.horizontalScrollBar()->value(), 0);
    }

    void comparesTwoSelectedTrials() {
        Window window;
        window.openTrials();
        const Document &document = *window.session.document();
        int a = 0;
        while (document.trials[static_cast<size_t>(a)].trial.error == TrialError::Instantiation) ++a;
        int b = a + 1;
        while (document.trials[static_cast<size_t>(b)].trial.steps ==
               document.trials[static_cast<size_t>(a)].trial.steps)
            ++b;
        CompareView view(window.context);
        view.resize(1000, 600);
        view.show();
        window.session.selection().selectTrials({a, b});
        window.actions.find(u("compare.trials"))->trigger();
        QCOMPARE(view.side(AlignedText::Left), trial(a));
        QCOMPARE(view.side(AlignedText::Right), trial(b));
        QTRY_VERIFY2_WITH_TIMEOUT(view.notice().isEmpty(), qPrintable(view.notice()), 30'000);
        QVERIFY(!view.diff().text()->differences().empty());
        const RepresentationsPtr representations = window.session.representations().of(trial(a));
        QCOMPARE(QString::fromStdString(view.diff().text()->text(AlignedText::Left)),
                 representations->passes.back().text);

        // A line of the program is the loop everybody looks at.
        const auto &nodes = representations->nodes();
        const auto loop =
            std::find_if(nodes.begin(), nodes.end(), [](const ProgramNode &n) { return n.kind == StmtKind::For; });
        QVERIFY(loop != nodes.end());
        Q_EMIT view.diff().lineChosen(AlignedText::Left, loop->line);
        QCOMPARE(window.session.selection().now().schedule, trial(a));
        QCOMPARE(window.session.selection().now().node, loop->id);
        QCOMPARE(window.session.selection().now().iterator, loop->iterator);

        // Steps: one row for the steps of one loop, and the step becomes the selected one.
        view.setTab(CompareTab::Steps);
        QTRY_VERIFY_WITH_TIMEOUT(view.notice().isEmpty() && view.diff().text()->number(AlignedText::Left, 0) == 0,
                                 30'000);
        QCOMPARE(view.diff().text()->lineCount(AlignedText::Left), static_cast<int>(representations->steps.size()));
        Q_EMIT view.diff().lineChosen(AlignedText::Left, 1);
        QCOMPARE(window.session.selection().now().step, 1);

        view.setTab(CompareTab::C);
        QTRY_VERIFY_WITH_TIMEOUT(view.notice().isEmpty() &&
                                     view.diff().text()->text(AlignedText::Left).find("#include") != std::string::npos,
                                 30'000);
        view.diff().setFocus();
        QTest::keyClick(&view.diff(), Qt::Key_A, Qt::ControlModifier);
        QTest::keyClick(&view.diff(), Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QApplication::clipboard()->text(),
                 QString::fromStdString(view.diff().text()->text(AlignedText::Left)));

        const QString path = window.folder.filePath(u("diff.txt"));
        QCOMPARE(view.exportTo(path), QString());
        QVERIFY(QFile::exists(path));
        QVERIFY(view.exportTo(u("/nowhere/at/all.txt")).startsWith(u("/nowhere/at/all.txt cannot be written: ")));
    }

    /// Features, what a model makes of them, instructions, ports: fact beside fact, through a real compiler.
    void factsStandBesideEachOther() {
        qputenv("LOOPSCOPE_WORKER", LOOPSCOPE_BIN_DIR "/loopscope-worker");
        Window window;
        window.openTrials();
        const Document &document = *window.session.document();
        size_t valid = 0;
        while (!document.trials[valid].valid()) ++valid;
        CompareView view(window.context);
        view.resize(1000, 600);
        view.show();
        view.setTab(CompareTab::Facts);
        view.compare({}, trial(static_cast<int>(valid)));
        QTRY_VERIFY2_WITH_TIMEOUT(view.notice().isEmpty(), qPrintable(view.notice()), 120'000);
        const auto text = [&](AlignedText::Side side) {
            return QString::fromStdString(view.diff().text()->text(side));
        };
        for (const auto side : {AlignedText::Left, AlignedText::Right})
            for (const char *fact :
                 {"Hottest block", "iterations", "branches", "cycles an iteration", "bound by",
                  "What makes most difference to the model", "Loops: part of the estimated cycles", "bytes of stack"})
                QVERIFY2(text(side).contains(u(fact)), qPrintable(u(fact) + u'\n' + text(side)));
        QVERIFY(text(AlignedText::Left).contains(u" C i (") && !text(AlignedText::Right).contains(u" C i ("));
        // Facts of one kind share a row; a trial has tiled loops of its own.
        const auto &rows = view.diff().text()->rows();
        for (const AlignedRow &row : rows) {
            if (row.left < 0 || row.right < 0) continue;
            const std::string_view left = view.diff().text()->line(AlignedText::Left, row.left);
            const std::string_view right = view.diff().text()->line(AlignedText::Right, row.right);
            QCOMPARE(left.find("bound by") == left.npos, right.find("bound by") == right.npos);
        }
        QVERIFY(view.diff().text()->count(DiffKind::Changed) > 10);
        QVERIFY(view.diff().text()->count(DiffKind::Added) > 0);
        // The code they are of, with the same filters as assembly has.
        view.setTab(CompareTab::LlvmIr);
        QTRY_VERIFY2_WITH_TIMEOUT(view.notice().isEmpty() && text(AlignedText::Left).contains(u"define "),
                                  qPrintable(view.notice()), 30'000);
        QVERIFY(text(AlignedText::Right).contains(u"define "));
        QVERIFY(window.actions.find(u("compare.ignoreRegisters"))->isEnabled());
        // An identical one differs in nothing.
        view.compare(trial(static_cast<int>(valid)), trial(static_cast<int>(valid)));
        view.setTab(CompareTab::Facts);
        QTRY_VERIFY2_WITH_TIMEOUT(view.notice().isEmpty() && text(AlignedText::Left).contains(u"No feature differs"),
                                  qPrintable(view.notice()), 30'000);
        QVERIFY(view.diff().text()->differences().empty());
    }

    void aSketchHasLoopsButNoCode() {
        Window window;
        window.openTrials();
        CompareView view(window.context);
        view.compare({ScheduleRef::Kind::Sketch, 0}, {ScheduleRef::Kind::Sketch, 1});
        QTRY_VERIFY2_WITH_TIMEOUT(view.notice().isEmpty(), qPrintable(view.notice()), 30'000);
        view.setTab(CompareTab::C);
        QTRY_VERIFY_WITH_TIMEOUT(view.notice().startsWith(u("There is no C of sketch 0: ")), 30'000);
        // Nor features, which is said where they would stand.
        view.setTab(CompareTab::Facts);
        QTRY_VERIFY2_WITH_TIMEOUT(view.notice().isEmpty() &&
                                      view.diff().text()->text(AlignedText::Left).find("No features: ") !=
                                          std::string::npos,
                                  qPrintable(view.notice()), 60'000);
        QVERIFY(view.diff().text()->text(AlignedText::Left).find("No machine code: ") != std::string::npos);
        // Another document takes the sides away.
        window.session.search().forgetTrials();
        view.compare(trial(0), trial(1));
        Q_EMIT window.session.trials().trialsReset();
        QVERIFY(!view.side(AlignedText::Left));
    }

    void differencesAreWalkedRound() {
        Theme theme;
        DiffText diff(theme);
        diff.resize(600, 200);
        std::string left;
        std::string right;
        for (int i = 0; i < 300; ++i) {
            left += "line " + std::to_string(i) + "\n";
            right += (i % 100 == 50 ? "other " : "line ") + std::to_string(i) + "\n";
        }
        diff.setText(AlignedText::make({left, {}, 1}, {right, {}, 1}, {}), CodeLanguage::Plain);
        const auto &differences = diff.text()->differences();
        QCOMPARE(differences.size(), size_t(3));
        for (const int wanted : {differences[0], differences[1], differences[2], differences[0]}) {
            diff.stepDifference(1);
            QCOMPARE(diff.currentRow(), wanted);
        }
        diff.stepDifference(-1);
        QCOMPARE(diff.currentRow(), differences[2]);
        QTest::keyClick(&diff, Qt::Key_P);
        QCOMPARE(diff.currentRow(), differences[1]);
        QTest::keyClick(&diff, Qt::Key_N);
        QCOMPARE(diff.currentDifference(), 2);
        QVERIFY(!diff.grab().isNull());
    }
};

LOOPSCOPE_WINDOW_TEST(CompareTest)
#include "compare_test.moc"
