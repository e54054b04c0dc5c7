#pragma once
// Many machines that measure for one search. Candidates are handed to whoever is free, a few at a time; what a lost
// node had in flight is handed out again; no trial counts twice, and they are told in their order, so that the search
// goes the same way however many nodes there are. Nodes that are not like the target, or not as fast as the others, are
// left out and said.

#include "language/task/task.h"
#include "measure/fleet/fleet_node.h"
#include "measure/fleet/fleet_round.h"
#include "measure/fleet/fleet_tasks.h"
#include "measure/fleet/node_status.h"
#include "measure/measurer.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct FleetOptions {
    MeasureOptions measure = {};
    std::optional<Target> target = {}; // what nodes must be; none: anything
    FleetNodeTimes times = {};
    int restarts = 4;            // of a node that is lost, before it is gone
    double tolerance = 0.03;     // that the reference kernel may differ by
    double referenceEvery = 180; // seconds
    int maxLost = 3;             // nodes that one candidate may lose
    /// Measurements under way at a time: while one ends and the next is thought of, nodes have the others. What a
    /// search tries depends on it, and so it does not depend on how many nodes there are.
    int rounds = 4;
    /// A sentence for people; any thread, one at a time.
    std::function<void(const std::string &sentence)> tell = nullptr;
};

class Fleet final : private FleetNodeOwner {
  public:
    Fleet(std::vector<FleetNodeSpec> nodes, FleetOptions options);
    ~Fleet() override;
    Fleet(const Fleet &) = delete;
    Fleet &operator=(const Fleet &) = delete;

    [[nodiscard]] std::vector<NodeStatus> nodes() const;
    /// No new candidates for it, or again, also where it could not measure or was too slow, if it is not any more.
    void drain(const std::string &name, bool drained);

    /// Its number in what follows. `name`: of one among several, for people.
    int add(const Task &task, std::string name = {});
    /// Until one node at least knows the task; false when cancelled. Throws Error where none ever will,
    /// ReferenceTimeout.
    bool prepare(int task, const std::atomic<bool> *cancel);
    /// As Measurer::measure; on several threads at a time, those that began first go first. Throws Error when no node
    /// is left.
    void measure(int task, const std::vector<Steps> &candidates,
                 const std::function<void(size_t index, const Trial &trial)> &onTrial, const MeasureWatch &watch);
    /// On one node.
    std::vector<TurnSamples> interleave(int task, const std::vector<Steps> &candidates, int rounds,
                                        const MeasureWatch &watch);
    /// What nodes said of how they run kernels.
    [[nodiscard]] std::vector<std::string> notes(int task) const;
    /// Times the reference kernel once more on every node that is idle, and says what drifted.
    void finish();
    /// Nothing is told any more: whoever listened goes away before the fleet does.
    void endTelling();
    [[nodiscard]] const FleetOptions &options() const { return m_options; }

  private:
    struct Node;
    class Turn;
    std::string welcome(size_t number, const NodeHello &hello) override;
    void received(size_t number, const std::string &message) override;
    std::string next(size_t number) override;
    bool lost(size_t number, const std::string &why) override;
    void refused(size_t number, const std::string &why) override;

    // All with m_mutex held:
    [[nodiscard]] size_t usableNodes() const;
    [[nodiscard]] bool hopeless() const;
    [[nodiscard]] std::string reasons() const;
    std::string nextBatch(size_t number);
    [[nodiscard]] std::optional<int> nextSetup(size_t number) const;
    std::string sendSetup(size_t number, int task);
    void throwIfNoneCan(int task) const;
    [[nodiscard]] bool hasMostTrials(size_t number, int task) const;
    void giveBack(Node &node, const std::string &why, int maxLost = 0);
    void takeTrial(Node &node, const FleetTrial &message);
    void takeReference(Node &node, double seconds);
    void judge();
    void wakeAll();
    void sayIfNoneMeasures();
    void say(std::string sentence);
    void tellSaid(std::unique_lock<std::mutex> &lock);

    FleetOptions m_options;
    SpawnThread m_spawner; // outlives the nodes
    mutable std::mutex m_mutex;
    std::condition_variable m_news;
    std::vector<std::unique_ptr<Node>> m_nodes;
    FleetTasks m_tasks;
    std::vector<FleetRound *> m_rounds; // of those who measure, oldest first
    uint64_t m_batches = 0;
    std::deque<std::string> m_said;
    bool m_telling = false;
    bool m_saidNone = false;
    bool m_finishing = false;
};

/// What measures the task's candidates on the fleet.
std::unique_ptr<Measurer> makeFleetMeasurer(std::shared_ptr<Fleet> fleet, const Task &task, std::string name = {});

} // namespace loopscope
