#pragma once
// Which tasks the nodes of a fleet know. The set-up of one takes a node seconds, as its reference is computed: so a
// task that nobody knows goes to one node, and the others get it when they have nothing else to do. Internal to
// fleet.cpp.

#include "measure/fleet/messages.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

class FleetTasks {
  public:
    /// Its number in what follows.
    int add(const Task &task, std::string name, const MeasureOptions &options);
    [[nodiscard]] const std::string &name(int task) const { return at(task).name; }

    /// A task that nobody knows or sets up, or that others could not; none while the node sets up another.
    [[nodiscard]] std::optional<int> urgent(size_t node) const;
    /// A task that the node has not heard of.
    [[nodiscard]] std::optional<int> unheard(size_t node) const;
    [[nodiscard]] bool hasHeard(size_t node, int task) const { return at(task).nodes.contains(node); }
    [[nodiscard]] bool isPending(size_t node) const;
    /// What is to be sent to it for that.
    std::string sendSetup(size_t node, int task);
    /// Throws WireError for one that there is none of.
    void answered(size_t node, FleetReady ready);
    /// It is started again, or is gone.
    void forget(size_t node);

    [[nodiscard]] bool isReady(size_t node, int task) const { return stands(node, task, Knowing::Knows); }
    [[nodiscard]] size_t readyTasks(size_t node) const;
    [[nodiscard]] bool cannot(size_t node, int task) const { return stands(node, task, Knowing::Cannot); }
    /// What the first node that knew it said; null: none has yet.
    [[nodiscard]] const FleetReady *ready(int task) const { return at(task).ready ? &*at(task).ready : nullptr; }
    /// What the last one said that could not set it up; null: none has.
    [[nodiscard]] const FleetReady *problem(int task) const { return at(task).problem ? &*at(task).problem : nullptr; }

  private:
    enum class Knowing : uint8_t { Pending, Knows, Cannot };
    struct KnownTask {
        std::string name;
        FleetTask message;
        std::optional<FleetReady> ready;
        std::optional<FleetReady> problem;
        std::map<size_t, Knowing> nodes; // those that have heard of it
    };
    [[nodiscard]] const KnownTask &at(int task) const { return m_tasks[static_cast<size_t>(task)]; }
    [[nodiscard]] bool stands(size_t node, int task, Knowing how) const;

    std::vector<KnownTask> m_tasks;
};

} // namespace loopscope
