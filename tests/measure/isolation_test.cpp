// Kernels that crash, hang, lie and corrupt memory: each costs its own trial and nothing else. And a measurer that is
// killed leaves nothing running.

#include <QProcess>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>

#include "base/isolate/sandbox.h"
#include "harness/sample_dags.h"
#include "measure/fault.h"
#include "process_watch.h"
#include "quick_measuring.h"

#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

using namespace loopscope;

namespace {

Task smallTask() { return taskOf(matmulDag(33, 47, 29)); }

MeasureOptions options() {
    MeasureOptions quick = quickMeasuring();
    quick.buildTimeout = 2;
    quick.runTimeout = 1;
    quick.memoryLimitMiB = 512;
    quick.sampling.minRepeatSeconds = 0.001;
    return quick;
}

struct Expected {
    const char *fault;
    TrialError error;
    const char *reason; // a part of it
};

const Expected kExpected[] = {
    {"crash", TrialError::RuntimeDevice,
     "segmentation fault (SIGSEGV) at address 0x0 in the run that checks the answer"},
    {"abort", TrialError::RuntimeDevice, "aborted (SIGABRT)"},
    {"exit", TrialError::RuntimeDevice, "ended its process with exit code 0 instead of returning"},
    {"hang", TrialError::RunTimeout, "no end within 1 s in the run that checks the answer"},
    {"stack-smash", TrialError::RuntimeDevice, "SIG"},
    {"nan", TrialError::WrongAnswer, "output `C` is nan at [16, 23] instead of "},
    {"wrong-lane", TrialError::WrongAnswer, " at [16, 23] instead of "},
    {"overrun", TrialError::RuntimeDevice, "past the end of output `C`"},
    {"underrun", TrialError::RuntimeDevice, "before the start of `C`"},
    {"dirty-input", TrialError::RuntimeDevice, "wrote into its input `A`"},
    {"print-forever", TrialError::RunTimeout, "no end within 1 s"},
    {"fork", TrialError::RuntimeDevice, "it asked the system for `clone`"},
    {"socket", TrialError::RuntimeDevice, "it asked the system for `socket`"},
    {"huge-file", TrialError::RuntimeDevice, "it asked the system for `openat`"},
    {"exec", TrialError::RuntimeDevice, "it asked the system for `execve`"},
    {"build-crash", TrialError::CompileHost, "the compiler was ended by segmentation fault (SIGSEGV)"},
    {"build-hang", TrialError::BuildTimeout, "no end of the compilation within 2 s"},
};

} // namespace

class IsolationTest : public QObject {
    Q_OBJECT

  private slots:
    /// A batch of which every third candidate misbehaves, each in its own way.
    void aThirdOfTheBatchMisbehaves() {
        const size_t kinds = std::size(kExpected);
        MeasureOptions faulty = options();
        for (size_t k = 0; k < kinds; ++k)
            faulty.fault += fmt::format("{}{}:{}", k > 0 ? "," : "", 3 * k + 1, kExpected[k].fault);
        const QTemporaryDir own; // others are at work in the common one
        qputenv("TMPDIR", own.path().toUtf8());
        const auto common = qScopeGuard([] { qunsetenv("TMPDIR"); });
        const size_t descriptors = openDescriptors();
        const std::set<std::string> files = temporaryFiles();

        std::vector<Trial> trials;
        {
            const auto measurer = makeWorkerMeasurer(smallTask(), faulty);
            measurer->measure(std::vector<Steps>(3 * kinds), [&](size_t index, const Trial &trial) {
                QCOMPARE(index, trials.size());
                trials.push_back(trial);
            });
        }
        QCOMPARE(trials.size(), 3 * kinds);
        for (size_t i = 0; i < trials.size(); ++i) {
            const Trial &trial = trials[i];
            if (i % 3 != 1) {
                QVERIFY2(trial.valid(), trial.reason.c_str());
                QVERIFY(!trial.seconds.empty());
                continue;
            }
            const Expected &expected = kExpected[i / 3];
            const std::string said =
                fmt::format("{}: {}: {}", expected.fault, trialErrorName(trial.error), trial.reason);
            qInfo("%s", said.c_str());
            QVERIFY2(trial.error == expected.error, said.c_str());
            QVERIFY2(trial.reason.find(expected.reason) != std::string::npos, said.c_str());
            QVERIFY2(trial.seconds.empty(), said.c_str());
        }
        QVERIFY(descendants(::getpid()).empty());
        QCOMPARE(openDescriptors(), descriptors);
        std::set<std::string> ours; // others may be at work in the same folders
        for (const std::string &name : temporaryFiles()) {
            if (files.count(name) == 0 && name.find("loopscope") != std::string::npos) ours.insert(name);
        }
        QVERIFY2(ours.empty(), ours.empty() ? "" : ours.begin()->c_str());
    }

