// A fleet of workers on this machine, each as a node of its own: every candidate measured once and told in order,
// whatever happens to the nodes meanwhile.

#include "harness/sample_dags.h"
#include "measure/fleet/fleet.h"
#include "measure/process_watch.h"
#include "measure/quick_measuring.h"
#include "schedule/steps_json.h"
#include "test_program.h"

#include <QtTest>

#include <csignal>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

namespace loopscope::fleet_test {

namespace {

const std::string kWorker = LOOPSCOPE_BIN_DIR "/loopscope-worker";

FleetNodeSpec local(const std::string &name) { return {name, {kWorker, "serve"}}; }

/// A program that says that and then waits for its input to end.
FleetNodeSpec saying(const std::string &name, const std::string &hello, const std::string &then = "cat >/dev/null") {
    std::string octal = fmt::format("l\\{:03o}\\{:03o}", hello.size() % 256, hello.size() / 256);
    return {name, {"/bin/sh", "-c", "printf '" + octal + "%s' '" + hello + "'; " + then}};
}

/// A node that says the reference kernel took so long, one time after the other.
FleetNodeSpec thatTook(const std::string &name, const std::vector<double> &seconds) {
    const NodeHello hello{fleetBuild(), "host", "a processor", "llvm", "znver3", 32, 2};
    std::vector<std::string> messages{helloText(hello)};
    for (const double one : seconds) messages.push_back(encodeFleet(FleetReference{one}));
    std::string octal;
    for (const std::string &message : messages) {
        octal += fmt::format("l\\{:03o}\\{:03o}", message.size() % 256, message.size() / 256);
        for (const char c : message) octal += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    }
    return {name, {"/bin/sh", "-c", "printf '" + octal + "'; cat >/dev/null"}};
}

struct Told {
    std::mutex mutex;
    std::vector<std::string> sentences;
    void add(const std::string &sentence) {
        const std::lock_guard lock(mutex);
        sentences.push_back(sentence);
    }
    [[nodiscard]] std::string all() {
        const std::lock_guard lock(mutex);
        std::string text;
        for (const std::string &sentence : sentences) text += sentence + "\n";
        return text;
    }
};

FleetOptions quick(Told &told) {
    FleetOptions options;
    options.measure = quickMeasuring();
    options.times.silence = 6;
    options.times.ask = 0.3;
    options.times.restartAfter = 0.2;
    options.tolerance = 1000; // nodes of one machine hold one another up
    options.tell = [&told](const std::string &sentence) { told.add(sentence); };
    return options;
}

/// Splits of a matmul's sum, each another program.
std::vector<Steps> candidates(int count) {
    std::vector<Steps> all;
    for (int i = 0; i < count; ++i)
        all.push_back({SplitStep{StageId(2), IterId(2), 64, {i % 16 + 1}, true},
                       SplitStep{StageId(2), IterId(0), 24, {i / 16 + 1}, true}});
    return all;
}

struct Measured {
    std::vector<size_t> order;
    std::vector<Trial> trials;
};

Measured measured(Measurer &measurer, const std::vector<Steps> &steps, const MeasureWatch &watch = {},
                  const std::function<void(size_t)> &onTrial = nullptr) {
    Measured result;
    measurer.measure(
        steps,
        [&](size_t index, const Trial &trial) {
            result.order.push_back(index);
            result.trials.push_back(trial);
            if (onTrial) onTrial(index);
        },
        watch);
    return result;
}

/// Each once, in order, with its own steps, right, and with the name of a node.
void complete(const Measured &of, const std::vector<Steps> &steps) {
    QCOMPARE(of.trials.size(), steps.size());
    for (size_t i = 0; i < steps.size(); ++i) {
        QCOMPARE(of.order[i], i);
        QVERIFY2(of.trials[i].valid(), of.trials[i].reason.c_str());
        QVERIFY(!of.trials[i].seconds.empty());
        QCOMPARE(stepsText(of.trials[i].steps.unpack()), stepsText(steps[i]));
        QVERIFY(!of.trials[i].machine.empty());
    }
}

std::vector<pid_t> workersServing() {
    std::vector<pid_t> serving;
    for (const pid_t pid : descendants(::getpid())) {
        std::ifstream file("/proc/" + std::to_string(pid) + "/cmdline");
        const std::string words((std::istreambuf_iterator<char>(file)), {});
        if (words.find("serve") != std::string::npos && words.find("/bin/sh") == std::string::npos)
            serving.push_back(pid);
    }
    return serving;
}

} // namespace

namespace {

/// All nodes have said what they are, know a task, and wait.
bool allIdle(const Fleet &fleet) {
    return QTest::qWaitFor(
        [&] {
            return std::ranges::all_of(fleet.nodes(), [](const NodeStatus &node) {
                return node.state == NodeState::Idle && node.prepared > 0;
            });
        },
        60000);
}

} // namespace

class FleetTest : public QObject {
    Q_OBJECT

