#pragma once
// What of a network there is to tune: kernels that are computed alike are one task with a weight.

#include "language/dag/compute_dag.h"
#include "networks/graph/function.h"
#include "networks/partition/partition.h"

#include <cstddef>
#include <string>
#include <vector>

namespace loopscope {

struct NetworkTask {
    DagPtr dag;                  // null when there is none
    std::string key;             // of the DAG, as tuning logs have it; empty without one
    int weight = 0;              // how many kernels it stands for
    std::vector<size_t> kernels; // of the partition
    std::string name;            // of the kernels: "conv_add_relu"
    double flops = -1;           // of one kernel; -1 when they cannot be counted
    /// A search may make it faster: its DAG can be built and sums something.
    bool searchable = false;
    std::string whyNot; // one sentence, when it is not
};

/// Whether it sums something, so that how its loops stand matters.
bool reduces(const ComputeDag &dag);

/// In the order of their first kernels; every kernel is in one. Kernels share a task when their DAGs are the same to
/// the last constant: two that only TVM's key takes for the same stay two, with one key.
std::vector<NetworkTask> networkTasks(const GraphFunction &function, const Partition &partition);

} // namespace loopscope
