#include "deploy/network/layout_choice.h"

#include "deploy/network/assignment_solver.h"
#include "networks/passes/pass_list.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace loopscope {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// A value as layouts see it: who makes it, who reads it in a layout of its own, and who with channels first.
struct SharedValue {
    ValueId value;
    int producer = -1;        // node that takes any layout; -1: it is there with channels first
    std::vector<int> readers; // nodes that take any layout and read it in theirs, each once
    bool readFirst = false;   // by others, or by the caller
    double toLast = 0;
    double toFirst = 0;

    /// The transforms of it, `layoutOf` saying what each node has.
    template <typename LayoutOf> [[nodiscard]] double cost(const LayoutOf &layoutOf) const {
        const DataLayout made = producer < 0 ? DataLayout::ChannelsFirst : layoutOf(producer);
        bool first = readFirst;
        bool last = false;
        for (const int reader : readers) (layoutOf(reader) == DataLayout::ChannelsFirst ? first : last) = true;
        if (made == DataLayout::ChannelsFirst) return last ? toLast : 0;
        return first ? toFirst : 0;
    }
};

class LayoutDecider {
  public:
    LayoutDecider(const FunctionPtr &function, const LayoutCosts &costs) : m_function(*function), m_costs(costs) {
        for (size_t n = 0; n < m_function.nodeCount(); ++n)
            m_rules.push_back(layoutRuleOf(m_function, m_function.node(NodeId(n))));
        findUnits();
        findValues();
        for (size_t n = 0; n < m_rules.size(); ++n)
            for (const DataLayout layout : kDataLayouts) m_own.push_back(ownCost(n, layout));
    }

    /// The cheapest table; how much of it the heuristic decided.
    std::pair<LayoutTable, size_t> cheapest() {
        AssignmentProblem problem;
        for (const Unit &unit : m_units) {
            std::vector<double> &costs = problem.costs.emplace_back(kDataLayouts.size(), 0.0);
            for (const size_t node : unit.nodes)
                for (const DataLayout layout : kDataLayouts) costs[static_cast<size_t>(layout)] += own(node, layout);
        }
        for (const SharedValue &value : m_values) addValue(problem, value);
        const Assignment assignment = solveAssignment(problem);
        LayoutTable table(m_rules.size(), DataLayout::ChannelsFirst);
        for (size_t u = 0; u < m_units.size(); ++u)
            for (const size_t node : m_units[u].nodes) table[node] = kDataLayouts[assignment.states[u]];
        return {std::move(table), assignment.heuristic};
    }

    [[nodiscard]] double cost(const LayoutTable &table) const {
        double sum = 0;
        for (size_t n = 0; n < table.size(); ++n) sum += own(n, table[n]);
        for (const SharedValue &value : m_values) sum += transformsOf(value, table);
        return sum;
    }

    /// All that is known of one node, other kernels being as the table has them.
    [[nodiscard]] LayoutDecision decision(size_t node, const LayoutTable &table) const {
        const Node &of = m_function.node(NodeId(node));
        LayoutDecision decision = {of.name, of.op, m_rules[node].role, {}, table[node], {}, {}};
        if (!m_rules[node].takesAny()) {
            decision.because = "it takes channels_first alone: " + m_rules[node].why;
            return decision;
        }
        const Unit &unit = m_units[m_unitOf[node]];
        const size_t heart = heartOf(unit);
        if (heart != node) decision.with = m_function.node(NodeId(heart)).name;
        for (const DataLayout layout : kDataLayouts) {
            LayoutOffer offer = {layout, {"", 0, "in the kernel of another node", false}, 0};
            if (const PricedKernel *kernel = m_costs.of(of.name, layout)) offer.kernel = *kernel;
            LayoutTable flipped = table;
            for (const size_t one : unit.nodes) flipped[one] = layout;
            for (const size_t v : unit.values) offer.transforms += transformsOf(m_values[v], flipped);
            for (const size_t one : unit.nodes) offer.transforms += own(one, layout) - kernelCost(one, layout);
            decision.offers.push_back(std::move(offer));
        }
        return decision;
    }