  private slots:
    void allNodesMeasure() {
        Told told;
        const auto fleet =
            std::make_shared<Fleet>(std::vector<FleetNodeSpec>{local("n1"), local("n2"), local("n3")}, quick(told));
        const auto measurer = makeFleetMeasurer(fleet, taskOf(matmulDag(24, 16, 64)));
        QVERIFY(measurer->prepare());
        // All of them, so that none has come too late for its share.
        QTRY_VERIFY_WITH_TIMEOUT(std::ranges::all_of(fleet->nodes(),
                                                     [](const NodeStatus &node) {
                                                         return node.state == NodeState::Idle && node.reference > 0 &&
                                                                node.prepared > 0;
                                                     }),
                                 60000);
        const std::vector<Steps> steps = candidates(40);
        std::set<size_t> running;
        MeasureWatch watch;
        watch.onStage = [&](size_t index, TrialStage stage) {
            if (stage == TrialStage::Running) running.insert(index);
        };
        const Measured result = measured(*measurer, steps, watch);
        complete(result, steps);
        QVERIFY(running.size() > steps.size() / 2); // those that were not told before anybody looked
        size_t trials = 0;
        for (const NodeStatus &node : fleet->nodes()) {
            QVERIFY2(node.trials > 0, node.name.c_str());
            QCOMPARE(node.hello.build, fleetBuild());
            trials += node.trials;
        }
        QCOMPARE(trials, steps.size());
        // A second task of the same nodes, and candidates in turn on one of them.
        const auto other = makeFleetMeasurer(fleet, taskOf(matmulDag(20, 12, 40)));
        complete(measured(*other, {{}, {}, {}}), {{}, {}, {}});
        const auto turns = measurer->measureInterleaved({steps[0], {}}, 3);
        QCOMPARE(turns.size(), size_t{2});
        for (const TurnSamples &turn : turns) QCOMPARE(turn.seconds.size(), size_t{3});
        // What a candidate does wrong is the candidate's.
        const auto row = makeFleetMeasurer(fleet, taskOf(elementwiseDag(8, 100)));
        const auto wrong = measured(*row, {steps[0]}); // it has no such loop
        QCOMPARE(wrong.trials.front().error, TrialError::Instantiation);
        QCOMPARE(told.all(), std::string());
    }

    void nothingIsLostWithANode() {
        Told told;
        const auto fleet = std::make_shared<Fleet>(std::vector<FleetNodeSpec>{local("n1"), local("n2")}, quick(told));
        const auto measurer = makeFleetMeasurer(fleet, taskOf(matmulDag(24, 16, 64)));
        QVERIFY(measurer->prepare());
        QVERIFY(allIdle(*fleet));
        const std::vector<Steps> steps = candidates(40);
        complete(measured(*measurer, steps, {},
                          [&](size_t index) {
                              if (index != 5) return;
                              const std::vector<pid_t> serving = workersServing();
                              if (!serving.empty()) ::kill(serving.front(), SIGKILL);
                          }),
                 steps);
        QVERIFY2(told.all().find(" is lost: was killed (SIGKILL)") != std::string::npos, told.all().c_str());
        QVERIFY2(told.all().find("it is started again") != std::string::npos, told.all().c_str());
        // It measures again, for the next round.
        QVERIFY(allIdle(*fleet));
        complete(measured(*measurer, steps), steps);
    }

