#include "measure/answer/measured_bounds.h"

#include "base/random.h"
#include "language/expr/half.h"
#include "language/expr/walk.h"
#include "language/interpret/error_bound.h"
#include "language/interpret/stage_values.h"

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

/// A stage is off by up to its own bound, nine standard deviations of what its roundings come to: a trial is some five
/// times as far off as a kernel. So a kernel is beyond what an element was off in the worst of five trials, times this,
/// less than once in a thousand million elements.
constexpr int kTrials = 5;
constexpr double kBeyondTrials = 4;
constexpr uint64_t kTrialStream = 0x7472'6961'6c00; // of random numbers

bool readsFloats(Expr e) {
    bool found = false;
    postOrder(e, [&](Expr part) { found = found || (part->kind == ExprKind::Load && isFloat(part->dtype)); });
    return found;
}

/// A rounding of what is read may change by much what it gives.
bool jumps(Expr e) {
    switch (e->kind) {
    case ExprKind::Eq:
    case ExprKind::Ne:
    case ExprKind::Lt:
    case ExprKind::Le:
    case ExprKind::Gt:
    case ExprKind::Ge:
        return isFloat(e->arg(0)->dtype);
    case ExprKind::Cast:
        return isFloat(e->arg(0)->dtype) && !isFloat(e->dtype);
    case ExprKind::Mod:
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
        return isFloat(e->dtype);
    case ExprKind::Call:
        return (e->intrinsic >= Intrinsic::Floor && e->intrinsic <= Intrinsic::Trunc) ||
               e->intrinsic == Intrinsic::Fmod || e->intrinsic == Intrinsic::Isnan;
    default:
        return false;
    }
}

bool valuesDecide(const Op &op) {
    bool found = false;
    const auto look = [&](Expr e, bool ofLoads) {
        if (!e) return;
        postOrder(e, [&](Expr part) { found = found || (jumps(part) && (!ofLoads || readsFloats(part))); });
    };
    for (const Expr body : op.body) look(body, true);
    if (!op.reduction) return found;
    look(op.reduction->condition, true);
    for (const Expr result : op.reduction->combiner.result) look(result, false); // what it combines was read
    return found;
}

/// Off by as much as the bound says, which is gone then; false where there is none.
bool disturb(TensorValue &value, Random &random) {
    for (size_t i = 0; i < value.bounds.size() && isFloat(value.dtype); ++i) {
        if (!std::isfinite(value.bounds[i]) || !std::isfinite(value.floats[i])) return false;
        const double off = (2 * random.uniform() - 1) * static_cast<double>(value.bounds[i]);
        value.floats[i] =
            roundToType(value.floats[i] + off, value.dtype == DType::Float32 ? DType::Float64 : value.dtype);
    }
    value.bounds.clear();
    return true;
}

} // namespace

std::optional<std::vector<TensorValue>> withMeasuredBounds(const ComputeDag &dag,
                                                           const std::vector<TensorValue> &inputs,
                                                           std::vector<TensorValue> outputs, uint64_t seed,
                                                           int threads) {
    if (std::ranges::any_of(dag.ops(), [](const OpPtr &op) { return valuesDecide(*op); })) return std::nullopt;
    std::vector<const Tensor *> tensors;
    for (const Tensor *arg : dag.args())
        if (!arg->op->isPlaceholder()) tensors.push_back(arg);
    std::vector<std::vector<double>> off; // in the worst trial, by output
    for (const TensorValue &output : outputs) off.emplace_back(output.size(), 0.0);
    for (uint64_t trial = 0; trial < kTrials; ++trial) {
        uint64_t stage = 0;
        bool finite = true;
        const auto disturbed = [&](const Op &, std::vector<TensorValue> &values) {
            for (TensorValue &value : values) {
                Random random(seed, kTrialStream + (trial << 32) + stage++);
                finite = finite && disturb(value, random);
            }
        };
        const auto compared = [&](const Op &op, const std::vector<TensorValue> &values) {
            for (size_t o = 0; o < tensors.size() && finite; ++o) {
                if (tensors[o]->op != &op || !isFloat(tensors[o]->dtype)) continue;
                const std::vector<double> &got = values[static_cast<size_t>(tensors[o]->outputIndex)].floats;
                for (size_t i = 0; i < got.size(); ++i) {
                    const double distance = std::fabs(got[i] - outputs[o].floats[i]);
                    finite = finite && std::isfinite(distance);
                    off[o][i] = std::max(off[o][i], distance);
                }
            }
            return finite;
        };
        if (!interpretInto(dag, inputs, compared, threads, disturbed)) return std::nullopt;
    }
    for (size_t o = 0; o < outputs.size(); ++o) {
        if (outputs[o].bounds.empty() || !isFloat(outputs[o].dtype)) continue;
        std::vector<double> sorted = off[o];
        const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
        std::nth_element(sorted.begin(), middle, sorted.end());
        const RoundingStep rounding = RoundingStep::to(outputs[o].dtype);
        for (size_t i = 0; i < off[o].size(); ++i)
            outputs[o].bounds[i] =
                storedBound(kBeyondTrials * std::max(off[o][i], *middle), outputs[o].floats[i], rounding);
    }
    return outputs;
}

} // namespace loopscope
