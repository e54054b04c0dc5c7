#pragma once
// Runs an execution plan on the processor: everything is prepared when it is loaded (code linked, weights laid out,
// argument blocks filled in, memory reserved), and a run is a loop over calls that allocates nothing, looks nothing up
// and takes no lock, but for what the host computes as the catalogue says (host_routine.h).

#include "codegen/runtime/loaded_kernel.h"
#include "deploy/plan/execution_plan.h"
#include "deploy/plan/run_progress.h"
#include "language/tensor/host_tensor.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace loopscope {

struct PlanRunOptions {
    int threads = 0; // of parallel loops; <= 0: as many as the machine has. 1: loops run on the caller, nothing waits
    RunProgress *progress = nullptr; // outlives the runner; null: nobody watches
};

/// Opens what kernels call, those of the plan too where there is one, for a process that will not be allowed to later.
void openLibrariesOf(const ExecutionPlan *plan);

/// Throws Error where an integer would be divided by 0; the arguments are those of the call.
void checkDivisors(const PlanCall &call, void *const *arguments);

class PlanRunner {
  public:
    /// Throws Error for a plan that cannot be run (problemOf) or is for wider vectors than this machine has, for code
    /// that cannot be linked, and when there is not so much memory. The plan outlives it and keeps its constants.
    PlanRunner(const ExecutionPlan &plan, const PlanRunOptions &options);
    explicit PlanRunner(const ExecutionPlan &plan) : PlanRunner(plan, PlanRunOptions()) {}
    ~PlanRunner();
    PlanRunner(const PlanRunner &) = delete;
    PlanRunner &operator=(const PlanRunner &) = delete;

    [[nodiscard]] const ExecutionPlan &plan() const { return m_plan; }
    [[nodiscard]] int threads() const { return m_threads; }

    /// A copy; refused with Error when type or dims are not the input's.
    void setInput(size_t number, const HostTensor &tensor);
    [[nodiscard]] HostTensor output(size_t number) const;
    /// Where they are read and written without setInput and output, for who knows how much of it is meant.
    [[nodiscard]] std::byte *inputMemory(size_t number) const { return m_inputs.at(number); }
    [[nodiscard]] const std::byte *outputMemory(size_t number) const { return m_outputs.at(number); }

    /// Once. From one thread at a time; always the same thread, if its first run is not to reserve memory anew. Throws
    /// Error where the host does not take the values it is handed, and for an index that is outside, and where an
    /// integer would be divided by 0.
    void run() {
        for (const Call &call : m_active) runCall(call);
        m_progress->end();
    }
    /// The same, and `after` every call of the plan, with its number.
    void runObserved(const std::function<void(size_t call)> &before, const std::function<void(size_t call)> &after);
    /// One call alone, on what its arguments hold.
    void runOne(size_t call);
    /// Where the arguments of a call lie, for who computes it in its place.
    [[nodiscard]] void *const *argumentsOf(size_t call) const { return m_calls.at(call).arguments; }

    /// What an argument of a call holds now, with the type and dims of a call's outputs; inputs as bytes of float32.
    [[nodiscard]] HostTensor callOutput(size_t call, size_t output) const;
    /// Fills an argument that is no constant; as many bytes as it has.
    void fillArgument(size_t call, size_t argument, std::span<const std::byte> bytes);

  private:
    struct Call {
        const LoadedKernel *kernel = nullptr; // null: copies
        void **arguments = nullptr;
        size_t bytes = 0;                    // copied
        PreparedBaseline *routine = nullptr; // of another library, instead of a kernel
        const PreparedHost *host = nullptr;  // the same
        const PlanCall *checked = nullptr;   // whose indices are looked at before
        size_t number = 0;                   // of the plan's calls
        const PlanCall *divides = nullptr;   // by integers that may be 0
    };
    void runCall(const Call &call) const {
        m_progress->begin(call.number);
        if (call.checked != nullptr) checkIndices(call.checked->checks, call.arguments);
        if (call.divides != nullptr) checkDivisors(*call.divides, call.arguments);
        if (call.kernel != nullptr)
            (*call.kernel)(call.arguments, m_runtime);
        else if (call.routine != nullptr)
            call.routine->run();
        else if (call.host != nullptr)
            call.host->run();
        else
            copy(call);
    }
    static void copy(const Call &call);
    void load();
    void pack();
    void bindCalls();
    void bindRoutines();
    void reserve();
    [[nodiscard]] std::byte *place(const PlanArgument &argument) const;
    [[nodiscard]] std::byte *placeInPlan(const PackedConstant &packed) const;

    class Memory; // 64-byte aligned
    const ExecutionPlan &m_plan;
    int m_threads;
    LoopscopeRuntime m_runtime;
    RunProgress m_unwatched;
    RunProgress *m_progress;
    std::vector<std::optional<LoadedKernel>> m_kernels;        // nothing: another library computes it
    std::vector<std::unique_ptr<PreparedBaseline>> m_routines; // by call
    std::vector<std::unique_ptr<PreparedHost>> m_hosts;
    std::vector<std::unique_ptr<Memory>> m_memory;
    std::byte *m_arena = nullptr;
    std::vector<std::byte *> m_inputs;  // of the runner
    std::vector<std::byte *> m_outputs; // of the runner
    std::vector<std::byte *> m_packed;
    std::vector<void *> m_arguments; // of all calls
    std::vector<Call> m_calls;
    std::vector<Call> m_active; // those that do something
};

} // namespace loopscope
