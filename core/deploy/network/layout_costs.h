#pragma once
// What the kernels of a network cost with each layout, and what bringing a value from one into the other does. Either
// the kernels are timed here, as they would be built; or nothing is run, and it is the best record of a task where a
// log has one, and the analytic estimate of its default schedule otherwise. Where records and estimates meet, estimates
// are scaled by the median of what they are wrong by. Estimates know nothing of weights that are packed before the
// first run, and so too little of channels last: they are for where nothing can be run.

#include "base/thread_pool.h"
#include "deploy/network/default_schedule.h"
#include "deploy/network/task_records.h"
#include "language/target/target.h"
#include "networks/op/data_layout.h"
#include "networks/partition/partition.h"

#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace loopscope {

struct NetworkLayoutRequest {
    /// For all that can have it; nothing: what is cheapest, node by node.
    std::optional<DataLayout> everywhere = std::nullopt;
    Target target;
    std::vector<std::string> logs = {}; // whose records count
    FusionMode fusion = FusionMode::Compatible;
    DefaultScheduleOptions estimate = {}; // as kernels without a record are built
    /// Kernels are timed here; otherwise records and estimates decide.
    bool timed = false;
    /// What of the whole cost a choice must save at least, or all stays channels first: less cannot be told apart.
    double minGain = 0.02;
    const std::atomic<bool> *cancelled = nullptr; // outlives the decision
};

struct PricedKernel {
    std::string kernel;    // "conv_add_relu"
    double cost = 0;       // cycles; seconds where anything is measured
    std::string source;    // "record 0123456789abcdef of a.json", "estimate", "timed, default schedule"
    bool measured = false; // timed here, or it has a record
};

class LayoutCosts {
  public:
    /// Throws Error when a log cannot be read.
    LayoutCosts(const NetworkLayoutRequest &request, ThreadPool &pool) : m_request(request), m_pool(pool) {}

    /// Prices the kernels of the function, with all that the layout can have in it, and all transforms of the values of
    /// both kinds. Refuses what has no kernel.
    Outcome<bool> price(const FunctionPtr &function);

    /// Of the kernel that the node is the heart of; null: another node is, whose kernel computes this one too, or
    /// nothing is left to compute.
    [[nodiscard]] const PricedKernel *of(const std::string &node, DataLayout layout) const;
    /// Nodes with the same are computed in one kernel with both layouts. A transform between them would cut it.
    [[nodiscard]] std::pair<size_t, size_t> kernelsOf(const std::string &node) const { return m_kernelsOf.at(node); }
    /// Of bringing data of these dims into the order of axes; nothing where no element moves.
    [[nodiscard]] PricedKernel transform(const TensorType &type, const std::vector<size_t> &axes) const;
    [[nodiscard]] bool inSeconds() const { return m_request.timed || m_scale.has_value(); }
    /// Estimates, where there are some, were multiplied by it, and of so many kernels both are known.
    [[nodiscard]] std::optional<double> scale() const { return m_scale; }
    [[nodiscard]] size_t known() const { return m_known; }
    [[nodiscard]] const std::vector<std::string> &notes() const { return m_notes; }

  private:
    /// The kernels of one writing of the network, or of a transform alone.
    struct Written {
        FunctionPtr function;
        Partition partition;
        std::vector<NetworkTask> tasks;
    };
    struct Priced {
        NetworkTask task;
        std::optional<TaskRecord> record;
        std::optional<double> cycles;
        std::string problem; // why there are none
    };
    [[nodiscard]] Written cut(FunctionPtr function) const;
    /// All transforms that values of the function might need; each node is named by what it brings where.
    [[nodiscard]] static FunctionPtr transformsOf(const GraphFunction &function);
    /// By writing and kernel.
    using Costs = std::vector<std::vector<PricedKernel>>;
    Outcome<Costs> timedCosts(const std::vector<Written> &writings);
    Outcome<Costs> knownCosts(const std::vector<Written> &writings);
    std::optional<Refusal> priceTasks(std::vector<Priced> &priced);
    void keep(const Written &written, const std::vector<PricedKernel> &costs, DataLayout layout);

    const NetworkLayoutRequest &m_request;
    ThreadPool &m_pool;
    std::optional<double> m_scale;
    size_t m_known = 0;
    std::vector<std::string> m_notes;
    std::map<std::pair<std::string, DataLayout>, PricedKernel> m_kernels; // by node
    std::map<std::string, std::pair<size_t, size_t>> m_kernelsOf;         // by node: with each layout
    std::map<std::string, PricedKernel> m_transforms;                     // by type and axes
};

} // namespace loopscope
