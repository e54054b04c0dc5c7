// The three ways to fail: refusals are values, errors carry their place, broken invariants say where they stand.

#include "check.h"
#include "outcome.h"

#include <QTest>

#include <memory>

using namespace loopscope;

class FailuresTest : public QObject {
    Q_OBJECT

  private slots:
    void outcomeHoldsAValueOrASentence() {
        const Outcome<int> value = 5;
        QVERIFY(value.ok());
        QCOMPARE(*value, 5);
        const Outcome<int> refused = Refusal{"factor 3 does not divide 8"};
        QVERIFY(!refused);
        QCOMPARE(refused.why(), std::string("factor 3 does not divide 8"));
    }

    void outcomeGivesUpItsValue() {
        Outcome<std::unique_ptr<int>> outcome = std::make_unique<int>(7);
        const std::unique_ptr<int> taken = std::move(outcome).value();
        QCOMPARE(*taken, 7);
    }

    void errorNamesItsPlace() {
        QCOMPARE(std::string(Error("a.te", 3, 9, "no such tensor").what()), std::string("a.te:3:9: no such tensor"));
        QCOMPARE(std::string(Error("a.te", 3, 0, "no such tensor").what()), std::string("a.te:3: no such tensor"));
        QCOMPARE(std::string(Error("a.te", 0, 0, "unreadable").what()), std::string("a.te: unreadable"));
        QCOMPARE(std::string(Error("", 3, 9, "no such tensor").what()), std::string("3:9: no such tensor"));
        QCOMPARE(std::string(Error("no libdnnl").what()), std::string("no libdnnl"));
    }

    void checkNamesConditionAndFile() {
        LOOPSCOPE_CHECK(1 + 1 == 2, "never seen");
        try {
            LOOPSCOPE_CHECK(1 + 1 == 3, "arithmetic");
            QFAIL("the failed check went on");
        } catch (const InternalError &error) {
            const std::string text = error.what();
            QVERIFY(text.find("1 + 1 == 3") != std::string::npos);
            QVERIFY(text.find("failures_test.cpp") != std::string::npos);
            QVERIFY(text.find("arithmetic") != std::string::npos);
        }
    }
};

QTEST_GUILESS_MAIN(FailuresTest)
#include "failures_test.moc"