    [[nodiscard]] std::vector<LayoutTransform> transforms(const LayoutTable &table) const {
        std::vector<LayoutTransform> all;
        for (const SharedValue &value : m_values) {
            const auto layoutOf = [&](int node) { return table[static_cast<size_t>(node)]; };
            const DataLayout made = value.producer < 0 ? DataLayout::ChannelsFirst : layoutOf(value.producer);
            const bool first = made == DataLayout::ChannelsLast &&
                               (value.readFirst || std::any_of(value.readers.begin(), value.readers.end(), [&](int at) {
                                    return layoutOf(at) == DataLayout::ChannelsFirst;
                                }));
            const bool last = made == DataLayout::ChannelsFirst &&
                              std::any_of(value.readers.begin(), value.readers.end(),
                                          [&](int at) { return layoutOf(at) == DataLayout::ChannelsLast; });
            if (!first && !last) continue;
            const PricedKernel kernel = transformOf(value.value, first);
            all.push_back({m_function.value(value.value).name,
                           first ? DataLayout::ChannelsFirst : DataLayout::ChannelsLast, kernel.cost, kernel.source});
        }
        return all;
    }

  private:
    /// Nodes with one layout.
    struct Unit {
        std::vector<size_t> nodes;
        std::vector<size_t> values; // of m_values, that they make or read, each once
    };

    void findUnits() {
        m_unitOf.resize(m_rules.size(), 0);
        std::map<std::pair<size_t, size_t>, size_t> units;
        for (size_t n = 0; n < m_rules.size(); ++n) {
            if (!m_rules[n].takesAny()) continue;
            const auto [at, fresh] =
                units.try_emplace(m_costs.kernelsOf(m_function.node(NodeId(n)).name), m_units.size());
            if (fresh) m_units.emplace_back();
            m_unitOf[n] = at->second;
            m_units[at->second].nodes.push_back(n);
        }
    }

    [[nodiscard]] size_t heartOf(const Unit &unit) const {
        for (const DataLayout layout : kDataLayouts)
            for (const size_t node : unit.nodes)
                if (m_costs.of(m_function.node(NodeId(node)).name, layout) != nullptr) return node;
        return unit.nodes.front();
    }

    static double transformsOf(const SharedValue &value, const LayoutTable &table) {
        return value.cost([&](int node) { return table[static_cast<size_t>(node)]; });
    }

    [[nodiscard]] double kernelCost(size_t node, DataLayout layout) const {
        const PricedKernel *kernel = m_costs.of(m_function.node(NodeId(node)).name, layout);
        return kernel ? kernel->cost : 0;
    }

    [[nodiscard]] double own(size_t node, DataLayout layout) const {
        return m_own[node * kDataLayouts.size() + static_cast<size_t>(layout)];
    }

    [[nodiscard]] PricedKernel transformOf(ValueId value, bool toFirst) const {
        const TensorType &type = m_function.type(value);
        const std::vector<size_t> axes = axesIn(DataLayout::ChannelsLast, type.dims.size());
        if (!toFirst) return m_costs.transform(type, axes);
        return m_costs.transform({type.dtype, permuted(type.dims, axes)}, inverseOf(axes));
    }

    /// Its kernel, and what only it reads in another order: kernels of convolutions that are no constants.
    [[nodiscard]] double ownCost(size_t node, DataLayout layout) const {
        const Node &of = m_function.node(NodeId(node));
        double cost = kernelCost(node, layout);
        if (layout == DataLayout::ChannelsFirst || !m_rules[node].takesAny()) return cost;
        const LaidOutNode written = laidOut(m_function, of, layout);
        for (size_t i = 0; i < written.operands.size(); ++i) {
            if (written.operands[i] != OperandForm::Kernel || m_function.isConstant(of.inputs[i])) continue;
            const TensorType &type = m_function.type(of.inputs[i]);
            cost += m_costs.transform(type, kernelAxesIn(layout, type.dims.size())).cost;
        }
        return cost;
    }

