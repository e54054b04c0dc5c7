#include "deploy/network/verify_draws.h"

#include "language/expr/half.h"
#include "networks/op/reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace loopscope {

namespace {

constexpr double kSmaller = 0.125;
constexpr int kMaxTries = 6;

constexpr std::array kDraws = {
    InputDraw{InputKind::Uniform, "uniform", "inputs in [-1, 1)"},
    InputDraw{InputKind::Mean100, "mean100", "inputs with a mean of 100 times their spread"},
    InputDraw{InputKind::Mean1000, "mean1000", "inputs with a mean of 1000 times their spread"},
    InputDraw{InputKind::Large, "large", "inputs whose sums leave float16"},
    InputDraw{InputKind::Ties, "ties", "inputs many of which are equal"},
    InputDraw{InputKind::Special, "special", "inputs with NaN and infinities among them"},
};

bool hasFloatParameter(const GraphFunction &function) {
    return std::any_of(function.parameters().begin(), function.parameters().end(),
                       [&](ValueId id) { return isFloat(function.type(id).dtype); });
}

bool hasHalf(const GraphFunction &function) {
    for (size_t v = 0; v < function.valueCount(); ++v)
        if (const auto &type = function.value(ValueId(v)).type; type && type->dtype == DType::Float16) return true;
    return false;
}

/// Whether a finite number is beyond what its type can hold.
bool leavesItsType(const WideTensor &tensor) {
    const double most = largestOf(tensor.dtype);
    return std::any_of(tensor.floats.begin(), tensor.floats.end(),
                       [&](double number) { return std::isfinite(number) && std::abs(number) > most; });
}

struct Drawn {
    std::vector<HostTensor> inputs;
    double scale = 1;
    std::optional<ExpectedValues> expected; // nothing where values leave their types
};

Outcome<Drawn> drawnInputs(const GraphFunction &imported, InputKind kind, uint64_t seed,
                           const VerifyPlanOptions &options) {
    Drawn drawn;
    bool leaves = false;
    std::function<bool(ValueId, const WideTensor &)> look = [&](ValueId, const WideTensor &tensor) {
        leaves = leaves || leavesItsType(tensor);
        return !leaves;
    };
    if (kind == InputKind::Special || kind == InputKind::Uniform) look = nullptr;
    for (int i = 0; i < kMaxTries; ++i, drawn.scale *= kSmaller) {
        drawn.inputs = seededInputs(imported, kind, seed, drawn.scale);
        leaves = false;
        auto expected = expectedValues(imported, drawn.inputs, options, {}, look);
        if (!expected && !leaves) return expected.refusal();
        if (leaves) continue;
        drawn.expected = *std::move(expected);
        return drawn;
    }
    return drawn;
}

} // namespace

std::span<const InputDraw> inputDraws() { return kDraws; }

NetworkRuns runsOf(const GraphFunction &optimised, PlanRunner &runner) {
    NetworkRuns runs;
    runs.results = [&runner](std::span<const HostTensor> inputs) {
        for (size_t i = 0; i < inputs.size(); ++i) runner.setInput(i, inputs[i]);
        runner.run();
        std::vector<HostTensor> results;
        for (size_t i = 0; i < runner.plan().outputs.size(); ++i) results.push_back(runner.output(i));
        return results;
    };
    runs.kernels = [&optimised, &runner](std::span<const HostTensor> inputs, const VerifyPlanOptions &options) {
        return verifyPlan(optimised, runner, inputs, options);
    };
    for (const PlanCall &call : runner.plan().calls) runs.named.push_back(call.name);
    return runs;
}

Outcome<std::vector<DrawVerdict>> verifyDraws(const GraphFunction &imported, const NetworkRuns &runs,
                                              std::span<const InputKind> kinds, uint64_t seed,
                                              VerifyPlanOptions options) {
    options.estimate = true;
    std::vector<DrawVerdict> verdicts;
    for (const InputDraw &draw : kDraws) {
        if (std::find(kinds.begin(), kinds.end(), draw.kind) == kinds.end()) continue;
        if (draw.kind != InputKind::Uniform && !hasFloatParameter(imported)) continue;
        if (draw.kind == InputKind::Large && !hasHalf(imported)) continue;
        DrawVerdict verdict;
        verdict.draw = &draw;
        const auto drawn = drawnInputs(imported, draw.kind, seed, options);
        if (!drawn) return drawn.refusal();
        verdict.scale = drawn->scale;
        if (!drawn->expected) {
            verdict.leftOut = "values of the network leave the range of their type";
            verdicts.push_back(std::move(verdict));
            continue;
        }
        const std::vector<HostTensor> results = runs.results(drawn->inputs);
        if (results.size() != imported.results().size())
            return Refusal{
                fmt::format("the network has {} results, and the plan {}", imported.results().size(), results.size())};
        verdict.results = judgeOutputs(imported, *drawn->expected, results, runs.named, options);
        if (runs.kernels && (verdicts.empty() || !verdict.results.ok())) {
            auto calls = runs.kernels(drawn->inputs, options);
            if (!calls) return calls.refusal();
            verdict.kernels = *std::move(calls);
        }
        verdicts.push_back(std::move(verdict));
    }
    return verdicts;
}

} // namespace loopscope
