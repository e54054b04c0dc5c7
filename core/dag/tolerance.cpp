// How far a correct kernel may be from the reference. The bound must accept every order of summation, with and without
// fused multiply-add, and still be smaller than what one missing term or one wrong lane does.
//
// Worst-case forward error bounds (n*u*sum|terms|) are useless here: for a 4608-term convolution they exceed the terms.
// Inputs are random (randomInputs), so the estimate is statistical. Walking the DAG, every value carries
//   magnitude  typical largest |value| for inputs in [-1, 1),
//   relative, absolute   an error of at most relative*|value| + absolute,
//   nonNegative  whether terms can cancel.
// A sum of n terms of magnitude m and mixed sign has partial sums of about sqrt(k)*m, each rounded with an error
// uniform in +-u of it: standard deviation below 0.24*n*u*m (u = unit roundoff). n*u*m is more than four of them and
// twice that, which is returned, more than eight; a missing term is off by about m/3. A sum of non-negative terms grows
// like k*m/2 and deviates by 0.33*sqrt(n)*u relative; 4*sqrt(n)*u is taken.

#include "check.h"
#include "dag/interpreter.h"
#include "expr/affine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace loopscope {

namespace {

constexpr double kHuge = 1e30;

/// Largest relative error of one rounding.
double unitRoundoff(DType type) {
    switch (type) {
    case DType::Float64:
        return 0x1p-53;
    case DType::Float32:
        return 0x1p-24;
    case DType::Float16:
        return 0x1p-11;
    case DType::BFloat16:
        return 0x1p-8;
    default:
        return 0;
    }
}

struct Estimate {
    double magnitude = 1;
    double relative = 0;
    double absolute = 0;
    bool nonNegative = false;
    double least = 0; // |value| is at least this where that is known: what divides by it may blow up so far

    [[nodiscard]] double error() const { return relative * magnitude + absolute; }
    [[nodiscard]] bool exact() const { return relative == 0 && absolute == 0; }
};

Estimate clamped(Estimate e) {
    e.magnitude = std::clamp(e.magnitude, 1e-30, kHuge);
    e.relative = std::min(e.relative, kHuge);
    e.absolute = std::min(e.absolute, kHuge);
    return e;
}

Estimate either(const Estimate &a, const Estimate &b) {
    return {std::max(a.magnitude, b.magnitude), std::max(a.relative, b.relative), std::max(a.absolute, b.absolute),
            a.nonNegative && b.nonNegative};
}

class Estimator {
  public:
    std::unordered_map<const TensorSymbol *, Estimate> tensors;
    std::unordered_map<const ExprNode *, Estimate> variables;
    std::vector<VarRange> ranges; // of the axes of the op at hand

    Estimate of(Expr e) {
        if (!isFloat(e->dtype)) return integer(e);
        const double u = unitRoundoff(e->dtype);
        switch (e->kind) {
        case ExprKind::FloatImm:
            return {std::fabs(e->floatValue), 0, 0, e->floatValue >= 0, std::fabs(e->floatValue)};
        case ExprKind::Var:
            return variables[e.node()];
        case ExprKind::Load:
            return tensors[e->symbol];
        case ExprKind::Add:
        case ExprKind::Sub:
            return sum(e, u);
        case ExprKind::Mul:
            return product(e, u);
        case ExprKind::Div:
            return quotient(of(e->arg(0)), of(e->arg(1)), u);
        case ExprKind::Min:
            return either(of(e->arg(0)), of(e->arg(1)));
        case ExprKind::Max: {
            const Estimate a = of(e->arg(0)), b = of(e->arg(1));
            Estimate result = either(a, b);
            result.nonNegative = a.nonNegative || b.nonNegative;
            return result;
        }
        case ExprKind::Select:
            return either(of(e->arg(1)), of(e->arg(2)));
        case ExprKind::Cast: {
            Estimate result = of(e->arg(0));
            const DType from = e->arg(0)->dtype;
            if (!isFloat(from) || unitRoundoff(from) < u) result.relative += u;
            return result;
        }
        case ExprKind::Let:
            variables[e->arg(0).node()] = of(e->arg(1));
            return of(e->arg(2));
        case ExprKind::Call:
            return call(e, u);
        default:
            return stepped(of(e->arg(0)), of(e->arg(1)).magnitude); // mod, floordiv
        }
    }

  private:
    static Estimate scaled(Estimate a, double factor) {
        a.magnitude *= factor;
        a.absolute *= factor;
        return a;
    }

