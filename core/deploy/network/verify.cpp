#include "deploy/network/verify.h"

#include "base/check.h"
#include "language/expr/half.h"
#include "language/tensor/compare.h"
#include "networks/op/kernel_roundings.h"
#include "networks/op/reference.h"

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
        return scaled(static_cast<size_t>(count), std::max(behind.tile, m_minTile), options);
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
    /// By how much more than others the convolutions behind it are off.
    [[nodiscard]] double factor(ValueId value, const VerifyPlanOptions &options) const {
        return scaled(1, std::max(m_behind[value.index()].tile, m_minTile), options) / options.tolerance;
    }
    /// A plan that computes the function has convolutions with such tiles somewhere.
    void setLeastTile(int64_t tile) { m_minTile = tile; }

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
    int64_t m_minTile = 0;
};

bool hasNarrowFloats(const GraphFunction &function) {
    for (size_t v = 0; v < function.valueCount(); ++v) {
        const auto &type = function.value(ValueId(v)).type;
        if (type && summedIn(type->dtype) != type->dtype) return true;
    }
    return false;
}

/// What is expected, but for elements that roundings decide: there it is what was computed. Largest difference that
/// roundings make of the others, relative to the largest number.
struct Settled {
    WideTensor expected;
    size_t undecided = 0;
    double roundings = 0;
};

Settled settle(const WideTensor &exact, const WideTensor &rounded, const HostTensor &computed, double undecidedFrom) {
    Settled settled = {exact};
    if (computed.dtype() != exact.dtype || computed.dims() != exact.dims || rounded.dims != exact.dims) return settled;
    const auto leave = [&](size_t i) {
        ++settled.undecided;
        if (isFloat(exact.dtype))
            settled.expected.floats[i] = computed.number(static_cast<int64_t>(i));
        else
            settled.expected.integers[i] = computed.integer(static_cast<int64_t>(i));
    };
    for (size_t i = 0; i < exact.integers.size(); ++i)
        if (exact.integers[i] != rounded.integers[i]) leave(i);
    double largest = 0;
    for (const double number : exact.floats)
        if (std::isfinite(number)) largest = std::max(largest, std::abs(number));
    if (summedIn(exact.dtype) != exact.dtype) undecidedFrom *= 10;
    for (size_t i = 0; i < exact.floats.size(); ++i) {
        const double a = exact.floats[i];
        const double b = rounded.floats[i];
        const bool finite = std::isfinite(roundToType(a, exact.dtype)) && std::isfinite(b);
        if (!finite) {
            if (!(a == b || (std::isnan(a) && std::isnan(b)) || roundToType(a, exact.dtype) == b)) leave(i);
            continue;
        }
        const double moved = largest > 0 ? std::abs(a - b) / largest : 0;
        if (moved > undecidedFrom)
            leave(i);
        else
            settled.roundings = std::max(settled.roundings, moved);
    }
    return settled;
}

/// `rounded` may be null; `factor` is what the estimate is multiplied with.
void judge(Verification &verification, CallVerdict verdict, const HostTensor &computed, const WideTensor &expected,
           const WideTensor *rounded, double factor, const VerifyPlanOptions &options) {
    verdict.tolerance = std::max(verdict.tolerance, options.narrowFactor * narrowRoundingOf(expected.dtype));
    TensorVerdict compared;
    if (rounded) {
        const Settled settled = settle(expected, *rounded, computed, options.undecidedFrom);
        verdict.undecided = settled.undecided;
        verdict.tolerance = std::max(verdict.tolerance, options.estimateFactor * factor * settled.roundings);
        compared = compareTensors(computed, settled.expected, verdict.tolerance);
    } else {
        compared = compareTensors(computed, expected, verdict.tolerance);
    }
    verdict.error = compared.relative;
    verdict.ok = compared.ok;
    if (!compared.ok)
        verdict.sentence = fmt::format("{} ({}): {}", verdict.name, fmt::join(verdict.nodes, ", "), compared.sentence);
    if (!compared.ok && !verification.firstDeviating) verification.firstDeviating = verification.calls.size();
    verification.calls.push_back(std::move(verdict));
}

const WideTensor *roundedOf(const ExpectedValues &expected, ValueId value) {
    return expected.rounded ? &expected.rounded->at(value) : nullptr;
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
Outcome<ExpectedValues> expectedOf(const GraphFunction &function, const ExecutionPlan &plan,
                                   std::span<const HostTensor> inputs, const VerifyPlanOptions &options) {
    if (auto refused = wrongCount(inputs.size(), plan.inputs.size())) return *refused;
    return expectedValues(function, inputs, options, valuesBetween(function, plan));
}

} // namespace

