#include "language/interpret/lane_run.h"

#include "base/check.h"
#include "base/outcome.h"
#include "language/expr/extreme.h"
#include "language/expr/half.h"
#include "language/interpret/scalar_ops.h"

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

/// out[i] = f(a[i], b[i]), with the operands that are one value for all lanes taken out of the loop.
template <typename Out, typename In, typename F>
void forLanes(Out *__restrict out, int lanes, LaneValues<In> a, LaneValues<In> b, F &&f) {
    if (a.varying && b.varying) {
        for (int i = 0; i < lanes; ++i) out[i] = f(a.at[i], b.at[i]);
    } else if (a.varying) {
        const In y = b.at[0];
        for (int i = 0; i < lanes; ++i) out[i] = f(a.at[i], y);
    } else if (b.varying) {
        const In x = a.at[0];
        for (int i = 0; i < lanes; ++i) out[i] = f(x, b.at[i]);
    } else {
        std::fill_n(out, lanes, f(a.at[0], b.at[0]));
    }
}

template <typename Out, typename In, typename F>
void forLanes(Out *__restrict out, int lanes, LaneValues<In> a, F &&f) {
    if (!a.varying) return static_cast<void>(std::fill_n(out, lanes, f(a.at[0])));
    for (int i = 0; i < lanes; ++i) out[i] = f(a.at[i]);
}

/// In place.
void roundLanes(double *values, int lanes, DType type) {
    if (type == DType::Float64) return;
    if (type == DType::Float32)
        for (int i = 0; i < lanes; ++i) values[i] = static_cast<float>(values[i]);
    else
        for (int i = 0; i < lanes; ++i) values[i] = roundToType(values[i], type);
}

void wrapLanes(int64_t *values, int lanes, DType type) {
    if (type == DType::Int64) return;
    if (type == DType::Int32)
        for (int i = 0; i < lanes; ++i) values[i] = static_cast<int32_t>(values[i]);
    else
        for (int i = 0; i < lanes; ++i) values[i] = wrapToType(values[i], type);
}

/// `compare(a, b)` with `prepare` applied to both.
template <typename In, typename Prepare>
void compareLanes(ExprKind kind, int64_t *out, int lanes, LaneValues<In> a, LaneValues<In> b, Prepare &&prepare) {
    const auto with = [&](auto &&compare) {
        forLanes(out, lanes, a, b, [&](In x, In y) -> int64_t { return compare(prepare(x), prepare(y)); });
    };
    switch (kind) {
    case ExprKind::Eq:
        return with([](In x, In y) { return x == y; });
    case ExprKind::Ne:
        return with([](In x, In y) { return x != y; });
    case ExprKind::Lt:
        return with([](In x, In y) { return x < y; });
    case ExprKind::Le:
        return with([](In x, In y) { return x <= y; });
    case ExprKind::Gt:
        return with([](In x, In y) { return x > y; });
    default:
        return with([](In x, In y) { return x >= y; });
    }
}

/// Lanes of `yes` where the condition holds, of `no` elsewhere; no copy where one side serves all lanes.
template <typename T>
const T *choose(LaneValues<int64_t> condition, LaneValues<T> yes, LaneValues<T> no, T *own, int lanes, bool varying) {
    if (!condition.varying) {
        const LaneValues<T> chosen = condition.at[0] != 0 ? yes : no;
        if (chosen.varying || !varying) return chosen.at;
        std::fill_n(own, lanes, chosen.at[0]);
        return own;
    }
    for (int i = 0; i < lanes; ++i) own[i] = condition.at[i] != 0 ? yes[i] : no[i];
    return own;
}

template <typename T>
void executeLoad(const LaneProgram &program, const LaneLoad &load, const T *data, const LaneState &state, const T *&at,
                 T *own, int lanes, const int64_t *active) {
    if (!load.affine) {
        int64_t offsets[kLanes];
        generalOffsets(program, load, state, offsets, lanes, active);
        for (int i = 0; i < lanes; ++i) own[i] = data[offsets[i]];
        return;
    }
    int64_t first = load.base;
    for (const auto &[axis, stride] : load.terms) first += stride * state.values[axis];
    const int64_t *const more = load.lanes.data();
    if (!load.inside) {
        bool inside = true;
        for (int i = 0; i < lanes; ++i) {
            const int64_t offset = first + more[i];
            if (offset >= 0 && offset < load.elements) continue;
            if (active == nullptr || active[i] != 0) program.failOutside(load);
            inside = false;
        }
        if (!inside) {
            for (int i = 0; i < lanes; ++i) own[i] = active[i] != 0 ? data[first + more[i]] : T{};
            return;
        }
    }
    if (load.contiguous || lanes == 1) {
        at = data + first;
        return;
    }
    for (int i = 0; i < lanes; ++i) own[i] = data[first + more[i]];
}

