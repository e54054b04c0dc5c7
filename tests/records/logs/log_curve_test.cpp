#include "generated_log.h"
#include "log_lines.h"
#include "records/logs/log_curve.h"
#include "test_program.h"

#include <QTest>

#include <algorithm>
#include <numeric>

using namespace loopscope;

namespace log_curve_test {

namespace {

std::string generated(size_t records) {
    std::string text;
    for (size_t i = 0; i < records; ++i) text += GeneratedLog(4).lines(i);
    return text;
}

std::vector<uint32_t> all(const LogDocument &log) {
    std::vector<uint32_t> records(log.size());
    std::iota(records.begin(), records.end(), 0U);
    return records;
}

} // namespace

class LogCurveTest : public QObject {
    Q_OBJECT

  private slots:
    void fewRecordsAreAllDrawn() {
        const TestLog file(logLine({.number = 30}) + "\n" + logLine({.number = 40}) + "\n" +
                           logLine({.number = 5, .error = 4}) + "\n" + logLine({.number = 20}) + "\n");
        const LogDocument log = LogDocument::open(file.path());
        const LogCurve curve = logCurve(log, all(log), CurveAxis::Order, 10);
        QCOMPARE(curve.points.size(), size_t{3});
        QVERIFY(curve.points[1] == (CurvePoint{1, log.row(1).seconds, 1}));
        QCOMPARE(curve.points[2].x, 3.0);
        QCOMPARE(curve.best.size(), size_t{2});
        QCOMPARE(curve.best[1].record, 3U);
        QCOMPARE(curve.failures, size_t{1});
        QCOMPARE(curve.buckets.size(), size_t{4});
        QCOMPARE(curve.buckets[2].failures, 1U);
        QCOMPARE(curve.failed.size(), size_t{1});
        QCOMPARE(curve.failed[0].record, 2U);

        // By timestamp (1700000000 + number): failed, 20, 30, 40.
        const LogCurve byTime = logCurve(log, all(log), CurveAxis::Timestamp, 1500);
        QCOMPARE(byTime.buckets.size(), size_t{36});
        QCOMPARE(byTime.points.size(), size_t{3});
        QCOMPARE(byTime.points[0].record, 3U);
        QCOMPARE(byTime.points[0].x, 1700000020.0);
        QCOMPARE(byTime.best.size(), size_t{1});
        QCOMPARE(byTime.buckets[0].failures, 1U);
    }

    void manyRecordsKeepWhatStandsOut_data() {
        QTest::addColumn<bool>("byTimestamp");
        QTest::newRow("order") << false;
        QTest::newRow("timestamp") << true;
    }
    void manyRecordsKeepWhatStandsOut() {
        QFETCH(bool, byTimestamp);
        const TestLog file(generated(5000));
        const LogDocument log = LogDocument::open(file.path());
        const CurveAxis axis = byTimestamp ? CurveAxis::Timestamp : CurveAxis::Order;
        constexpr size_t buckets = 100;
        const LogCurve curve = logCurve(log, all(log), axis, buckets);
        QVERIFY(curve.points.size() <= 2 * buckets);
        QCOMPARE(curve.buckets.size(), buckets);
        uint32_t records = 0;
        uint32_t failures = 0;
        for (const CurveBucket &bucket : curve.buckets) {
            records += bucket.records;
            failures += bucket.failures;
            // The least and the greatest time of the stretch are there.
            double least = 1e30;
            double greatest = 0;
            uint32_t failed = 0;
            for (uint32_t record = 0; record < log.size(); ++record) {
                const LogRow &row = log.row(record);
                const double x = byTimestamp ? static_cast<double>(row.timestamp) : record;
                if (x < bucket.from || x >= bucket.to) continue;
                failed += row.failed() ? 1 : 0;
                if (row.failed()) continue;
                least = std::min(least, row.seconds);
                greatest = std::max(greatest, row.seconds);
            }
            QCOMPARE(bucket.failures, failed);
            QCOMPARE(
                std::count_if(curve.failed.begin(), curve.failed.end(),
                              [&](const CurvePoint &point) { return point.x >= bucket.from && point.x < bucket.to; }),
                failed > 0 ? 1 : 0);
            for (const double seconds : {least, greatest})
                QVERIFY(std::any_of(curve.points.begin(), curve.points.end(), [&](const CurvePoint &point) {
                    return point.seconds == seconds && point.x >= bucket.from && point.x < bucket.to;
                }));
        }
        QCOMPARE(records, 5000U);
        QCOMPARE(curve.failures, static_cast<size_t>(failures));
        QVERIFY(failures > 100);
        QVERIFY(std::is_sorted(curve.points.begin(), curve.points.end(),
                               [](const CurvePoint &a, const CurvePoint &b) { return a.x < b.x; }));
        // The best so far at the end is the best of all, and each step goes down.
        const auto least = std::min_element(curve.points.begin(), curve.points.end(),
                                            [](const auto &a, const auto &b) { return a.seconds < b.seconds; });
        QCOMPARE(curve.best.back().seconds, least->seconds);
        QVERIFY(std::is_sorted(curve.best.begin(), curve.best.end(),
                               [](const CurvePoint &a, const CurvePoint &b) { return a.seconds > b.seconds; }));
    }

    void anEmptyCurveHasNothing() {
        const TestLog file("");
        const LogDocument log = LogDocument::open(file.path());
        const LogCurve curve = logCurve(log, {}, CurveAxis::Order);
        QVERIFY(curve.points.empty() && curve.best.empty() && curve.buckets.empty());
    }

    void recordsOfATaskInTheirOrder() {
        const TestLog file(generated(300));
        const LogDocument log = LogDocument::open(file.path());
        const std::vector<uint32_t> records = recordsOfTask(log, 1);
        QCOMPARE(records.size(), size_t{64});
        QCOMPARE(records.front(), 64U);
        QCOMPARE(records.size(), log.tasks()[1].records);
    }
};

LOOPSCOPE_TEST(LogCurveTest)

} // namespace log_curve_test
#include "log_curve_test.moc"
