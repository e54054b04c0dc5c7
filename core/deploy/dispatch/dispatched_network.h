#pragma once
// A network with one open symbol that runs by its dispatch table: every variant is compiled once, memory is planned
// once, for the bound, and a size that nobody has seen is answered without compiling anything. What the table says of a
// size is looked at again when the size comes first: a variant that does not compute there what the static kernel would
// is refused.

#include "base/outcome.h"
#include "deploy/dispatch/dispatch_table.h"
#include "deploy/dispatch/kernel_families.h"
#include "deploy/network/default_schedule.h"
#include "deploy/plan/plan_runner.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace loopscope {

struct DispatchedOptions {
    int threads = 0;                      // of kernels, and that build; <= 0: as many as the machine has
    RunProgress *progress = nullptr;      // told which kernel runs; outlives the network
    DefaultScheduleOptions defaults = {}; // of kernels that do not depend on the symbol
};

class DispatchedNetwork {
  public:
    /// Refuses tables that are not of this network, with the first thing that is wrong, and what has no kernel. Throws
    /// Error when there is not enough memory.
    static Outcome<std::unique_ptr<DispatchedNetwork>> make(const SizedNetwork &network, const Target &target,
                                                            const DispatchTable &table,
                                                            const DispatchedOptions &options = {});
    ~DispatchedNetwork();
    DispatchedNetwork(const DispatchedNetwork &) = delete;
    DispatchedNetwork &operator=(const DispatchedNetwork &) = delete;

    /// From the dims of the inputs. Refuses other inputs than the function's, and sizes beyond the bound.
    [[nodiscard]] Outcome<int64_t> sizeOf(std::span<const HostTensor> inputs) const;
    /// Chooses the kernels of a size, 1 to the bound, and computes what the size alone decides. Refuses, naming kernel
    /// and guard, what does not hold there.
    Outcome<bool> setSize(int64_t size);
    [[nodiscard]] int64_t size() const { return m_size; }

    /// Of the size that is set.
    void setInputs(std::span<const HostTensor> inputs);
    /// Nothing is allocated, and nothing looked up, but for what the host computes. Throws Error where that does not
    /// take the values it is handed, and for an index that is outside.
    void run() {
        if (m_active == nullptr) return; // no size was set
        for (const ActiveCall &active : *m_active) {
            checkIndices(active.checks, m_runner->argumentsOf(active.call));
            if (active.host)
                active.host->run();
            else
                m_runner->runOne(active.call);
        }
    }
    [[nodiscard]] std::vector<HostTensor> outputs() const;

    struct Choice {
        std::string kernel; // its name, and its first node
        std::string node;
        size_t variant = 0;
        std::string origin;
    };
    /// In the order in which they run; kernels that do not depend on the symbol are not among them.
    [[nodiscard]] std::vector<Choice> choices() const;

    [[nodiscard]] const ExecutionPlan &plan() const { return m_plan; }
    [[nodiscard]] const std::vector<std::string> &notes() const { return m_notes; }

  private:
    struct Dispatched {
        const NetworkFamily *family = nullptr;
        const KernelTable *table = nullptr;
        std::vector<GeneralKernel> variants;
    };
    /// A kernel of the partition with its calls, of which one runs.
    struct Slot {
        size_t first = 0;                       // call of the plan
        const Dispatched *dispatched = nullptr; // null: it has one call
        const Kernel *kernel = nullptr;         // that runs; null: something is copied, or nothing happens
        bool host = false;                      // computed there, for each size
    };
    struct ActiveCall {
        size_t call = 0;
        std::unique_ptr<PreparedHost> host; // instead
        std::vector<IndexCheck> checks = {};
    };
    /// What runs at a size.
    struct SizedRun {
        std::vector<ActiveCall> calls;
        std::vector<HostTensor> values; // of the parameters behind the network's own
    };
    explicit DispatchedNetwork(const SizedNetwork &network) : m_network(network) {}
    Outcome<bool> compile(const Target &target, const DispatchedOptions &options);
    [[nodiscard]] Outcome<SizedRun> runAt(int64_t size) const;
    Outcome<bool> compileVariants(const Target &target, int threads, std::vector<PlanKernel> &kernels,
                                  std::vector<std::vector<size_t>> &kernelsOf);
    [[nodiscard]] std::vector<int64_t> dimsAt(ValueId value, int64_t size) const;

    SizedNetwork m_network;
    FunctionPtr m_atBound;
    DispatchTable m_table;
    std::vector<NetworkFamily> m_families;
    std::vector<Dispatched> m_dispatched;
    std::vector<std::string> m_notes;
    ExecutionPlan m_plan;
    std::unique_ptr<PlanRunner> m_runner;
    std::vector<Slot> m_slots;
    std::map<int64_t, SizedRun> m_known; // by size that was looked at
    const std::vector<ActiveCall> *m_active = nullptr;
    int64_t m_size = 0;
};

} // namespace loopscope
