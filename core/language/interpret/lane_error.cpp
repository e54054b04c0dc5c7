#include "language/interpret/lane_error.h"

#include "language/interpret/error_bound.h"
#include "language/interpret/grain.h"
#include "language/interpret/lane_run.h"
#include "language/interpret/moved_load.h"
#include "language/interpret/scalar_ops.h"

#include "language/expr/half.h"
#include "language/expr/interval.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace loopscope {

namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr double kExact = 0;

/// A step function takes the values from f(x - error) to f(x + error).
template <typename F> double steps(double x, double error, double value, F &&f) {
    if (error == 0) return 0;
    if (mayBeNoNumber(x, error)) return kUnbounded;
    return std::max(errorBetween(f(x + error), value), errorBetween(f(x - error), value));
}

double exponentialError(double base, double x, double error, double value) {
    const double by = base * error;
    if (by < 0.5) return errorTimes(value, by * (1 + by));
    return std::exp(base * (x + error)) - value;
}

double powerError(double x, double ex, double y, double ey, double value) {
    if (ex == 0 && ey == 0) return 0;
    if (ey == 0 && y >= 1) {
        const double outer = std::pow(std::fabs(x) + ex, y);
        return errorBetween(outer, std::fabs(value)); // steepest away from zero
    }
    if (std::fabs(x) <= ex) return kUnbounded;
    const double relative = std::fabs(y) * ex / (std::fabs(x) - ex) + errorTimes(std::fabs(std::log(std::fabs(x))), ey);
    return errorTimes(std::fabs(value), std::expm1(relative));
}

/// What the error of the operands of a float function does to its value; its own roundings come on top.
double functionError(Intrinsic intrinsic, double x, double ex, double y, double ey, double value) {
    // Those with few values, too: they give NaN of NaN.
    if (mayBeNoNumber(x, ex) || mayBeNoNumber(y, ey)) return kUnbounded;
    switch (intrinsic) {
    case Intrinsic::Exp:
        return exponentialError(1, x, ex, value);
    case Intrinsic::Exp2:
        return exponentialError(std::log(2.0), x, ex, value);
    case Intrinsic::Exp10:
        return exponentialError(std::log(10.0), x, ex, value);
    case Intrinsic::Log:
        return ex == 0 ? 0 : x > ex ? ex / (x - ex) : kUnbounded;
    case Intrinsic::Log2:
        return ex == 0 ? 0 : x > ex ? 1.4427 * ex / (x - ex) : kUnbounded;
    case Intrinsic::Log10:
        return ex == 0 ? 0 : x > ex ? 0.4343 * ex / (x - ex) : kUnbounded;
    case Intrinsic::Sqrt:
        if (ex == 0) return 0;
        // Not a number on one side of zero, a number on the other.
        return x >= ex ? ex / (std::sqrt(x) + std::sqrt(x - ex)) : x < -ex ? 0 : kUnbounded;
    case Intrinsic::Rsqrt:
        return ex == 0 ? 0 : x > ex ? 1 / std::sqrt(x - ex) - value : kUnbounded;
    case Intrinsic::Tanh:
    case Intrinsic::Sin:
    case Intrinsic::Cos:
    case Intrinsic::Atan:
        return std::min(2.0, ex);
    case Intrinsic::Erf:
        return std::min(2.0, 1.1284 * ex);
    case Intrinsic::Sigmoid:
        return std::min(1.0, ex / 4);
    case Intrinsic::Tan: {
        const double slope = 1 + value * value;
        return ex * slope < 0.1 ? 2 * ex * slope : ex == 0 ? 0 : kUnbounded;
    }
    case Intrinsic::Fabs:
        return ex;
    case Intrinsic::Floor:
    case Intrinsic::Ceil:
    case Intrinsic::Round:
    case Intrinsic::Trunc:
        return steps(x, ex, value, [&](double at) { return callFloat(intrinsic, DType::Float64, at, 0); });
    case Intrinsic::Fmod:
        if (ex == 0 && ey == 0) return 0;
        if (ey != 0) return std::fabs(y) + ey + std::fabs(value);
        return std::trunc((x - ex) / y) == std::trunc((x + ex) / y) ? ex : std::fabs(y);
    case Intrinsic::Pow:
        return powerError(x, ex, y, ey, value);
    default:
        return ex == 0 && ey == 0 ? 0 : kUnbounded;
    }
}

/// Roundings of the function itself: relative to its value, and of its own for those that pass through zero steeply.
struct FunctionRounding {
    double relative;
    double absolute;
};

