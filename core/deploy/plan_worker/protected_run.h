#pragma once
// Kernels run where they can do no harm: in a copy of this process (base/isolate/process_copy.h) that may compute and
// nothing else, and that is ended when a kernel does not return in time. Whatever they do, one sentence names the
// kernel. The machine code of a plan is whatever its file holds, and that of our own may be wrong.

#include "base/outcome.h"
#include "deploy/plan/execution_plan.h"
#include "deploy/plan/profile.h"
#include "deploy/plan/run_progress.h"
#include "language/tensor/host_tensor.h"

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct ProtectedRunOptions {
    int threads = 0;    // of parallel loops; <= 0: as many as the machine has
    double timeout = 0; // seconds that a kernel may take; 0: a minute and what its operations may take on slow machines
    bool confined = true;    // else with all rights of this process
    bool readsFiles = false; // though confined: libraries that are opened there
    const std::atomic<bool> *cancel = nullptr;
};

/// Runs the plan once: its outputs. Refused, as all of these, with what became of it where it came to no end.
Outcome<std::vector<HostTensor>> runPlan(const ExecutionPlan &plan, std::span<const HostTensor> inputs,
                                         const ProtectedRunOptions &options);

/// The same, and what every call computed, as it was when the call was over.
class CallValues {
  public:
    /// The plan outlives it. `read` copies bytes from a place among all values, one behind the other.
    using ReadBytes = std::function<void(size_t at, std::span<std::byte> to)>;
    CallValues(const ExecutionPlan &plan, ReadBytes read);
    [[nodiscard]] HostTensor value(size_t call, size_t output) const;
    /// Of all values of the plan.
    [[nodiscard]] static size_t bytesOf(const ExecutionPlan &plan);

  private:
    const ExecutionPlan &m_plan;
    ReadBytes m_read;
    std::vector<std::vector<size_t>> m_offsets;
};
struct ObservedRun {
    std::vector<HostTensor> outputs;
    CallValues calls;
};
Outcome<ObservedRun> observePlan(const ExecutionPlan &plan, std::span<const HostTensor> inputs,
                                 const ProtectedRunOptions &options);

/// Times it there (deploy/plan/profile.h). Whoever wants times to be comparable has the machine to himself meanwhile.
Outcome<PlanProfile> timePlan(const ExecutionPlan &plan, std::span<const HostTensor> inputs,
                              const ProfileOptions &profile, const ProtectedRunOptions &options);

/// Tensors as an answer of such work, and back. Throws Error for what is none.
std::string packedTensors(const std::vector<HostTensor> &tensors);
std::vector<HostTensor> tensorsOf(std::string_view packed);

/// Any work that runs kernels. Runners that it makes, or that were made before, are handed the progress.
class WatchedRun {
  public:
    /// Throws Error when there is no memory.
    WatchedRun();
    ~WatchedRun();
    WatchedRun(const WatchedRun &) = delete;
    WatchedRun &operator=(const WatchedRun &) = delete;
    [[nodiscard]] RunProgress &progress() const;
    /// What the work returns. `plan`, where there is one, has the names of the calls.
    Outcome<std::string> run(const std::function<std::string()> &work, const ExecutionPlan *plan,
                             const ProtectedRunOptions &options) const;

  private:
    struct Memory;
    std::unique_ptr<Memory> m_memory;
};

} // namespace loopscope
