#include "deploy/network/strategy_choice.h"

#include "base/nearest_name.h"
#include "deploy/network/alternative_tasks.h"
#include "deploy/network/task_records.h"
#include "measure/baselines/baseline.h"
#include "networks/op/operator.h"
#include "networks/partition/tasks.h"
#include "networks/strategy/quantities.h"
#include "networks/strategy/rewrite.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace loopscope {

namespace {

/// Records of the kernels that nodes are in, for each rewrite there is: the whole network is written with one rewrite
/// wherever it is valid, and cut into kernels, so that keys are those that a tuned network of that kind has.
class NetworkEvidence {
  public:
    NetworkEvidence(const GraphFunction &function, const NetworkStrategyOptions &options, ThreadPool &pool)
        : m_function(function), m_options(options), m_pool(pool) {}

    /// Nodes whose candidates have this rewrite.
    void add(NodeRewrite rewrite, const std::vector<RewrittenNode> &nodes) { m_nodes.emplace_back(rewrite, nodes); }

    Outcome<bool> collect(std::vector<std::string> &notes) {
        for (const auto &[rewrite, nodes] : m_nodes) {
            const auto written = rewrite == nullptr
                                     ? Outcome<FunctionPtr>(nullptr)
                                     : rewriteNodes(m_function, nodes, WeightFolding::ShapesOnly, m_pool);
            if (!written) return written.refusal();
            const GraphFunction &function = rewrite == nullptr ? m_function : **written;
            const Partition partition = partitionFunction(function, m_options.fusion);
            const std::vector<NetworkTask> tasks = networkTasks(function, partition);
            const TaskRecords records = recordsOfTasks(tasks, *m_options.measuredOn, m_options.logs);
            if (notes.empty()) notes = records.notes;
            for (size_t t = 0; t < tasks.size(); ++t)
                if (records.best[t])
                    for (const size_t kernel : tasks[t].kernels)
                        keep(function, partition, kernel, rewrite, *records.best[t]);
        }
        return true;
    }

    [[nodiscard]] std::optional<Evidence> of(const std::string &node, NodeRewrite rewrite) const {
        const auto at = m_found.find({node, rewrite});
        return at == m_found.end() ? std::nullopt : std::optional(at->second);
    }

  private:
    /// A record is one of its kernel's anchor; what is fused to it has none of its own.
    void keep(const GraphFunction &function, const Partition &partition, size_t kernel, NodeRewrite rewrite,
              const TaskRecord &record) {
        const Kernel &of = partition.kernels[kernel];
        const NodeId anchor = of.anchor.value >= 0 ? of.anchor : of.nodes.back();
        m_found[{function.node(anchor).name, rewrite}] = {
            record.seconds, fmt::format("record {} of {}", record.name, record.log), false};
    }

    const GraphFunction &m_function;
    const NetworkStrategyOptions &m_options;
    ThreadPool &m_pool;
    std::vector<std::pair<NodeRewrite, std::vector<RewrittenNode>>> m_nodes; // in the order of the first nodes
    std::map<std::pair<std::string, NodeRewrite>, Evidence> m_found;
};

bool isRun(const Node &node) { return node.op != "shape"; }

std::optional<Refusal> wrongPin(const GraphFunction &function, const Pins &pins) {
    for (const auto &[name, implementation] : pins) {
        std::vector<std::string> names;
        for (size_t n = 0; n < function.nodeCount(); ++n) names.push_back(function.node(NodeId(n)).name);
        if (std::find(names.begin(), names.end(), name) != names.end()) continue;
        const std::string nearest = nearestName(name, names);
        return Refusal{fmt::format(
            "'{}' is pinned to {}, and the optimised network has no such node{}", name, implementation,
            nearest.empty() ? "; `net strategies` names them" : fmt::format("; did you mean '{}'?", nearest))};
    }
    return std::nullopt;
}

} // namespace

Outcome<NetworkStrategies> decideStrategies(const GraphFunction &function, const StrategyTable &table,
                                            const StrategyTarget &target, const NetworkStrategyOptions &options,
                                            ThreadPool &pool) {
    if (auto wrong = wrongPin(function, options.pins)) return *wrong;
    NetworkStrategies result;
    NetworkEvidence evidence(function, options, pool);
    const auto decide = [&](const Node &node, const EvidenceOf &known) {
        ChoiceSettings settings = options.settings;
        const auto pin = options.pins.find(node.name);
        settings.pin = pin == options.pins.end() ? "" : pin->second;
        return chooseImplementation(table, target, subjectOf(function, node), settings, known);
    };
    const bool measured = options.settings.measured && !options.logs.empty() && options.measuredOn.has_value();
    if (measured) {
        const auto choices = rewriteChoices(function, {table, target, options});
        if (!choices) return choices.refusal();
        for (const RewriteChoice &choice : *choices) evidence.add(choice.rewrite, choice.nodes);
        if (const auto collected = evidence.collect(result.notes); !collected) return collected.refusal();
    }
    for (size_t n = 0; n < function.nodeCount(); ++n) {
        const Node &node = function.node(NodeId(n));
        if (!isRun(node)) continue;
        EvidenceOf known;
        if (measured)
            known = [&](const Implementation &implementation) {
                return evidence.of(node.name, implementation.rewrite);
            };
        auto decision = decide(node, known);
        if (!decision) return decision.refusal();
        result.decisions.push_back(std::move(decision).value());
    }
    return result;
}

std::string libraryOf(const Implementation &implementation) {
    if (implementation.schedule != ScheduleKind::Library) return {};
    for (const std::string &needed : implementation.needs)
        if (baselineFromName(needed)) return needed;
    return {};
}

std::map<std::string, std::string, std::less<>> librariesOf(const std::vector<Decision> &decisions) {
    std::map<std::string, std::string, std::less<>> all;
    for (const Decision &decision : decisions) {
        const JudgedImplementation *chosen = decision.find(decision.chosen);
        if (chosen == nullptr) continue;
        if (std::string library = libraryOf(chosen->implementation); !library.empty())
            all.emplace(decision.node, std::move(library));
    }
    return all;
}

Outcome<FunctionPtr> withStrategies(const GraphFunction &function, const NetworkStrategies &strategies,
                                    ThreadPool &pool) {
    std::map<std::string, const Decision *> byNode;
    for (const Decision &decision : strategies.decisions) byNode.emplace(decision.node, &decision);
    std::vector<RewrittenNode> nodes;
    for (size_t n = 0; n < function.nodeCount(); ++n) {
        const Node &node = function.node(NodeId(n));
        const auto at = byNode.find(node.name);
        if (at == byNode.end()) continue;
        const JudgedImplementation *chosen = at->second->find(at->second->chosen);
        if (chosen == nullptr) continue;
        if (chosen->implementation.schedule == ScheduleKind::Library && libraryOf(chosen->implementation).empty())
            return Refusal{
                fmt::format("{} is to be computed by {}, a library's function, which Loopscope does not call; "
                            "pin another implementation",
                            nodeText(node), chosen->implementation.name)};
        if (chosen->implementation.rewrite != nullptr) nodes.push_back({NodeId(n), chosen->implementation.rewrite});
    }
    return rewriteNodes(function, nodes, WeightFolding::Compute, pool);
}

} // namespace loopscope
