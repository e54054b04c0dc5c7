#include "generated_log.h"
#include "log_lines.h"
#include "records/logs/log_document.h"
#include "records/logs/log_rows.h"
#include "test_program.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

using namespace loopscope;

namespace {

/// Six records of three tasks; the times of the valid ones are 10, 30, 20 and 30 us.
std::string smallLog() {
    return logLine({.task = 1, .number = 10}) + "\n" +                                        // 0
           "# failed: element 5 is 4, not 3\n" + logLine({.number = 50, .error = 5}) + "\n" + // 1
           logLine({.task = 1, .number = 30}) + "\n" +                                        // 2
           "# unstable\n" + logLine({.number = 20, .elements = 2}) + "\n" +                   // 3
           logLine({.number = 60, .error = 7}) + "\n" +                                       // 4
           logLine({.number = 30, .structure = 2, .times = "2e-05, 4e-05"}) + "\n";           // 5
}

std::vector<uint32_t> passing(const LogDocument &log, const std::string &text, const LogOrder &order = {}) {
    const ParsedLogFilter parsed = parseLogFilter(text);
    if (parsed.problem) qWarning("%s", parsed.problem->sentence.c_str());
    if (!parsed.filter) return {UINT32_MAX};
    return selectRows(log, parsed.filter.get(), order);
}

} // namespace

class LogRowsTest : public QObject {
    Q_OBJECT

  private slots:
    void filters_data() {
        QTest::addColumn<QString>("filter");
        QTest::addColumn<QList<int>>("records");
        const auto row = [](const char *filter, const QList<int> &records) {
            QTest::newRow(filter) << filter << records;
        };
        row("time < 30us", {0, 3});
        row("time<=30us", {0, 2, 3, 5});
        row("time > 2e-5 s", {2, 5});
        row("time:30us", {2, 5});
        row("time = 0.03 ms", {2, 5});
        row("time != 30us", {0, 3});
        row("time:15us..25us", {3});
        row("failed", {1, 4});
        row("not failed", {0, 2, 3, 5});
        row("-failed -unstable", {0, 2, 5});
        row("valid && time > 10us", {2, 3, 5});
        row("failed or unstable", {1, 3, 4});
        row("failed || unstable", {1, 3, 4});
        row("!(failed | unstable)", {0, 2, 5});
        row("task:1", {1, 4, 5});
        row("task:0..1", {0, 1, 2, 4, 5});
        row("record >= 4", {4, 5});
        row("line:3", {1});
        row("best", {0, 3, 5});
        row("spread > 50%", {5});
        row("repeats:2", {5});
        row("repeats:1", {0, 2, 3});
        row("elements:2", {3});
        row("steps:4", {0, 1, 2, 3, 4, 5});
        row("structure:1", {5});
        row("timestamp > 1700000030", {1, 4});
        row("timestamp = 2023-11-14", {0, 1, 2, 3, 4, 5});
        row("timestamp < 2023-11-14", {});
        row("failure:wrong", {1});
        row("failure != wrong-answer", {0, 2, 3, 4, 5});
        row("reason:\"element 17 is\"", {1});
        row("key:\"65, 64\"", {0, 2});
        row("target:LLVM failed", {1, 4});
        row("MATMUL timeout", {4});
        row("nowhere", {});
    }
    void filters() {
        QFETCH(QString, filter);
        QFETCH(QList<int>, records);
        const TestLog file(smallLog());
        const LogDocument log = LogDocument::open(file.path());
        QCOMPARE(log.size(), size_t{6});
        const std::vector<uint32_t> found = passing(log, filter.toStdString());
        QCOMPARE(QList<int>(found.begin(), found.end()), records);
        const ParsedLogFilter parsed = parseLogFilter(filter.toStdString());
        QVERIFY(parsed.filter != nullptr);
        for (int i = 0; i < 6; ++i) QCOMPARE(passes(log, *parsed.filter, static_cast<size_t>(i)), records.contains(i));
    }

