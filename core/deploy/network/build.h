#pragma once
// From the kernels of a function to an execution plan: each distinct task gets a schedule, from a record where there is
// one and without measuring otherwise, and code, once for all kernels that it fits.

#include "base/outcome.h"
#include "codegen/loop_ir/program.h"
#include "deploy/network/default_schedule.h"
#include "deploy/network/library_kernels.h"
#include "deploy/plan/execution_plan.h"
#include "deploy/plan/plan_selection.h"
#include "language/task/task.h"
#include "networks/graph/function.h"
#include "networks/partition/partition.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace loopscope {

/// Kernels that one piece of code does for: the same operators on the same shapes and types, with constants in the same
/// places.
struct KernelTask {
    Task task;
    std::vector<bool> constants; // by argument: known before the first run
    std::vector<size_t> kernels; // of the partition, in its order
    [[nodiscard]] double flops() const { return task.dag->flops(); }
};

/// In the order in which they first stand in the partition; kernels that only give other dims to the same elements have
/// none, and those that the host computes (hostKernels). Refuses operators that have no tensor expression, with the
/// node.
Outcome<std::vector<KernelTask>> kernelTasks(const GraphFunction &function, const Partition &partition,
                                             const Target &target);

/// What stands for the kernels that the host computes, one each.
struct HostKernel {
    size_t kernel = 0; // of the partition
    PlanKernel code;
};
/// Types must be known. Refuses dims that are no numbers.
Outcome<std::vector<HostKernel>> hostKernels(const GraphFunction &function, const Partition &partition);

struct KnownSchedule {
    Steps steps;
    std::string name; // where it is from: "record 0123456789abcdef"
};

/// How schedules are chosen inside the network (schedule_selection.h).
struct SelectionOptions {
    SelectionRules rules = {};
    uint64_t seed = 0; // of the network's inputs
    const std::atomic<bool> *cancelled = nullptr;
    /// From the thread that builds.
    std::function<void(size_t done, size_t of, const std::string &kernel)> progress = nullptr;
};

/// The last comparison of a task: its kernels where they run, with what runs right after each.
struct SelectionTrial {
    std::string kernel;
    std::vector<std::string> nodes; // of the first kernel
    size_t kernels = 1;
    size_t alternatives = 1;
    std::string before; // the schedule without selecting in context
    std::string chosen;
    double secondsBefore = 0;
    double seconds = 0;
    std::vector<std::string> refusals = {}; // alternatives whose answers differ
    [[nodiscard]] std::string text() const;
};

struct BuildOptions {
    int threads = 0;                                              // that build; <= 0: as many as the machine has
    std::map<std::string, KnownSchedule, std::less<>> known = {}; // by key of the task
    /// Further ones, among which is selected inside the network; none of any task, none estimated: nothing is selected.
    std::map<std::string, std::vector<KnownSchedule>, std::less<>> further = {};
    /// Of tasks without a known schedule so many of those estimated best compete, too; 1: there is nothing to choose.
    size_t estimated = 1;
    SelectionOptions selection = {};
    DefaultScheduleOptions defaults = {}; // for all other tasks
    MemoryOptions memory = {};
    int optLevel = 3;
    LibraryOptions libraries = {}; // that may compute kernels instead
    /// Called as tasks are built, from one thread at a time.
    std::function<void(size_t done, size_t of, const KernelTask &task)> progress = nullptr;
};

/// Code for each of the tasks, in their order; adds to `notes` what did not go as asked. Refuses tasks without code.
Outcome<std::vector<PlanKernel>> buildKernels(const std::vector<KernelTask> &tasks, const Target &target,
                                              const BuildOptions &options, std::vector<std::string> &notes);

/// The loops that the kernel's code was made of; `task` is the one it was built for. Refused for a kernel that a
/// library computes, and when its schedule does not fit the task.
Outcome<LoopProgram> loopsOf(const PlanKernel &kernel, const Task &task);

struct BuiltPlan {
    ExecutionPlan plan;
    std::vector<std::string> notes;      // what did not go as asked: a known schedule that does not fit its task
    std::vector<LibraryTrial> libraries; // how each compares with our kernels
    std::vector<SelectionTrial> selection = {};
    double secondsUnselected =
        0; // seconds of a run without and with what selecting in context chose; 0: there was none
    double secondsSelected = 0;
};

/// Types must be known. The same function, schedules and seed give the same plan, whatever the number of threads. Code
/// is made in this process. Refuses symbolic dims, and GPUs.
Outcome<BuiltPlan> buildPlan(const GraphFunction &function, const Partition &partition, const Target &target,
                             const BuildOptions &options = {});

} // namespace loopscope
