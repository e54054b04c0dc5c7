#include "measure/fleet/fleet_tasks.h"

#include <algorithm>

namespace loopscope {

int FleetTasks::add(const Task &task, std::string name, const MeasureOptions &options) {
    const auto number = static_cast<int>(m_tasks.size());
    KnownTask known;
    known.name = std::move(name);
    known.message = fleetTask(number, task, options);
    m_tasks.push_back(std::move(known));
    return number;
}

std::optional<int> FleetTasks::urgent(size_t node) const {
    if (isPending(node)) return std::nullopt;
    for (const KnownTask &task : m_tasks) {
        if (task.nodes.contains(node)) continue;
        const bool hoped = std::ranges::any_of(task.nodes, [](const auto &n) { return n.second == Knowing::Pending; });
        const bool known = std::ranges::any_of(task.nodes, [](const auto &n) { return n.second == Knowing::Knows; });
        if (!known && (!hoped || task.problem)) return task.message.task;
    }
    return std::nullopt;
}

std::optional<int> FleetTasks::unheard(size_t node) const {
    const auto found = std::ranges::find_if(m_tasks, [&](const KnownTask &task) { return !task.nodes.contains(node); });
    return found == m_tasks.end() ? std::nullopt : std::optional(found->message.task);
}

bool FleetTasks::isPending(size_t node) const {
    return std::ranges::any_of(
        m_tasks, [&](const KnownTask &task) { return stands(node, task.message.task, Knowing::Pending); });
}

std::string FleetTasks::sendSetup(size_t node, int task) {
    KnownTask &known = m_tasks[static_cast<size_t>(task)];
    known.nodes[node] = Knowing::Pending;
    return encodeFleet(known.message);
}

void FleetTasks::answered(size_t node, FleetReady ready) {
    if (ready.task < 0 || static_cast<size_t>(ready.task) >= m_tasks.size()) throw WireError();
    KnownTask &task = m_tasks[static_cast<size_t>(ready.task)];
    task.nodes[node] = ready.problem.empty() ? Knowing::Knows : Knowing::Cannot;
    if (!ready.problem.empty())
        task.problem = std::move(ready);
    else if (!task.ready)
        task.ready = std::move(ready);
}

void FleetTasks::forget(size_t node) {
    for (KnownTask &task : m_tasks) task.nodes.erase(node);
}

size_t FleetTasks::readyTasks(size_t node) const {
    return static_cast<size_t>(
        std::ranges::count_if(m_tasks, [&](const KnownTask &task) { return isReady(node, task.message.task); }));
}

bool FleetTasks::stands(size_t node, int task, Knowing how) const {
    const auto found = at(task).nodes.find(node);
    return found != at(task).nodes.end() && found->second == how;
}

} // namespace loopscope
