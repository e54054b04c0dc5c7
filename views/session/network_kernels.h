#pragma once
// What becomes of a network: the function after its passes, which of its nodes are one kernel, and which kernels are one
// task. Made in a job, never changed after.

#include "dag/compute_dag.h"
#include "views/session/network_contents.h"

#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace loopscope {

/// Nodes that are computed together.
struct NetworkKernel {
    QString name;              // of its operators: "conv_add_relu"; not unique
    std::vector<NodeId> nodes; // of NetworkKernels::function
    std::set<std::string> sources; // names of nodes in the file
    int task = -1;                 // in NetworkKernels::tasks; -1: nothing to tune
    QString why;                   // there is no task, one sentence
};

/// The same computation, wherever it stands in the network: what a search is for.
struct NetworkTask {
    QString name;
    QString key;
    std::vector<size_t> kernels; // its uses, in order
    std::set<std::string> sources; // of all of them
    double flops = 0;              // of one use
    int64_t weightBytes = 0;       // of constants that one use reads
    DagPtr dag;
};

struct NetworkKernels {
    FunctionPtr function; // after the passes
    std::vector<NetworkKernel> kernels;
    std::vector<int> kernelOf; // by node of the function; -1: in none
    std::vector<NetworkTask> tasks;
    /// FLOPs of all uses of all tasks.
    [[nodiscard]] double flops() const;
    /// The first whose sources meet these; -1 none.
    [[nodiscard]] int taskAt(const std::set<std::string> &sources) const;
};
using NetworkKernelsPtr = std::shared_ptr<const NetworkKernels>;

/// For a job's thread; null when cancelled. Throws Error with the sentence of what cannot be done.
NetworkKernelsPtr kernelsOf(const NetworkContents &contents, const std::atomic<bool> &cancelled);

/// Kernels with the same DAG as one task, for whoever knows the kernels and their DAGs. A kernel without a DAG says why.
void groupIntoTasks(NetworkKernels &kernels, const std::vector<DagPtr> &dags);

/// What the workbench opens: the `.te` text of a task.
QString workloadText(const NetworkTask &task);

} // namespace loopscope
