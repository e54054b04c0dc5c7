// What the Logs view shows, as text: names of tasks, tables, their order, and what is found in the records of a task.

#include "log_lines.h"
#include "test_program.h"
#include "views/logs/findings_model.h"
#include "views/logs/log_names.h"
#include "views/logs/log_task_model.h"
#include "views/logs/record_facts.h"
#include "views/logs/record_model.h"
#include "views/logs/record_order.h"
#include "views/logs/task_findings.h"
#include "views/logs/unreadable_model.h"
#include "views/session/text.h"

#include <QAbstractItemModelTester>
#include <QtTest>

#include <algorithm>
#include <cmath>

using namespace loopscope;

namespace logs_models_test {

namespace {

OpenLog opened(const TestLog &file) {
    OpenLog log;
    log.id = 1;
    log.path = QString::fromStdString(file.path());
    log.state = OpenLog::State::Ready;
    log.log = std::make_shared<FollowedLog>(LogDocument::open(file.path()));
    return log;
}

QString rowText(const QAbstractItemModel &model, int row) {
    QStringList cells;
    for (int c = 0; c < model.columnCount(); ++c) cells << model.index(row, c).data().toString();
    return cells.join(QStringLiteral(" | "));
}

QString ordered(const LogDocument &log, const RecordsWanted &wanted) {
    const RecordOrder records = orderRecords(log, wanted);
    if (!records) return QStringLiteral("as logged");
    QStringList numbers;
    for (const uint32_t record : *records) numbers << QString::number(record);
    return numbers.join(u' ');
}

/// Records 0 to 5: two tasks, a failure with a reason, the same schedule twice.
const std::string kSix = logLine({.number = 30, .times = "3e-05, 3.3e-05"}) + "\n" +
                         "# failed: element 7 is 2, not 3\n" + logLine({.number = 9, .error = 5}) + "\n" +
                         logLine({.task = 1, .number = 50}) + "\n" + logLine({.number = 20}) + "\n" +
                         logLine({.number = 20, .times = "2.1e-05"}) + "\n" + "what is this?\n" +
                         logLine({.task = 1, .number = 40, .structure = 3}) + "\n";

} // namespace

class LogsModelsTest : public QObject {
    Q_OBJECT

  private slots:
    void keysAreNamedInALine_data() {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("name");
        QTest::newRow("function") << QStringLiteral("[\"conv2d_layer\", 1, 7, [1, 1]]")
                                  << QStringLiteral("conv2d_layer (1, 7, 1 \u00d7 1)");
        QTest::newRow("hash") << QStringLiteral("[\"0123456789abcdef0123456789abcdef\", [1, 56], [64]]")
                              << QStringLiteral("01234567 (1 \u00d7 56, 64)");
        QTest::newRow("tensor") << QStringLiteral("[\"dense\", [\"TENSOR\", [1, 512], \"float32\"]]")
                                << QStringLiteral("dense (1 \u00d7 512 float32)");
        QTest::newRow("hash alone") << QStringLiteral("[\"0123456789abcdef0123456789abcdef\"]")
                                    << QStringLiteral("01234567");
        QTest::newRow("no list") << QStringLiteral("something else") << QStringLiteral("something else");
    }
    void keysAreNamedInALine() {
        QFETCH(QString, key);
        QFETCH(QString, name);
        QCOMPARE(shortKey(key.toStdString()), name);
    }

