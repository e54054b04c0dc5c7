// What a worker process gives up before it runs anything: each in a process of its own, as it cannot be had back.

#include <QTest>

#include "base/isolate/sandbox.h"
#include "base/isolate/system_calls.h"
#include "harness/sample_dags.h"
#include "measure/measurer.h"

#include <QFile>
#include <QProcess>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace loopscope;

namespace {

/// Wait status of a child that does `work`, whose result is its exit code.
int statusOf(const std::function<int()> &work) {
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) ::_exit(work());
    int status = -1;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

int exitCode(const std::function<int()> &work) {
    const int status = statusOf(work);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int filtered(SystemCallList list, const std::function<int()> &work) {
    return exitCode([&] {
        ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        return restrictSystemCalls(list).empty() ? work() : 99;
    });
}

/// As in a container that refuses filters: its children cannot have one.
bool refuseFilters() {
    const scmp_filter_ctx context = seccomp_init(SCMP_ACT_ALLOW);
    const bool made =
        context != nullptr && seccomp_rule_add(context, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(seccomp), 0) == 0 &&
        seccomp_rule_add(context, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(prctl), 1, SCMP_A0(SCMP_CMP_EQ, PR_SET_SECCOMP)) ==
            0 &&
        seccomp_load(context) == 0;
    seccomp_release(context);
    return made;
}

int measureWithoutFilter() {
    if (!refuseFilters()) return 2;
    MeasureOptions options;
    options.workerPath = LOOPSCOPE_BIN_DIR "/loopscope-worker";
    const auto measurer = makeWorkerMeasurer(makeTask(matmulDag(16, 16, 16), parseTarget("llvm")), options);
    if (!measurer->prepare()) return 3;
    for (const std::string &note : measurer->notes()) std::puts(note.c_str());
    bool valid = false;
    measurer->measure({{}}, [&](size_t, const Trial &trial) { valid = trial.valid(); });
    return valid ? 0 : 4;
}

constexpr int kNoFilter = 99;

} // namespace

class SandboxTest : public QObject {
    Q_OBJECT

  private slots:
    void aSuperuserHasNoCapabilitiesLeft() {
        const int code = exitCode([] {
            restrictProcess(0);
            FILE *status = std::fopen("/proc/self/status", "re");
            char line[256];
            int seen = 0;
            unsigned long long bits = 0;
            while (std::fgets(line, sizeof line, status) != nullptr)
                for (const char *form : {"CapPrm: %llx", "CapEff: %llx", "CapAmb: %llx"})
                    if (std::sscanf(line, form, &bits) == 1) {
                        if (bits != 0) return 1;
                        ++seen;
                    }
            return seen == 3 ? 0 : 2;
        });
        QCOMPARE(code, 0);
    }

    void processesAreLimited() {
        const int code = exitCode([] {
            restrictProcess(0);
            rlimit limit{};
            ::getrlimit(RLIMIT_NPROC, &limit);
            return limit.rlim_cur != RLIM_INFINITY && limit.rlim_max == limit.rlim_cur ? 0 : 1;
        });
        QCOMPARE(code, 0);
    }

    void noFileIsWritten() {
        const int file = ::memfd_create("test", MFD_CLOEXEC);
        const int code = exitCode([file] {
            forbidFileWrites();
            return ::write(file, "x", 1) == 1 ? 0 : 1;
        });
        QCOMPARE(code, -SIGXFSZ);
        int ends[2];
        QCOMPARE(::pipe(ends), 0);
        QCOMPARE(exitCode([&ends] {
                     forbidFileWrites();
                     return ::write(ends[1], "x", 1) == 1 ? 0 : 1;
                 }),
                 0);
        for (const int end : {ends[0], ends[1], file}) ::close(end);
    }

