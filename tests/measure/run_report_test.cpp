// A kernel may write whatever it likes into the report that it shares with its runner.

#include <QTest>

#include "measure/run_report.h"
#include "test_program.h"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace loopscope;

class RunReportTest : public QObject {
    Q_OBJECT

  private slots:
    /// The page after a report was freed with it when its kernel said that it was longer.
    void aScribbledReportIsGivenBackAsItWasMade() {
        const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
        RunReport *report = RunReport::make(1);
        std::memset(static_cast<void *>(report), 0x7f, sizeof(RunReport));
        QVERIFY(report->unstable != 0);
        QVERIFY(report->sampleCount(0) == 0); // the list lies behind and was not written
        // What lies behind it, mapped now if nothing was.
        auto *start = reinterpret_cast<char *>(report);
        char *behind = start + page;
        unsigned char there = 0;
        if (::mincore(behind, page, &there) != 0)
            QVERIFY(::mmap(behind, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) ==
                    behind);
        RunReport::release(report, 1);
        QCOMPARE(::mincore(start, page, &there), -1);
        QCOMPARE(::mincore(behind, page, &there), 0);
    }
};

LOOPSCOPE_TEST(RunReportTest)
#include "run_report_test.moc"
