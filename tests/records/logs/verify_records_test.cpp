// Records measured again: which times hold.

#include "harness/scripted_measurer.h"
#include "records/logs/verify_records.h"
#include "test_program.h"

#include <QTest>

#include <atomic>

using namespace loopscope;

namespace {

Record recordOf(int tile, double seconds, int line) {
    Record record;
    record.line = line;
    record.trial.steps = Steps{SplitStep{StageId{2}, IterId{0}, 64, {tile}, true}};
    record.trial.seconds = {seconds};
    return record;
}

int tileOf(const Steps &steps) { return static_cast<int>(std::get<SplitStep>(steps.at(0)).lengths.at(0)); }

} // namespace

class VerifyRecordsTest : public QObject {
    Q_OBJECT
  private slots:
    void whichTimesHold() {
        const TimeInterval time{1.0, 0.9, 1.2};
        QVERIFY(recordHolds(1.0, time, 0));
        QVERIFY(recordHolds(0.9, time, 0) && recordHolds(1.2, time, 0));
        QVERIFY(!recordHolds(0.89, time, 0) && !recordHolds(1.21, time, 0));
        QVERIFY(recordHolds(0.86, time, 0.05) && recordHolds(1.25, time, 0.05));
        QVERIFY(!recordHolds(0.85, time, 0.05) && !recordHolds(1.27, time, 0.05));
        QVERIFY(!recordHolds(1.0, {}, 0.05));
    }

    void recordsAreTimedInTurn() {
        ScriptedMeasurer measurer;
        measurer.fault = [](const Steps &steps) {
            return tileOf(steps) == 4 ? TrialError::WrongAnswer : TrialError::None;
        };
        measurer.interleaved = [](const Steps &steps, int rounds) {
            return tileOf(steps) == 16 ? std::vector<double>{} : std::vector<double>(static_cast<size_t>(rounds), 2e-3);
        };
        const std::vector<Record> records{recordOf(2, 2e-3, 3), recordOf(4, 2e-3, 5), recordOf(8, 3e-3, 7),
                                          recordOf(16, 2e-3, 9)};
        size_t told = 0;
        const auto verified =
            verifyRecords(records, measurer, {.tolerance = 0.05, .rounds = 5}, {}, [&](size_t done, size_t of) {
                QCOMPARE(of, size_t{4});
                told = done;
            });
        QCOMPARE(told, size_t{4});
        QCOMPARE(measurer.compared.size(), size_t{3}); // what fails alone is not timed with the others
        QCOMPARE(verified.size(), size_t{4});
        QCOMPARE(verified[0].line, 3);
        QVERIFY(verified[0].holds && verified[0].reason.empty());
        QCOMPARE(verified[0].time.seconds, 2e-3);
        QVERIFY(!verified[1].holds && !verified[1].time.known());
        QVERIFY2(verified[1].reason.starts_with("wrong-answer: "), verified[1].reason.c_str());
        QVERIFY(!verified[2].holds && verified[2].time.known());
        QCOMPARE(verified[2].recorded, 3e-3);
        QCOMPARE(verified[3].reason, std::string("it ran alone, but not in turn with the others"));
    }

    void aCancelLeavesNothing() {
        ScriptedMeasurer measurer;
        const std::atomic<bool> yes = true;
        QVERIFY(verifyRecords(std::vector{recordOf(2, 1e-3, 1)}, measurer, {}, {.cancel = &yes}).empty());
    }
};

LOOPSCOPE_TEST(VerifyRecordsTest)
#include "verify_records_test.moc"
