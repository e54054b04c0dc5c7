// A comparison on a busy machine says what it left open, and how to have it done once more.

#include "compare_again.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

class CompareAgainTest : public QObject {
    Q_OBJECT

  private slots:
    void aNarrowIntervalNeedsNoWord() {
        QCOMPARE(compareAgainText({1e-3, 0.98e-3, 1.05e-3}, "search.json", 64), std::string());
        QCOMPARE(compareAgainText({}, "search.json", 64), std::string()); // there was no comparison
    }

    void aWideOneSaysHowMuchIsOpenAndWhatToDo() {
        QCOMPARE(compareAgainText({1e-3, 0.98e-3, 1.22e-3}, "search.json", 64),
                 std::string("the comparison left 24 % open, as the machine was busy; to compare again when it is "
                             "quiet: tune with the same file and options, --log search.json --resume --trials 64\n"));
        QCOMPARE(compareAgainText({1e-3, 0.98e-3, 1.22e-3}, "", 64),
                 std::string("the comparison left 24 % open, as the machine was busy; search again when it is quiet, "
                             "with --log FILE to keep the trials\n"));
    }

    void theLogIsOneWordOfAShell() {
        const auto said = [](const char *log) { return compareAgainText({1, 1, 2}, log, 2); };
        QVERIFY(said("../a-b/c_1.json").find("--log ../a-b/c_1.json --resume") != std::string::npos);
        QVERIFY(said("my log.json").find("--log 'my log.json' --resume") != std::string::npos);
        QVERIFY(said("it's").find("--log 'it'\\''s' --resume") != std::string::npos);
    }
};

LOOPSCOPE_TEST(CompareAgainTest)
#include "compare_again_test.moc"