FunctionRounding functionRounding(Intrinsic intrinsic, const RoundingStep &rounding) {
    // What a good vector math library is within. Those of narrow types compute in float32 and round once.
    const bool narrow = rounding.relative > 0x1p-20;
    const double few = narrow ? 1.1 * rounding.relative : 8 * rounding.relative;
    switch (intrinsic) {
    case Intrinsic::Fabs:
    case Intrinsic::Floor:
    case Intrinsic::Ceil:
    case Intrinsic::Round:
    case Intrinsic::Trunc:
    case Intrinsic::Fmod:
        return {0, 0};
    case Intrinsic::Sqrt:
        return {2 * rounding.relative, rounding.absolute};
    case Intrinsic::Sin:
    case Intrinsic::Cos:
    case Intrinsic::Tan:
        return {few, few};
    case Intrinsic::Log:
    case Intrinsic::Log2:
    case Intrinsic::Log10:
    case Intrinsic::Pow:
    case Intrinsic::Exp2:
    case Intrinsic::Exp10:
        return {narrow ? few : 2 * few, rounding.absolute};
    default:
        return {few, rounding.absolute};
    }
}

bool narrows(DType from, DType to) {
    if (!isFloat(from)) return to == DType::Float16 || to == DType::BFloat16; // in two roundings, perhaps
    return from == DType::Float64 && to != DType::Float64 && to != DType::Float32;
}

void dropExactErrors(const LaneProgram &program, const LaneInstruction &in, const LaneState &state,
                     LaneState::Register &out, const LaneValues<double> *error, int lanes) {
    const bool fromFloats = in.args[0] >= 0 && isFloat(in.operandType);
    if (!fromFloats) return;
    const LaneValues<double> a = program.floats(state, in.args[0]);
    const LaneValues<double> b = in.args[1] >= 0 ? program.floats(state, in.args[1]) : a;
    // 1 is what they are made to give for 0; what a double has nothing left of, no other type has.
    const bool exponential =
        in.expr == ExprKind::Call &&
        (in.intrinsic == Intrinsic::Exp || in.intrinsic == Intrinsic::Exp2 || in.intrinsic == Intrinsic::Exp10);
    // Multiples of a grain, small enough that a double holds what any of these makes of them.
    const auto whole = [](double x) { return std::fabs(x) < 0x1p30 && (x == 0 || grainOf(x) > 0); };
    for (int i = 0; i < lanes; ++i) {
        if (exponential && (out.floats[i] == 0 || a[i] == 0) &&
            functionError(in.intrinsic, a[i], error[0][i], 0, 0, out.floats[i]) == 0)
            out.errors[i] = 0;
        if (out.errors[i] == 0 || error[0][i] != 0 || (in.args[1] >= 0 && error[1][i] != 0)) continue;
        const double value = out.floats[i];
        if (roundToType(value, in.dtype) != value || !whole(a[i]) || !whole(b[i])) continue;
        switch (in.expr) {
        case ExprKind::Add:
        case ExprKind::Sub:
        case ExprKind::Cast:
            out.errors[i] = 0;
            break;
        case ExprKind::Mul:
            if (std::fabs(a[i] * b[i]) < 0x1p29) out.errors[i] = 0;
            break;
        default:
            break;
        }
    }
}

double movedLoadErrorOf(const LaneProgram &program, const LaneLoad &load, const LaneState &state, int lane) {
    std::vector<int64_t> indices;
    std::vector<double> errors;
    double room[kLanes];
    for (const int index : load.indices) {
        indices.push_back(program.ints(state, index)[lane]);
        errors.push_back(program.exact(index) ? 0 : laneErrors(program, state, index, room)[lane]);
    }
    return movedLoadError(*load.value, indices, errors);
}

void executeLoadError(const LaneProgram &program, const LaneInstruction &in, const LaneState &state, double *own,
                      int lanes, const int64_t *active) {
    const LaneLoad &load = program.load(in.load);
    const std::vector<float> &bounds = load.value->bounds;
    if (!load.affine) {
        int64_t offsets[kLanes];
        generalOffsets(program, load, state, offsets, lanes, active);
        for (int i = 0; i < lanes; ++i) own[i] = bounds.empty() ? 0 : bounds[static_cast<size_t>(offsets[i])];
        double room[kLanes];
        bool moved[kLanes] = {};
        for (const int index : load.indices) {
            if (program.exact(index)) continue;
            const LaneValues<double> error = laneErrors(program, state, index, room);
            for (int i = 0; i < lanes; ++i) moved[i] = moved[i] || error[i] != 0;
        }
        for (int i = 0; i < lanes; ++i) {
            if (!moved[i]) continue;
            const bool isRead = active == nullptr || active[i] != 0;
            own[i] = isRead ? movedLoadErrorOf(program, load, state, i) : kUnbounded;
        }
        return;
    }
    int64_t first = load.base;
    for (const auto &[axis, stride] : load.terms) first += stride * state.values[axis];
    const int64_t *const more = load.lanes.data();
    for (int i = 0; i < lanes; ++i) {
        const int64_t offset = first + more[i];
        const bool outside = !load.inside && (offset < 0 || offset >= load.elements); // only where not active
        own[i] = outside ? 0 : bounds[static_cast<size_t>(offset)];
    }
}

