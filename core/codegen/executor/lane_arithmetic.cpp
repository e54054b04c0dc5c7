#include "codegen/executor/lane_arithmetic.h"

#include "base/check.h"
#include "language/expr/extreme.h"
#include "language/expr/half.h"
#include "language/interpret/scalar_ops.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>

namespace loopscope {

namespace {

/// out[i] = f(a[i], b[i]).
template <typename Out, typename In, typename F>
void inLanes(Out *__restrict out, int count, LaneOperand<In> a, LaneOperand<In> b, F f) {
    if (a.varying && b.varying) {
        for (int i = 0; i < count; ++i) out[i] = f(a.at[i], b.at[i]);
    } else if (a.varying) {
        const In y = b.at[0];
        for (int i = 0; i < count; ++i) out[i] = f(a.at[i], y);
    } else if (b.varying) {
        const In x = a.at[0];
        for (int i = 0; i < count; ++i) out[i] = f(x, b.at[i]);
    } else {
        std::fill_n(out, count, f(a.at[0], b.at[0]));
    }
}

template <typename Out, typename In, typename F> void inLanes(Out *__restrict out, int count, LaneOperand<In> a, F f) {
    if (!a.varying) return static_cast<void>(std::fill_n(out, count, f(a.at[0])));
    for (int i = 0; i < count; ++i) out[i] = f(a.at[i]);
}

template <typename T> void narrow(T *values, int count, DType type) {
    if constexpr (std::is_same_v<T, float>) {
        if (type == DType::Float16)
            for (int i = 0; i < count; ++i) values[i] = halfToFloat(floatToHalf(values[i]));
        else if (type == DType::BFloat16)
            for (int i = 0; i < count; ++i) values[i] = bfloatToFloat(floatToBfloat(values[i]));
    } else if constexpr (std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>) {
        if (type != DType::Int32 && type != DType::Int64)
            for (int i = 0; i < count; ++i) values[i] = static_cast<T>(wrapToType(values[i], type));
    }
}

template <typename In> void compare(ExprKind kind, int32_t *out, int count, LaneOperand<In> a, LaneOperand<In> b) {
    switch (kind) {
    case ExprKind::Eq:
        return inLanes(out, count, a, b, [](In x, In y) -> int32_t { return x == y; });
    case ExprKind::Ne:
        return inLanes(out, count, a, b, [](In x, In y) -> int32_t { return x != y; });
    case ExprKind::Lt:
        return inLanes(out, count, a, b, [](In x, In y) -> int32_t { return x < y; });
    case ExprKind::Le:
        return inLanes(out, count, a, b, [](In x, In y) -> int32_t { return x <= y; });
    case ExprKind::Gt:
        return inLanes(out, count, a, b, [](In x, In y) -> int32_t { return x > y; });
    default:
        return inLanes(out, count, a, b, [](In x, In y) -> int32_t { return x >= y; });
    }
}

template <typename T> void floatOperation(const SimtInstruction &in, LaneFrame &frame, T *out, int count) {
    const auto operand = [&](size_t i) { return frame.operand<T>(in.args[i]); };
    const auto binary = [&](auto f) { inLanes(out, count, operand(0), operand(1), f); };
    const auto rounded = [type = in.dtype](double x) { return roundToType(x, type); };
    switch (in.expr) {
    case ExprKind::Add:
        binary([](T a, T b) { return a + b; });
        break;
    case ExprKind::Sub:
        binary([](T a, T b) { return a - b; });
        break;
    case ExprKind::Mul:
        binary([](T a, T b) { return a * b; });
        break;
    case ExprKind::Div:
        binary([](T a, T b) { return a / b; });
        break;
    case ExprKind::Min:
        return binary(lesserOf<T>);
    case ExprKind::Max:
        return binary(greaterOf<T>);
    case ExprKind::Mod:
        binary([](T a, T b) { return static_cast<T>(std::fmod(a, b)); });
        break;
    case ExprKind::FloorDiv:
        binary([&](T a, T b) {
            return static_cast<T>(std::floor(rounded(static_cast<double>(a) / static_cast<double>(b))));
        });
        break;
    case ExprKind::FloorMod:
        binary([&](T x, T y) {
            const double a = x, b = y;
            return static_cast<T>(a - std::floor(rounded(a / b)) * b);
        });
        break;
    case ExprKind::Call: {
        const size_t second = in.args[1] >= 0 ? 1 : 0;
        if (in.intrinsic == Intrinsic::Fabs) return inLanes(out, count, operand(0), [](T a) { return std::fabs(a); });
        if (in.intrinsic == Intrinsic::Sqrt) {
            inLanes(out, count, operand(0), [](T a) { return std::sqrt(a); });
            break;
        }
        inLanes(out, count, operand(0), operand(second),
                [&](T a, T b) { return static_cast<T>(callFloat(in.intrinsic, in.operand, a, b)); });
        break;
    }
    default:
        failCheck("a float operation", __FILE__, __LINE__, "kind " + std::to_string(static_cast<int>(in.expr)));
    }
    narrow(out, count, in.dtype);
}

/// By the same divisor in all lanes.
template <typename T> void divisionByOne(const SimtInstruction &in, T *out, int count, LaneOperand<T> a, T divisor) {
    if (divisor > 0 && std::has_single_bit(static_cast<std::make_unsigned_t<T>>(divisor))) {
        const int shift = std::countr_zero(static_cast<std::make_unsigned_t<T>>(divisor));
        if (in.expr == ExprKind::FloorDiv)
            return inLanes(out, count, a, [shift](T x) { return static_cast<T>(x >> shift); });
        if (in.expr == ExprKind::FloorMod)
            return inLanes(out, count, a, [divisor](T x) { return static_cast<T>(x & (divisor - 1)); });
    }
    inLanes(out, count, a,
            [&](T x) { return static_cast<T>(divideInts(in.expr, in.dtype, x, static_cast<int64_t>(divisor))); });
}

template <typename T> void integerOperation(const SimtInstruction &in, LaneFrame &frame, T *out, int count) {
    using Unsigned = std::make_unsigned_t<T>;
    const auto operand = [&](size_t i) { return frame.operand<T>(in.args[i]); };
    const auto binary = [&](auto f) { inLanes(out, count, operand(0), operand(1), f); };
    const auto wrapping = [&](auto f) {
        binary([f](T a, T b) { return static_cast<T>(f(static_cast<Unsigned>(a), static_cast<Unsigned>(b))); });
        narrow(out, count, in.dtype);
    };
    switch (in.expr) {
    case ExprKind::Add:
        return wrapping([](Unsigned a, Unsigned b) { return a + b; });
    case ExprKind::Sub:
        return wrapping([](Unsigned a, Unsigned b) { return a - b; });
    case ExprKind::Mul:
        return wrapping([](Unsigned a, Unsigned b) { return a * b; });
    case ExprKind::Min:
        return binary([](T a, T b) { return std::min(a, b); });
    case ExprKind::Max:
        return binary([](T a, T b) { return std::max(a, b); });
    case ExprKind::And:
        return binary([](T a, T b) -> T { return (a != 0) & (b != 0); });
    case ExprKind::Or:
        return binary([](T a, T b) -> T { return (a != 0) | (b != 0); });
    case ExprKind::Not:
        return inLanes(out, count, operand(0), [](T a) -> T { return a == 0; });
    case ExprKind::Div:
    case ExprKind::Mod:
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
        if (!operand(1).varying) return divisionByOne(in, out, count, operand(0), operand(1).at[0]);
        return binary([&](T a, T b) { return static_cast<T>(divideInts(in.expr, in.dtype, a, b)); });
    case ExprKind::Call: {
        for (int i = 0; i < count; ++i) { // operands may be wider than the result
            const int64_t a = frame.integer(in.args[0], i);
            const int64_t b = in.args[1] >= 0 ? frame.integer(in.args[1], i) : 0;
            out[i] = static_cast<T>(callInt(in.intrinsic, in.operand, in.dtype, a, b));
        }
        return;
    }
    default:
        failCheck("an integer operation", __FILE__, __LINE__, "kind " + std::to_string(static_cast<int>(in.expr)));
    }
}

template <typename Out, typename In> void castLanes(const SimtInstruction &in, LaneFrame &frame, Out *out, int count) {
    const LaneOperand<In> from = frame.operand<In>(in.args[0]);
    if constexpr (std::is_floating_point_v<Out>) {
        inLanes(out, count, from, [](In x) { return static_cast<Out>(x); });
        narrow(out, count, in.dtype);
    } else if constexpr (std::is_floating_point_v<In>) {
        inLanes(out, count, from,
                [&](In x) { return static_cast<Out>(truncateToInt(static_cast<double>(x), in.dtype)); });
    } else if (in.dtype == DType::Int32 || in.dtype == DType::Int64) {
        inLanes(out, count, from, [](In x) { return static_cast<Out>(x); });
    } else {
        inLanes(out, count, from, [&](In x) { return static_cast<Out>(wrapToType(x, in.dtype)); });
    }
}

template <typename T> void chooseLanes(const SimtInstruction &in, LaneFrame &frame, T *out, int count) {
    const LaneOperand<int32_t> condition = frame.operand<int32_t>(in.args[0]);
    const LaneOperand<T> yes = frame.operand<T>(in.args[1]);
    const LaneOperand<T> no = frame.operand<T>(in.args[2]);
    if (!condition.varying) {
        const LaneOperand<T> chosen = condition.at[0] != 0 ? yes : no;
        if (chosen.varying)
            std::copy_n(chosen.at, count, out);
        else
            std::fill_n(out, count, chosen.at[0]);
    } else if (yes.varying && no.varying) {
        for (int i = 0; i < count; ++i) out[i] = condition.at[i] != 0 ? yes.at[i] : no.at[i];
    } else {
        for (int i = 0; i < count; ++i) out[i] = condition.at[i] != 0 ? yes[i] : no[i];
    }
}

template <typename Visit> void withLaneKind(LaneKind kind, Visit &&visit) {
    switch (kind) {
    case LaneKind::Int32:
        return visit(int32_t{});
    case LaneKind::Int64:
        return visit(int64_t{});
    case LaneKind::Float32:
        return visit(float{});
    case LaneKind::Float64:
        return visit(double{});
    }
}

} // namespace

void executeLaneValue(const SimtInstruction &in, LaneFrame &frame) {
    const int count = in.varying ? frame.lanes() : 1;
    const LaneKind from = laneKindOf(in.operand);
    if (isComparison(in.expr)) {
        auto *const out = frame.result<int32_t>(in.dst);
        return withLaneKind(from, [&](auto zero) {
            using In = decltype(zero);
            compare(in.expr, out, count, frame.operand<In>(in.args[0]), frame.operand<In>(in.args[1]));
        });
    }
    if (in.expr == ExprKind::Call && in.intrinsic == Intrinsic::Isnan) {
        auto *const out = frame.result<int32_t>(in.dst);
        return withLaneKind(from, [&](auto zero) {
            using In = decltype(zero);
            inLanes(out, count, frame.operand<In>(in.args[0]), [](In x) -> int32_t {
                if constexpr (std::is_floating_point_v<In>) return std::isnan(x);
                return 0;
            });
        });
    }
    withLaneKind(laneKindOf(in.dtype), [&](auto zero) {
        using Out = decltype(zero);
        auto *const out = frame.result<Out>(in.dst);
        if (in.expr == ExprKind::Cast)
            return withLaneKind(from, [&](auto other) { castLanes<Out, decltype(other)>(in, frame, out, count); });
        if (in.expr == ExprKind::Select) return chooseLanes(in, frame, out, count);
        if constexpr (std::is_floating_point_v<Out>)
            floatOperation(in, frame, out, count);
        else
            integerOperation(in, frame, out, count);
    });
}

void copyLanes(const SimtInstruction &in, LaneFrame &frame) {
    const auto count = static_cast<size_t>(in.varying ? frame.lanes() : 1);
    const size_t bytes = count * (isWide(laneKindOf(in.dtype)) ? 8 : 4);
    std::memcpy(frame.result<std::byte>(in.dst), frame.operand<std::byte>(in.args[0]).at, bytes);
}

} // namespace loopscope