    Estimate sum(Expr e, double u) {
        const Estimate a = of(e->arg(0)), b = of(e->arg(1));
        if (e->kind == ExprKind::Add && a.nonNegative && b.nonNegative)
            return {a.magnitude + b.magnitude, std::max(a.relative, b.relative) + u, a.absolute + b.absolute, true};
        // The result may be much smaller than the operands: their relative errors become absolute ones. The rounding of
        // an operand that was itself a product disappears in a fused multiply-add, hence u of the operands too.
        const double magnitude = a.magnitude + b.magnitude;
        return {magnitude, u, a.error() + b.error() + u * magnitude, false};
    }

    Estimate product(Expr e, double u) {
        const Estimate a = of(e->arg(0)), b = of(e->arg(1));
        const bool square = structurallyEqual(e->arg(0), e->arg(1));
        return clamped({a.magnitude * b.magnitude, a.relative + b.relative + u,
                        a.absolute * b.magnitude + b.absolute * a.magnitude,
                        square || (a.nonNegative && b.nonNegative)});
    }

    static Estimate quotient(const Estimate &a, const Estimate &b, double u) {
        const double by = b.least > 0 ? b.least : std::max(b.magnitude, 1e-30);
        return clamped({a.magnitude / by, a.relative + b.relative + b.absolute / by + 2 * u, a.absolute / by,
                        a.nonNegative && b.nonNegative});
    }

    /// A step function: any error before it may take the other step.
    static Estimate stepped(const Estimate &x, double step) {
        return {x.magnitude + step, 0, x.exact() ? 0 : step, x.nonNegative};
    }

    /// Integers are exact unless they come from a float that has an error.
    Estimate integer(Expr e) {
        if (e->kind == ExprKind::Load) return tensors[e->symbol];
        Estimate result{1, 0, 0, false};
        if (isInteger(e->dtype)) { // known sizes matter: a mean divides by one
            const Interval range = tightIntervalOf(e, ranges);
            const double low = std::fabs(static_cast<double>(range.min)),
                         high = std::fabs(static_cast<double>(range.max));
            if (range.inside({-(int64_t{1} << 30), int64_t{1} << 30})) result.magnitude = std::max({1.0, low, high});
            result.nonNegative = range.min >= 0;
            if (range.min > 0 || range.max < 0) result.least = std::min(low, high);
        }
        if (e->kind == ExprKind::Var) {
            const auto known = variables.find(e.node());
            return known == variables.end() ? result : known->second;
        }
        if (e->kind == ExprKind::Cast && isFloat(e->arg(0)->dtype)) return stepped(of(e->arg(0)), 1);
        for (const Expr operand : e->operands()) {
            const Estimate part = of(operand);
            // A comparison of inexact values decides either way, and with it everything chosen by it.
            if (!part.exact()) result.absolute = std::numeric_limits<double>::infinity();
        }
        return result;
    }

    Estimate call(Expr e, double u) {
        const Estimate x = of(e->arg(e->intrinsic == Intrinsic::IfThenElse ? 1 : 0));
        const double few = 8 * u; // what a good vector math library is within
        switch (e->intrinsic) {
        case Intrinsic::IfThenElse:
            return either(x, of(e->arg(2)));
        case Intrinsic::Exp:
            return exponential(x, 1, few);
        case Intrinsic::Exp2:
            return exponential(x, std::log(2.0), few);
        case Intrinsic::Exp10:
            return exponential(x, std::log(10.0), few);
        case Intrinsic::Log:
        case Intrinsic::Log2:
        case Intrinsic::Log10: {
            const double magnitude = 1 + std::fabs(std::log(x.magnitude));
            return {magnitude, few, 4 * (x.relative + 8 * x.absolute / x.magnitude) + few, false};
        }
        case Intrinsic::Sqrt: {
            const double root = std::sqrt(x.magnitude);
            return clamped({root, x.relative / 2 + 2 * u, 4 * x.absolute / root, true});
        }
        case Intrinsic::Rsqrt:
            return clamped({1 / std::sqrt(x.magnitude), x.relative / 2 + 2 * x.absolute / x.magnitude + few, 0, true});
        case Intrinsic::Tanh:
        case Intrinsic::Erf:
        case Intrinsic::Sin:
        case Intrinsic::Cos:
        case Intrinsic::Atan:
            return {std::min(1.6, x.magnitude + 1), few, x.error() + few, false};
        case Intrinsic::Sigmoid:
            return {1, few, x.error() + few, true};
        case Intrinsic::Tan:
            return {10, few + 10 * x.error(), 10 * x.error() + few, false};
        case Intrinsic::Fabs:
            return {x.magnitude, x.relative, x.absolute, true};
        case Intrinsic::Floor:
        case Intrinsic::Ceil:
        case Intrinsic::Round:
        case Intrinsic::Trunc:
            return stepped(x, 1);
        case Intrinsic::Fmod:
            return stepped(x, of(e->arg(1)).magnitude);
        case Intrinsic::Pow:
            return power(x, e->arg(1), few);
        default:
            break;
        }
        LOOPSCOPE_CHECK(false, "error estimate of " + std::string(intrinsicName(e->intrinsic)));
        return x;
    }

