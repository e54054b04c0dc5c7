#include "network/verify.h"

#include "check.h"
#include "op/reference.h"
#include "tensor/compare.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace loopscope {

namespace {

constexpr int64_t kUnknownTile = 4; // of Winograd's form where nobody says it

/// Which convolutions and matrix products stand behind the values of a function.
class ProductsBehind {
  public:
    explicit ProductsBehind(const GraphFunction &function) : m_function(function), m_behind(function.valueCount()) {
        size_t products = 0;
        for (size_t n = 0; n < function.nodeCount(); ++n) {
            const Node &node = function.node(NodeId(n));
            std::vector<bool> all;
            int64_t tile = tileOf(node);
            for (const ValueId input : node.inputs) {
                if (input.value < 0) continue;
                const Behind &before = m_behind[input.index()];
                if (before.products.size() > all.size()) all.resize(before.products.size());
                for (size_t i = 0; i < before.products.size(); ++i)
                    if (before.products[i]) all[i] = true;
                tile = std::max(tile, before.tile);
            }
            if (isProduct(node)) {
                all.resize(products + 1);
                all[products++] = true;
            }
            for (const ValueId output : node.outputs)
                if (output.value >= 0) m_behind[output.index()] = {all, tile};
        }
    }

    [[nodiscard]] double tolerance(ValueId value, const VerifyPlanOptions &options) const {
        const Behind &behind = m_behind[value.index()];
        const auto count = std::count(behind.products.begin(), behind.products.end(), true);
        return scaled(static_cast<size_t>(count), std::max(behind.tile, m_leastTile), options);
    }
    /// Of the nodes of one call alone.
    [[nodiscard]] double toleranceOf(const std::vector<std::string> &nodes, const VerifyPlanOptions &options) const {
        size_t count = 0;
        int64_t tile = 0;
        for (size_t n = 0; n < m_function.nodeCount(); ++n) {
            const Node &node = m_function.node(NodeId(n));
            if (std::find(nodes.begin(), nodes.end(), node.name) == nodes.end()) continue;
            count += isProduct(node) ? 1 : 0;
            tile = std::max(tile, tileOf(node));
        }
        return scaled(count, tile, options);
    }
    /// A plan that computes the function has convolutions with such tiles somewhere.
    void setLeastTile(int64_t tile) { m_leastTile = tile; }

  private:
    struct Behind {
        std::vector<bool> products;
        int64_t tile = 0; // the largest of Winograd's
    };
    static int64_t tileOf(const Node &node) {
        if (node.op.find("winograd") == std::string::npos) return 0;
        const auto tile = node.attributes.find("tile");
        return tile == node.attributes.end() ? kUnknownTile : std::get<int64_t>(tile->second);
    }
    static bool isProduct(const Node &node) {
        for (const char *op : {"conv", "conv_transpose", "matmul", "gemm", "dense"})
            if (node.op == op) return true;
        return node.op.find("winograd") != std::string::npos;
    }
    static double scaled(size_t count, int64_t tile, const VerifyPlanOptions &options) {
        return options.tolerance * std::sqrt(static_cast<double>(std::max<size_t>(1, count))) *
               (tile == 0   ? 1
                : tile <= 2 ? options.winograd2Factor
                            : options.winogradFactor);
    }
    const GraphFunction &m_function;
    std::vector<Behind> m_behind; // by value
    int64_t m_leastTile = 0;
};

void judge(Verification &verification, CallVerdict verdict, const HostTensor &computed, const WideTensor &expected) {
    const TensorVerdict compared = compareTensors(computed, expected, verdict.tolerance);
    verdict.error = compared.relative;
    verdict.ok = compared.ok;
    if (!compared.ok)
        verdict.sentence = fmt::format("{} ({}): {}", verdict.name, fmt::join(verdict.nodes, ", "), compared.sentence);
    if (!compared.ok && !verification.firstDeviating) verification.firstDeviating = verification.calls.size();
    verification.calls.push_back(std::move(verdict));
}

void setInputs(PlanRunner &runner, std::span<const HostTensor> inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) runner.setInput(i, inputs[i]);
}

std::optional<Refusal> wrongCount(size_t given, size_t wanted) {
    if (given == wanted) return std::nullopt;
    return Refusal{fmt::format("the network takes {} inputs, and {} are given", wanted, given)};
}

/// Values that stand between the calls of a plan and are known to the function, by name.
std::vector<ValueId> valuesBetween(const GraphFunction &function, const ExecutionPlan &plan) {
    std::vector<ValueId> values;
    for (const PlanCall &call : plan.calls)
        for (const PlanTensor &output : call.outputs)
            if (const auto found = function.find(output.name)) values.push_back(*found);
    return values;
}

/// Those values as they should be, and the results.
Outcome<ReferenceValues> expectedOf(const GraphFunction &function, const ExecutionPlan &plan,
                                    std::span<const HostTensor> inputs, const VerifyPlanOptions &options) {
    if (auto refused = wrongCount(inputs.size(), plan.inputs.size())) return *refused;
    ReferenceOptions reference;
    reference.threads = options.threads;
    reference.wanted = valuesBetween(function, plan);
    return runReference(function, inputs, reference);
}

} // namespace