void numberError(const LaneProgram &program, const LaneInstruction &in, const LaneState &state,
                 LaneState::Register &out, const LaneValues<double> *error, int lanes) {
    double *const own = out.errors;
    const double *const value = out.floats;
    const RoundingStep rounding = RoundingStep::to(in.dtype);
    const LaneValues<double> ea = error[0], eb = error[1];
    if (in.expr == ExprKind::Cast) {
        for (int i = 0; i < lanes; ++i) own[i] = ea[i] + rounding(value[i]);
        return;
    }
    const LaneValues<double> a = program.floats(state, in.args[0]);
    const LaneValues<double> b = in.args[1] >= 0 ? program.floats(state, in.args[1]) : a;
    switch (in.expr) {
    case ExprKind::Add:
    case ExprKind::Sub:
        for (int i = 0; i < lanes; ++i) own[i] = ea[i] + eb[i] + rounding(value[i]);
        return;
    case ExprKind::Mul:
        for (int i = 0; i < lanes; ++i) own[i] = productError(a[i], ea[i], b[i], eb[i]) + rounding(value[i]);
        return;
    case ExprKind::Div:
        for (int i = 0; i < lanes; ++i) {
            const double by = std::fabs(b[i]) - eb[i];
            own[i] =
                by > 0 ? (ea[i] + errorTimes(std::fabs(value[i]), eb[i])) / by + 2 * rounding(value[i]) : kUnbounded;
        }
        return;
    case ExprKind::Min:
    case ExprKind::Max:
        for (int i = 0; i < lanes; ++i)
            own[i] = minMostError(in.expr == ExprKind::Max, a[i], ea[i], b[i], eb[i], value[i]);
        return;
    case ExprKind::Call: {
        const FunctionRounding few = functionRounding(in.intrinsic, rounding);
        for (int i = 0; i < lanes; ++i) {
            const double ofY = in.args[1] >= 0 ? eb[i] : 0;
            own[i] = functionError(in.intrinsic, a[i], ea[i], b[i], ofY, value[i]) + few.absolute +
                     (std::isinf(value[i]) ? 0 : few.relative * std::fabs(value[i]));
        }
        return;
    }
    default: // Mod, FloorDiv, FloorMod: quotients that may take the next step
        for (int i = 0; i < lanes; ++i) {
            if (mayBeNoNumber(a[i], ea[i]) || mayBeNoNumber(b[i], eb[i])) {
                own[i] = kUnbounded;
                continue;
            }
            const double quotient = std::fabs(a[i] / b[i]);
            const double by = std::fabs(b[i]) - eb[i];
            const double off =
                by > 0 ? (ea[i] + errorTimes(quotient, eb[i])) / by + 2 * rounding.relative * quotient : kUnbounded;
            const double q = a[i] / b[i];
            const auto whole = [&](double x) { return in.expr == ExprKind::Mod ? std::trunc(x) : std::floor(x); };
            const bool decided = whole(q - off) == whole(q + off);
            if (in.expr == ExprKind::FloorDiv)
                own[i] = decided ? 0 : off + 1;
            else
                own[i] = (decided ? ea[i] + errorTimes(quotient, eb[i]) : std::fabs(b[i]) + eb[i]) +
                         2 * (rounding(a[i]) + rounding(value[i]));
        }
        return;
    }
}

void floatError(const LaneProgram &program, const LaneInstruction &in, const LaneState &state, LaneState::Register &out,
                const LaneValues<double> *error, int lanes) {
    numberError(program, in, state, out, error, lanes);
    const bool same = in.expr == ExprKind::Cast; // the operand is the value
    const LaneValues<double> a = same ? LaneValues<double>{out.floats, true} : program.floats(state, in.args[0]);
    const int second = in.args[1] >= 0 ? 1 : 0;
    const LaneValues<double> b = second == 1 ? program.floats(state, in.args[1]) : a;
    const bool quotient =
        in.expr == ExprKind::FloorDiv || in.expr == ExprKind::FloorMod; // which may overflow on the way
    for (int i = 0; i < lanes; ++i)
        if (!quotient || !std::isfinite(a[i]) || !std::isfinite(b[i]) || b[i] == 0)
            out.errors[i] = settledError(out.floats[i], a[i], error[0][i], b[i], error[second][i], out.errors[i]);
}

