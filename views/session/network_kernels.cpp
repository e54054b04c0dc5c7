#include "views/session/network_kernels.h"

#include "language/te/workload.h"
#include "views/session/text.h"

#include <algorithm>
#include <utility>

namespace loopscope {

bool meet(const std::set<std::string> &a, const std::set<std::string> &b) {
    const auto &[few, many] = a.size() < b.size() ? std::tie(a, b) : std::tie(b, a);
    return std::ranges::any_of(few, [&](const std::string &one) { return many.contains(one); });
}

std::map<std::string, std::set<std::string>> sourcesByNode(const GraphFunction &function) {
    std::map<std::string, std::set<std::string>> sources;
    for (size_t n = 0; n < function.nodeCount(); ++n) {
        const Node &node = function.node(NodeId(n));
        const std::vector<std::string> names = sourcesOf(node);
        sources[node.name].insert(names.begin(), names.end());
    }
    return sources;
}

double NetworkKernels::flops() const {
    double all = 0;
    for (size_t task = 0; task < ownTasks; ++task) all += std::max(0.0, tasks[task].flops) * tasks[task].weight;
    return all;
}

size_t NetworkKernels::kernelCount() const {
    return static_cast<size_t>(
        std::ranges::count_if(partition.kernels, [](const Kernel &kernel) { return !kernel.joins; }));
}

size_t NetworkKernels::searchable() const {
    return static_cast<size_t>(std::ranges::count_if(tasks, [](const NetworkTask &task) { return task.searchable; }));
}

int NetworkKernels::taskAt(const std::set<std::string> &wanted) const {
    for (size_t kernel = 0; kernel < sources.size(); ++kernel)
        if (meet(sources[kernel], wanted)) return taskOf[kernel];
    return -1;
}

void findUses(NetworkKernels &kernels) {
    const auto &all = kernels.partition.kernels;
    kernels.ownTasks = kernels.tasks.size();
    kernels.taskOf.assign(all.size(), -1);
    kernels.sources.resize(all.size());
    for (size_t i = 0; i < all.size(); ++i)
        for (const NodeId node : all[i].nodes)
            for (const std::string &source : sourcesOf(kernels.function->node(node))) kernels.sources[i].insert(source);
    for (size_t task = 0; task < kernels.tasks.size(); ++task) {
        TaskUse use;
        for (const size_t kernel : kernels.tasks[task].kernels) {
            kernels.taskOf[kernel] = static_cast<int>(task);
            use.sources.insert(kernels.sources[kernel].begin(), kernels.sources[kernel].end());
        }
        for (const ValueId input : all[kernels.tasks[task].kernels.front()].inputs)
            if (const HostTensor *constant = kernels.function->constant(input))
                use.weightBytes += static_cast<int64_t>(constant->byteSize());
        kernels.uses.push_back(std::move(use));
    }
}

void addAlternatives(NetworkKernels &kernels, AlternativeTasks found) {
    for (size_t i = kernels.ownTasks; i < found.tasks.size(); ++i) {
        NetworkTask task = std::move(found.tasks[i]);
        task.kernels.clear(); // of a partition that is not this one
        kernels.tasks.push_back(std::move(task));
        kernels.uses.push_back({std::move(found.sources[i - kernels.ownTasks]), 0});
    }
    found.tasks.clear();
    found.sources.clear();
    kernels.alternatives = std::move(found);
}

QString workloadText(const NetworkTask &task) {
    return qt(printWorkload(task.name, task.dag->ops(), task.dag->args()));
}

} // namespace loopscope