double Verification::worstRatio() const {
    double worst = 0;
    for (const CallVerdict &call : calls) worst = std::max(worst, call.error / call.tolerance);
    return worst;
}

Outcome<ExpectedValues> expectedValues(const GraphFunction &function, std::span<const HostTensor> inputs,
                                       const VerifyPlanOptions &options, const std::vector<ValueId> &wanted,
                                       const std::function<bool(ValueId value, const WideTensor &tensor)> &onValue) {
    ReferenceOptions reference;
    reference.threads = options.threads;
    reference.wanted = wanted;
    reference.onValue = onValue;
    auto exact = runReference(function, inputs, reference);
    if (!exact) return exact.refusal();
    ExpectedValues expected = {*std::move(exact)};
    if (!options.estimate && !hasNarrowFloats(function)) return expected;
    reference.onValue = nullptr;
    reference.roundings = 1;
    auto rounded = runReference(function, inputs, reference);
    if (!rounded) return rounded.refusal();
    expected.rounded = *std::move(rounded);
    return expected;
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
            if (!value || !expected->exact.contains(*value)) continue; // what the calls before made
            auto [found, fresh] = narrow.try_emplace(argument.value);
            if (fresh) found->second = expected->exact.at(*value).narrow().dense();
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
            CallVerdict verdict = {number, o, call.outputs[o].name, call.name, call.nodes, 0, tolerance};
            judge(verification, std::move(verdict), runner.callOutput(number, o), expected->exact.at(*value),
                  roundedOf(*expected, *value), products.factor(*value, options), options);
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
                judge(verification, {number, o, name, call.name, call.nodes, 0, products.tolerance(*value, options)},
                      valueOf(number, o), expected->exact.at(*value), roundedOf(*expected, *value),
                      products.factor(*value, options), options);
            else
                verification.notCompared.push_back(name);
        }
    }
    return verification;
}

Outcome<Verification> verifyResults(const GraphFunction &imported, PlanRunner &runner,
                                    std::span<const HostTensor> inputs, const VerifyPlanOptions &options) {
    if (auto refused = wrongCount(inputs.size(), runner.plan().inputs.size())) return *refused;
    setInputs(runner, inputs);
    runner.run();
    std::vector<HostTensor> outputs;
    for (size_t i = 0; i < runner.plan().outputs.size(); ++i) outputs.push_back(runner.output(i));
    return verifyResults(imported, runner.plan(), inputs, outputs, options);
}

Outcome<Verification> verifyResults(const GraphFunction &imported, const ExecutionPlan &plan,
                                    std::span<const HostTensor> inputs, std::span<const HostTensor> outputs,
                                    const VerifyPlanOptions &options) {
    if (auto refused = wrongCount(inputs.size(), plan.inputs.size())) return *refused;
    if (imported.results().size() != outputs.size())
        return Refusal{
            fmt::format("the network has {} results, and the plan {}", imported.results().size(), outputs.size())};
    std::vector<std::string> named;
    for (const PlanCall &call : plan.calls) named.push_back(call.name);
    return verifyOutputs(imported, inputs, outputs, named, options);
}

Outcome<Verification> verifyOutputs(const GraphFunction &imported, std::span<const HostTensor> inputs,
                                    std::span<const HostTensor> outputs, std::span<const std::string> named,
                                    const VerifyPlanOptions &options) {
    const auto expected = expectedValues(imported, inputs, options);
    if (!expected) return expected.refusal();
    return judgeOutputs(imported, *expected, outputs, named, options);
}

Verification judgeOutputs(const GraphFunction &imported, const ExpectedValues &expected,
                          std::span<const HostTensor> outputs, std::span<const std::string> named,
                          const VerifyPlanOptions &options) {
    ProductsBehind products(imported);
    // The imported form need not have what strategies made of it.
    for (const std::string &name : named)
        if (name.find("winograd") != std::string::npos) products.setLeastTile(kUnknownTile);
    Verification verification;
    for (size_t i = 0; i < outputs.size(); ++i) {
        const ValueId value = imported.results()[i];
        const std::string &name = imported.value(value).name;
        judge(verification, {i, 0, name, "result", {name}, 0, products.tolerance(value, options)}, outputs[i],
              expected.exact.at(value), roundedOf(expected, value), products.factor(value, options), options);
    }
    return verification;
}

} // namespace loopscope