void intError(const LaneProgram &program, const LaneInstruction &in, const LaneState &state, LaneState::Register &out,
              const LaneValues<double> *error, int lanes) {
    double *const own = out.errors;
    const int64_t *const value = out.ints;
    const LaneValues<double> ea = error[0], eb = in.args[1] >= 0 ? error[1] : LaneValues<double>{&kExact, false};
    const bool ofFloats = isFloat(in.operandType);
    if (isComparison(in.expr)) {
        for (int i = 0; i < lanes; ++i) {
            const double both = ea[i] + eb[i];
            const bool unequal = ofFloats && (isNoNumber(program.floats(state, in.args[0])[i], ea[i]) ||
                                              isNoNumber(program.floats(state, in.args[1])[i], eb[i]));
            const double apart =
                ofFloats ? std::fabs(program.floats(state, in.args[0])[i] - program.floats(state, in.args[1])[i])
                         : std::fabs(static_cast<double>(program.ints(state, in.args[0])[i]) -
                                     static_cast<double>(program.ints(state, in.args[1])[i]));
            own[i] = both > 0 && !(apart > both) && !unequal ? 1 : 0;
        }
        return;
    }
    const Interval legal = Interval::ofType(in.dtype);
    if (in.expr == ExprKind::Cast && ofFloats) {
        const LaneValues<double> a = program.floats(state, in.args[0]);
        for (int i = 0; i < lanes; ++i)
            own[i] = steps(a[i], ea[i], static_cast<double>(value[i]),
                           [&](double x) { return static_cast<double>(truncateToInt(x, in.dtype)); });
        return;
    }
    if (in.expr == ExprKind::Call && ofFloats) { // whether it is a number is not a matter of rounding but of overflows
        for (int i = 0; i < lanes; ++i) own[i] = std::isinf(ea[i]) ? 1 : 0;
        return;
    }
    const LaneValues<int64_t> a = program.ints(state, in.args[0]);
    const LaneValues<int64_t> b = in.args[1] >= 0 ? program.ints(state, in.args[1]) : a;
    for (int i = 0; i < lanes; ++i) {
        const double x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
        const double ex = ea[i], ey = eb[i];
        if (ex == 0 && ey == 0) {
            own[i] = 0;
            continue;
        }
        double result = kUnbounded;
        switch (in.expr) {
        case ExprKind::Add:
        case ExprKind::Sub:
            result = ex + ey;
            break;
        case ExprKind::Mul:
            result = productError(x, ex, y, ey);
            break;
        case ExprKind::Min:
        case ExprKind::Max:
            result = minMostError(in.expr == ExprKind::Max, x, ex, y, ey, static_cast<double>(value[i]));
            break;
        case ExprKind::And: // one that certainly fails, or holds, decides alone
            result = (ex == 0 && x == 0) || (ey == 0 && y == 0) ? 0 : 1;
            break;
        case ExprKind::Or:
            result = (ex == 0 && x != 0) || (ey == 0 && y != 0) ? 0 : 1;
            break;
        case ExprKind::Not:
            result = 1;
            break;
        case ExprKind::Cast:
            result = ex;
            break;
        case ExprKind::Div:
        case ExprKind::FloorDiv:
            if (ey == 0) result = ex / std::fabs(y) + 1;
            break;
        case ExprKind::Mod:
        case ExprKind::FloorMod:
            if (ey == 0) result = 2 * std::fabs(y);
            break;
        case ExprKind::Call:
            if (in.intrinsic == Intrinsic::Fabs) result = ex;
            break;
        default:
            break;
        }
        // Beyond its type it wraps.
        const auto at = static_cast<double>(value[i]);
        const bool wraps = in.dtype != DType::Bool && (at + result > static_cast<double>(legal.max) ||
                                                       at - result < static_cast<double>(legal.min));
        own[i] = wraps ? kUnbounded : result;
    }
}

} // namespace

