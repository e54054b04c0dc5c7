#include "language/te/language/derived_functions.h"

#include "language/expr/interval.h"

#include <array>
#include <cmath>
#include <cstddef>

namespace loopscope {

namespace {

using Arguments = const std::vector<TypedExpr> &;
using Function = Outcome<TypedExpr> (*)(Arguments);

constexpr std::string_view kSaturating = "saturating_";

/// The narrowest integer type that holds sums and differences of two values of the type.
std::optional<DType> widerType(DType type) {
    switch (type) {
    case DType::Int8:
    case DType::UInt8:
        return DType::Int16;
    case DType::Int16:
    case DType::UInt16:
        return DType::Int32;
    case DType::Int32:
    case DType::UInt32:
        return DType::Int64;
    default:
        return std::nullopt;
    }
}

std::optional<DType> unsignedType(DType type) {
    switch (type) {
    case DType::Int8:
        return DType::UInt8;
    case DType::Int16:
        return DType::UInt16;
    case DType::Int32:
        return DType::UInt32;
    default:
        return isUnsigned(type) ? std::optional(type) : std::nullopt;
    }
}

/// Both of one type: that of the one that has its own.
Outcome<std::array<TypedExpr, 2>> alike(std::string_view name, Arguments args) {
    const TypedExpr &typed = args[0].untyped ? args[1] : args[0];
    const Outcome<TypedExpr> own = withOwnType(typed);
    if (!own) return own.refusal();
    std::array<TypedExpr, 2> both;
    for (size_t i = 0; i < 2; ++i) {
        Outcome<TypedExpr> value = withType(args[i], own->e->dtype);
        if (!value) return Refusal{std::string(name) + " takes two values of one type: " + value.why()};
        both[i] = *std::move(value);
    }
    return both;
}

Outcome<TypedExpr> chain(ExprKind kind, const Outcome<TypedExpr> &a, const Outcome<TypedExpr> &b) {
    return !a ? a : !b ? b : combine(kind, *a, *b);
}

Outcome<TypedExpr> castOf(DType type, const Outcome<TypedExpr> &a) { return a ? castValue(type, *a) : a; }

Outcome<TypedExpr> clamp(Arguments args) {
    return chain(ExprKind::Min, combine(ExprKind::Max, args[0], args[1]), args[2]);
}

Outcome<TypedExpr> absoluteDifference(Arguments args) {
    const Outcome<std::array<TypedExpr, 2>> both = alike("absd", args);
    if (!both) return both.refusal();
    const auto &[a, b] = *both;
    const DType type = a.e->dtype;
    if (isFloat(type)) {
        const Outcome<TypedExpr> difference = combine(ExprKind::Sub, a, b);
        return difference ? callIntrinsic(Intrinsic::Fabs, {*difference}) : difference;
    }
    const std::optional<DType> result = isInteger(type) ? unsignedType(type) : std::nullopt;
    if (!result)
        return Refusal{"absd takes floats and integers of 8 to 32 bits, this is " + std::string(dtypeName(type))};
    return castOf(*result, chain(ExprKind::Sub, combine(ExprKind::Max, a, b), combine(ExprKind::Min, a, b)));
}

/// Computed in the wider type, which holds it.
Outcome<TypedExpr> inWiderType(std::string_view name, Arguments args, ExprKind kind,
                               Outcome<TypedExpr> (*finish)(const TypedExpr &wide, DType type)) {
    const Outcome<std::array<TypedExpr, 2>> both = alike(name, args);
    if (!both) return both.refusal();
    const auto &[a, b] = *both;
    const DType type = a.e->dtype;
    const std::optional<DType> wider = widerType(type);
    if (!wider)
        return Refusal{std::string(name) + " takes integers of 8 to 32 bits, this is " + std::string(dtypeName(type))};
    const Outcome<TypedExpr> wide = chain(kind, castValue(*wider, a), castValue(*wider, b));
    return wide ? finish(*wide, type) : wide;
}

Outcome<TypedExpr> half(const Outcome<TypedExpr> &sum, DType type) {
    return castOf(type, chain(ExprKind::FloorDiv, sum, untypedInt(2)));
}

Outcome<TypedExpr> halvingAdd(Arguments args) {
    return inWiderType("halving_add", args, ExprKind::Add,
                       [](const TypedExpr &sum, DType type) { return half(sum, type); });
}

Outcome<TypedExpr> roundingHalvingAdd(Arguments args) {
    return inWiderType("rounding_halving_add", args, ExprKind::Add, [](const TypedExpr &sum, DType type) {
        return half(combine(ExprKind::Add, sum, untypedInt(1)), type);
    });
}

/// Floats that have whole numbers between which all values of the type lie; larger ones are told apart by comparing.
Outcome<TypedExpr> saturatedFloat(const TypedExpr &x, DType type) {
    const Interval legal = Interval::ofType(type);
    // 2^n of unsigned types of n bits: a float, as the largest value itself often is not.
    const double beyond = std::ldexp(1.0, dtypeBytes(type) * 8 - (isUnsigned(type) ? 0 : 1));
    const double largest = x.e->dtype == DType::Float64
                               ? std::nextafter(beyond, 0)
                               : static_cast<double>(std::nextafterf(static_cast<float>(beyond), 0));
    const Outcome<TypedExpr> least = combine(ExprKind::Max, x, untypedFloat(static_cast<double>(legal.min)));
    Outcome<TypedExpr> inside = castOf(type, chain(ExprKind::Min, least, untypedFloat(largest)));
    if (!inside || std::trunc(largest) == static_cast<double>(legal.max)) return inside;
    const Outcome<TypedExpr> above = combine(ExprKind::Ge, x, untypedFloat(beyond));
    return above ? choose(false, *above, untypedInt(legal.max), *inside) : above;
}

Outcome<TypedExpr> saturatedCast(DType type, const TypedExpr &value) {
    Outcome<TypedExpr> x = withOwnType(value);
    if (!x) return x;
    if (x->e->dtype == DType::Bool) return castValue(type, *x);
    if (isFloat(x->e->dtype)) {
        // Narrow floats have no 32767: in float32.
        if (x->e->dtype == DType::Float16 || x->e->dtype == DType::BFloat16) x = castValue(DType::Float32, *x);
        return x ? saturatedFloat(*x, type) : x;
    }
    const Interval has = Interval::ofType(x->e->dtype);
    const Interval legal = Interval::ofType(type);
    if (has.min < legal.min) x = combine(ExprKind::Max, *x, untypedInt(legal.min));
    if (x && has.max > legal.max) x = combine(ExprKind::Min, *x, untypedInt(legal.max));
    return castOf(type, x);
}

Outcome<TypedExpr> saturatingAdd(Arguments args) {
    return inWiderType("saturating_add", args, ExprKind::Add,
                       [](const TypedExpr &sum, DType type) { return saturatedCast(type, sum); });
}
Outcome<TypedExpr> saturatingSub(Arguments args) {
    return inWiderType("saturating_sub", args, ExprKind::Sub,
                       [](const TypedExpr &difference, DType type) { return saturatedCast(type, difference); });
}

struct Row {
    std::string_view name;
    size_t arity;
    Function make;
};
constexpr std::array<Row, 6> kFunctions = {{{"clamp", 3, clamp},
                                            {"absd", 2, absoluteDifference},
                                            {"halving_add", 2, halvingAdd},
                                            {"rounding_halving_add", 2, roundingHalvingAdd},
                                            {"saturating_add", 2, saturatingAdd},
                                            {"saturating_sub", 2, saturatingSub}}};

const Row *rowOf(std::string_view name) {
    for (const Row &row : kFunctions)
        if (row.name == name) return &row;
    return nullptr;
}

std::optional<DType> saturatedType(std::string_view name) {
    if (!name.starts_with(kSaturating)) return std::nullopt;
    const std::optional<DType> type = dtypeFromName(name.substr(kSaturating.size()));
    return type && isInteger(*type) ? type : std::nullopt;
}

} // namespace

bool isDerivedFunction(std::string_view name) { return rowOf(name) != nullptr || saturatedType(name).has_value(); }

std::vector<std::string> derivedFunctionNames() {
    std::vector<std::string> names;
    for (const Row &row : kFunctions) names.emplace_back(row.name);
    for (const std::string_view type : {"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"})
        names.push_back(std::string(kSaturating) + std::string(type));
    return names;
}

Outcome<TypedExpr> callDerived(std::string_view name, const std::vector<TypedExpr> &args) {
    const Row *row = rowOf(name);
    const size_t arity = row != nullptr ? row->arity : 1;
    if (args.size() != arity)
        return Refusal{std::string(name) + " takes " + std::to_string(arity) +
                       (arity == 1 ? " argument, " : " arguments, ") + std::to_string(args.size()) +
                       (args.size() == 1 ? " is given" : " are given")};
    return row != nullptr ? row->make(args) : saturatedCast(*saturatedType(name), args[0]);
}

} // namespace loopscope
