#include "networks/graph/verify_statements.h"

#include "base/nearest_name.h"
#include "networks/graph/dim_match.h"
#include "networks/graph/statement.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>
#include <utility>

namespace loopscope {

namespace {

std::string valuesText(size_t count) { return fmt::format("{} value{}", count, count == 1 ? "" : "s"); }

std::vector<std::string> namedFunctions(const GraphFunction &function) {
    std::vector<std::string> names;
    for (size_t i = 0; i < function.nodeCount(); ++i) {
        const Node &node = function.node(NodeId(i));
        const auto kind = statementKind(node);
        if (!kind) continue;
        for (const std::string_view attribute : regionAttributes(*kind)) names.push_back(regionName(node, attribute));
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

/// The statements of one function.
class StatementRules {
  public:
    StatementRules(const Module &module, const GraphFunction &function, std::vector<StatementProblem> &problems)
        : m_module(module), m_function(function), m_problems(problems) {}

    void run() {
        Dims dims;
        for (const ValueId parameter : m_function.parameters())
            if (const auto &type = m_function.value(parameter).type)
                dims.insert(dims.end(), type->dims.begin(), type->dims.end());
        unsolvedAxis(dims, m_known);
        for (const Block &block : m_function.blocks())
            for (const Node &node : block.nodes) {
                if (const auto kind = statementKind(node)) statement(node, *kind, block.kind);
                ++m_at;
            }
    }

  private:
    template <typename... Args> void add(const Node &node, fmt::format_string<Args...> format, Args &&...args) {
        m_problems.push_back({m_function.name(), NodeId(m_at),
                              nodeText(node) + ": " + fmt::format(format, std::forward<Args>(args)...)});
    }

    void statement(const Node &node, StatementKind kind, BlockKind block) {
        if (block == BlockKind::Dataflow)
            add(node, "stands in a dataflow block, which is pure; its place is `effect {{ ... }}`");
        if (!attributes(node, kind)) return;
        for (size_t i = 0; i < node.inputs.size(); ++i)
            if (node.inputs[i].value < 0 && !(kind == StatementKind::Loop && i < 2) &&
                !(kind == StatementKind::Cut && i == 3) && !(kind == StatementKind::Suppression && i >= 2))
                return add(node, "input {} is left out, it is needed", i);
        switch (kind) {
        case StatementKind::If:
            if (node.inputs.empty()) return add(node, "has no condition");
            for (const std::string_view branch : regionAttributes(kind))
                region(node, branch, node.inputs.size() - 1, node.outputs.size());
            break;
        case StatementKind::Loop:
            loop(node);
            break;
        case StatementKind::Call:
            region(node, "function", node.inputs.size(), node.outputs.size());
            break;
        case StatementKind::Match:
            match(node);
            break;
        case StatementKind::Unique:
            one(node);
            break;
        case StatementKind::Cut:
            if (node.inputs.size() < 3 || node.inputs.size() > 5 || node.outputs.size() != 1)
                add(node, "takes a value, starts, ends, axes and steps, and gives one value; it has {} and {} output{}",
                    inputsText(node), node.outputs.size(), node.outputs.size() == 1 ? "" : "s");
            break;
        case StatementKind::Suppression:
            if (node.inputs.size() < 2 || node.inputs.size() > 5 || node.outputs.size() != 1)
                add(node,
                    "takes boxes, scores, how many at most, a share of overlap and a least score, and gives one value; "
                    "it has {} and {} output{}",
                    inputsText(node), node.outputs.size(), node.outputs.size() == 1 ? "" : "s");
            break;
        case StatementKind::Packed:
            packed(node);
            break;
        }
    }

    void packed(const Node &node) {
        for (const ValueId output : node.outputs)
            if (output.value < 0 || !m_function.value(output).type)
                return add(node, "every output needs a type, `name: float32[n, 4]`: a function from outside does not "
                                 "say what it gives");
    }

    bool attributes(const Node &node, StatementKind kind) {
        std::vector<std::string> known;
        for (const std::string_view name : regionAttributes(kind)) known.emplace_back(name);
        bool good = true;
        for (const std::string &name : known)
            if (regionName(node, name).empty()) {
                add(node, "attribute {} has to be the name of a function", name);
                good = false;
            }
        if (kind == StatementKind::Packed) {
            known.emplace_back("function");
            if (regionName(node, "function").empty()) {
                add(node, "attribute function has to be the name of a function from outside");
                good = false;
            }
        }
        if (kind == StatementKind::Loop) {
            known.emplace_back("carried");
            if (!carriedCount(node)) {
                add(node, "attribute carried has to say how many of its {} are carried", inputsText(node));
                good = false;
            }
        }
        for (const auto &[name, held] : node.attributes)
            if (std::find(known.begin(), known.end(), name) == known.end()) {
                add(node, "has no attribute '{}'{}", name, suggestion(name, known));
                good = false;
            }
        return good;
    }

    static std::string inputsText(const Node &node) {
        return fmt::format("{} input{}", node.inputs.size(), node.inputs.size() == 1 ? "" : "s");
    }

    void region(const Node &node, std::string_view attribute, size_t takes, size_t gives) {
        const std::string name = regionName(node, attribute);
        const FunctionPtr function = m_module.find(name);
        if (!function) {
            std::vector<std::string> names;
            for (const FunctionPtr &other : m_module.functions) names.push_back(other->name());
            return add(node, "{} is `{}`, and the network has no function of that name{}", attribute, name,
                       suggestion(name, names));
        }
        if (function->parameters().size() != takes)
            add(node, "hands {} to function `{}`, which takes {}", valuesText(takes), name,
                valuesText(function->parameters().size()));
        if (function->results().size() != gives)
            add(node, "needs {} from function `{}`, which gives {}", valuesText(gives), name,
                valuesText(function->results().size()));
    }

    void loop(const Node &node) {
        const size_t carried = *carriedCount(node);
        if (node.inputs.size() < 2 + carried)
            return add(node, "has {}; trips, a condition and {} that are carried are at least {}", inputsText(node),
                       valuesText(carried), 2 + carried);
        if (node.outputs.size() < carried)
            return add(node, "gives {}, and {} are carried", valuesText(node.outputs.size()), carried);
        region(node, "body", node.inputs.size(), 1 + node.outputs.size());
    }

    bool one(const Node &node) {
        if (node.inputs.size() == 1 && node.outputs.size() == 1) return true;
        add(node, "takes one value and gives one; it has {} and {} output{}", inputsText(node), node.outputs.size(),
            node.outputs.size() == 1 ? "" : "s");
        return false;
    }

    void match(const Node &node) {
        if (!one(node)) return;
        const Value &value = m_function.value(node.outputs[0]);
        if (!value.type) return add(node, "says no pattern: the type of `{}` is it", value.name);
        if (const auto axis = unsolvedAxis(value.type->dims, m_known))
            add(node,
                "dim {} of the pattern, {}, cannot be solved: no more than one symbol of it may be new, with a "
                "number as its factor",
                *axis, value.type->dims[*axis].text());
    }

    const Module &m_module;
    const GraphFunction &m_function;
    std::vector<StatementProblem> &m_problems;
    SymbolNames m_known;
    size_t m_at = 0;
};

/// Who names whom.
class CallOrder {
  public:
    explicit CallOrder(const Module &module) : m_module(module) {}

    void run() {
        for (const FunctionPtr &function : m_module.functions) visit(function);
    }
    [[nodiscard]] const std::vector<FunctionPtr> &order() const { return m_order; }
    [[nodiscard]] std::vector<StatementProblem> problems() && { return std::move(m_problems); }

  private:
    /// How many functions wait for one another from this one on.
    size_t visit(const FunctionPtr &function) {
        const auto [at, isNew] = m_depths.try_emplace(function->name(), 0);
        if (!isNew) {
            const auto begin = std::find(m_path.begin(), m_path.end(), function->name());
            if (begin == m_path.end()) {
                if (m_path.size() + at->second > kDeepestCalls) tooDeep(*function, m_path.size() + at->second);
                return at->second;
            }
            std::vector<std::string> cycle(begin, m_path.end());
            cycle.push_back(function->name());
            m_problems.push_back(
                {function->name(),
                 {},
                 fmt::format("calls itself ({}); networks have no recursion", fmt::join(cycle, " -> "))});
            return 0;
        }
        if (m_path.size() >= kDeepestCalls) {
            tooDeep(*function, m_path.size() + 1);
            return 0;
        }
        m_path.push_back(function->name());
        size_t depth = 0;
        for (const std::string &name : namedFunctions(*function))
            if (const FunctionPtr callee = m_module.find(name)) depth = std::max(depth, visit(callee));
        m_path.pop_back();
        m_depths[function->name()] = depth + 1;
        m_order.push_back(function);
        return depth + 1;
    }

    void tooDeep(const GraphFunction &function, size_t depth) {
        m_problems.push_back({function.name(),
                              {},
                              fmt::format("is one of {} functions of which each calls the next; "
                                          "{} is the most",
                                          depth, kDeepestCalls)});
    }

    const Module &m_module;
    std::map<std::string, size_t, std::less<>> m_depths; // with those below it
    std::vector<std::string> m_path;
    std::vector<FunctionPtr> m_order;
    std::vector<StatementProblem> m_problems;
};

} // namespace

std::vector<StatementProblem> statementProblems(const Module &module) {
    std::vector<StatementProblem> problems;
    for (const FunctionPtr &function : module.functions) StatementRules(module, *function, problems).run();
    CallOrder order(module);
    order.run();
    for (StatementProblem &problem : std::move(order).problems()) problems.push_back(std::move(problem));
    return problems;
}

std::vector<FunctionPtr> calleesFirst(const Module &module) {
    CallOrder order(module);
    order.run();
    return order.order();
}

} // namespace loopscope