    void findValues() {
        std::vector<SharedValue> all(m_function.valueCount());
        for (size_t n = 0; n < m_rules.size(); ++n) {
            const Node &node = m_function.node(NodeId(n));
            if (m_rules[n].takesAny())
                for (const ValueId output : node.outputs) all[output.index()].producer = static_cast<int>(n);
            const LaidOutNode written =
                m_rules[n].takesAny() ? laidOut(m_function, node, DataLayout::ChannelsLast) : LaidOutNode{};
            for (size_t i = 0; i < node.inputs.size(); ++i) {
                if (node.inputs[i].value < 0) continue;
                SharedValue &value = all[node.inputs[i].index()];
                const bool follows = m_rules[n].takesAny() && written.operands[i] == OperandForm::Data;
                if (!follows)
                    value.readFirst = true;
                else if (value.readers.empty() || value.readers.back() != static_cast<int>(n))
                    value.readers.push_back(static_cast<int>(n));
            }
        }
        for (const ValueId result : m_function.results()) all[result.index()].readFirst = true;
        for (size_t v = 0; v < all.size(); ++v) {
            SharedValue &value = all[v];
            value.value = ValueId(v);
            if (m_function.isConstant(value.value) || (value.producer < 0 && value.readers.empty())) continue;
            value.toLast = transformOf(value.value, false).cost;
            value.toFirst = transformOf(value.value, true).cost;
            if (value.producer >= 0) touch(value.producer);
            for (const int reader : value.readers) touch(reader);
            m_values.push_back(value);
        }
    }

    /// The next value is one of the node's unit.
    void touch(int node) {
        std::vector<size_t> &values = m_units[m_unitOf[static_cast<size_t>(node)]].values;
        if (values.empty() || values.back() != m_values.size()) values.push_back(m_values.size());
    }

    void addValue(AssignmentProblem &problem, const SharedValue &value) const {
        const bool made = value.producer >= 0;
        const size_t producer = made ? m_unitOf[static_cast<size_t>(value.producer)] : 0;
        std::vector<size_t> readers; // units; that of the producer reads what there is
        for (const int reader : value.readers) {
            const size_t unit = m_unitOf[static_cast<size_t>(reader)];
            if (!made || unit != producer) readers.push_back(unit);
        }
        std::sort(readers.begin(), readers.end());
        readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
        if (readers.empty()) {
            if (made && value.readFirst) problem.costs[producer][1] += value.toFirst;
        } else if (readers.size() == 1 && !made) {
            problem.costs[readers[0]][1] += value.toLast;
        } else if (readers.size() == 1 && !value.readFirst) {
            problem.pairs.push_back({producer, readers[0], {0, value.toLast, value.toFirst, 0}});
        } else {
            // Brought into another layout once, however many read it so: a variable of its own says whether it is.
            // Its states: first alone, first and last, last alone, last and first.
            const size_t of = problem.costs.size();
            problem.costs.push_back({0, value.toLast, value.readFirst ? kNever : 0, value.toFirst});
            if (!made)
                problem.costs[of][2] = problem.costs[of][3] = kNever;
            else
                problem.pairs.push_back({producer, of, {0, 0, kNever, kNever, kNever, kNever, 0, 0}});
            for (const size_t reader : readers)
                problem.pairs.push_back({of, reader, {0, kNever, 0, 0, kNever, 0, 0, 0}});
        }
    }

    const GraphFunction &m_function;
    const LayoutCosts &m_costs;
    std::vector<LayoutRule> m_rules;
    std::vector<SharedValue> m_values;
    std::vector<Unit> m_units;
    std::vector<size_t> m_unitOf; // by node; of those that take any layout
    std::vector<double> m_own;    // by node and layout
};

std::string amount(double cost, const std::string &unit) {
    return unit == "s" ? fmt::format("{:.4g} ms", 1e3 * cost) : fmt::format("{:.4g} cycles", cost);
}

std::string becauseOf(const LayoutDecision &decision, const std::string &unit) {
    if (!decision.with.empty())
        return fmt::format("it is computed in the kernel of '{}', and goes with it", decision.with);
    const LayoutOffer &first = decision.offers[0];
    const LayoutOffer &last = decision.offers[1];
    const bool isLast = decision.chosen == DataLayout::ChannelsLast;
    const LayoutOffer &taken = isLast ? last : first;
    const LayoutOffer &other = isLast ? first : last;
    if (taken.cost() == other.cost()) return "it costs the same with both, its neighbours as they are";
    // Only where all stayed channels first, or the heuristic missed it.
    const bool dearer = taken.cost() > other.cost();
    return fmt::format("beside its neighbours it costs {}, transforms counted, and {} with {}{}",
                       amount(taken.cost(), unit), amount(other.cost(), unit), dataLayoutName(other.layout),
                       dearer ? ", which saves too little of the whole" : "");
}