    static Estimate exponential(const Estimate &x, double base, double few) {
        return clamped({std::exp(std::min(base * x.magnitude, 60.0)), base * x.error() + few, 0, true});
    }

    Estimate power(const Estimate &x, Expr exponent, double few) {
        const Estimate y = of(exponent);
        const double c = std::max(1.0, y.magnitude);
        const double magnitude = std::pow(std::max(x.magnitude, 1.0), c);
        return clamped(
            {magnitude, c * x.relative + few * c, c * x.absolute * magnitude + y.error() * magnitude, x.nonNegative});
    }
};

Estimate reduced(const Reduction &reduction, const Estimate &term, DType type) {
    double n = 1;
    for (const Axis &axis : reduction.axes) n *= static_cast<double>(axis.extent);
    const double u = unitRoundoff(type);
    switch (reduceKind(reduction.combiner)) {
    case ReduceKind::Sum:
        if (term.nonNegative)
            return clamped({n * term.magnitude, term.relative + 4 * std::sqrt(n) * u, n * term.absolute, true});
        return clamped(
            {std::sqrt(n) * term.magnitude, u, n * u * term.magnitude + 2 * std::sqrt(n) * term.error(), false});
    case ReduceKind::Prod: {
        const double magnitude = std::exp(std::min(60.0, n * std::log(std::max(1.0, term.magnitude))));
        return clamped({magnitude, n * (term.relative + u), n * term.absolute * magnitude, term.nonNegative});
    }
    default:
        return term; // min, max and tuples choose
    }
}

} // namespace

Tolerance toleranceFor(const ComputeDag &dag, size_t output) {
    Estimator estimator;
    for (size_t i = 0; i < dag.size(); ++i) {
        const Op &op = dag.op(i);
        if (op.isPlaceholder()) {
            estimator.tensors[&op.output()] = {1, 0, 0, false};
            continue;
        }
        estimator.ranges.clear();
        for (const Axis &axis : op.axes) estimator.ranges.push_back({axis.var.node(), Interval::upTo(axis.extent)});
        if (op.reduction)
            for (const Axis &axis : op.reduction->axes)
                estimator.ranges.push_back({axis.var.node(), Interval::upTo(axis.extent)});
        std::vector<Estimate> values;
        for (const Expr body : op.body) values.push_back(estimator.of(body));
        if (op.reduction)
            for (size_t k = 0; k < values.size(); ++k)
                values[k] = reduced(*op.reduction, values[k], op.outputs[k]->dtype);
        // A tuple reduction chooses by one component and hands over the others: an inexact choice spoils the integers.
        const bool inexact =
            std::any_of(values.begin(), values.end(), [](const Estimate &value) { return !value.exact(); });
        for (size_t k = 0; k < values.size(); ++k) {
            const Tensor &tensor = *op.outputs[k];
            if (op.reduction && values.size() > 1 && inexact && !isFloat(tensor.dtype))
                values[k].absolute = std::numeric_limits<double>::infinity();
            // Storing an unchanged value loses nothing; a computed one is rounded to the storage type.
            if (!values[k].exact()) values[k].relative += unitRoundoff(tensor.dtype);
            estimator.tensors[&tensor] = values[k];
        }
    }
    size_t index = 0;
    for (const Tensor *arg : dag.args()) {
        if (arg->op->isPlaceholder() || index++ != output) continue;
        const Estimate &value = estimator.tensors.at(arg);
        // Both sides round, hence twice; plus a few units that every comparison of floats needs.
        return {2 * value.absolute, 2 * value.relative + 4 * unitRoundoff(arg->dtype)};
    }
    LOOPSCOPE_CHECK(false, "no output " + std::to_string(output));
    return {};
}

} // namespace loopscope
