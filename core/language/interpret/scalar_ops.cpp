#include "language/interpret/scalar_ops.h"

#include "base/check.h"
#include "language/expr/half.h"
#include "language/expr/interval.h"

#include <bit>
#include <cmath>
#include <string>

namespace loopscope {

int64_t truncateToInt(double value, DType type) {
    if (type == DType::Bool) return value != 0;
    const Interval legal = Interval::ofType(type);
    if (std::isnan(value)) return 0;
    if (value <= static_cast<double>(legal.min)) return legal.min;
    if (value >= static_cast<double>(legal.max)) return legal.max;
    return static_cast<int64_t>(value);
}

int64_t divideInts(ExprKind kind, DType type, int64_t a, int64_t b) {
    const bool modulo = kind == ExprKind::Mod || kind == ExprKind::FloorMod;
    if (b == 0) return 0;
    // The smallest value has no negative.
    if (b == -1) return modulo ? 0 : wrapToType(static_cast<int64_t>(0 - static_cast<uint64_t>(a)), type);
    switch (kind) {
    case ExprKind::Div:
        return a / b;
    case ExprKind::Mod:
        return a % b;
    case ExprKind::FloorDiv:
        return floorDivInt(a, b);
    default:
        return floorModInt(a, b);
    }
}

double callFloat(Intrinsic intrinsic, DType operandType, double x, double y) {
    // A small error decides where halves, integers or multiples lie: as a kernel in that type does.
    const auto rounded = [&](double value) { return roundToType(value, operandType); };
    switch (intrinsic) {
    case Intrinsic::Exp:
        return std::exp(x);
    case Intrinsic::Exp2:
        return std::exp2(x);
    case Intrinsic::Exp10:
        return std::pow(10.0, x);
    case Intrinsic::Log:
        return std::log(x);
    case Intrinsic::Log2:
        return std::log2(x);
    case Intrinsic::Log10:
        return std::log10(x);
    case Intrinsic::Sqrt:
        return std::sqrt(x);
    case Intrinsic::Rsqrt:
        return 1.0 / std::sqrt(x);
    case Intrinsic::Tanh:
        return std::tanh(x);
    case Intrinsic::Sigmoid:
        return 1.0 / (1.0 + std::exp(-x));
    case Intrinsic::Erf:
        return std::erf(x);
    case Intrinsic::Sin:
        return std::sin(x);
    case Intrinsic::Cos:
        return std::cos(x);
    case Intrinsic::Tan:
        return std::tan(x);
    case Intrinsic::Atan:
        return std::atan(x);
    case Intrinsic::Fabs:
        return std::fabs(x);
    case Intrinsic::Floor:
        return std::floor(rounded(x));
    case Intrinsic::Ceil:
        return std::ceil(rounded(x));
    case Intrinsic::Round:
        return std::round(rounded(x)); // halves away from zero
    case Intrinsic::Trunc:
        return std::trunc(rounded(x));
    case Intrinsic::Pow:
        return std::pow(x, y);
    case Intrinsic::Fmod:
        return std::fmod(rounded(x), rounded(y));
    default:
        break;
    }
    failCheck("a float intrinsic", __FILE__, __LINE__, std::string(intrinsicName(intrinsic)));
}

int64_t callInt(Intrinsic intrinsic, DType operandType, DType type, int64_t x, int64_t y) {
    const auto bits = [](DType t) { return dtypeBytes(t) * 8; };
    const auto shift = [&] { return static_cast<uint64_t>(y) & static_cast<uint64_t>(bits(type) - 1); };
    const auto asBits = [&] {
        const auto all = static_cast<uint64_t>(x);
        return bits(operandType) == 64 ? all : all & ((uint64_t{1} << bits(operandType)) - 1);
    };
    switch (intrinsic) {
    case Intrinsic::Isnan:
        return 0;
    case Intrinsic::Fabs:
        return x < 0 ? wrapToType(static_cast<int64_t>(0 - static_cast<uint64_t>(x)), type) : x;
    case Intrinsic::Floor:
    case Intrinsic::Ceil:
    case Intrinsic::Round:
    case Intrinsic::Trunc:
        return x;
    case Intrinsic::Popcount:
        return std::popcount(asBits());
    case Intrinsic::ShiftLeft:
        return wrapToType(static_cast<int64_t>(static_cast<uint64_t>(x) << shift()), type);
    case Intrinsic::ShiftRight:
        return x >> shift();
    case Intrinsic::BitwiseAnd:
        return x & y;
    case Intrinsic::BitwiseOr:
        return x | y;
    case Intrinsic::BitwiseXor:
        return x ^ y;
    default:
        break;
    }
    failCheck("an integer intrinsic", __FILE__, __LINE__, std::string(intrinsicName(intrinsic)));
}

} // namespace loopscope
