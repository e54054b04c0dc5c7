#include "views/session/network_kernels.h"

#include "te/workload.h"
#include "views/session/text.h"

#include <algorithm>
#include <map>

namespace loopscope {

double NetworkKernels::flops() const {
    double all = 0;
    for (const NetworkTask &task : tasks) all += std::max(0.0, task.flops) * static_cast<double>(task.kernels.size());
    return all;
}

int NetworkKernels::taskAt(const std::set<std::string> &sources) const {
    for (const NetworkKernel &kernel : kernels)
        if (kernel.task >= 0 && std::ranges::any_of(kernel.sources, [&](const auto &one) { return sources.contains(one); }))
            return kernel.task;
    return -1;
}

void groupIntoTasks(NetworkKernels &kernels, const std::vector<DagPtr> &dags) {
    std::map<std::string, int> taskOf; // by key
    kernels.kernelOf.assign(kernels.function->nodeCount(), -1);
    for (size_t i = 0; i < kernels.kernels.size(); ++i) {
        NetworkKernel &kernel = kernels.kernels[i];
        int64_t weights = 0;
        std::set<int> counted;
        for (const NodeId id : kernel.nodes) {
            kernels.kernelOf[id.index()] = static_cast<int>(i);
            const Node &node = kernels.function->node(id);
            for (const std::string &source : sourcesOf(node)) kernel.sources.insert(source);
            for (const ValueId input : node.inputs)
                if (const HostTensor *constant = kernels.function->constant(input);
                    constant != nullptr && counted.insert(input.value).second)
                    weights += static_cast<int64_t>(constant->byteSize());
        }
        if (!kernel.why.isEmpty() || dags[i] == nullptr) continue;
        const std::string key = dags[i]->key();
        const auto [at, fresh] = taskOf.try_emplace(key, static_cast<int>(kernels.tasks.size()));
        if (fresh) {
            NetworkTask task;
            task.name = kernel.name;
            task.key = qt(key);
            task.flops = dags[i]->flops();
            task.weightBytes = weights;
            task.dag = dags[i];
            kernels.tasks.push_back(std::move(task));
        }
        kernel.task = at->second;
        NetworkTask &task = kernels.tasks[static_cast<size_t>(at->second)];
        task.kernels.push_back(i);
        task.sources.insert(kernel.sources.begin(), kernel.sources.end());
    }
}

QString workloadText(const NetworkTask &task) {
    return qt(printWorkload(std8(task.name), task.dag->ops(), task.dag->args()));
}

} // namespace loopscope
