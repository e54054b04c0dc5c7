// Applies the rules of rules/ until none applies.

#include "networks/passes/node_attributes.h"
#include "networks/passes/pass_context.h"
#include "networks/passes/pass_list.h"
#include "networks/passes/rewrite_rule.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <unordered_map>

namespace loopscope {

NodeId madeBy(const FunctionEdit &edit, ValueId value, std::string_view op) {
    if (value.value < 0) return {};
    const NodeId by = edit.producer(value);
    return by.value >= 0 && edit.node(by).op == op ? by : NodeId();
}

bool hasOneUse(const FunctionEdit &edit, ValueId value) { return edit.uses(value) == 1 && !edit.isResult(value); }

std::optional<double> uniformNumber(const FunctionEdit &edit, ValueId value) {
    const HostTensor *constant = edit.constant(value);
    if (!constant || !isUniform(*constant)) return std::nullopt;
    return constant->number(0);
}

bool isOnes(const FunctionEdit &edit, ValueId value) {
    const HostTensor *constant = edit.constant(value);
    if (!constant) return false;
    if (isUniform(*constant)) return constant->number(0) == 1;
    if (constant->elements() == 0 || constant->elements() > 4096) return false;
    for (int64_t i = 0; i < constant->elements(); ++i)
        if (constant->number(i) != 1) return false;
    return true;
}

bool isFloatValue(const FunctionEdit &edit, ValueId value) {
    const TensorType *type = edit.type(value);
    return type && isFloat(type->dtype);
}

bool sameType(const FunctionEdit &edit, ValueId a, ValueId b) {
    const TensorType *first = edit.type(a);
    const TensorType *second = edit.type(b);
    return first && second && *first == *second;
}

bool isNotNegative(const FunctionEdit &edit, ValueId value) {
    constexpr int kMaxSteps = 8; // more stand between a square and its root nowhere
    for (int step = 0; step < kMaxSteps; ++step) {
        if (const auto number = uniformNumber(edit, value)) return *number > 0;
        const NodeId by = edit.producer(value);
        if (by.value < 0) return false;
        const std::string_view op = edit.node(by).op;
        for (const std::string_view never : {"abs", "exp", "sigmoid", "sqrt", "reduce_sum_square"})
            if (op == never) return true;
        if (op == "mul") return edit.input(by, 0) == edit.input(by, 1);
        if (op == "add") { // the constant, if any, stands on the right
            if (const auto number = uniformNumber(edit, edit.input(by, 1)); !number || !(*number >= 0)) return false;
        } else if (op != "reduce_mean" && op != "reduce_sum" && op != "reduce_max" && op != "reshape" &&
                   op != "unsqueeze" && op != "squeeze") {
            return false;
        }
        value = edit.input(by, 0);
    }
    return false;
}

Outcome<size_t> applyRules(FunctionEdit &edit, std::span<const RewriteRule> rules, size_t maxSteps,
                           const ConstantEvaluation &evaluation) {
    std::unordered_map<std::string_view, std::vector<const RewriteRule *>> byRoot;
    for (const RewriteRule &rule : rules)
        for (const std::string &root : rule.roots) byRoot[root].push_back(&rule);

    std::deque<NodeId> open;
    std::vector<bool> waiting;
    const auto push = [&](NodeId node) {
        if (waiting.size() < edit.nodeLimit()) waiting.resize(edit.nodeLimit());
        if (waiting[node.index()]) return;
        waiting[node.index()] = true;
        open.push_back(node);
    };
    for (NodeId at = edit.first(); at.value >= 0; at = edit.next(at)) push(at);

    size_t steps = 0;
    while (!open.empty()) {
        const NodeId at = open.front();
        open.pop_front();
        waiting[at.index()] = false;
        if (!edit.alive(at)) continue;
        const auto candidates = byRoot.find(edit.node(at).op);
        if (candidates == byRoot.end()) continue;
        const size_t limit = edit.nodeLimit();
        const std::vector<NodeId> readers = edit.readers(edit.output(at));
        for (const RewriteRule *rule : candidates->second) {
            if (!rule->apply(edit, at, evaluation)) continue;
            if (++steps > maxSteps)
                return Refusal{
                    fmt::format("after {} rewrites there is still something to rewrite, {} at '{}' the last: "
                                "the rules form a cycle",
                                steps - 1, rule->name, edit.node(at).name)};
            // What is new may match, and so may those that now read something else.
            for (size_t made = limit; made < edit.nodeLimit(); ++made) push(NodeId(made));
            for (const NodeId reader : readers) push(reader);
            if (edit.alive(at)) push(at);
            break;
        }
    }
    return steps;
}

GraphPass simplifyAlgebraPass() {
    return {{.name = "simplifyAlgebra",
             .level = 2,
             .needs = {Fact::Types, Fact::Canonical},
             .preserves = Facts::all(),
             .description = "applies rules of algebra until none applies"},
            FunctionRun([](const FunctionPtr &function, GraphPassContext &context) -> Outcome<FunctionPtr> {
                std::vector<RewriteRule> rules = algebraRules();
                std::erase_if(
                    rules, [&](const RewriteRule &rule) { return context.isDisabled("simplifyAlgebra." + rule.name); });
                const ConstantEvaluation evaluation(context);
                FunctionEdit edit(function, "simplifyAlgebra", context.report);
                const size_t maxSteps = context.options.stepsPerNode * (function->nodeCount() + 1);
                if (const auto steps = applyRules(edit, rules, maxSteps, evaluation); !steps) return steps.refusal();
                return edit.finish();
            })};
}

} // namespace loopscope
