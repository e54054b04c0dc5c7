#include "language/dag/op_order.h"

#include "base/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <unordered_map>
#include <unordered_set>

namespace loopscope {

namespace {

struct Reached {
    std::vector<const Op *> byPriority; // index = priority number
    std::unordered_map<const Op *, size_t> priority;
    std::unordered_map<const Op *, std::vector<const Tensor *>> inputs;
};

Reached reach(const std::vector<const Tensor *> &args) {
    Reached reached;
    std::vector<const Op *> stack;
    for (const Tensor *arg : args) stack.push_back(arg->op);
    while (!stack.empty()) {
        const Op *op = stack.back();
        stack.pop_back();
        if (!reached.priority.emplace(op, reached.byPriority.size()).second) continue;
        reached.byPriority.push_back(op);
        std::vector<const Tensor *> inputs = inputTensors(*op);
        for (const Tensor *input : inputs) stack.push_back(input->op);
        reached.inputs.emplace(op, std::move(inputs));
    }
    return reached;
}

/// Kahn's algorithm; among the ready ops the one with the largest priority number goes first.
std::vector<const Op *> topological(const Reached &reached) {
    const size_t count = reached.byPriority.size();
    std::vector<size_t> waiting(count, 0);
    std::vector<std::vector<size_t>> readers(count); // one entry per distinct tensor read
    std::priority_queue<size_t> ready;
    for (size_t i = 0; i < count; ++i) {
        const auto &inputs = reached.inputs.at(reached.byPriority[i]);
        waiting[i] = inputs.size();
        for (const Tensor *input : inputs) readers[reached.priority.at(input->op)].push_back(i);
        if (inputs.empty()) ready.push(i);
    }
    std::vector<const Op *> order;
    while (!ready.empty()) {
        const size_t next = ready.top();
        ready.pop();
        order.push_back(reached.byPriority[next]);
        for (const size_t reader : readers[next])
            if (--waiting[reader] == 0) ready.push(reader);
    }
    if (order.size() == count) return order;
    std::string names;
    for (size_t i = 0; i < count; ++i)
        if (waiting[i] > 0) names += (names.empty() ? "'" : ", '") + reached.byPriority[i]->name + "'";
    throw Error(
        fmt::format("the definitions read each other in a cycle, or wait for one: {}; an operator may only read "
                    "tensors that do not depend on it",
                    names));
}

} // namespace

std::vector<const Op *> ansorOrder(const std::vector<const Tensor *> &args) {
    const Reached reached = reach(args);
    const std::vector<const Op *> sorted = topological(reached);

    std::unordered_set<const Op *> isRead;
    for (const auto &[op, inputs] : reached.inputs)
        for (const Tensor *input : inputs) isRead.insert(input->op);

    std::vector<const Op *> order;
    std::unordered_set<const Op *> placed;
    struct Frame {
        const Op *op;
        size_t next = 0;
    };
    for (const Op *root : sorted) {
        if (root->isPlaceholder() || isRead.contains(root)) continue;
        // Explicit stack: a network can be thousands of ops deep.
        std::vector<Frame> stack{{root}};
        while (!stack.empty()) {
            Frame &top = stack.back();
            const auto &inputs = reached.inputs.at(top.op);
            if (placed.contains(top.op)) {
                stack.pop_back();
            } else if (top.next < inputs.size()) {
                const Op *input = inputs[top.next++]->op;
                if (!placed.contains(input)) stack.push_back({input});
            } else {
                placed.insert(top.op);
                order.push_back(top.op);
                stack.pop_back();
            }
        }
    }
    return order;
}

} // namespace loopscope