    void aKernelComputesAndNothingElse_data() {
        QTest::addColumn<int>("which");
        QTest::addColumn<int>("code");
        const int ended = -SIGSYS;
        QTest::newRow("memory") << 0 << 0;
        QTest::newRow("a thread") << 1 << 0;
        QTest::newRow("a process") << 2 << ended;
        QTest::newRow("a socket") << 3 << ended;
        QTest::newRow("another program") << 4 << ended;
        QTest::newRow("a new file") << 5 << ended;
        QTest::newRow("a signal to others") << 6 << ended;
        QTest::newRow("a file to read") << 7 << EACCES; // libraries try, and have another way
        QTest::newRow("a pipe") << 8 << ended;
    }
    void aKernelComputesAndNothingElse() {
        QFETCH(int, which);
        QFETCH(int, code);
        const std::function<int()> all[] = {
            [] {
                void *memory = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                return ::munmap(memory, 4096);
            },
            [] {
                int value = 1;
                std::thread([&value] { value = 0; }).join();
                return value;
            },
            [] { return ::fork() == 0 ? 0 : 1; },
            [] { return ::socket(AF_INET, SOCK_STREAM, 0) >= 0 ? 0 : 1; },
            [] { return ::execl("/bin/true", "true", nullptr); },
            [] { return ::open("/tmp/loopscope-new", O_WRONLY | O_CREAT | O_CLOEXEC, 0600) >= 0 ? 0 : 1; },
            [] { return ::kill(::getppid(), 0); },
            [] { return ::open("/etc/passwd", O_RDONLY | O_CLOEXEC) >= 0 ? 0 : errno; },
            [] {
                int ends[2];
                return ::pipe(ends);
            },
        };
        // A sanitizer reads about its own process, and asks a pipe whether an address can be read.
        if (which >= 7 && !kMemoryCanBeLimited) code = 0;
        const int got = filtered(SystemCallList::Kernel, all[which]);
        if (got == kNoFilter) QSKIP("this system or container refuses filters of system calls");
        QCOMPARE(got, code);
    }

    /// Through the handlers of exit, and so what a sanitizer does last.
    void aFilteredProcessEndsAsItSays() {
        for (const SystemCallList list : {SystemCallList::Kernel, SystemCallList::Compiler}) {
            const int code = filtered(list, []() -> int { std::exit(7); });
            if (code == kNoFilter) QSKIP("this system or container refuses filters of system calls");
            QCOMPARE(code, 7);
        }
    }

    void aCompilerReadsAndStartsNothing() {
        const int code = filtered(SystemCallList::Compiler, [] {
            if (::open("/etc/passwd", O_RDONLY | O_CLOEXEC) < 0) return 1;
            if (::open("/tmp/loopscope-new", O_WRONLY | O_CREAT | O_CLOEXEC, 0600) >= 0 || errno != EPERM) return 2;
            if (::socket(AF_INET, SOCK_STREAM, 0) >= 0 || errno != EPERM) return 3;
            if (::syscall(SYS_fork) >= 0 || errno != EPERM) return 4;
            return 0;
        });
        if (code == kNoFilter) QSKIP("this system or container refuses filters of system calls");
        QCOMPARE(code, 0);
    }

    void callsHaveNames() {
        QCOMPARE(systemCallName(SYS_socket), std::string("socket"));
        QCOMPARE(systemCallName(4711), std::string("number 4711"));
    }

    void whereFiltersAreRefusedItIsSaid() {
        QProcess process;
        process.start(QCoreApplication::applicationFilePath(), {"--without-filter"});
        QVERIFY(process.waitForFinished(120000));
        QCOMPARE(process.exitCode(), 0);
        const QByteArray notes = process.readAllStandardOutput();
        QVERIFY2(notes.startsWith("kernels run without a filter of system calls"), notes.constData());
    }
};

int main(int argc, char **argv) {
    const QCoreApplication application(argc, argv);
    if (QCoreApplication::arguments().contains("--without-filter")) return measureWithoutFilter();
    SandboxTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "sandbox_test.moc"
