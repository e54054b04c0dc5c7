// A fleet of nodes that answer as a script says: what it does where nodes drift, cannot measure, are drained, and where
// several measurements are under way; and that what a search tries does not depend on them.

#include "harness/sample_dags.h"
#include "harness/scripted_search.h"
#include "measure/fleet/fleet.h"
#include "schedule/steps_json.h"
#include "test_program.h"

#include <QtTest>

#include <algorithm>
#include <mutex>
#include <set>
#include <thread>

namespace loopscope {

namespace {

FleetNodeSpec scripted(const std::string &name, const std::vector<std::string> &script = {}) {
    FleetNodeSpec spec{name, {LOOPSCOPE_SCRIPTED_NODE, "--build", "0.01", "--run", "0.01"}};
    spec.command.insert(spec.command.end(), script.begin(), script.end());
    return spec;
}

struct Told {
    std::mutex mutex;
    std::string text;
    bool says(const std::string &part) {
        const std::lock_guard lock(mutex);
        return text.find(part) != std::string::npos;
    }
};

FleetOptions options(Told &told) {
    FleetOptions options;
    options.tolerance = 0.05;
    options.times.restartAfter = 0.1;
    options.tell = [&told](const std::string &sentence) {
        const std::lock_guard lock(told.mutex);
        told.text += sentence + "\n";
    };
    return options;
}

std::vector<Steps> candidates(int count) {
    std::vector<Steps> all;
    for (int i = 0; i < count; ++i) all.push_back({SplitStep{StageId(2), IterId(2), 64, {i + 1}, true}});
    return all;
}

/// All nodes that measure know so many tasks, and how fast they all are is known.
bool ready(const Fleet &fleet, size_t tasks = 1) {
    return QTest::qWaitFor(
        [&] {
            return std::ranges::all_of(fleet.nodes(), [&](const NodeStatus &node) {
                return node.state == NodeState::Apart ||
                       (node.state == NodeState::Idle && node.reference > 0 && node.prepared >= tasks);
            });
        },
        20000);
}

/// All in order, each with its own steps; the nodes they are from.
std::multiset<std::string> complete(Fleet &fleet, int task, const std::vector<Steps> &steps,
                                    const std::function<void(size_t)> &onTrial = nullptr) {
    std::multiset<std::string> nodes;
    size_t next = 0;
    bool right = true;
    fleet.measure(task, steps,
                  [&](size_t index, const Trial &trial) {
                      right = right && index == next++ && trial.valid() && trial.steps.unpack() == steps[index];
                      nodes.insert(trial.machine);
                      if (onTrial) onTrial(index);
                  },
                  {});
    if (!right || next != steps.size()) nodes.clear();
    return nodes;
}

/// Picks and candidates of a search of two tasks, as they were told.
struct Searched {
    std::vector<int> picks;
    std::vector<std::vector<std::string>> trials;
    std::vector<int> numbers; // of the first task's trials
};

Searched searched(int nodes, int rounds) {
    Told told;
    FleetOptions how = options(told);
    how.rounds = rounds;
    how.tolerance = 1000;
    std::vector<FleetNodeSpec> specs;
    for (int i = 0; i < nodes; ++i)
        specs.push_back(scripted("n" + std::to_string(i), {"--run", i == 0 ? "0.002" : "0.02"}));
    const auto fleet = std::make_shared<Fleet>(std::move(specs), std::move(how));
    const std::vector<Task> tasks{taskForTwoCores(matmulDag()), taskForTwoCores(softmaxDag(64, 96))};
    const auto model = makeXgboostModel({});
    std::vector<std::unique_ptr<Measurer>> measurers;
    std::vector<TaskJob> jobs;
    for (const Task &task : tasks) {
        measurers.push_back(makeFleetMeasurer(fleet, task));
        jobs.push_back({task, quickSearch(48), *measurers.back(), *model, {}});
    }
    SearchListener listener;
    const auto order = makeGradientOrder({});
    const auto results = tuneTasks(jobs, {.threads = 1}, *order, listener);
    Searched found;
    for (const SearchResult &result : results) {
        found.trials.emplace_back();
        for (const Trial &trial : result.trials) found.trials.back().push_back(stepsText(trial.steps.unpack()));
    }
    for (const TaskPicked &picked : listener.all<TaskPicked>()) found.picks.push_back(picked.task);
    for (const TrialFinished &finished : listener.all<TrialFinished>())
        if (finished.task == 0) found.numbers.push_back(finished.number);
    return found;
}

} // namespace

class FleetScriptsTest : public QObject {
    Q_OBJECT

