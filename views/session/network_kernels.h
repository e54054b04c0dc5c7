#pragma once
// What becomes of a network: the function after its passes, which of its nodes are one kernel, and which kernels are
// one task. Made in a job, never changed after.

#include "deploy/network/alternative_tasks.h"
#include "deploy/network/layout_choice.h"
#include "deploy/plan/memory_plan.h"
#include "networks/partition/partition.h"
#include "networks/partition/tasks.h"
#include "networks/passes/pass_report.h"
#include "networks/strategy/decision.h"
#include "networks/strategy/pins.h"
#include "views/session/network_contents.h"

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace loopscope {

/// What is known of a task beside what it computes.
struct TaskUse {
    std::set<std::string> sources; // names of nodes in the file, of all kernels that are it
    int64_t weightBytes = 0;       // of constants that one kernel reads
};

/// The network after a pass that changed it.
struct NetworkForm {
    QString pass; // empty: as in the file
    FunctionPtr function;
};

/// By what each operator gets one of its implementations.
enum class ImplementationRule : uint8_t {
    Level,      // the highest level: every operator as it stands, where nothing is pinned
    Measured,   // times in logs, then the level
    Compatible, // as TVM's tables say
    Tried,      // as by level, and every other form of it is searched beside it
};

/// By what data has its channels first or last inside the network.
enum class DataLayoutRule : uint8_t {
    Keep,      // first, as in files
    Last,      // last, wherever an operator takes that
    Estimated, // what costs least by records in logs, and by the estimate where there are none
    Measured,  // what costs least by kernels that are timed for it
};

/// How a network becomes kernels.
struct KernelChoice {
    FusionMode fusion = FusionMode::Compatible;
    bool confirmed = false; // what better fusion joins is timed, and taken apart again where that is faster
    ImplementationRule rule = ImplementationRule::Level;
    AccuracyClass worst = AccuracyClass::ReducedPrecision; // that is allowed
    DataLayoutRule layouts = DataLayoutRule::Keep;
    Pins pins = {};                     // the user's own choices
    std::vector<std::string> logs = {}; // that rule and layouts look into

    bool operator==(const KernelChoice &) const = default;
};

/// More nodes get no decisions, but where somebody asks for some.
constexpr size_t kMaxDecided = 20000;

struct NetworkKernels {
    std::vector<NetworkForm> forms; // the first as in the file, the last after all passes
    PassReport report;
    std::vector<Decision> decisions;       // which implementation each node got, and why
    std::optional<NetworkLayouts> layouts; // none: as in the file
    std::vector<std::string> logNotes;     // of the logs that decided
    FunctionPtr function;                  // after the passes
    Partition partition;
    /// Those of the function, then those of other forms of its nodes, which have no kernels here.
    std::vector<NetworkTask> tasks;
    size_t ownTasks = 0;                        // of the function
    AlternativeTasks alternatives;              // groups and keys of the forms; none without other forms
    std::vector<TaskUse> uses;                  // by task
    std::vector<int> taskOf;                    // by kernel
    std::vector<std::set<std::string>> sources; // by kernel: names of nodes in the file

    std::optional<MemoryPlan> memory;
    QString memoryProblem; // why there is none

    /// FLOPs of all uses of all tasks of the function.
    [[nodiscard]] double flops() const;
    /// That of the first kernel whose sources meet these; -1: none does.
    [[nodiscard]] int taskAt(const std::set<std::string> &wanted) const;
    /// Kernels, without concats whose inputs lie in their output.
    [[nodiscard]] size_t kernelCount() const;
    /// Tasks that a search may make faster, those of other forms with them.
    [[nodiscard]] size_t searchable() const;
    [[nodiscard]] bool canOpen(int task) const { return task >= 0 && tasks[static_cast<size_t>(task)].dag != nullptr; }
};
using NetworkKernelsPtr = std::shared_ptr<const NetworkKernels>;

/// For a job's thread; null when cancelled. Throws Error with the sentence of what cannot be done.
NetworkKernelsPtr kernelsOf(const NetworkContents &contents, const KernelChoice &choice,
                            const std::atomic<bool> &cancelled);

/// Of function, partition and tasks of the function: sources and uses.
void findUses(NetworkKernels &kernels);
/// Behind findUses. Tasks of the function are among those of `found`, first and in their order.
void addAlternatives(NetworkKernels &kernels, AlternativeTasks found);

/// What the workbench opens: the `.te` text of a task with a DAG.
QString workloadText(const NetworkTask &task);

/// Names of nodes in the file, by name of the node that stands for them.
std::map<std::string, std::set<std::string>> sourcesByNode(const GraphFunction &function);

bool meet(const std::set<std::string> &a, const std::set<std::string> &b);

} // namespace loopscope