/// ` where i = 3, k = 0`
std::string pointText(const LaneProgram &program, const LaneState &state, int lane) {
    std::string text;
    for (size_t axis = 0; axis < program.nest().axes.size(); ++axis) {
        const int64_t value =
            state.values[axis] + program.nest().laneValue(axis, lane) + program.nest().axes[axis].origin;
        text += (text.empty() ? " where " : ", ") + std::string(program.nest().axes[axis].name()) + " = " +
                std::to_string(value);
    }
    return text;
}

void divide(const LaneProgram &program, const LaneInstruction &in, const LaneState &state, int64_t *out, int lanes,
            const int64_t *active) {
    const LaneValues<int64_t> a = program.ints(state, in.args[0]);
    const LaneValues<int64_t> b = program.ints(state, in.args[1]);
    for (int i = 0; i < lanes; ++i) {
        if (active != nullptr && active[i] == 0) {
            out[i] = 0;
            continue;
        }
        if (b[i] == 0)
            throw Error("'" + program.opName() + "' divides an integer by 0" + pointText(program, state, i) +
                        "; choose another value there with select or if_then_else, or another divisor");
        out[i] = divideInts(in.expr, in.dtype, a[i], b[i]);
    }
}

void executeFloat(const LaneProgram &program, const LaneInstruction &in, const LaneState &state, double *out,
                  int lanes) {
    const auto operand = [&](int i) { return program.floats(state, in.args[i]); };
    const auto binary = [&](auto &&f) { forLanes(out, lanes, operand(0), operand(1), f); };
    // Where a small error decides between two answers (comparison, floor, conversion to an integer) a value is rounded
    // to its type, so that the reference decides as a kernel in that type does.
    const auto decisive = [type = in.dtype](double x) { return roundToType(x, type); };
    switch (in.expr) {
    case ExprKind::FloatImm:
        std::fill_n(out, lanes, in.floatValue);
        return;
    case ExprKind::Add:
        return binary([](double a, double b) { return a + b; });
    case ExprKind::Sub:
        return binary([](double a, double b) { return a - b; });
    case ExprKind::Mul:
        return binary([](double a, double b) { return a * b; });
    case ExprKind::Div:
        return binary([](double a, double b) { return a / b; });
    case ExprKind::Mod:
        return binary([&](double a, double b) { return std::fmod(decisive(a), decisive(b)); });
    case ExprKind::FloorDiv:
        return binary([&](double a, double b) { return std::floor(decisive(a / b)); });
    case ExprKind::FloorMod:
        return binary([&](double x, double y) {
            const double a = decisive(x), b = decisive(y);
            const double quotient = decisive(a / b);
            // Kernels compute in float32 at least, where a quotient of float16 fits.
            const bool fits = std::isfinite(quotient) || in.dtype != DType::Float16;
            return a - std::floor(fits ? quotient : a / b) * b;
        });
    case ExprKind::Min:
        return binary(lesserOf<double>);
    case ExprKind::Max:
        return binary(greaterOf<double>);
    case ExprKind::Cast:
        if (isFloat(in.operandType))
            forLanes(out, lanes, operand(0), [](double a) { return a; });
        else
            forLanes(out, lanes, program.ints(state, in.args[0]), [](int64_t a) { return static_cast<double>(a); });
        return roundLanes(out, lanes, in.dtype);
    case ExprKind::Call: {
        const auto call = [&](double x, double y) { return callFloat(in.intrinsic, in.operandType, x, y); };
        return forLanes(out, lanes, operand(0), operand(in.args[1] >= 0 ? 1 : 0), call);
    }
    default:
        break;
    }
    failCheck("a float expression", __FILE__, __LINE__, program.opName());
}

