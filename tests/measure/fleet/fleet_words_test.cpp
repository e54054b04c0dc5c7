// What goes over the lines of a fleet: pieces, whatever carries them; words of Slurm; what a node says of itself.

#include "measure/fleet/messages.h"
#include "measure/fleet/piece_stream.h"
#include "measure/fleet/slurm.h"
#include "test_program.h"

#include <QtTest>

#include <array>
#include <fcntl.h>
#include <random>
#include <thread>
#include <unistd.h>

namespace loopscope {

namespace {

struct Lines {
    std::array<int, 2> down{}, up{};
    Lines() {
        if (::pipe2(down.data(), O_CLOEXEC) != 0 || ::pipe2(up.data(), O_CLOEXEC) != 0) qFatal("no pipe");
        for (const int fd : {down[0], up[0]}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
    }
    ~Lines() {
        for (const int fd : {down[0], down[1], up[0], up[1]}) ::close(fd);
    }
    Lines(const Lines &) = delete;
    Lines &operator=(const Lines &) = delete;
};

std::string whyNot(std::string_view words) {
    const auto choice = slurmChoice(words);
    return choice ? "" : choice.why();
}

QString joined(const Outcome<std::vector<std::string>> &hosts) {
    if (!hosts) return QString::fromStdString("! " + hosts.why());
    QStringList names;
    for (const std::string &host : *hosts) names << QString::fromStdString(host);
    return names.join(u' ');
}

} // namespace

class FleetWordsTest : public QObject {
    Q_OBJECT

  private slots:
    /// Small pieces down, each after the one before was taken; large ones up.
    void messagesArriveWhole() {
        Lines lines;
        PieceStream controller(lines.up[0], lines.down[1], PieceStream::End::Controller);
        PieceStream node(lines.down[0], lines.up[1], PieceStream::End::Node);
        std::mt19937 random(3);
        std::vector<std::string> sent;
        for (const size_t size : {size_t{0}, size_t{1}, size_t{899}, size_t{900}, size_t{901}, size_t{40000}}) {
            std::string message(size, '\0');
            for (char &c : message) c = static_cast<char>(random());
            sent.push_back(message);
            QVERIFY(controller.send(message));
        }
        // Before anything was acknowledged, one piece is on its way.
        std::array<char, 4096> seen{};
        const ssize_t first = ::read(lines.down[0], seen.data(), seen.size());
        QCOMPARE(first, ssize_t{3});
        const std::string back(seen.data(), static_cast<size_t>(first));
        QCOMPARE(::write(lines.down[1], back.data(), back.size()), first); // as it was
        std::vector<std::string> came;
        for (int turn = 0; turn < 1000 && came.size() < sent.size(); ++turn) {
            QVERIFY(node.pump());
            while (auto message = node.take()) came.push_back(*message);
            QVERIFY(controller.pump());
        }
        QVERIFY(came == sent);
        const std::string large(20000, 'x');
        QVERIFY(node.send(large));
        QVERIFY(controller.pump());
        QCOMPARE(controller.take(), std::optional(large));
    }

    void whoeverIsAskedAnswers() {
        Lines lines;
        PieceStream controller(lines.up[0], lines.down[1], PieceStream::End::Controller);
        PieceStream node(lines.down[0], lines.up[1], PieceStream::End::Node);
        QVERIFY(controller.ping());
        QCOMPARE(controller.heard(), uint64_t{0});
        QVERIFY(node.pump() && controller.pump());
        QVERIFY(controller.heard() > 0);
    }

    void otherProgramsAreTold() {
        Lines lines;
        PieceStream controller(lines.up[0], lines.down[1], PieceStream::End::Controller);
        const std::string text = "bash: loopscope-worker: command not found\nmore";
        QCOMPARE(::write(lines.up[1], text.data(), text.size()), ssize_t(text.size()));
        QVERIFY(!controller.pump());
        QCOMPARE(controller.problem(),
                 std::string("it says what no worker of Loopscope says: bash: loopscope-worker: command not found"));
    }

    void whoeverIsGone() {
        Lines lines;
        PieceStream controller(lines.up[0], lines.down[1], PieceStream::End::Controller);
        ::close(lines.up[1]);
        QVERIFY(!controller.pump());
        QCOMPARE(controller.problem(), std::string());
        lines.up[1] = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    }

