#pragma once
// The tasks of a network as a search takes them.

#include "base/outcome.h"
#include "language/target/target.h"
#include "language/task/task.h"
#include "measure/timing/machine_peaks.h"
#include "networks/graph/function.h"
#include "networks/partition/tasks.h"

#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct SearchedTask {
    size_t number = 0; // among the network's tasks
    std::string name;  // of its own: where several are called alike, with a number behind it
    Task task;
    double weight = 1;
    double floorSeconds = 0; // no kernel of it can be faster (rooflines); 0 without peaks
};

/// Those that a search can make faster, each key once (weights of tasks that only a log cannot tell apart add up), in
/// the network's order. With names, those alone; refused for a name that none has, with those there are.
Outcome<std::vector<SearchedTask>> searchedTasks(const std::vector<NetworkTask> &tasks, const Target &target,
                                                 const std::optional<MachinePeaks> &peaks,
                                                 const std::vector<std::string> &only = {});

/// What a kernel of the network is timed with (SamplingOptions::weightBytes): the bytes of all constants that the
/// network reads in a run, but no more than what is beyond caches anyway.
int64_t weightBytesOf(const GraphFunction &function);

/// The least seconds that a kernel of the DAG takes: its operations at the peak of all threads, or its compulsory bytes
/// from the caches that can hold them and from memory (measure/timing/least_time.h), whichever is more.
double rooflineSeconds(const ComputeDag &dag, const MachinePeaks &peaks);

} // namespace loopscope