void classifyError(const LaneProgram &program, LaneInstruction &in) {
    if (in.kind == LaneInstruction::Kind::External) return; // as the caller says
    if (in.kind != LaneInstruction::Kind::Value) return;
    if (in.expr == ExprKind::Load) {
        const LaneLoad &load = program.load(in.load);
        in.bounded = !load.value->bounds.empty() || std::any_of(load.indices.begin(), load.indices.end(),
                                                                [&](int reg) { return !program.exact(reg); });
        return;
    }
    bool exactOperands = true;
    bool fixedOperands = true; // relative to the value, no bound of their own
    double relative = 0, absolute = 0, relatives = 0;
    for (const int arg : in.args) {
        if (arg < 0) continue;
        const LaneInstruction &operand = program.instruction(arg);
        exactOperands = exactOperands && program.exact(arg);
        fixedOperands = fixedOperands && !operand.bounded;
        relative = std::max(relative, operand.relative);
        absolute = std::max(absolute, operand.absolute);
        relatives += operand.relative;
    }
    if (!isFloat(in.dtype)) {
        in.bounded = !exactOperands;
        return;
    }
    const RoundingStep rounding = RoundingStep::to(in.dtype);
    const auto fixed = [&](double ofValue, double ofItsOwn) {
        if (program.noticesExact() && (ofValue != 0 || ofItsOwn != 0)) {
            in.bounded = true;
            return;
        }
        in.relative = ofValue;
        in.absolute = ofItsOwn;
    };
    in.bounded = !fixedOperands;
    if (in.bounded) return;
    switch (in.expr) {
    case ExprKind::IntImm:
    case ExprKind::FloatImm:
        return;
    case ExprKind::Select:
        if (!program.exact(in.args[0])) break;
        return fixed(relative, absolute);
    case ExprKind::Min:
    case ExprKind::Max:
        return fixed(relative, absolute);
    case ExprKind::Cast:
        // Both round the same number in the same way.
        if (exactOperands && !narrows(in.operandType, in.dtype)) return;
        return fixed(relative + rounding.relative, absolute + rounding.absolute);
    case ExprKind::Mul:
        if (absolute > 0) break;
        return fixed(relatives + rounding.relative, rounding.absolute);
    case ExprKind::Div:
        if (absolute > 0) break;
        return fixed(relatives + 2 * rounding.relative, rounding.absolute);
    case ExprKind::Mod:
    case ExprKind::FloorDiv:
        if (exactOperands) return;
        break;
    case ExprKind::Call: {
        if (in.intrinsic == Intrinsic::Fabs) return fixed(relative, absolute);
        if (!exactOperands) break;
        const FunctionRounding own = functionRounding(in.intrinsic, rounding);
        return fixed(own.relative, own.absolute);
    }
    default:
        break;
    }
    in.bounded = true;
}

LaneValues<double> laneErrors(const LaneProgram &program, const LaneState &state, int reg, double *room) {
    const LaneInstruction &in = program.instruction(reg);
    if (in.bounded) return {state.registers[static_cast<size_t>(reg)].errors, in.varying};
    if (program.exact(reg)) return {&kExact, false};
    const LaneValues<double> value = program.floats(state, reg);
    const int lanes = in.varying ? program.nest().lanes() : 1;
    for (int i = 0; i < lanes; ++i)
        room[i] = std::isfinite(value.at[i]) ? in.relative * std::fabs(value.at[i]) + in.absolute : 0;
    return {room, in.varying};
}

void executeError(const LaneProgram &program, const LaneInstruction &in, const LaneState &state,
                  LaneState::Register &out, int lanes, const int64_t *active) {
    double *const own = out.errors;
    if (in.expr == ExprKind::Load) return executeLoadError(program, in, state, own, lanes, active);
    double room[3][kLanes];
    LaneValues<double> error[3];
    for (int k = 0; k < 3; ++k)
        if (in.args[k] >= 0) error[k] = laneErrors(program, state, in.args[k], room[k]);
    if (in.expr == ExprKind::Select) {
        const LaneValues<int64_t> condition = program.ints(state, in.args[0]);
        const auto gap = [&](int i) {
            // A branch of its own mask has no value where the other one was taken.
            for (const int k : {1, 2})
                if (program.instruction(in.args[k]).mask != in.mask && program.instruction(in.args[k]).mask >= 0)
                    return kUnbounded;
            if (isFloat(in.dtype))
                return errorBetween(program.floats(state, in.args[1])[i], program.floats(state, in.args[2])[i]);
            return errorBetween(static_cast<double>(program.ints(state, in.args[1])[i]),
                                static_cast<double>(program.ints(state, in.args[2])[i]));
        };
        for (int i = 0; i < lanes; ++i)
            own[i] =
                error[0][i] == 0 ? error[condition[i] != 0 ? 1 : 2][i] : gap(i) + std::max(error[1][i], error[2][i]);
        return;
    }
    if (!isFloat(in.dtype)) return intError(program, in, state, out, error, lanes);
    floatError(program, in, state, out, error, lanes);
    if (program.noticesExact()) dropExactErrors(program, in, state, out, error, lanes);
}

} // namespace loopscope
