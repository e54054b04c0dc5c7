// From a comparison of logs to the workbench: the two bests of a task side by side, or why not.

#include "diff_bench.h"
#include "oddity.h"
#include "test_program.h"
#include "views/logs/record_panel.h"

#include <QFile>
#include <QLabel>
#include <QSignalSpy>
#include <QTextBrowser>

using namespace loopscope;

namespace {

const std::string kOld = oddityLog({{2, 1e-2}, {3, 2e-4}, {4, 1e-2}});
const std::string kNew = oddityLog({{40, 1e-2}, {41, 1e-2}, {42, 4e-3}, {43, 1e-2}});

} // namespace

class LogDiffWorkbenchTest : public QObject {
    Q_OBJECT

    /// What the task computes, by a text that the user names.
    static void know(DiffBench &bench) {
        QFile text(bench.folder.filePath(QStringLiteral("oddity.te")));
        QVERIFY(text.open(QIODevice::WriteOnly) && text.write(oddityText()) == oddityText().size());
        text.close();
        bench.view.panel().tryWorkload(text.fileName());
        QVERIFY(bench.settled());
        QCOMPARE(bench.page.head().outdated(), QStringLiteral("It is known of more tasks now what they compute."));
        QTest::mouseClick(bench.child<QToolButton>("diff_again"), Qt::LeftButton);
        QVERIFY(bench.settled());
    }

  private slots:
    void theTwoBestsSideBySide() {
        const TestLog first(kOld, "old.json");
        const TestLog other(kNew, "new.json");
        DiffBench bench;
        QVERIFY(bench.open(other) && bench.open(first));
        bench.page.ask();
        QVERIFY(bench.settled());
        QAction *bests = bench.action("logs.diff_bests");
        QVERIFY(!bests->isEnabled());
        const auto whyNot = [&bench] { return bench.child<QLabel>("diff_why_not")->text(); };
        QVERIFY2(whyNot().startsWith(QStringLiteral("What the task computes is not known: ")), qPrintable(whyNot()));
        know(bench);
        QVERIFY(bench.column(DiffTaskModel::Name).contains(QStringLiteral("oddity")));
        QVERIFY2(bench.page.details().steps()->toPlainText().contains(QStringLiteral("split C i")),
                 qPrintable(bench.page.details().steps()->toPlainText())); // by names
        QVERIFY2(bests->isEnabled() && whyNot().isEmpty(), qPrintable(whyNot()));
        QSignalSpy asked(&bench.session.selection(), &Selection::comparisonAsked);
        QTest::mouseClick(bench.child<QToolButton>("diff_bests"), Qt::LeftButton);
        QVERIFY(!bests->isEnabled()); // one at a time
        QTRY_COMPARE_WITH_TIMEOUT(asked.size(), 1, 60000);
        const Document &document = *bench.session.document();
        QCOMPARE(document.trials.size(), size_t{7}); // of both logs
        const auto trial = [&](int side) -> const TrialEntry & {
            const auto ref = asked[0][side].value<TaskSchedule>().ref;
            return document.trials[static_cast<size_t>(ref.number)];
        };
        QCOMPARE(trial(0).logPath, QString::fromStdString(first.path()));
        QCOMPARE(trial(0).logRecord, 1);
        QCOMPARE(trial(1).logPath, QString::fromStdString(other.path()));
        QCOMPARE(trial(1).logRecord, 2);
        QVERIFY(bests->isEnabled());
    }

    void ofOtherTargetsTooEachAsItsOwnTask() {
        const TestLog first(kOld, "old.json");
        const TestLog other(oddityLog({{40, 4e-3}}, "llvm -keys=cpu -num-cores=2"), "new.json");
        DiffBench bench;
        QVERIFY(bench.open(other) && bench.open(first));
        bench.page.ask();
        QVERIFY(bench.settled());
        QCOMPARE(bench.column(DiffTaskModel::Verdict), QStringLiteral("worse")); // it is one task all the same
        QVERIFY(bench.page.details().about().contains(QStringLiteral("different processors or numbers of cores")));
        QVERIFY(!bench.action("logs.diff_bests")->isEnabled());
        know(bench);
        QVERIFY2(bench.action("logs.diff_bests")->isEnabled(), qPrintable(bench.child<QLabel>("diff_why_not")->text()));
        QSignalSpy asked(&bench.session.selection(), &Selection::comparisonAsked);
        QTest::mouseClick(bench.child<QToolButton>("diff_bests"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(asked.size(), 1, 60000);
        QVERIFY(asked[0][0].value<TaskSchedule>().task != asked[0][1].value<TaskSchedule>().task);
    }
};

LOOPSCOPE_WINDOW_TEST(LogDiffWorkbenchTest)
#include "log_diff_workbench_test.moc"
