// Starting, ending and describing child processes, with programs every system has.

#include <QScopeGuard>
#include <QTest>

#include "base/isolate/child_process.h"
#include "base/outcome.h"
#include "test_program.h"

#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace loopscope;

class ChildProcessTest : public QObject {
    Q_OBJECT

  private slots:
    void missingProgramIsAnError() {
        SpawnThread spawner;
        try {
            const ChildProcess child(spawner, "/nowhere/loopscope-worker", "build");
        } catch (const Error &error) {
            QCOMPARE(QString(error.what()),
                     "/nowhere/loopscope-worker: the worker program cannot be started: No such file or directory");
            return;
        }
        QFAIL("a program that does not exist was started");
    }

    void endingIsDescribed() {
        SpawnThread spawner;
        ChildProcess child(spawner, "/bin/false", "build");
        QVERIFY(!child.channel().receive());
        QCOMPARE(child.howItEnded(), std::string("exited with code 1"));
    }

    void anotherProgramIsDoubted() {
        SpawnThread spawner;
        const auto adviceOn = [&](const char *program) {
            ChildProcess child(spawner, program, "/no/such/file");
            (void)child.channel().receive();
            (void)child.howItEnded();
            return child.startAdvice();
        };
        QCOMPARE(adviceOn("/bin/false"), std::string("; /bin/false has to be the loopscope-worker of this version"));
        QCOMPARE(adviceOn("/bin/ls"), std::string()); // it said why
        qputenv("LOOPSCOPE_WORKER", "/bin/ls");
        const auto unset = qScopeGuard([] { qunsetenv("LOOPSCOPE_WORKER"); });
        QCOMPARE(adviceOn("/bin/ls"),
                 std::string("; LOOPSCOPE_WORKER names /bin/ls, which has to be the loopscope-worker of this version"));
        QCOMPARE(adviceOn("/bin/false"), std::string("; /bin/false has to be the loopscope-worker of this version"));
    }

    void aLimitOfOpenFilesIsNamed() {
        SpawnThread spawner;
        rlimit before{};
        ::getrlimit(RLIMIT_NOFILE, &before);
        rlimit few = before;
        few.rlim_cur = 12;
        ::setrlimit(RLIMIT_NOFILE, &few);
        std::string said;
        try {
            const ChildProcess child(spawner, "/bin/true", "build");
        } catch (const Error &error) {
            said = error.what();
        }
        // As many as there may be: nothing is left for the pipes.
        few.rlim_cur = 40;
        ::setrlimit(RLIMIT_NOFILE, &few);
        std::vector<int> taken;
        for (int fd = ::open("/dev/null", O_RDONLY); fd >= 0; fd = ::open("/dev/null", O_RDONLY)) taken.push_back(fd);
        std::string full;
        try {
            const ChildProcess child(spawner, "/bin/true", "build");
        } catch (const Error &error) {
            full = error.what();
        }
        for (const int fd : taken) ::close(fd);
        ::setrlimit(RLIMIT_NOFILE, &before);
        QCOMPARE(said, std::string("ulimit -n allows 12 open files at once, and working with child processes takes 32; "
                                   "allow more, as with `ulimit -n 1024`"));
        QVERIFY2(full.ends_with("cannot be made: Too many open files: ulimit -n allows 40 at once"), full.c_str());
    }

    void lastWordsAreHeard() {
        SpawnThread spawner;
        ChildProcess child(spawner, "/bin/ls", "/no/such/file");
        QVERIFY(!child.channel().receive());
        const std::string ending = child.howItEnded();
        QVERIFY2(ending.starts_with("exited with code 2: ") && ending.find("/no/such/file") != std::string::npos,
                 ending.c_str());
    }

    void destructorKillsAndReaps() {
        SpawnThread spawner;
        pid_t pid = 0;
        {
            ChildProcess child(spawner, "/bin/sleep", "1000");
            pid = child.pid();
            QCOMPARE(::kill(pid, 0), 0);
        }
        QCOMPARE(::kill(pid, 0), -1); // not even a zombie
    }

    void diesWithTheSpawningThread() {
        auto spawner = std::make_unique<SpawnThread>();
        ChildProcess child(*spawner, "/bin/sleep", "1000");
        spawner.reset();
        QVERIFY(!child.channel().receive());
        QCOMPARE(child.howItEnded(), std::string("was killed (SIGKILL)"));
    }

    void boundedPipeNeverBlocks() {
        const auto [readEnd, writeEnd] = makeBoundedPipe();
        const std::string line = "the same line again and again\n";
        for (int i = 0; i < 100000; ++i) (void)!::write(writeEnd, line.data(), line.size());
        QCOMPARE(lastLineOf(readEnd), line.substr(0, line.size() - 1));
        const std::string noise = "\x1b[31mred\x07\n\n  \n";
        QCOMPARE(::write(writeEnd, noise.data(), noise.size()), static_cast<ssize_t>(noise.size()));
        QCOMPARE(lastLineOf(readEnd), std::string("  "));
        QCOMPARE(lastLineOf(readEnd), std::string());
        ::close(readEnd);
        ::close(writeEnd);
    }
};

LOOPSCOPE_TEST(ChildProcessTest)
#include "child_process_test.moc"
