// Starting, ending and describing child processes, with programs every system has.

#include <QTest>

#include "isolate/child_process.h"
#include "outcome.h"

#include <csignal>
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

QTEST_GUILESS_MAIN(ChildProcessTest)
#include "child_process_test.moc"