double Verification::worstRatio() const {
    double worst = 0;
    for (const CallVerdict &call : calls) worst = std::max(worst, call.error / call.tolerance);
    return worst;
}

Outcome<Verification> verifyPlan(const GraphFunction &function, PlanRunner &runner, std::span<const HostTensor> inputs,
                                 const VerifyPlanOptions &options) {
    const ExecutionPlan &plan = runner.plan();
    const auto expected = expectedOf(function, plan, inputs, options);
    if (!expected) return expected.refusal();

    std::map<std::string, HostTensor> narrow; // what is fed, by name
    const auto feed = [&](size_t number) {
        const PlanCall &call = plan.calls[number];
        if (!options.feedReference || call.action == KernelAction::Nothing) return;
        const size_t read = call.arguments.size() - (call.action == KernelAction::Copy ? 1 : call.outputs.size());
        for (size_t i = 0; i < read; ++i) {
            const PlanArgument &argument = call.arguments[i];
            if (argument.kind == StorageKind::Constant || argument.kind == StorageKind::Input) continue;
            const auto value = function.find(argument.value);
            if (!value || !expected->contains(*value)) continue; // what the calls before made
            auto [found, fresh] = narrow.try_emplace(argument.value);
            if (fresh) found->second = expected->at(*value).narrow().dense();
            runner.fillArgument(number, i, {found->second.bytes(), found->second.byteSize()});
        }
    };

    setInputs(runner, inputs);
    const ProductsBehind products(function);
    Verification verification;
    runner.runObserved(feed, [&](size_t number) {
        const PlanCall &call = plan.calls[number];
        for (size_t o = 0; o < call.outputs.size(); ++o) {
            // An alias that was not fed shows what another call left.
            if (options.feedReference && call.action == KernelAction::Nothing) continue;
            const auto value = function.find(call.outputs[o].name);
            if (!value) {
                verification.notCompared.push_back(call.outputs[o].name);
                continue;
            }
            const double tolerance =
                options.feedReference ? products.toleranceOf(call.nodes, options) : products.tolerance(*value, options);
            judge(verification, {number, o, call.outputs[o].name, call.name, call.nodes, 0, tolerance, false, {}},
                  runner.callOutput(number, o), expected->at(*value));
        }
    });
    return verification;
}

Outcome<Verification> verifyCalls(const GraphFunction &function, const ExecutionPlan &plan,
                                  std::span<const HostTensor> inputs,
                                  const std::function<HostTensor(size_t call, size_t output)> &valueOf,
                                  const VerifyPlanOptions &options) {
    const auto expected = expectedOf(function, plan, inputs, options);
    if (!expected) return expected.refusal();
    const ProductsBehind products(function);
    Verification verification;
    for (size_t number = 0; number < plan.calls.size(); ++number) {
        const PlanCall &call = plan.calls[number];
        for (size_t o = 0; o < call.outputs.size(); ++o) {
            const std::string &name = call.outputs[o].name;
            if (const auto value = function.find(name))
                judge(verification,
                      {number, o, name, call.name, call.nodes, 0, products.tolerance(*value, options), false, {}},
                      valueOf(number, o), expected->at(*value));
            else
                verification.notCompared.push_back(name);
        }
    }
    return verification;
}

Outcome<Verification> verifyResults(const GraphFunction &imported, PlanRunner &runner,
                                    std::span<const HostTensor> inputs, const VerifyPlanOptions &options) {
    const ExecutionPlan &plan = runner.plan();
    if (auto refused = wrongCount(inputs.size(), plan.inputs.size())) return *refused;
    if (imported.results().size() != plan.outputs.size())
        return Refusal{
            fmt::format("the network has {} results, and the plan {}", imported.results().size(), plan.outputs.size())};
    setInputs(runner, inputs);
    runner.run();
    std::vector<HostTensor> outputs;
    for (size_t i = 0; i < plan.outputs.size(); ++i) outputs.push_back(runner.output(i));
    std::vector<std::string> named;
    for (const PlanCall &call : plan.calls) named.push_back(call.name);
    return verifyOutputs(imported, inputs, outputs, named, options);
}

Outcome<Verification> verifyOutputs(const GraphFunction &imported, std::span<const HostTensor> inputs,
                                    std::span<const HostTensor> outputs, std::span<const std::string> named,
                                    const VerifyPlanOptions &options) {
    ReferenceOptions reference;
    reference.threads = options.threads;
    const auto expected = runReference(imported, inputs, reference);
    if (!expected) return expected.refusal();
    ProductsBehind products(imported);
    // The imported form need not have what strategies made of it.
    for (const std::string &name : named)
        if (name.find("winograd") != std::string::npos) products.setLeastTile(kUnknownTile);
    Verification verification;
    for (size_t i = 0; i < outputs.size(); ++i) {
        const ValueId value = imported.results()[i];
        const std::string &name = imported.value(value).name;
        judge(verification, {i, 0, name, "result", {name}, 0, products.tolerance(value, options), false, {}},
              outputs[i], expected->at(value));
    }
    return verification;
}

} // namespace loopscope