void executeInt(const LaneProgram &program, const LaneInstruction &in, const LaneState &state, int64_t *out, int lanes,
                const int64_t *active) {
    const auto operand = [&](int i) { return program.ints(state, in.args[i]); };
    const auto binary = [&](auto &&f) { forLanes(out, lanes, operand(0), operand(1), f); };
    const auto wrapped = [&](auto &&f) {
        binary([&](int64_t a, int64_t b) {
            return static_cast<int64_t>(f(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
        });
        wrapLanes(out, lanes, in.dtype);
    };
    const auto decisive = [type = in.operandType](double x) { return roundToType(x, type); };
    switch (in.expr) {
    case ExprKind::IntImm:
        std::fill_n(out, lanes, in.intValue);
        return;
    case ExprKind::Add:
        return wrapped([](uint64_t a, uint64_t b) { return a + b; });
    case ExprKind::Sub:
        return wrapped([](uint64_t a, uint64_t b) { return a - b; });
    case ExprKind::Mul:
        return wrapped([](uint64_t a, uint64_t b) { return a * b; });
    case ExprKind::Div:
    case ExprKind::Mod:
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
        return divide(program, in, state, out, lanes, active);
    case ExprKind::Min:
        return binary([](int64_t a, int64_t b) { return std::min(a, b); });
    case ExprKind::Max:
        return binary([](int64_t a, int64_t b) { return std::max(a, b); });
    case ExprKind::Eq:
    case ExprKind::Ne:
    case ExprKind::Lt:
    case ExprKind::Le:
    case ExprKind::Gt:
    case ExprKind::Ge:
        if (!isFloat(in.operandType))
            return compareLanes(in.expr, out, lanes, operand(0), operand(1), [](int64_t x) { return x; });
        if (in.operandType == DType::Float32)
            return compareLanes(in.expr, out, lanes, program.floats(state, in.args[0]),
                                program.floats(state, in.args[1]),
                                [](double x) -> double { return static_cast<float>(x); });
        return compareLanes(in.expr, out, lanes, program.floats(state, in.args[0]), program.floats(state, in.args[1]),
                            decisive);
    case ExprKind::And:
        return binary([](int64_t a, int64_t b) -> int64_t { return (a != 0) & (b != 0); });
    case ExprKind::Or:
        return binary([](int64_t a, int64_t b) -> int64_t { return (a != 0) | (b != 0); });
    case ExprKind::Not:
        return forLanes(out, lanes, operand(0), [](int64_t a) -> int64_t { return a == 0; });
    case ExprKind::Cast:
        if (isFloat(in.operandType))
            return forLanes(out, lanes, program.floats(state, in.args[0]),
                            [&](double x) { return truncateToInt(decisive(x), in.dtype); });
        forLanes(out, lanes, operand(0), [](int64_t a) { return a; });
        return wrapLanes(out, lanes, in.dtype);
    case ExprKind::Call:
        if (isFloat(in.operandType)) { // the only one of floats with an integer result
            LOOPSCOPE_CHECK(in.intrinsic == Intrinsic::Isnan, "an integer intrinsic of floats");
            return forLanes(out, lanes, program.floats(state, in.args[0]),
                            [](double x) -> int64_t { return std::isnan(x); });
        }
        return forLanes(out, lanes, operand(0), operand(in.args[1] >= 0 ? 1 : 0),
                        [&](int64_t x, int64_t y) { return callInt(in.intrinsic, in.operandType, in.dtype, x, y); });
    default:
        break;
    }
    failCheck("an integer expression", __FILE__, __LINE__, program.opName());
}

} // namespace

void executeValue(const LaneProgram &program, const LaneInstruction &in, const LaneState &state,
                  LaneState::Register &out, int lanes, const int64_t *active) {
    if (in.kind == LaneInstruction::Kind::Axis) {
        const int64_t first = state.values[in.axis];
        for (int i = 0; i < lanes; ++i) out.ownInts[i] = first + program.nest().laneValue(in.axis, i);
        return;
    }
    if (in.expr == ExprKind::Load) {
        const LaneLoad &load = program.load(in.load);
        if (isFloat(in.dtype))
            executeLoad(program, load, load.value->floats.data(), state, out.floats, out.ownFloats, lanes, active);
        else
            executeLoad(program, load, load.value->integers.data(), state, out.ints, out.ownInts, lanes, active);
        return;
    }
    if (in.expr == ExprKind::Select) {
        const LaneValues<int64_t> condition = program.ints(state, in.args[0]);
        if (isFloat(in.dtype))
            out.floats = choose(condition, program.floats(state, in.args[1]), program.floats(state, in.args[2]),
                                out.ownFloats, lanes, in.varying);
        else
            out.ints = choose(condition, program.ints(state, in.args[1]), program.ints(state, in.args[2]), out.ownInts,
                              lanes, in.varying);
        return;
    }
    if (isFloat(in.dtype))
        executeFloat(program, in, state, out.ownFloats, lanes);
    else
        executeInt(program, in, state, out.ownInts, lanes, active);
}

void executeMask(const LaneProgram &program, const LaneInstruction &in, const LaneState &state,
                 LaneState::Register &out, int lanes) {
    const LaneValues<int64_t> condition = program.ints(state, in.args[0]);
    const auto parent = in.args[1] >= 0 ? program.ints(state, in.args[1]) : LaneValues<int64_t>{};
    int count = 0;
    for (int i = 0; i < lanes; ++i) {
        // Where the parent is not set, the condition has not been computed.
        out.ownInts[i] = (parent.at == nullptr || parent[i] != 0) && (condition[i] != 0) == in.holds;
        count += out.ownInts[i] != 0;
    }
    out.any = count > 0;
    out.all = count == lanes;
}

void generalOffsets(const LaneProgram &program, const LaneLoad &load, const LaneState &state, int64_t *offsets,
                    int lanes, const int64_t *active) {
    std::fill_n(offsets, lanes, 0);
    for (size_t d = 0; d < load.indices.size(); ++d) {
        const LaneValues<int64_t> index = program.ints(state, load.indices[d]);
        const int64_t extent = load.value->shape[d];
        for (int i = 0; i < lanes; ++i) {
            if (active != nullptr && active[i] == 0) continue; // stays at the first element
            if (index[i] < 0 || index[i] >= extent)
                throw Error("'" + program.opName() + "' reads index " + std::to_string(index[i]) + " of dimension " +
                            std::to_string(d) + ", which has " + std::to_string(extent) + " elements");
            offsets[i] = offsets[i] * extent + index[i];
        }
    }
}

} // namespace loopscope