    void oneThatHangsIsNoticed() {
        Told told;
        const auto fleet = std::make_shared<Fleet>(std::vector<FleetNodeSpec>{local("n1"), local("n2")}, quick(told));
        const auto measurer = makeFleetMeasurer(fleet, taskOf(matmulDag(24, 16, 64)));
        QVERIFY(measurer->prepare());
        QVERIFY(allIdle(*fleet));
        const std::vector<Steps> steps = candidates(24);
        pid_t held = 0;
        complete(measured(*measurer, steps, {},
                          [&](size_t index) {
                              if (index != 2) return;
                              held = workersServing().front();
                              ::kill(held, SIGSTOP);
                          }),
                 steps);
        QVERIFY2(told.all().find(" is lost: it said nothing for ") != std::string::npos, told.all().c_str());
        QVERIFY(allGone({held}, 10));
    }

    void allAreLostForGood() {
        Told told;
        FleetOptions options = quick(told);
        options.restarts = 1;
        const auto fleet = std::make_shared<Fleet>(
            std::vector<FleetNodeSpec>{{"n1", {"/bin/sh", "-c", "echo no room on the disk >&2; exit 3"}}},
            std::move(options));
        const auto measurer = makeFleetMeasurer(fleet, taskOf(matmulDag(24, 16, 64)));
        try {
            measurer->prepare();
            QFAIL("it has no node");
        } catch (const Error &error) {
            QCOMPARE(std::string(error.what()),
                     std::string("no node can be used: n1: exited with code 3: no room on the disk"));
        }
        QVERIFY2(told.all().find("n1 is lost: exited with code 3: no room on the disk; it is started again\n") !=
                     std::string::npos,
                 told.all().c_str());
        QVERIFY2(told.all().find("n1 is gone: ") != std::string::npos, told.all().c_str());
    }

    /// By times that nodes say: one is 9 % slower than the two others, one has become 2 % slower than it was.
    void slowOnesAreLeftOut() {
        Told told;
        FleetOptions options = quick(told);
        options.tolerance = 0.015;
        options.restarts = 0;
        {
            Fleet fleet({thatTook("n1", {10e-3}), thatTook("n2", {9.9e-3, 10.1e-3}), thatTook("n3", {10.9e-3})},
                        std::move(options));
            QTRY_COMPARE_WITH_TIMEOUT(fleet.nodes()[2].state, NodeState::Apart, 20000);
            QTRY_VERIFY_WITH_TIMEOUT(fleet.nodes()[1].drift() > 0.02, 20000);
            QVERIFY(fleet.nodes()[0].state != NodeState::Apart && fleet.nodes()[1].state != NodeState::Apart);
            QVERIFY2(fleet.nodes()[2].why.starts_with("its reference kernel takes "), fleet.nodes()[2].why.c_str());
        }
        QVERIFY2(told.all().find("n3 is left out: its reference kernel takes ") != std::string::npos,
                 told.all().c_str());
        QVERIFY2(told.all().find("n2 has drifted: its reference kernel takes 2.0 % longer than at first") !=
                     std::string::npos,
                 told.all().c_str());
    }

    /// What is written to a node that reads no more ends the node, and not the program.
    void oneThatReadsNoMore() {
        Told told;
        FleetOptions options = quick(told);
        options.restarts = 0;
        options.times.silence = 2;
        const NodeHello hello{fleetBuild(), "host", "a processor", "llvm", "znver3", 32, 2};
        const auto fleet = std::make_shared<Fleet>(
            std::vector<FleetNodeSpec>{saying("deaf", helloText(hello), "exec 0<&-; sleep 60")}, std::move(options));
        const auto measurer = makeFleetMeasurer(fleet, taskOf(matmulDag(24, 16, 64)));
        try {
            measurer->prepare();
            QFAIL("it has no node");
        } catch (const Error &error) {
            QVERIFY2(std::string(error.what()).starts_with("no node can be used: deaf: it said nothing for "),
                     error.what());
        }
    }

