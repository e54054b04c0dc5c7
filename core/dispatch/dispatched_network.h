#pragma once
// A network with one open symbol that runs by its dispatch table: every variant is compiled once, memory is planned
// once, for the bound, and a size that nobody has seen is answered without compiling anything. What the table says of a
// size is looked at again when the size comes first: a variant that does not compute there what the static kernel would
// is refused.

#include "dispatch/dispatch_table.h"
#include "dispatch/kernel_families.h"
#include "network/default_schedule.h"
#include "outcome.h"
#include "plan/plan_runner.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace loopscope {

struct DispatchedOptions {
    int threads = 0;                      // of kernels, and that build; <= 0: as many as the machine has
    DefaultScheduleOptions defaults = {}; // of kernels that do not depend on the symbol
};

class DispatchedNetwork {
  public:
    /// `partition` without open joins. Refuses tables that are not of this network, with the first thing that is wrong,
    /// and what has no kernel. Throws Error when there is not enough memory.
    static Outcome<std::unique_ptr<DispatchedNetwork>> make(const FunctionPtr &function, const Partition &partition,
                                                            const Target &target, const DispatchTable &table,
                                                            const DispatchedOptions &options = {});
    ~DispatchedNetwork();
    DispatchedNetwork(const DispatchedNetwork &) = delete;
    DispatchedNetwork &operator=(const DispatchedNetwork &) = delete;

    /// From the dims of the inputs. Refuses other inputs than the function's, and sizes beyond the bound.
    [[nodiscard]] Outcome<int64_t> sizeOf(std::span<const HostTensor> inputs) const;
    /// Chooses the kernels of a size, 1 to the bound. Refuses, naming kernel and guard, what does not hold there.
    Outcome<bool> setSize(int64_t size);
    [[nodiscard]] int64_t size() const { return m_size; }

    /// Of the size that is set.
    void setInputs(std::span<const HostTensor> inputs);
    /// Nothing is allocated, and nothing looked up.
    void run() {
        for (const size_t call : m_active) m_runner->runOne(call);
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
    };
    DispatchedNetwork() = default;
    Outcome<bool> compile(const Target &target, const DispatchedOptions &options);
    Outcome<bool> compileVariants(const Target &target, int threads, std::vector<PlanKernel> &kernels,
                                  std::vector<std::vector<size_t>> &kernelsOf);
    [[nodiscard]] std::vector<int64_t> dimsAt(ValueId value, int64_t size) const;

    FunctionPtr m_function;
    FunctionPtr m_atBound;
    Partition m_partition;
    DispatchTable m_table;
    std::vector<NetworkFamily> m_families;
    std::vector<Dispatched> m_dispatched;
    std::vector<std::string> m_notes;
    ExecutionPlan m_plan;
    std::unique_ptr<PlanRunner> m_runner;
    std::vector<Slot> m_slots;
    std::vector<size_t> m_active;                   // calls
    std::map<int64_t, std::vector<size_t>> m_known; // by size that was looked at
    int64_t m_size = 0;
};

} // namespace loopscope
