#include "dag/expr_program.h"

#include "check.h"
#include "expr/affine.h"
#include "expr/half.h"
#include "outcome.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace loopscope {

namespace {

int bits(DType type) { return dtypeBytes(type) * 8; }

/// Out of range saturates, NaN is 0.
int64_t truncateToInt(double value, DType type) {
    if (type == DType::Bool) return value != 0;
    const Interval legal = Interval::ofType(type);
    if (std::isnan(value)) return 0;
    if (value <= static_cast<double>(legal.min)) return legal.min;
    if (value >= static_cast<double>(legal.max)) return legal.max;
    return static_cast<int64_t>(value);
}

int64_t wrappedMul(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
int64_t wrappedAdd(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t wrappedSub(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}

template <typename T> bool compareValues(ExprKind kind, T a, T b) {
    switch (kind) {
    case ExprKind::Eq:
        return a == b;
    case ExprKind::Ne:
        return a != b;
    case ExprKind::Lt:
        return a < b;
    case ExprKind::Le:
        return a <= b;
    case ExprKind::Gt:
        return a > b;
    default:
        return a >= b;
    }
}

} // namespace

int64_t wrapToType(int64_t value, DType type) {
    switch (type) {
    case DType::Bool:
        return value != 0;
    case DType::Int8:
        return static_cast<int8_t>(value);
    case DType::UInt8:
        return static_cast<uint8_t>(value);
    case DType::Int32:
        return static_cast<int32_t>(value);
    default:
        return value;
    }
}

std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &shape) {
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
    return strides;
}

int ExprProgram::slotOf(Expr var) {
    const auto found = std::find(m_slotVars.begin(), m_slotVars.end(), var.node());
    if (found != m_slotVars.end()) return static_cast<int>(found - m_slotVars.begin());
    m_slotVars.push_back(var.node());
    return static_cast<int>(m_slotVars.size()) - 1;
}

int ExprProgram::addAxis(const Axis &axis) {
    m_ranges.push_back({axis.var.node(), Interval::upTo(axis.extent)});
    return slotOf(axis.var);
}

const TensorValue &ExprProgram::valueOf(Expr load) const {
    const auto found = m_values.find(load->symbol);
    LOOPSCOPE_CHECK(found != m_values.end(), "'" + m_opName + "' reads a tensor that has no value yet");
    return *found->second;
}

std::optional<AffineOffset> ExprProgram::affineOffset(Expr load) {
    AffineOffset result;
    const std::vector<int64_t> strides = rowMajorStrides(load->symbol->shape);
    for (size_t d = 0; d < load->argCount; ++d) {
        const LinearForm form = linearForm(load->arg(d), m_ranges);
        result.base += form.constant * strides[d];
        for (const LinearTerm &term : form.terms) {
            const bool isAxis = std::any_of(m_ranges.begin(), m_ranges.end(),
                                            [&](const VarRange &range) { return range.var == term.atom.node(); });
            if (!isAxis) return std::nullopt;
            const int slot = slotOf(term.atom);
            const auto known = std::find_if(result.terms.begin(), result.terms.end(),
                                            [&](const StrideTerm &other) { return other.slot == slot; });
            if (known == result.terms.end())
                result.terms.push_back({slot, term.coefficient * strides[d]});
            else
                known->stride += term.coefficient * strides[d];
        }
    }
    return result;
}

int ExprProgram::compile(Expr e) {
    Node node{};
    node.kind = e->kind;
    node.dtype = e->dtype;
    node.intrinsic = e->intrinsic;
    switch (e->kind) {
    case ExprKind::IntImm:
        node.constant.i = e->intValue;
        break;
    case ExprKind::FloatImm:
        node.constant.f = e->floatValue;
        break;
    case ExprKind::Var:
        node.slot = slotOf(e);
        break;
    case ExprKind::Load: {
        Load load;
        load.value = &valueOf(e);
        load.affine = affineOffset(e);
        if (!load.affine)
            for (const Expr index : e->operands()) load.indices.push_back(compile(index));
        node.load = static_cast<int>(m_loads.size());
        m_loads.push_back(std::move(load));
        break;
    }
    case ExprKind::Let:
        node.slot = slotOf(e->arg(0));
        node.operandType = e->arg(1)->dtype;
        node.args[0] = compile(e->arg(1));
        node.args[1] = compile(e->arg(2));
        break;
    case ExprKind::StringImm:
        LOOPSCOPE_CHECK(false, "a string has no value");
        break;
    default:
        LOOPSCOPE_CHECK(e->argCount >= 1 && e->argCount <= 3, "operands of " + toText(e));
        node.operandType = e->arg(0)->dtype;
        for (size_t i = 0; i < e->argCount; ++i) node.args[i] = compile(e->arg(i));
    }
    m_nodes.push_back(node);
    return static_cast<int>(m_nodes.size()) - 1;
}

size_t ExprProgram::offset(const Load &load, Slot *env) const {
    int64_t at = 0;
    if (load.affine) {
        at = load.affine->base;
        for (const StrideTerm &term : load.affine->terms) at += term.stride * env[term.slot].i;
    } else {
        for (size_t d = 0; d < load.indices.size(); ++d) {
            const int64_t index = intValue(load.indices[d], env);
            LOOPSCOPE_CHECK(index >= 0 && index < load.value->shape[d], "'" + m_opName + "' reads index " +
                                                                            std::to_string(index) + " of dimension " +
                                                                            std::to_string(d));
            at = at * load.value->shape[d] + index;
        }
    }
    return static_cast<size_t>(at);
}

double ExprProgram::decisive(int node, Slot *env) const {
    return roundToType(floatValue(node, env), m_nodes[static_cast<size_t>(node)].dtype);
}

Slot ExprProgram::value(int node, Slot *env) const {
    Slot result{};
    if (isFloatNode(node))
        result.f = floatValue(node, env);
    else
        result.i = intValue(node, env);
    return result;
}

double ExprProgram::floatValue(int index, Slot *env) const {
    const Node &node = m_nodes[static_cast<size_t>(index)];
    const auto operand = [&](int i) { return floatValue(node.args[i], env); };
    switch (node.kind) {
    case ExprKind::FloatImm:
        return node.constant.f;
    case ExprKind::Var:
        return env[node.slot].f;
    case ExprKind::Load: {
        const Load &load = m_loads[static_cast<size_t>(node.load)];
        return load.value->floats[offset(load, env)];
    }
    case ExprKind::Add:
        return operand(0) + operand(1);
    case ExprKind::Sub:
        return operand(0) - operand(1);
    case ExprKind::Mul:
        return operand(0) * operand(1);
    case ExprKind::Div:
        return operand(0) / operand(1);
    case ExprKind::Mod:
        return std::fmod(decisive(node.args[0], env), decisive(node.args[1], env));
    case ExprKind::FloorDiv:
        return std::floor(roundToType(operand(0) / operand(1), node.dtype));
    case ExprKind::FloorMod: {
        const double a = decisive(node.args[0], env), b = decisive(node.args[1], env);
        return a - std::floor(roundToType(a / b, node.dtype)) * b;
    }
    case ExprKind::Min: {
        const double a = operand(0), b = operand(1);
        return a < b ? a : b;
    }
    case ExprKind::Max: {
        const double a = operand(0), b = operand(1);
        return a > b ? a : b;
    }
    case ExprKind::Cast:
        if (isFloat(node.operandType)) return roundToType(operand(0), node.dtype);
        return roundToType(static_cast<double>(intValue(node.args[0], env)), node.dtype);
    case ExprKind::Select: {
        // Pure expressions: not evaluating the other side cannot be noticed.
        return operand(intValue(node.args[0], env) != 0 ? 1 : 2);
    }
    case ExprKind::Let:
        env[node.slot] = value(node.args[0], env);
        return operand(1);
    case ExprKind::Call:
        return callFloat(node, env);
    default:
        break;
    }
    failCheck("a float expression", __FILE__, __LINE__, m_opName);
}

double ExprProgram::callFloat(const Node &node, Slot *env) const {
    if (node.intrinsic == Intrinsic::IfThenElse)
        return floatValue(node.args[intValue(node.args[0], env) != 0 ? 1 : 2], env);
    const auto operand = [&](int i) {
        return isFloat(m_nodes[static_cast<size_t>(node.args[i])].dtype)
                   ? floatValue(node.args[i], env)
                   : static_cast<double>(intValue(node.args[i], env));
    };
    const double x = operand(0);
    const auto rounded = [&] { return roundToType(x, node.operandType); };
    switch (node.intrinsic) {
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
        return std::floor(rounded());
    case Intrinsic::Ceil:
        return std::ceil(rounded());
    case Intrinsic::Round:
        return std::round(rounded()); // halves away from zero
    case Intrinsic::Trunc:
        return std::trunc(rounded());
    case Intrinsic::Pow:
        return std::pow(x, operand(1));
    case Intrinsic::Fmod:
        return std::fmod(rounded(), roundToType(operand(1), node.operandType));
    default:
        break;
    }
    failCheck("a float intrinsic", __FILE__, __LINE__, std::string(intrinsicName(node.intrinsic)));
}

int64_t ExprProgram::compareNode(const Node &node, Slot *env) const {
    if (isFloat(node.operandType))
        return compareValues(node.kind, decisive(node.args[0], env), decisive(node.args[1], env));
    return compareValues(node.kind, intValue(node.args[0], env), intValue(node.args[1], env));
}

int64_t ExprProgram::divideInts(const Node &node, Slot *env) const {
    const int64_t a = intValue(node.args[0], env), b = intValue(node.args[1], env);
    if (b == 0) throw Error("'" + m_opName + "' divides by zero for these inputs");
    const bool modulo = node.kind == ExprKind::Mod || node.kind == ExprKind::FloorMod;
    if (b == -1) return modulo ? 0 : wrapToType(wrappedSub(0, a), node.dtype); // the smallest value has no negative
    switch (node.kind) {
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

int64_t ExprProgram::intValue(int index, Slot *env) const {
    const Node &node = m_nodes[static_cast<size_t>(index)];
    const auto operand = [&](int i) { return intValue(node.args[i], env); };
    switch (node.kind) {
    case ExprKind::IntImm:
        return node.constant.i;
    case ExprKind::Var:
        return env[node.slot].i;
    case ExprKind::Load: {
        const Load &load = m_loads[static_cast<size_t>(node.load)];
        return load.value->integers[offset(load, env)];
    }
    case ExprKind::Add:
        return wrapToType(wrappedAdd(operand(0), operand(1)), node.dtype);
    case ExprKind::Sub:
        return wrapToType(wrappedSub(operand(0), operand(1)), node.dtype);
    case ExprKind::Mul:
        return wrapToType(wrappedMul(operand(0), operand(1)), node.dtype);
    case ExprKind::Div:
    case ExprKind::Mod:
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
        return divideInts(node, env);
    case ExprKind::Min:
        return std::min(operand(0), operand(1));
    case ExprKind::Max:
        return std::max(operand(0), operand(1));
    case ExprKind::Eq:
    case ExprKind::Ne:
    case ExprKind::Lt:
    case ExprKind::Le:
    case ExprKind::Gt:
    case ExprKind::Ge:
        return compareNode(node, env);
    case ExprKind::And:
        return operand(0) != 0 && operand(1) != 0;
    case ExprKind::Or:
        return operand(0) != 0 || operand(1) != 0;
    case ExprKind::Not:
        return operand(0) == 0;
    case ExprKind::Cast:
        if (isFloat(node.operandType)) return truncateToInt(decisive(node.args[0], env), node.dtype);
        return wrapToType(operand(0), node.dtype);
    case ExprKind::Select:
        return operand(operand(0) != 0 ? 1 : 2);
    case ExprKind::Let:
        env[node.slot] = value(node.args[0], env);
        return operand(1);
    case ExprKind::Call:
        return callInt(node, env);
    default:
        break;
    }
    failCheck("an integer expression", __FILE__, __LINE__, m_opName);
}

int64_t ExprProgram::callInt(const Node &node, Slot *env) const {
    if (node.intrinsic == Intrinsic::IfThenElse)
        return intValue(node.args[intValue(node.args[0], env) != 0 ? 1 : 2], env);
    if (node.intrinsic == Intrinsic::Isnan)
        return isFloat(node.operandType) && std::isnan(floatValue(node.args[0], env));
    const int64_t x = intValue(node.args[0], env);
    const auto y = [&] { return intValue(node.args[1], env); };
    const auto shift = [&] { return static_cast<uint64_t>(y()) & static_cast<uint64_t>(bits(node.dtype) - 1); };
    const auto asBits = [&] {
        const uint64_t all = static_cast<uint64_t>(x);
        return bits(node.operandType) == 64 ? all : all & ((uint64_t{1} << bits(node.operandType)) - 1);
    };
    switch (node.intrinsic) {
    case Intrinsic::Fabs:
        return x < 0 ? wrapToType(wrappedSub(0, x), node.dtype) : x;
    case Intrinsic::Floor:
    case Intrinsic::Ceil:
    case Intrinsic::Round:
    case Intrinsic::Trunc:
        return x;
    case Intrinsic::Popcount:
        return std::popcount(asBits());
    case Intrinsic::ShiftLeft:
        return wrapToType(static_cast<int64_t>(static_cast<uint64_t>(x) << shift()), node.dtype);
    case Intrinsic::ShiftRight:
        return x >> shift();
    case Intrinsic::BitwiseAnd:
        return x & y();
    case Intrinsic::BitwiseOr:
        return x | y();
    case Intrinsic::BitwiseXor:
        return x ^ y();
    default:
        break;
    }
    failCheck("an integer intrinsic", __FILE__, __LINE__, std::string(intrinsicName(node.intrinsic)));
}

} // namespace loopscope