  private slots:
    void severalMeasurementsAtATime() {
        Told told;
        Fleet fleet({scripted("n1"), scripted("n2"), scripted("n3")}, options(told));
        std::vector<int> tasks;
        for (int i = 0; i < 4; ++i) tasks.push_back(fleet.add(taskForTwoCores(matmulDag(16, 16, 16 + i)), "t"));
        for (const int task : tasks) QVERIFY(fleet.prepare(task, nullptr));
        QVERIFY(ready(fleet, tasks.size()));
        std::vector<std::multiset<std::string>> nodes(tasks.size());
        std::vector<std::thread> threads;
        for (size_t i = 0; i < tasks.size(); ++i)
            threads.emplace_back(
                [&, i] { nodes[i] = complete(fleet, tasks[i], candidates(20 + static_cast<int>(i))); });
        for (std::thread &thread : threads) thread.join();
        for (size_t i = 0; i < tasks.size(); ++i) QCOMPARE(nodes[i].size(), 20 + i);
        size_t trials = 0;
        for (const NodeStatus &node : fleet.nodes()) {
            QVERIFY(node.trials > 0);
            QVERIFY(node.waits > 0 && node.waited >= 0);
            trials += node.trials;
        }
        QCOMPARE(trials, size_t{20 + 21 + 22 + 23});
        QCOMPARE(told.text, std::string());
    }

    /// A task is prepared once before a search begins, and by other nodes while they have nothing else to do.
    void tasksAreSharedOut() {
        Told told;
        Fleet fleet({scripted("n1", {"--learn", "0.3"}), scripted("n2", {"--learn", "0.3"})}, options(told));
        QVERIFY(ready(fleet, 0));
        std::vector<int> tasks;
        for (int i = 0; i < 8; ++i) tasks.push_back(fleet.add(taskForTwoCores(matmulDag(16, 16, 16 + i)), "t"));
        for (const int task : tasks) QVERIFY(fleet.prepare(task, nullptr));
        const std::vector<NodeStatus> begun = fleet.nodes();
        QVERIFY(begun[0].prepared + begun[1].prepared >= tasks.size());
        QVERIFY(begun[0].prepared < tasks.size() && begun[1].prepared < tasks.size());
        // What a round waits for comes first.
        const auto nodes = complete(fleet, tasks.back(), candidates(40));
        QCOMPARE(nodes.size(), size_t{40});
        QVERIFY(ready(fleet, tasks.size()));
    }

    void whatOneCannotPrepareOthersDo() {
        Told told;
        FleetOptions how = options(told);
        how.restarts = 0;
        Fleet fleet({scripted("n1", {"--ignorant", "no such vectors"}), scripted("n2", {"--dies", "30"})},
                    std::move(how));
        const int task = fleet.add(taskForTwoCores(matmulDag(16, 16, 64)));
        QVERIFY(fleet.prepare(task, nullptr));
        QCOMPARE(complete(fleet, task, candidates(20)).count("n2"), size_t{20});
        try {
            (void)complete(fleet, task, candidates(20));
            QFAIL("the one that could is gone");
        } catch (const Error &error) {
            QCOMPARE(std::string(error.what()), std::string("no such vectors"));
        }
        QVERIFY2(told.says("n2 is gone: exited with code 3; "), told.text.c_str());
    }

    /// What a search tries depends on how many rounds are under way, and not on how many nodes there are, nor on which
    /// is faster.
    void candidatesDoNotDependOnNodes() {
        for (const int rounds : {1, 3}) {
            const Searched one = searched(1, rounds);
            const Searched three = searched(3, rounds);
            QCOMPARE(one.trials[0].size(), size_t{48});
            QCOMPARE(std::set<std::string>(one.trials[0].begin(), one.trials[0].end()).size(), size_t{48});
            QCOMPARE(one.picks, three.picks);
            QCOMPARE(one.trials, three.trials);
            for (size_t i = 0; i < one.numbers.size(); ++i) QCOMPARE(one.numbers[i], static_cast<int>(i) + 1);
        }
    }

    /// What a node measured since it was last seen to be as fast as the others, and nobody was told of.
    void trialsOfOneThatDriftsAreMeasuredElsewhere() {
        Told told;
        FleetOptions how = options(told);
        how.referenceEvery = 1;
        // The first node holds up what is told: its first candidate takes seconds.
        Fleet fleet({scripted("n1", {"--reference", "0.01", "--run", "1"}),
                     scripted("n2", {"--reference", "0.01", "--run", "0.05"}),
                     scripted("n3", {"--reference", "0.01", "--reference", "0.02", "--run", "0.05"})},
                    std::move(how));
        const int task = fleet.add(taskForTwoCores(matmulDag(16, 16, 64)));
        QVERIFY(fleet.prepare(task, nullptr));
        QVERIFY(ready(fleet));
        const auto nodes = complete(fleet, task, candidates(160));
        QCOMPARE(nodes.size(), size_t{160});
        QVERIFY2(told.says("n3 is left out: its reference kernel takes 100.0 % longer than that of the others"),
                 told.text.c_str());
        QVERIFY2(told.says("n3 has drifted: its reference kernel takes 100.0 % longer than at first"),
                 told.text.c_str());
        const std::vector<NodeStatus> status = fleet.nodes();
        QCOMPARE(status[2].state, NodeState::Apart);
        size_t counted = 0;
        for (const NodeStatus &node : status) {
            QCOMPARE(nodes.count(node.name), node.trials);
            counted += node.trials;
        }
        QCOMPARE(counted, size_t{160});
    }