    /// Apart from the others: it cannot be tried where memory cannot be limited.
    void takingAllMemory() {
        if (!kMemoryCanBeLimited) QSKIP("this sanitizer's allocator cannot be limited");
        MeasureOptions faulty = options();
        faulty.runTimeout = faulty.buildTimeout = 30; // touching half a gigabyte takes its time on a busy machine
        faulty.fault = "1:oom,3:build-oom";
        std::vector<Trial> trials;
        makeWorkerMeasurer(smallTask(), faulty)->measure(std::vector<Steps>(5), [&](size_t, const Trial &trial) {
            trials.push_back(trial);
        });
        QCOMPARE(trials.size(), size_t(5));
        for (const size_t i : {0, 2, 4}) QVERIFY2(trials[i].valid(), trials[i].reason.c_str());
        QCOMPARE(trials[1].error, TrialError::RuntimeDevice);
        QVERIFY2(trials[1].reason.starts_with("out of memory: the kernel asked for more than the 512 MiB allowed"),
                 trials[1].reason.c_str());
        QCOMPARE(trials[3].error, TrialError::CompileHost);
        QCOMPARE(trials[3].reason, std::string("out of memory: the compiler asked for more than the 512 MiB allowed"));
    }

    /// 64-byte multiples leave no room between the last element and the guard page.
    void guardPageNamesTheBuffer() {
        Task task = smallTask();
        task = makeTask(matmulDag(16, 16, 16), task.target);
        MeasureOptions faulty = options();
        faulty.fault = "0:overrun";
        const auto measurer = makeWorkerMeasurer(task, faulty);
        Trial seen;
        measurer->measure({{}}, [&](size_t, const Trial &trial) { seen = trial; });
        QCOMPARE(seen.error, TrialError::RuntimeDevice);
        QCOMPARE(seen.reason, std::string("segmentation fault (SIGSEGV): it went past the end of `C` in the run that "
                                          "checks the answer"));
    }

    void killedParentLeavesNoProcess_data() {
        QTest::addColumn<QString>("fault");
        QTest::newRow("while a kernel hangs") << "hang";
        QTest::newRow("while the compiler hangs") << "build-hang";
        QTest::newRow("while a kernel prints") << "print-forever";
    }
    void killedParentLeavesNoProcess() {
        QFETCH(QString, fault);
        QProcess victim;
        victim.start(QCoreApplication::applicationFilePath(), {"--victim", "0:" + fault});
        QVERIFY(victim.waitForStarted());
        QVERIFY(victim.waitForReadyRead(20000));
        QTest::qWait(1000); // by now it hangs where it should
        const std::vector<pid_t> workers = descendants(static_cast<pid_t>(victim.processId()));
        QVERIFY(workers.size() >= 2);
        ::kill(static_cast<pid_t>(victim.processId()), SIGKILL);
        QVERIFY(victim.waitForFinished());
        QVERIFY(allGone(workers, 2));
    }
};

/// Measures one candidate that never ends, until somebody kills this process.
static int beVictim(const char *fault) {
    MeasureOptions endless = options();
    endless.fault = fault;
    endless.runTimeout = endless.buildTimeout = 1000;
    const auto measurer = makeWorkerMeasurer(smallTask(), endless);
    std::puts("measuring");
    std::fflush(stdout);
    measurer->measure({{}}, [](size_t, const Trial &) {});
    return 1;
}

int main(int argc, char **argv) {
    // A sanitizer built into the worker reports a crash and exits; what is tested is that the crash is told apart.
    for (const char *options : {"ASAN_OPTIONS", "TSAN_OPTIONS"}) qputenv(options, qgetenv(options) + ":handle_segv=0");
    if (argc == 3 && std::string_view(argv[1]) == "--victim") return beVictim(argv[2]);
    QCoreApplication app(argc, argv);
    IsolationTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "isolation_test.moc"