void asAsked(NetworkLayouts &layouts, const GraphFunction &function, DataLayout everywhere) {
    layouts.table = uniformLayouts(function, everywhere);
    size_t last = 0;
    for (size_t n = 0; n < function.nodeCount(); ++n) {
        const Node &node = function.node(NodeId(n));
        const LayoutRule rule = layoutRuleOf(function, node);
        LayoutDecision decision = {node.name, node.op, rule.role, {}, layouts.table[n], {}, {}};
        last += layouts.table[n] == DataLayout::ChannelsLast ? 1 : 0;
        if (!rule.takesAny())
            decision.because = "it takes channels_first alone: " + rule.why;
        else if (layouts.table[n] == everywhere)
            decision.because = "it was asked for";
        else
            decision.because = "no convolution and no pool hangs together with it";
        layouts.decisions.push_back(std::move(decision));
    }
    layouts.summary = fmt::format("{} of {} nodes have {}, as was asked for", last, function.nodeCount(),
                                  dataLayoutName(DataLayout::ChannelsLast));
}

} // namespace

Outcome<NetworkLayouts> decideLayouts(const FunctionPtr &function, const NetworkLayoutRequest &request,
                                      ThreadPool &pool) {
    NetworkLayouts layouts;
    if (request.everywhere) {
        asAsked(layouts, *function, *request.everywhere);
        return layouts;
    }
    LayoutCosts costs(request, pool);
    if (const auto priced = costs.price(function); !priced) return priced.refusal();
    LayoutDecider decider(function, costs);
    layouts.priced = true;
    layouts.unit = costs.inSeconds() ? "s" : "cycles";
    layouts.notes = costs.notes();
    if (costs.scale())
        layouts.notes.push_back(fmt::format("estimates of kernels without a record are {:.3g} s a cycle, the median of "
                                            "the {} that have one",
                                            *costs.scale(), costs.known()));
    const LayoutTable first = uniformLayouts(*function, DataLayout::ChannelsFirst);
    layouts.first = decider.cost(first);
    layouts.last = decider.cost(uniformLayouts(*function, DataLayout::ChannelsLast));
    std::tie(layouts.table, layouts.heuristic) = decider.cheapest();
    layouts.cost = decider.cost(layouts.table);
    const double cheapest = layouts.cost;
    const bool pays = cheapest < layouts.first * (1 - request.minGain);
    if (!pays) {
        layouts.table = first;
        layouts.cost = layouts.first;
    }
    const auto last = std::count(layouts.table.begin(), layouts.table.end(), DataLayout::ChannelsLast);
    layouts.summary = fmt::format(
        "{} of {} nodes have {}: the cheapest choice costs {}, all channels first {}, all channels last {}{}{}", last,
        function->nodeCount(), dataLayoutName(DataLayout::ChannelsLast), amount(cheapest, layouts.unit),
        amount(layouts.first, layouts.unit), amount(layouts.last, layouts.unit),
        pays ? ""
             : fmt::format("; less than {:.0f} % is saved, which cannot be told from nothing", 100 * request.minGain),
        layouts.heuristic == 0 ? "" : fmt::format("; {} were decided by a heuristic", layouts.heuristic));
    for (size_t n = 0; n < function->nodeCount(); ++n) {
        LayoutDecision decision = decider.decision(n, layouts.table);
        if (decision.because.empty()) decision.because = becauseOf(decision, layouts.unit);
        layouts.decisions.push_back(std::move(decision));
    }
    layouts.transforms = decider.transforms(layouts.table);
    return layouts;
}

PassResult withLayouts(const Module &module, const NetworkLayouts &layouts, GraphPassContext &context) {
    context.facts = Facts::all();
    PassSequence sequence("layouts");
    // What stood between the file's own transposes and these is read no more.
    sequence.add(assignLayoutsPass(layouts.table)).add(deadCodePass());
    return runPasses(sequence, module, context);
}

} // namespace loopscope