    /// A slow node is left out as long as there is a faster one, and not beyond.
    void theLastOneMeasuresHoweverSlow() {
        Told told;
        FleetOptions how = options(told);
        how.restarts = 0;
        Fleet fleet({scripted("n1", {"--reference", "0.01", "--dies", "5"}), scripted("n2", {"--reference", "0.02"})},
                    std::move(how));
        const int task = fleet.add(taskForTwoCores(matmulDag(16, 16, 64)));
        QVERIFY(fleet.prepare(task, nullptr));
        QVERIFY(ready(fleet));
        QTRY_COMPARE_WITH_TIMEOUT(fleet.nodes()[1].state, NodeState::Apart, 20000);
        const auto nodes = complete(fleet, task, candidates(20));
        QCOMPARE(nodes.count("n1"), size_t{5});
        QCOMPARE(nodes.count("n2"), size_t{15});
        QVERIFY2(told.says("n1 is gone: exited with code 3; "), told.text.c_str());
        QVERIFY2(told.says("n2 compares with the nodes that are left, and measures\n"), told.text.c_str());
    }

    void oneThatCannotMeasureIsLeftOut() {
        Told told;
        Fleet fleet({scripted("n1", {"--broken", "the disk is full"}), scripted("n2", {"--run", "0.1"})},
                    options(told));
        const int task = fleet.add(taskForTwoCores(matmulDag(16, 16, 64)));
        QVERIFY(fleet.prepare(task, nullptr));
        QVERIFY(ready(fleet));
        const auto nodes = complete(fleet, task, candidates(24));
        QCOMPARE(nodes.count("n2"), size_t{24});
        QVERIFY2(told.says("n1: it cannot measure: the disk is full\n"), told.text.c_str());
        QVERIFY2(told.says("n1 is left out: it cannot measure: the disk is full\n"), told.text.c_str());
        QCOMPARE(fleet.nodes()[0].state, NodeState::Apart);
        QCOMPARE(fleet.nodes()[0].why, std::string("it cannot measure: the disk is full"));
        // The user has made room, or says so.
        fleet.drain("n1", false);
        QCOMPARE(fleet.nodes()[0].state, NodeState::Idle);
    }

    void noneCanMeasure() {
        Told told;
        Fleet fleet({scripted("n1", {"--broken", "the disk is full"})}, options(told));
        const int task = fleet.add(taskForTwoCores(matmulDag(16, 16, 64)));
        QVERIFY(fleet.prepare(task, nullptr));
        QVERIFY(ready(fleet));
        try {
            (void)complete(fleet, task, candidates(3));
            QFAIL("it cannot measure");
        } catch (const Error &error) {
            QCOMPARE(std::string(error.what()),
                     std::string("no node is left: n1: it cannot measure: the disk is full"));
        }
    }

    void allAreDrained() {
        Told told;
        Fleet fleet({scripted("n1"), scripted("n2")}, options(told));
        const int task = fleet.add(taskForTwoCores(matmulDag(16, 16, 64)));
        QVERIFY(fleet.prepare(task, nullptr));
        QVERIFY(ready(fleet));
        std::thread later;
        const auto nodes = complete(fleet, task, candidates(60), [&](size_t index) {
            if (index != 3) return;
            fleet.drain("n1", true);
            fleet.drain("n2", true);
            later = std::thread([&] {
                for (int i = 0; i < 200 && !told.says("no node is left for now; the search waits"); ++i)
                    std::this_thread::sleep_for(std::chrono::milliseconds(50));
                fleet.drain("n2", false);
            });
        });
        later.join();
        QCOMPARE(nodes.size(), size_t{60});
        QVERIFY2(told.says("no node is left for now; the search waits\n"), told.text.c_str());
    }

    /// A round in turn on one node, while others measure another task.
    void finalistsBesideOtherRounds() {
        Told told;
        Fleet fleet({scripted("n1"), scripted("n2")}, options(told));
        const int first = fleet.add(taskForTwoCores(matmulDag(16, 16, 64)));
        const int second = fleet.add(taskForTwoCores(matmulDag(16, 16, 32)));
        for (const int task : {first, second}) QVERIFY(fleet.prepare(task, nullptr));
        QVERIFY(ready(fleet, 2));
        std::multiset<std::string> nodes;
        std::thread measuring([&] { nodes = complete(fleet, first, candidates(60)); });
        const auto turns = fleet.interleave(second, candidates(3), 5, {});
        measuring.join();
        QCOMPARE(nodes.size(), size_t{60});
        QCOMPARE(turns.size(), size_t{3});
        for (const TurnSamples &turn : turns) QCOMPARE(turn.seconds.size(), size_t{5});
    }
};

LOOPSCOPE_TEST(FleetScriptsTest)
} // namespace loopscope

#include "fleet_scripts_test.moc"