    void wordsOfTheRunner() {
        const auto all =
            slurmChoice("nodes=3,partition=long,constraint=[a|b],account=us,time=2:00:00,tolerance=5%,rounds=8,"
                        "worker=there");
        QVERIFY2(all, all ? "" : all.why().c_str());
        QCOMPARE(all->nodes, 3);
        QCOMPARE(all->partition, std::string("long"));
        QCOMPARE(all->constraint, std::string("[a|b]"));
        QCOMPARE(all->account, std::string("us"));
        QCOMPARE(all->time, std::string("2:00:00"));
        QCOMPARE(all->tolerance, 0.05);
        QCOMPARE(all->rounds, 8);
        QVERIFY(!all->sendWorker);
        QCOMPARE(slurmChoice("")->nodes, 1);
        QVERIFY(whyNot("nodes=0").starts_with("'nodes=0' is no number of nodes from 1 to 10000; "));
        QVERIFY(whyNot("node=3").starts_with("'node=3' is not known; nodes=N, "));
        QVERIFY(whyNot("tolerance=5").find("is no percentage") != std::string::npos);
        QVERIFY(whyNot("rounds=0").find("is no number of rounds from 1 to 1000") != std::string::npos);
        QVERIFY(whyNot("worker=maybe").find("says not where the worker is") != std::string::npos);
        QVERIFY(whyNot("partition=a b").find("has no value that Slurm takes") != std::string::npos);
        QVERIFY(whyNot("partition=-x").find("has no value that Slurm takes") != std::string::npos);
        QVERIFY(!whyNot("nodes=3,").empty());
    }

    void listsOfSlurm() {
        QCOMPARE(joined(hostsOf("n1")), QStringLiteral("n1"));
        QCOMPARE(joined(hostsOf("n[1-3,07],login")), QStringLiteral("n1 n2 n3 n07 login"));
        QCOMPARE(joined(hostsOf("c[08-11]")), QStringLiteral("c08 c09 c10 c11"));
        for (const char *wrong : {"", "n[1-", "n[3-1]", "n[a]", "a,,b", "n[1]x"})
            QVERIFY2(joined(hostsOf(wrong)).endsWith(QStringLiteral("is no list of hosts")), wrong);
        QVERIFY(*cpusOf("2(x3),4") == (std::vector<int>{2, 2, 2, 4}));
        QVERIFY(!cpusOf("2(x)") && !cpusOf("0") && !cpusOf(""));
    }

    void howANodeIsReached() {
        SlurmChoice choice;
        const FleetNodeSpec sent = slurmNode(choice, "12", "n2", 4, "/opt/loopscope-worker");
        QCOMPARE(sent.name, std::string("n2"));
        const auto has = [&](const FleetNodeSpec &spec, const char *word) {
            return std::ranges::find(spec.command, word) != spec.command.end();
        };
        QVERIFY(has(sent, "--jobid=12") && has(sent, "--nodelist=n2") && has(sent, "--cpus-per-task=4"));
        QVERIFY(has(sent, "--bcast=/tmp/loopscope-worker-12-n2"));
        QCOMPARE(sent.command.back(), std::string("serve"));
        choice.sendWorker = false;
        QVERIFY(!has(slurmNode(choice, "12", "n2", 4, "/opt/loopscope-worker"), "--bcast=/tmp/loopscope-worker-12-n2"));
    }

    void whatANodeSays() {
        const NodeHello hello{fleetBuild(), "host", "a processor", "llvm -num-cores=2", "znver3", 32, 2};
        const auto back = helloFromText(helloText(hello));
        QVERIFY(back);
        QCOMPARE(back->build, hello.build);
        QCOMPARE(back->model, hello.model);
        QCOMPARE(back->cores, 2);
        for (const char *wrong :
             {"", "{}", "[]", R"({"loopscope": "window"})", R"({"loopscope": "worker", "build": 3})"})
            QVERIFY2(!helloFromText(wrong), wrong);
    }

    void trialsKeepAllThatIsKnown() {
        Trial trial;
        trial.reason = "why";
        trial.seconds = {1e-3, 2e-3};
        trial.error = TrialError::WrongAnswer;
        trial.unstable = true;
        trial.maxError = 3;
        trial.buildSeconds = 0.5;
        trial.runSeconds = 0.25;
        trial.timestamp = 12;
        trial.weightBytes = 4096;
        const auto message = decodeFleet<FleetTrial>(encodeFleet(fleetTrial(7, 3, trial)));
        QCOMPARE(message.batch, uint64_t{7});
        QCOMPARE(message.index, uint64_t{3});
        const Trial back = trialOf(message, {});
        QVERIFY(back.reason == trial.reason && back.seconds == trial.seconds && back.error == trial.error &&
                back.unstable == trial.unstable && back.maxError == trial.maxError &&
                back.buildSeconds == trial.buildSeconds && back.runSeconds == trial.runSeconds &&
                back.timestamp == trial.timestamp && back.weightBytes == trial.weightBytes);
        QVERIFY_THROWS_EXCEPTION(WireError, (void)decodeFleet<FleetReady>(encodeFleet(fleetTrial(7, 3, trial))));
        QVERIFY_THROWS_EXCEPTION(WireError, (void)fleetMessageOf(""));
        QVERIFY_THROWS_EXCEPTION(WireError, (void)fleetMessageOf("\x63"));
    }
};

LOOPSCOPE_TEST(FleetWordsTest)
} // namespace loopscope

#include "fleet_words_test.moc"