    void whatIsNoFilterIsRefused_data() {
        QTest::addColumn<QString>("filter");
        QTest::addColumn<int>("at");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char *filter, int at, const char *sentence) {
            QTest::newRow(filter) << filter << at << sentence;
        };
        row("failed )", 7, "this bracket closes nothing: take it away, or open one with `(` in front");
        row("(failed", 0, "this bracket is never closed: add `)`");
        row("< 2ms", 0, "`<` needs a field in front, as in `time < 2ms`");
        row("failed or", 9,
            "a condition is missing here: write one on both sides of `and` and `or` and inside brackets, "
            "as in `failed or time > 2ms`");
        row("not", 0, "`not` turns round what follows it, so a condition must follow, as in `not failed`");
        row("\"conv", 0, "this quote is never closed: add `\"`");
        row("key:\"conv", 4, "this quote is never closed: add `\"`");
        row("time", 0, "`time` is a number to compare: write `time < 2ms` (or \"time\" to look for the word)");
        row("key", 0, "`key` is a text to look in: write `key:conv2d`");
        row("key < 3", 4, "`key` is a text to look in: write `key:conv2d`");
        row("key:", 3, "`key:` needs a word behind it, as in `key:conv2d`");
        row("failed:3", 6, "`failed` is a state, not a number: write `failed` or `not failed`");
        row("tiem < 2ms", 0,
            "no field is called `tiem` (did you mean `time`?); there are time, spread, repeats, steps, line, record, "
            "task, "
            "structure, elements, timestamp, key, target, failure, reason, note, tag, failed, valid, unstable, best, "
            "pinned, noted");
        row("failure:fire", 8,
            "no kind of failure is called `fire`; there are instantiation, compile-host, compile-device, "
            "runtime-device, "
            "wrong-answer, build-timeout, run-timeout, unknown");
        row("time <", 5, "`time <` needs a number behind it, as in `time < 2ms`");
        row("time << 2ms", 5, "`<<` compares nothing; there are <, <=, >, >=, = and !=");
        row("time < 2", 7, "a time needs its unit: ns, us, ms or s, as in `time < 2ms`");
        row("time < much", 7, "`much` is no number; write one as in `time < 2ms`");
        row("task:3x", 5, "`3x` is no number; write one as in `task:3`");
        row("spread < 5", 9, "`5` alone would be 500 %: write `5%`");
        row("line < 10..20", 7, "a range goes with `:`, as in `line:10..20`");
        const QByteArray deep(101, '(');
        QTest::newRow("deep") << QString::fromLatin1(deep) << 100
                              << "brackets and `not` go more than 100 deep here; fewer will do";
    }
    void whatIsNoFilterIsRefused() {
        QFETCH(QString, filter);
        QFETCH(int, at);
        QFETCH(QString, sentence);
        const ParsedLogFilter parsed = parseLogFilter(filter.toStdString());
        QVERIFY(parsed.filter == nullptr);
        QVERIFY(parsed.problem.has_value());
        const QString said = QString::fromStdString(parsed.problem->sentence);
        QCOMPARE(said, sentence);
        QCOMPARE(static_cast<int>(parsed.problem->at), at);
    }

    void anEmptyFilterLetsEverythingPass() {
        const ParsedLogFilter parsed = parseLogFilter("  ");
        QVERIFY(parsed.filter == nullptr);
        QVERIFY(!parsed.problem.has_value());
    }

    void sortsByEveryColumn_data() {
        QTest::addColumn<int>("column");
        for (int column = 0; column <= static_cast<int>(LogColumn::Elements); ++column)
            QTest::newRow(std::to_string(column).c_str()) << column;
    }
    void sortsByEveryColumn() {
        QFETCH(int, column);
        std::string text;
        for (size_t i = 0; i < 3000; ++i) text += GeneratedLog(9).lines((i * 37) % 3000);
        const TestLog file(text);
        const LogDocument log = LogDocument::open(file.path());
        QCOMPARE(log.size(), size_t{3000});
        const auto by = static_cast<LogColumn>(column);
        const auto numberOf = [&](uint32_t record) {
            const LogRow &row = log.row(record);
            const std::array<double, 11> numbers{
                static_cast<double>(record),          static_cast<double>(row.line),
                static_cast<double>(row.task),        row.seconds,
                static_cast<double>(row.spread),      static_cast<double>(row.repeats),
                static_cast<double>(row.error),       static_cast<double>(row.timestamp),
                static_cast<double>(row.stepCount),   static_cast<double>(row.structure),
                static_cast<double>(row.taskElements)};
            return numbers[static_cast<size_t>(column)];
        };
        for (const bool descending : {false, true}) {
            std::vector<uint32_t> expected(log.size());
            std::iota(expected.begin(), expected.end(), 0U);
            std::stable_sort(expected.begin(), expected.end(), [&](uint32_t a, uint32_t b) {
                const double left = numberOf(a);
                const double right = numberOf(b);
                if (std::isinf(left) || std::isinf(right)) return !std::isinf(left) && std::isinf(right);
                return descending ? left > right : left < right;
            });
            QVERIFY(selectRows(log, nullptr, {by, descending}, 1) == expected);
            QVERIFY(selectRows(log, nullptr, {by, descending}, 3) == expected);
            const ParsedLogFilter some = parseLogFilter("valid or task:3");
            QVERIFY(some.filter != nullptr);
            std::erase_if(expected, [&](uint32_t record) { return !passes(log, *some.filter, record); });
            QVERIFY(selectRows(log, some.filter.get(), {by, descending}) == expected);
        }
    }
};

LOOPSCOPE_TEST(LogRowsTest)
#include "log_rows_test.moc"
