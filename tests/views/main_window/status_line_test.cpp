// What the line at the bottom says of failures, and for how long.

#include "harness/scripted_measurer.h"
#include "measure/timing/machine_use.h"
#include "test_program.h"
#include "window_start.h"

#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

using namespace loopscope;

namespace status_line_test {

namespace {

QString sample(const char *name) {
    return QStringLiteral(LOOPSCOPE_SOURCE_DIR "/samples/%1.te").arg(QLatin1String(name));
}

struct Start : WindowStart {
    using WindowStart::WindowStart;
    void key(Qt::Key which, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(&window, which, modifiers); }
};

} // namespace

class StatusLineTest : public QObject {
    Q_OBJECT

  private slots:
    void aFailureLeavesTheStatusLineWithTheNextSuccess() {
        const QTemporaryDir folder;
        Start start(folder.path());
        start.session.search().setMeasurerFactory(
            [](const Task &, const MeasureOptions &) { return std::make_unique<ScriptedMeasurer>(); });
        start.session.peaks().setMeasurer([](const Target &, const std::atomic<bool> *) -> Outcome<MachinePeaks> {
            return Refusal{"not in this test"};
        });
        auto *button = start.window.findChild<QToolButton *>(QStringLiteral("status_message"));
        start.window.openFiles({QStringLiteral("/no/such/file.te")}, false);
        QTRY_VERIFY(button->isVisible());
        start.open(sample("matmul"));
        QTRY_VERIFY(!button->isVisible());

        // A search that fails.
        QTRY_VERIFY(!start.session.document()->sketches.empty());
        SearchSetup setup = start.session.document()->setup;
        setup.options.trials = 2;
        setup.options.population = 32;
        setup.logPath = QStringLiteral("/no/such/folder/log.json");
        start.session.search().setSetup(setup);
        start.key(Qt::Key_R, Qt::ControlModifier);
        QTRY_COMPARE(start.session.document()->search.state, SearchState::Failed);
        QTRY_VERIFY(button->isVisible());
        QVERIFY(button->text().contains(QStringLiteral("The search of matmul failed")));
        start.window.openFiles({sample("softmax")}, false); // another kind of success leaves it there
        QTRY_COMPARE(start.session.documents().all().size(), size_t(2));
        QVERIFY(button->isVisible());
        start.session.messages().succeeded(QStringLiteral("search")); // as the next one does when it begins
        QVERIFY(!button->isVisible());
        const auto &all = start.session.messages().all(); // the list keeps it
        QVERIFY(std::any_of(all.begin(), all.end(),
                            [](const Message &m) { return m.text == QStringLiteral("The search of matmul failed"); }));
    }

    /// Reading waits while a kernel is timed; whoever does not want to wait clicks it away, and can go on.
    void aCancelledReadingIsOver() {
        const QTemporaryDir folder;
        Start start(folder.path());
        std::atomic<bool> timing{false};
        std::atomic<bool> timed{false};
        std::thread other([&] {
            const auto use = MachineUse::begin(MachineUse::Kind::Timing);
            timing = true;
            while (!timed) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        });
        const auto end = qScopeGuard([&] {
            timed = true;
            if (other.joinable()) other.join();
        });
        QTRY_VERIFY(timing);
        start.window.openFiles({sample("matmul")}, false);
        QTRY_VERIFY(start.session.document() && start.session.document()->analysing);
        auto *cancel = start.window.findChild<QToolButton *>(QStringLiteral("status_cancel"));
        QTRY_VERIFY(cancel->isVisible());
        // What else waits is clicked away first.
        const QString reading = QStringLiteral("Cancel: Reading matmul");
        for (int click = 0; click < 5 && !cancel->toolTip().startsWith(reading); ++click)
            QTest::mouseClick(cancel, Qt::LeftButton);
        QVERIFY2(cancel->toolTip().startsWith(reading), qPrintable(cancel->toolTip()));
        QVERIFY(start.session.document()->analysing);
        QTest::mouseClick(cancel, Qt::LeftButton);
        QVERIFY(!start.session.document()->analysing);
        for (const JobInfo &job : start.session.jobs().running())
            QVERIFY2(!job.title.startsWith(QStringLiteral("Reading")), qPrintable(job.title));
        QCOMPARE(start.session.search().whyNotStart(),
                 QStringLiteral("reading the workload was cancelled; change it, or open it again, to have it read"));
        const auto *button = start.window.findChild<QToolButton *>(QStringLiteral("search_button"));
        QTRY_COMPARE(
            button->toolTip(),
            QStringLiteral("Reading the workload was cancelled; change it, or open it again, to have it read."));
        timed = true;
        other.join();
        QTest::qWait(50);
        QVERIFY(!start.session.document()->task); // what was cancelled hands nothing over
        start.open(sample("matmul"));
        QVERIFY(!start.session.document()->problem && !start.session.document()->analysing);
        QCOMPARE(start.session.documents().all().size(), size_t(1));
        QTRY_COMPARE(start.session.search().whyNotStart(), QString());
    }
};

LOOPSCOPE_WINDOW_TEST(StatusLineTest)

} // namespace status_line_test
#include "status_line_test.moc"
