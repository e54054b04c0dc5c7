// Open logs against each other in the Logs dock: begun by a button and by keys, read, sorted, exported, and refused.

#include "diff_bench.h"
#include "test_program.h"
#include "views/logs/diff_question.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTextBrowser>

using namespace loopscope;

namespace {

QString rowText(const QAbstractItemModel &model, int row) {
    QStringList cells;
    for (int c = 0; c < model.columnCount(); ++c) cells << model.index(row, c).data().toString();
    return cells.join(QStringLiteral(" | "));
}

LogDiff diffOf(const TestLog &first, const TestLog &other) {
    const LogDocument a = LogDocument::open(first.path());
    const LogDocument b = LogDocument::open(other.path());
    return diffLogs({&a, &b});
}

} // namespace

class LogDiffViewTest : public QObject {
    Q_OBJECT

  private slots:
    void theTasksAreATable() {
        const TestLog first(firstLog());
        const TestLog other(otherLog());
        const LogDiff diff = diffOf(first, other);
        const Theme theme;
        DiffTaskModel model(theme, nullptr);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        DiffTaskOrder order(nullptr);
        order.setSourceModel(&model);
        const QAbstractItemModelTester orderTester(&order, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(model.rowCount(), 0);
        model.show(&diff, 1);
        QCOMPARE(model.rowCount(), 5);
        QCOMPARE(rowText(model, 0),
                 QStringLiteral("odd_sums (64, 64, 64) | 2.010 ms | 1.005 ms | 0.500 | better | 3 | 2 "
                                "| 1 | [\"odd_sums\", 64, 64, 64]"));
        QCOMPARE(rowText(model, 1),
                 QStringLiteral("odd_dense (8, 8) | 1.000 ms | 4.000 ms | 4.000 | worse | 1 | 1 | 1 | "
                                "[\"odd_dense\", 8, 8]"));
        QVERIFY2(rowText(model, 2).contains(QStringLiteral("| \u2013 | \u2013 | only in A | 1 | \u2013 |")),
                 qPrintable(rowText(model, 2)));
        QVERIFY2(rowText(model, 3).contains(QStringLiteral("| none valid | \u2013 | \u2013 |")),
                 qPrintable(rowText(model, 3)));
        QVERIFY2(rowText(model, 4).contains(QStringLiteral("only in B")), qPrintable(rowText(model, 4)));
        QCOMPARE(model.index(0, DiffTaskModel::RecordsFirst).data(Qt::ToolTipRole).toString(),
                 QStringLiteral("1 of 3 failed"));
        // What has no ratio comes last, whichever way round.
        const auto ratios = [&] {
            QStringList cells;
            for (int row = 0; row < order.rowCount(); ++row)
                cells << order.index(row, DiffTaskModel::Ratio).data().toString();
            return cells.join(u' ');
        };
        order.sort(DiffTaskModel::Ratio, Qt::AscendingOrder);
        QCOMPARE(ratios(), QStringLiteral("0.500 4.000 \u2013 \u2013 \u2013"));
        order.sort(DiffTaskModel::Ratio, Qt::DescendingOrder);
        QCOMPARE(ratios(), QStringLiteral("4.000 0.500 \u2013 \u2013 \u2013"));
        model.show(nullptr, 1);
        QCOMPARE(order.rowCount(), 0);
    }

    void comparingTakesTwoLogs() {
        const TestLog first(firstLog(), "old.json");
        const TestLog other(otherLog(), "new.json");
        DiffBench bench;
        QVERIFY(bench.shown);
        QAction *compare = bench.page.compareAction();
        QVERIFY(!compare->isEnabled());
        QVERIFY2(compare->toolTip().contains(QStringLiteral("Comparing takes two logs; open another one")),
                 qPrintable(compare->toolTip()));
        QVERIFY(bench.open(first));
        QVERIFY(!compare->isEnabled());
        QVERIFY(bench.open(other));
        QVERIFY(compare->isEnabled());
        QVERIFY2(!compare->toolTip().contains(QStringLiteral("takes two")), qPrintable(compare->toolTip()));
    }

    void twoLogsByAClick() {
        const TestLog first(firstLog(), "old.json");
        const TestLog other(otherLog(), "new.json");
        DiffBench bench;
        QVERIFY(bench.open(other) && bench.open(first));
        bench.clickCompare(); // the one shown is the base
        QVERIFY(bench.settled());
        QCOMPARE(bench.state(), LogComparison::State::Ready);
        QCOMPARE(bench.tabs->count(), 3);
        QCOMPARE(bench.tabs->tabText(2), QStringLiteral("old.json \u2194 new.json"));
        QCOMPARE(bench.tabs->currentIndex(), 2);
        QVERIFY(bench.page.isVisible() && bench.tasks->isVisible());
        QCOMPARE(bench.page.head().sentence(),
                 QStringLiteral("B takes 41.4 % more time than A in the geometric mean of 2 tasks: it is faster in 1, "
                                "slower in 1, and within noise in 0; 2 tasks only in A, 1 only in B."));
        const QString figures = bench.child<QLabel>("diff_figures")->text();
        QVERIFY2(figures.contains(QStringLiteral("1.414")) && !figures.contains(QStringLiteral("weighted")),
                 qPrintable(figures));
        QCOMPARE(bench.column(DiffTaskModel::Verdict),
                 QStringLiteral("better, worse, only in A, only in A, only in B"));
        // The first task is told at once.
        const QString about = bench.page.details().about();
        QVERIFY2(about.contains(QStringLiteral("A 2.010 ms (1.980 ms to 2.040 ms, 2 repeats; the best of 3 records, 1 "
                                               "failed)")),
                 qPrintable(about));
        QVERIFY2(about.contains(QStringLiteral("B: better, by a ratio of 0.500. They share 1 of 2 structures; the two "
                                               "bests differ in theirs.")),
                 qPrintable(about));
        QCOMPARE(bench.page.details().byTrials()->curves(), 2);
        QCOMPARE(bench.page.details().byTime()->curves(), 2);
        const QString steps = bench.page.details().steps()->toPlainText();
        QVERIFY2(steps.contains(QStringLiteral("- split loop 0 of stage 2 (extent 64) into ? x 4 x 2")) &&
                     steps.contains(QStringLiteral("+ split loop 0 of stage 2 (extent 64) into ? x 16 x 2")) &&
                     steps.contains(QStringLiteral("by number")),
                 qPrintable(steps));
        bench.clickRow(1); // single records, whose timestamps tell no time
        QVERIFY(bench.page.details().about().contains(QStringLiteral("B: worse, by a ratio of 4.000")));
        QCOMPARE(bench.page.details().byTrials()->curves(), 2);
        QCOMPARE(bench.page.details().byTime()->curves(), 0);
        QVERIFY(
            bench.page.details().steps()->toPlainText().contains(QStringLiteral("The two bests have the same steps")));
        bench.clickRow(2);
        QVERIFY2(bench.page.details().about().contains(QStringLiteral("B lacks the task")),
                 qPrintable(bench.page.details().about()));
        QCOMPARE(bench.page.details().byTrials()->curves(), 1);
    }

    void byKeysAndBack() {
        const TestLog first(firstLog(), "old.json");
        const TestLog other(otherLog(), "new.json");
        DiffBench bench;
        QVERIFY(bench.open(first) && bench.open(other));
        QTest::keyClick(bench.child<QTableView>("log_records"), Qt::Key_G, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(bench.settled());
        QVERIFY(bench.page.isVisible());
        QVERIFY(bench.tasks->hasFocus());
        QTest::keyClick(bench.tasks, Qt::Key_Down);
        QVERIFY(bench.page.details().about().startsWith(QStringLiteral("odd_dense")));
        // A log's tab leads back to it, also of the one that was shown last; the comparison stays.
        QTest::mouseClick(bench.tabs, Qt::LeftButton, {}, bench.tabs->tabRect(1).center());
        QVERIFY(!bench.page.isVisible() && bench.child<QTableView>("log_records")->isVisible());
        QTest::mouseClick(bench.tabs, Qt::LeftButton, {}, bench.tabs->tabRect(2).center());
        QVERIFY(bench.page.isVisible());
        QVERIFY(bench.page.details().about().startsWith(QStringLiteral("odd_dense")));
        bench.action("logs.close")->trigger(); // closes what is in front
        QVERIFY(!bench.page.isVisible());
        QCOMPARE(bench.tabs->count(), 2);
        QCOMPARE(bench.logs.all().size(), size_t{2});
        QVERIFY(bench.page.exportTo(bench.folder.filePath(QStringLiteral("none.html")))
                    .contains(QStringLiteral("no logs have been compared")));
    }

    void sortedFilteredWeightedSwapped() {
        const TestLog first(firstLog(), "old.json");
        const TestLog other(otherLog(), "new.json");
        DiffBench bench;
        QVERIFY(bench.open(first) && bench.open(other));
        bench.logs.setCurrent(bench.logs.all()[0]->id);
        bench.page.ask();
        QVERIFY(bench.settled());
        bench.clickHeader(DiffTaskModel::Ratio);
        bench.clickHeader(DiffTaskModel::Ratio);
        QVERIFY2(bench.column(DiffTaskModel::Ratio).startsWith(QStringLiteral("4.000, 0.500")) ||
                     bench.column(DiffTaskModel::Ratio).startsWith(QStringLiteral("0.500, 4.000")),
                 qPrintable(bench.column(DiffTaskModel::Ratio)));
        bench.view.startFind(); // the find line of the page in front
        QVERIFY(bench.child<QLineEdit>("diff_filter")->hasFocus());
        QTest::keyClicks(bench.child<QLineEdit>("diff_filter"), QStringLiteral("only in b"));
        QCOMPARE(bench.tasks->model()->rowCount(), 1);
        bench.child<QLineEdit>("diff_filter")->clear();
        QVERIFY(bench.tasks->isColumnHidden(DiffTaskModel::Weight));
        auto *weights = bench.child<QComboBox>("diff_weights");
        QTest::keyClick(weights, Qt::Key_Down);
        QVERIFY(!bench.tasks->isColumnHidden(DiffTaskModel::Weight));
        // matmul counts 5 times, dense twice: exp((5 ln 0.5 + 2 ln 4) / 7)
        const auto figures = [&bench] { return bench.child<QLabel>("diff_figures")->text(); };
        QVERIFY2(figures().contains(QStringLiteral("0.906")), qPrintable(figures()));
        QFile file(bench.folder.filePath(QStringLiteral("weights.json")));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("{\"[\\\"odd_dense\\\", 8, 8]\": 0}") > 0);
        file.close();
        bench.page.head().takeWeights(file.fileName());
        QVERIFY2(figures().contains(QStringLiteral("0.500")), qPrintable(figures()));
        QCOMPARE(weights->currentText(), QStringLiteral("Weights from weights.json"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("[]") > 0);
        file.close();
        bench.page.head().takeWeights(file.fileName());
        QVERIFY2(bench.lastMessage().contains(QStringLiteral("the weights are array")),
                 qPrintable(bench.lastMessage()));
        bench.action("logs.diff_swap")->trigger();
        QVERIFY(bench.settled());
        QCOMPARE(bench.view.bar().tabs()->tabText(2), QStringLiteral("new.json \u2194 old.json"));
        // The task that the filter left is still the one told; it was only in B.
        QVERIFY2(bench.page.details().about().contains(QStringLiteral("A 1.000 \u00b5s")) &&
                     bench.page.details().about().contains(QStringLiteral("B lacks the task")),
                 qPrintable(bench.page.details().about()));
    }

    void ofThreeSomebodyIsAsked() {
        const TestLog first(firstLog(), "old.json");
        const TestLog other(otherLog(), "new.json");
        const TestLog third(madeLine({.key = kSums, .seconds = {5e-4}}), "third.json");
        const TestLog empty("# nothing\n", "empty.json");
        DiffBench bench;
        QVERIFY(bench.open(first) && bench.open(other) && bench.open(third) && bench.open(empty));
        bench.logs.setCurrent(bench.logs.all()[0]->id);
        bench.page.ask();
        auto *question = bench.view.findChild<DiffQuestion *>();
        QVERIFY(question != nullptr && QTest::qWaitForWindowExposed(question));
        auto *others = question->findChild<QListWidget *>(QStringLiteral("diff_others"));
        auto *compare = question->findChild<QPushButton *>(QStringLiteral("diff_compare"));
        QVERIFY(!compare->isEnabled());
        QCOMPARE(others->count(), 3); // not the base
        QCOMPARE(others->item(2)->text(), QStringLiteral("empty.json holds no record that could be read"));
        QVERIFY(!(others->item(2)->flags() & Qt::ItemIsEnabled));
        for (const int row : {0, 1}) { // by keys
            others->setCurrentRow(row);
            QTest::keyClick(others, Qt::Key_Space);
        }
        QVERIFY(compare->isEnabled());
        QTest::mouseClick(compare, Qt::LeftButton);
        QVERIFY(bench.settled());
        QCOMPARE(bench.tabs->tabText(4), QStringLiteral("old.json \u2194 2 others"));
        QCOMPARE(bench.page.details().byTrials()->curves(), 3);
        auto *with = bench.child<QComboBox>("diff_other");
        QVERIFY(with->isVisible());
        QVERIFY2(bench.page.head().sentence().startsWith(QStringLiteral("B takes")),
                 qPrintable(bench.page.head().sentence()));
        QTest::keyClick(with, Qt::Key_Down);
        QVERIFY2(bench.page.head().sentence().startsWith(QStringLiteral("C takes 75.1 % less time than A")),
                 qPrintable(bench.page.head().sentence()));
        QCOMPARE(bench.tasks->model()->headerData(DiffTaskModel::Ratio, Qt::Horizontal).toString(),
                 QStringLiteral("C / A"));
        QVERIFY(bench.column(DiffTaskModel::Verdict).startsWith(QStringLiteral("better, only in A")));
    }

    void aLogIsNotComparedWithItself() {
        const TestLog first(firstLog(), "old.json");
        DiffBench bench;
        QVERIFY(bench.open(first));
        const int id = bench.logs.current()->id;
        bench.page.compare({id, id});
        QCOMPARE(bench.lastMessage(), QStringLiteral("old.json is not compared with itself; choose another log"));
        const QString link = bench.folder.filePath(QStringLiteral("link.json"));
        QVERIFY(QFile::link(QString::fromStdString(first.path()), link));
        bench.logs.open(link);
        QVERIFY(bench.settled());
        bench.page.compare({id, bench.logs.current()->id});
        QVERIFY2(bench.lastMessage().contains(QStringLiteral("are one file, which is not compared with itself")),
                 qPrintable(bench.lastMessage()));
        bench.page.compare({id});
        QCOMPARE(bench.lastMessage(), QStringLiteral("Comparing takes two logs; choose another one"));
        QCOMPARE(bench.state(), LogComparison::State::None);
        QCOMPARE(bench.tabs->count(), 2);
    }

    void oneThatCannotBeReadIsRefused() {
        const TestLog first(firstLog(), "old.json");
        DiffBench bench;
        QVERIFY(bench.open(first));
        const int id = bench.logs.current()->id;
        bench.logs.open(bench.folder.filePath(QStringLiteral("missing.json")));
        QVERIFY(bench.settled());
        QCOMPARE(bench.logs.current()->state, OpenLog::State::Failed);
        QVERIFY(!bench.page.compareAction()->isEnabled());
        QVERIFY2(bench.page.compareAction()->toolTip().contains(QStringLiteral("missing.json cannot be read")),
                 qPrintable(bench.page.compareAction()->toolTip()));
        bench.page.compare({id, bench.logs.current()->id});
        QVERIFY2(bench.lastMessage().startsWith(QStringLiteral("missing.json cannot be read: ")),
                 qPrintable(bench.lastMessage()));
        QCOMPARE(bench.state(), LogComparison::State::None);
    }

    void noSharedTaskIsSaidInWords() {
        const TestLog first(madeLine({.key = kSums}), "old.json");
        const TestLog other(madeLine({.key = R"(["odd_relu", 4])", .seconds = {1e-6}}), "new.json");
        DiffBench bench;
        QVERIFY(bench.open(other) && bench.open(first));
        bench.page.ask();
        QVERIFY(bench.settled());
        const QString sentence = bench.page.head().sentence();
        QVERIFY2(
            sentence.startsWith(QStringLiteral("A and B have no task in common that both have a timed record of; 1 "
                                               "task only in A, 1 only in B.")),
            qPrintable(sentence));
        QVERIFY(sentence.contains(QStringLiteral("by key, by flattened key, or by operators and shapes")));
        QCOMPARE(bench.tasks->model()->rowCount(), 2);
        QAction *bests = bench.action("logs.diff_bests");
        QVERIFY(!bests->isEnabled());
        QCOMPARE(bench.child<QLabel>("diff_why_not")->text(),
                 QStringLiteral("Only one of the logs has a valid record of the task."));
    }

    void aLogThatHasGrownIsComparedAnew() {
        TestLog first(firstLog(), "old.json");
        const TestLog other(otherLog(), "new.json");
        DiffBench bench;
        QVERIFY(bench.open(other) && bench.open(first));
        bench.page.ask();
        QVERIFY(bench.settled());
        QCOMPARE(bench.page.head().outdated(), QString());
        first.append(madeLine({.key = kSums, .seconds = {1e-4}, .tile = 32}));
        bench.logs.look();
        QCOMPARE(bench.page.head().outdated(), QStringLiteral("old.json has 1 new record since."));
        QVERIFY(bench.page.details().about().contains(QStringLiteral("B: better"))); // what was compared stays
        QTest::mouseClick(bench.child<QToolButton>("diff_again"), Qt::LeftButton);
        QVERIFY(bench.settled());
        QCOMPARE(bench.page.head().outdated(), QString());
        QVERIFY2(bench.page.details().about().contains(QStringLiteral("B: worse")),
                 qPrintable(bench.page.details().about()));
        bench.logs.close(bench.logs.all()[0]->id);
        QCOMPARE(bench.page.head().outdated(), QStringLiteral("new.json was closed since."));
        auto *again = bench.child<QToolButton>("diff_again");
        QVERIFY(!again->isEnabled());
        QCOMPARE(again->toolTip(), QStringLiteral("new.json is closed; open it to compare anew"));
    }

    void cancelledItBeginsAnew() {
        const TestLog first(firstLog(), "old.json");
        const TestLog other(otherLog(), "new.json");
        DiffBench bench;
        QVERIFY(bench.open(other) && bench.open(first));
        bench.page.ask();
        QVERIFY(bench.state() == LogComparison::State::Comparing || bench.state() == LogComparison::State::Looking);
        QVERIFY(
            bench.child<QLabel>("diff_doing")->text().startsWith(QStringLiteral("Comparing old.json with new.json")));
        QTest::mouseClick(bench.child<QPushButton>("diff_cancel"), Qt::LeftButton);
        QCOMPARE(bench.state(), LogComparison::State::Cancelled);
        QCOMPARE(bench.child<QLabel>("diff_doing")->text(), QStringLiteral("Comparing was cancelled."));
        QVERIFY(bench.settled());
        QVERIFY(bench.page.comparison().diff() == nullptr);
        QTest::mouseClick(bench.child<QPushButton>("diff_retry"), Qt::LeftButton);
        QVERIFY(bench.settled());
        QCOMPARE(bench.state(), LogComparison::State::Ready);
        QCOMPARE(bench.tasks->model()->rowCount(), 5);
    }

    void whatIsComparedIsExported() {
        const TestLog first(firstLog(), "old.json");
        const TestLog other(otherLog(), "new.json");
        DiffBench bench;
        QVERIFY(bench.open(other) && bench.open(first));
        QCOMPARE(bench.view.exportSuffixes().first(), QStringLiteral("csv")); // the records
        bench.page.ask();
        QVERIFY(bench.settled());
        QCOMPARE(bench.view.exportSuffixes(), (QStringList{QStringLiteral("html"), QStringLiteral("csv")}));
        const auto exported = [&](const char *name) {
            const QString path = bench.folder.filePath(QLatin1String(name));
            const QString problem = bench.view.exportTo(path);
            QFile file(path);
            return problem.isEmpty() && file.open(QIODevice::ReadOnly) ? file.readAll() : problem.toUtf8();
        };
        const QByteArray html = exported("diff.html");
        QVERIFY2(html.startsWith("<!DOCTYPE html>") && html.contains("B takes 41.4 % more time"), html.left(300));
        const QByteArray csv = exported("diff.csv");
        QVERIFY2(csv.startsWith("key,target,workload,") && csv.count('\n') == 6, csv.left(300));
        QVERIFY2(exported("missing/diff.html").contains("missing/diff.html"), "it says where");
    }
};

LOOPSCOPE_WINDOW_TEST(LogDiffViewTest)
#include "log_diff_view_test.moc"