    void tasksAreATable() {
        const TestLog file(kSix);
        const OpenLog log = opened(file);
        const Theme theme;
        LogTaskModel model(
            theme, [](const LogTask &task) { return TaskTitle{shortKey(task.key), QStringLiteral("nobody knows")}; },
            nullptr);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(model.rowCount(), 0);
        model.show(&log);
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(rowText(model, 0),
                 QStringLiteral("0 | matmul (64, 64, 64) | 20.00 \u00b5s | 4 | 1 | llvm -keys=cpu -num-cores=4"));
        QCOMPARE(rowText(model, 1),
                 QStringLiteral("1 | matmul (65, 64, 64) | 40.00 \u00b5s | 2 | 0 | llvm -keys=cpu -num-cores=4"));
        QCOMPARE(model.index(1, LogTaskModel::Best).data(LogTaskModel::SortRole).toDouble(), 4e-5);
        QVERIFY(model.index(0, 0).data(Qt::ToolTipRole).toString().contains(QStringLiteral("not known: nobody knows")));
        model.show(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void recordsAreATable() {
        const TestLog file(kSix);
        const OpenLog log = opened(file);
        const Theme theme;
        RecordModel model(theme, nullptr);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.show(&log, {});
        QCOMPARE(model.rowCount(), 6);
        const QString first = rowText(model, 0);
        QVERIFY2(first.startsWith(QStringLiteral("1 | 0 | 31.50 \u00b5s | 1.57\u00d7 | 9.5 % | 2 | ok | ")) ||
                     first.startsWith(QStringLiteral("1 | 0 | 31.50 \u00b5s | 1.58\u00d7 | 9.5 % | 2 | ok | ")),
                 qPrintable(first));
        QVERIFY2(rowText(model, 1).startsWith(QStringLiteral("3 | 0 | \u2013 | \u2013 | \u2013 | ")),
                 qPrintable(rowText(model, 1)));
        QVERIFY(rowText(model, 1).contains(QStringLiteral("wrong answer")));
        model.show(&log, std::vector<uint32_t>{5, 2});
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.recordAt(0), size_t{5});
        QCOMPARE(model.rowOf(2), 1);
        QCOMPARE(model.rowOf(0), -1);
    }

    void notesAreColumns() {
        const TestLog file(kSix);
        const OpenLog log = opened(file);
        const Theme theme;
        RecordModel model(theme, nullptr);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.show(&log, {});
        QVERIFY(rowText(model, 3).endsWith(QStringLiteral(" |  |  | ")));
        NotedRecords noted;
        noted.all = {{3, {"look\nagain", {"good", "old"}, true}}, {5, {"a note", {}, false}}};
        model.setNotes(std::make_shared<const NotedRecords>(noted));
        QVERIFY2(rowText(model, 3).endsWith(QStringLiteral(" | pinned | good old | look again")),
                 qPrintable(rowText(model, 3)));
        QVERIFY2(rowText(model, 5).endsWith(QStringLiteral(" |  |  | a note")), qPrintable(rowText(model, 5)));
        // They order and filter.
        const auto ordered = [&](const RecordsWanted &wanted) {
            QStringList list;
            const RecordOrder order = orderRecords(log.log->document, wanted, noted);
            for (const uint32_t record : *order) list << QString::number(record);
            return list.join(u' ');
        };
        QCOMPARE(ordered({.column = RecordModel::Pinned}), QStringLiteral("3 0 1 2 4 5"));
        QCOMPARE(ordered({.column = RecordModel::Note}), QStringLiteral("5 3 0 1 2 4"));
        QCOMPARE(ordered({.column = RecordModel::Note, .descending = true}), QStringLiteral("3 5 0 1 2 4"));
        QCOMPARE(ordered({.column = RecordModel::Tags}), QStringLiteral("3 0 1 2 4 5"));
        QCOMPARE(ordered({.filter = QStringLiteral("note:again or tag:old")}), QStringLiteral("3"));
        QVERIFY(needsNotes({.filter = QStringLiteral("pinned")}) && needsNotes({.column = RecordModel::Tags}));
        QVERIFY(!needsNotes({.filter = QStringLiteral("failed")}));
    }

    void recordsThatComeStandAtTheEnd() {
        TestLog file(kSix);
        const OpenLog log = opened(file);
        const Theme theme;
        RecordModel model(theme, nullptr);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.show(&log, {});
        file.append(logLine({.number = 77}) + "\n");
        QCOMPARE(log.log->document.follow(), LogDocument::Change::Grown);
        QCOMPARE(model.rowCount(), 6);
        model.grow();
        QCOMPARE(model.rowCount(), 7);
        QVERIFY2(rowText(model, 6).contains(QStringLiteral("77.00 \u00b5s")), qPrintable(rowText(model, 6)));
    }

    void ordersByAnyColumn() {
        const TestLog file(kSix);
        const LogDocument log = LogDocument::open(file.path());
        QCOMPARE(ordered(log, {}), QStringLiteral("as logged"));
        RecordsWanted wanted;
        wanted.column = RecordModel::Time;
        QCOMPARE(ordered(log, wanted), QStringLiteral("3 4 0 5 2 1")); // what failed has no time
        wanted.descending = true;
        QCOMPARE(ordered(log, wanted), QStringLiteral("2 5 0 4 3 1"));
        wanted.task = 1;
        QCOMPARE(ordered(log, wanted), QStringLiteral("2 5"));
        QCOMPARE(ordered(log, {.task = 0}), QStringLiteral("0 1 3 4"));
        QCOMPARE(ordered(log, {.column = RecordModel::Result, .descending = true}), QStringLiteral("1 0 2 3 4 5"));
        QCOMPARE(ordered(log, {.column = RecordModel::OfBest}), QStringLiteral("3 5 4 2 0 1"));
        QCOMPARE(ordered(log, {.column = RecordModel::Line, .descending = true}), QStringLiteral("5 4 3 2 1 0"));
        QCOMPARE(ordered(log, {.filter = QStringLiteral("failed || task:1")}), QStringLiteral("1 2 5"));
        QCOMPARE(ordered(log, {.task = 1, .filter = QStringLiteral("time < 45us")}), QStringLiteral("5"));
        QCOMPARE(filterProblem(QStringLiteral("time < 45us")), QString());
        QVERIFY(!filterProblem(QStringLiteral("time < soon")).isEmpty());
    }

    void findsWhatThereIsInATask() {
        const TestLog file(kSix);
        const LogDocument log = LogDocument::open(file.path());
        const std::atomic<bool> cancelled{false};
        const TaskFindingsPtr found = findInTask(log, 0, cancelled);
        QVERIFY(found);
        QCOMPARE(found->records, size_t{4});
        QCOMPARE(found->failed, size_t{1});
        QCOMPARE(found->valid.size(), size_t{3});
        QVERIFY(!found->thinned);
        QCOMPARE(found->best.size(), size_t{2}); // 31.5, then 20
        QCOMPARE(found->best.back().record, 3U);
        QCOMPARE(found->failures.size(), size_t{1});
        QCOMPARE(found->failures[0].reason, QStringLiteral("element # is #, not #"));
        QCOMPARE(found->failures[0].examples, std::vector<uint32_t>{1});
        QCOMPARE(found->sameSteps.size(), size_t{1});
        QCOMPARE(found->sameSteps[0].records, size_t{2});
        QCOMPARE(found->sameSteps[0].best, 3U);
        size_t counted = 0;
        for (const auto &bin : found->bins) counted += bin.records;
        QCOMPARE(counted, size_t{3});
        QVERIFY2(found->aboutBest.startsWith(
                     QStringLiteral("The best, line 5, takes 20.00 \u00b5s; the next one of other "
                                    "steps, line 1, takes 57.5 % longer, which is more than their noise")),
                 qPrintable(found->aboutBest));
    }

    void answersWithoutTimesHaveNoPlaceAmongTimes() {
        const std::string checked = "# checked by the executor, not timed: 4 of 4 blocks ran\n";
        const TestLog file(checked + logLine({.number = 1, .times = "1e+10"}) + "\n" + checked +
                           logLine({.number = 2, .times = "1e+10"}) + "\n" + logLine({.number = 3, .error = 5}) + "\n");
        const LogDocument log = LogDocument::open(file.path());
        const std::atomic<bool> cancelled{false};
        const TaskFindingsPtr found = findInTask(log, 0, cancelled);
        QVERIFY(found);
        QCOMPARE(found->records, size_t{3});
        QCOMPARE(found->failed, size_t{1});
        QCOMPARE(found->untimed, size_t{2});
        QVERIFY(found->valid.empty());
        QVERIFY(found->bins.empty());
        QCOMPARE(found->close.best, UINT32_MAX);
        QCOMPARE(found->aboutBest,
                 QStringLiteral("No record of this task has a time: 2 answers are right, but not timed."));
        for (const auto &group : found->structures) QCOMPARE(group.best, UINT32_MAX);
    }

    void saysWhetherTheBestIsNoise() {
        const TestLog file(logLine({.number = 1, .times = "1e-05, 1.1e-05"}) + "\n" +
                           logLine({.number = 2, .times = "1.05e-05, 1.1e-05"}) + "\n" +
                           logLine({.task = 1, .number = 1, .times = "1e-05, 1.001e-05"}) + "\n" +
                           logLine({.task = 1, .number = 2, .times = "2e-05, 2.001e-05"}) + "\n");
        const LogDocument log = LogDocument::open(file.path());
        const std::atomic<bool> cancelled{false};
        const auto about = [&](int task) { return findInTask(log, task, cancelled)->aboutBest; };
        QVERIFY2(about(0).contains(QStringLiteral("which is within their noise")), qPrintable(about(0)));
        QVERIFY2(about(1).contains(QStringLiteral("which is more than their noise")), qPrintable(about(1)));
    }

    void ofManyPointsWhatIsExtremeStays() {
        std::string text;
        for (int i = 1; i <= 20000; ++i)
            text += logLine({.number = i == 7777 ? 1 : i == 12345 ? 900000 : 1000 + i % 10}) + "\n";
        const TestLog file(text);
        const LogDocument log = LogDocument::open(file.path());
        const std::atomic<bool> cancelled{false};
        const TaskFindingsPtr found = findInTask(log, 0, cancelled);
        QVERIFY(found->thinned);
        QVERIFY(found->valid.size() <= 6000);
        const auto has = [&](double number, double seconds) {
            return std::any_of(found->valid.begin(), found->valid.end(), [&](const auto &point) {
                return point.number == number && std::fabs(point.seconds / seconds - 1) < 1e-6;
            });
        };
        QVERIFY(has(7777, 1e-6));
        QVERIFY(has(12345, 0.9));
        const std::atomic<bool> stopped{true};
        QVERIFY(!findInTask(log, 0, stopped));
    }

    void unreadableLinesAreAList() {
        const TestLog file(kSix);
        const OpenLog log = opened(file);
        UnreadableModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.show(&log);
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.index(0, UnreadableModel::Line).data().toInt(), 7);
        QVERIFY(!model.index(0, UnreadableModel::Reason).data().toString().isEmpty());
    }