    /// A worker of another build, another processor, something else altogether; the others go on without them.
    void nodesThatAreOthers() {
        Told told;
        FleetOptions options = quick(told);
        options.target = parseTarget("llvm");
        options.restarts = 0;
        NodeHello old{"0-older", "host", "a processor", "llvm", options.target->cpu, options.target->vectorBytes, 64};
        NodeHello slow = old;
        slow.build = fleetBuild();
        slow.cpu = "i386";
        NodeHello narrow = slow;
        narrow.cpu = options.target->cpu;
        narrow.cores = 0;
        const auto fleet = std::make_shared<Fleet>(std::vector<FleetNodeSpec>{saying("old", helloText(old)),
                                                                              saying("slow", helloText(slow)),
                                                                              saying("narrow", helloText(narrow)),
                                                                              saying("other", "hello"),
                                                                              {"none", {"/nowhere/srun"}},
                                                                              local("n1")},
                                                   std::move(options));
        const auto measurer = makeFleetMeasurer(fleet, taskOf(matmulDag(24, 16, 64)));
        QVERIFY(measurer->prepare());
        const std::vector<Steps> steps = candidates(4);
        complete(measured(*measurer, steps), steps);
        QTRY_VERIFY_WITH_TIMEOUT(std::ranges::count_if(fleet->nodes(),
                                                       [](const NodeStatus &node) {
                                                           return node.state == NodeState::Refused ||
                                                                  node.state == NodeState::Gone;
                                                       }) == 5,
                                 20000);
        complete(measured(*measurer, {{}}), {{}}); // so that all is told
        const std::string all = told.all();
        for (const char *part : {"old is refused: its worker is of another build of Loopscope (0-older, here ",
                                 "slow is refused: its processor is i386 (a processor), and the search is for ",
                                 "narrow is refused: it has 0 cores for us, and the target has ",
                                 "other is refused: it does not say what it is, as workers of Loopscope do",
                                 "none is gone: /nowhere/srun cannot be started: there is no such program"})
            QVERIFY2(all.find(part) != std::string::npos, (all + "\n" + part).c_str());
    }

    void cancelledAndPaused() {
        Told told;
        const auto fleet = std::make_shared<Fleet>(std::vector<FleetNodeSpec>{local("n1")}, quick(told));
        const auto measurer = makeFleetMeasurer(fleet, taskOf(matmulDag(24, 16, 64)));
        QVERIFY(measurer->prepare());
        std::atomic<bool> cancel{false}, pause{false};
        MeasureWatch watch;
        watch.cancel = &cancel;
        const std::vector<Steps> steps = candidates(60);
        const Measured some = measured(*measurer, steps, watch, [&](size_t index) { cancel = index == 3; });
        QCOMPARE(some.trials.size(), size_t{4});
        // What was under way is of no interest to the next one.
        MeasureWatch paused;
        paused.pause = &pause;
        pause = true;
        std::thread later([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(400));
            pause = false;
        });
        const auto begin = std::chrono::steady_clock::now();
        const std::vector<Steps> few = candidates(3);
        complete(measured(*measurer, few, paused), few);
        QVERIFY(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(400));
        later.join();
    }

    void drainedByTheUser() {
        Told told;
        const auto fleet = std::make_shared<Fleet>(std::vector<FleetNodeSpec>{local("n1"), local("n2")}, quick(told));
        const auto measurer = makeFleetMeasurer(fleet, taskOf(matmulDag(24, 16, 64)));
        QVERIFY(measurer->prepare());
        QVERIFY(allIdle(*fleet));
        fleet->drain("n2", true);
        QCOMPARE(fleet->nodes()[1].state, NodeState::Drained);
        const std::vector<Steps> steps = candidates(8);
        const Measured result = measured(*measurer, steps);
        complete(result, steps);
        for (const Trial &trial : result.trials) QCOMPARE(trial.machine, std::string("n1"));
        fleet->drain("n2", false);
        QCOMPARE(fleet->nodes()[1].state, NodeState::Idle);
    }

    void nothingIsLeftBehind() {
        const std::vector<pid_t> before = descendants(::getpid());
        std::vector<pid_t> workers;
        {
            Told told;
            const auto fleet =
                std::make_shared<Fleet>(std::vector<FleetNodeSpec>{local("n1"), local("n2")}, quick(told));
            const auto measurer = makeFleetMeasurer(fleet, taskOf(matmulDag(24, 16, 64)));
            QVERIFY(measurer->prepare());
            (void)measured(*measurer, candidates(2));
            workers = descendants(::getpid());
            QVERIFY(workers.size() > before.size());
        }
        QVERIFY(allGone(workers, 10));
    }
};

LOOPSCOPE_TEST(FleetTest)
} // namespace loopscope::fleet_test

#include "fleet_test.moc"