    void aRecordsPageSaysWhatItsLineSays() {
        const TestLog file(kSix);
        const LogDocument log = LogDocument::open(file.path());
        const Theme theme;
        const RecordFacts facts = readRecord(log, 1, nullptr);
        QCOMPARE(facts.problem, QString());
        const QString html = recordHtml(facts, QStringLiteral("/tmp/log.json"), QStringLiteral("matmul"),
                                        QStringLiteral("no such workload"), theme);
        for (const char *said :
             {"wrong answer", "element 7 is 2, not 3", "no such workload", "3 of /tmp/log.json", "4 steps",
              "[&quot;SP&quot;, 2, 0, 64, [9, 1, 8], 1]", "split stage 2.loop 0", "4 cores"})
            QVERIFY2(html.contains(QLatin1String(said)), qPrintable(QLatin1String(said) + QStringLiteral(": ") + html));
    }

    void aFileThatIsGoneSaysSo() {
        auto file = std::make_unique<TestLog>(kSix);
        const LogDocument log = LogDocument::open(file->path());
        file->replace("another text\n");
        const RecordFacts facts = readRecord(log, 3, nullptr);
        QVERIFY(!facts.problem.isEmpty());
        QVERIFY(recordHtml(facts, {}, {}, {}, Theme()).contains(asSentence(facts.problem).toHtmlEscaped()));
    }

    void findingsGoToTheirRecords() {
        FindingsModel model({QStringLiteral("What"), QStringLiteral("How many")}, {1}, nullptr);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.show({{{QStringLiteral("a"), QStringLiteral("2")}, {}, 7}, {{QStringLiteral("b"), QStringLiteral("1")}}});
        QCOMPARE(rowText(model, 0), QStringLiteral("a | 2"));
        QCOMPARE(model.recordAt(model.index(0, 1)), size_t{7});
        QCOMPARE(model.recordAt(model.index(1, 0)), SIZE_MAX);
    }
};

LOOPSCOPE_WINDOW_TEST(LogsModelsTest)

} // namespace logs_models_test
#include "logs_models_test.moc"
