#include "harness/plain_interpreter.h"

#include "check.h"
#include "expr/half.h"
#include "expr/interval.h"

#include <bit>
#include <cmath>
#include <unordered_map>

namespace loopscope {

namespace {

/// Which member is meant follows from the type of the expression.
struct Scalar {
    int64_t i = 0;
    double f = 0;
};

int64_t wrap(uint64_t value, DType type) {
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
        return static_cast<int64_t>(value);
    }
}

template <typename T> bool compares(ExprKind kind, T a, T b) {
    if (kind == ExprKind::Eq) return a == b;
    if (kind == ExprKind::Ne) return a != b;
    if (kind == ExprKind::Lt) return a < b;
    if (kind == ExprKind::Le) return a <= b;
    return kind == ExprKind::Gt ? a > b : a >= b;
}

class PlainInterpreter {
  public:
    std::unordered_map<const TensorSymbol *, TensorValue> tensors;

    void compute(const Op &op) {
        std::vector<TensorValue> results;
        for (const auto &output : op.outputs) {
            TensorValue value{output->dtype, output->shape, {}, {}};
            (isFloat(value.dtype) ? value.floats.resize(value.size()) : value.integers.resize(value.size()));
            results.push_back(std::move(value));
        }
        const size_t elements = results[0].size();
        for (size_t element = 0; element < elements; ++element) {
            setAxes(op.axes, static_cast<int64_t>(element));
            const std::vector<Scalar> values = op.reduction ? reduce(op) : evalAll(op.body);
            for (size_t k = 0; k < values.size(); ++k)
                if (isFloat(results[k].dtype))
                    results[k].floats[element] = roundToType(values[k].f, results[k].dtype);
                else
                    results[k].integers[element] = wrap(static_cast<uint64_t>(values[k].i), results[k].dtype);
        }
        for (size_t k = 0; k < results.size(); ++k) tensors[op.outputs[k].get()] = std::move(results[k]);
    }

  private:
    void setAxes(const std::vector<Axis> &axes, int64_t point) {
        for (size_t a = axes.size(); a-- > 0; point /= axes[a].extent)
            m_vars[axes[a].var.node()].i = point % axes[a].extent;
    }

    std::vector<Scalar> evalAll(const std::vector<Expr> &exprs) {
        std::vector<Scalar> values;
        for (const Expr e : exprs) values.push_back(eval(e));
        return values;
    }

    std::vector<Scalar> reduce(const Op &op) {
        const Reduction &reduction = *op.reduction;
        int64_t points = 1;
        for (const Axis &axis : reduction.axes) points *= axis.extent;
        std::vector<Scalar> total = evalAll(reduction.combiner.identity);
        for (int64_t point = 0; point < points; ++point) {
            setAxes(reduction.axes, point);
            if (reduction.condition && eval(reduction.condition).i == 0) continue;
            const std::vector<Scalar> next = evalAll(op.body);
            for (size_t k = 0; k < total.size(); ++k) {
                m_vars[reduction.combiner.left[k].node()] = total[k];
                m_vars[reduction.combiner.right[k].node()] = next[k];
            }
            total = evalAll(reduction.combiner.result);
        }
        return total;
    }

    static Scalar ofInt(int64_t i) { return {i, 0}; }
    static Scalar ofFloat(double f) { return {0, f}; }

    /// Rounded to the operand's own type, where a small error would decide.
    double rounded(Expr e) { return roundToType(eval(e).f, e->dtype); }

    Scalar load(Expr e) {
        const TensorValue &tensor = tensors.at(e->symbol);
        int64_t at = 0;
        for (size_t d = 0; d < e->argCount; ++d) {
            const int64_t index = eval(e->arg(d)).i;
            LOOPSCOPE_CHECK(index >= 0 && index < tensor.shape[d], "a read outside of " + e->symbol->name);
            at = at * tensor.shape[d] + index;
        }
        return isFloat(e->dtype) ? ofFloat(tensor.floats[static_cast<size_t>(at)])
                                 : ofInt(tensor.integers[static_cast<size_t>(at)]);
    }

    Scalar cast(Expr e) {
        const Expr from = e->arg(0);
        if (isFloat(e->dtype))
            return ofFloat(
                roundToType(isFloat(from->dtype) ? eval(from).f : static_cast<double>(eval(from).i), e->dtype));
        if (!isFloat(from->dtype)) return ofInt(wrap(static_cast<uint64_t>(eval(from).i), e->dtype));
        const double value = rounded(from);
        if (e->dtype == DType::Bool) return ofInt(value != 0);
        const Interval legal = Interval::ofType(e->dtype);
        if (std::isnan(value)) return ofInt(0);
        if (value <= static_cast<double>(legal.min)) return ofInt(legal.min);
        if (value >= static_cast<double>(legal.max)) return ofInt(legal.max);
        return ofInt(static_cast<int64_t>(value));
    }

    Scalar floatArithmetic(Expr e) {
        const Expr x = e->arg(0), y = e->arg(1);
        const double a = eval(x).f, b = eval(y).f;
        switch (e->kind) {
        case ExprKind::Add:
            return ofFloat(a + b);
        case ExprKind::Sub:
            return ofFloat(a - b);
        case ExprKind::Mul:
            return ofFloat(a * b);
        case ExprKind::Div:
            return ofFloat(a / b);
        case ExprKind::Mod:
            return ofFloat(std::fmod(rounded(x), rounded(y)));
        case ExprKind::FloorDiv:
            return ofFloat(std::floor(roundToType(a / b, e->dtype)));
        case ExprKind::FloorMod:
            return ofFloat(rounded(x) - std::floor(roundToType(rounded(x) / rounded(y), e->dtype)) * rounded(y));
        case ExprKind::Min:
            return ofFloat(a < b ? a : b);
        default:
            return ofFloat(a > b ? a : b);
        }
    }

    Scalar intArithmetic(Expr e) {
        const int64_t a = eval(e->arg(0)).i, b = eval(e->arg(1)).i;
        const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
        switch (e->kind) {
        case ExprKind::Add:
            return ofInt(wrap(x + y, e->dtype));
        case ExprKind::Sub:
            return ofInt(wrap(x - y, e->dtype));
        case ExprKind::Mul:
            return ofInt(wrap(x * y, e->dtype));
        case ExprKind::Min:
            return ofInt(a < b ? a : b);
        case ExprKind::Max:
            return ofInt(a > b ? a : b);
        default:
            break;
        }
        LOOPSCOPE_CHECK(b != 0, "a division by zero");
        if (b == -1)
            return ofInt(e->kind == ExprKind::Div || e->kind == ExprKind::FloorDiv ? wrap(0 - x, e->dtype) : 0);
        if (e->kind == ExprKind::Div) return ofInt(a / b);
        if (e->kind == ExprKind::Mod) return ofInt(a % b);
        return ofInt(e->kind == ExprKind::FloorDiv ? floorDivInt(a, b) : floorModInt(a, b));
    }

    Scalar call(Expr e) {
        const Expr x = e->arg(0);
        switch (e->intrinsic) {
        case Intrinsic::IfThenElse:
            return eval(x).i != 0 ? eval(e->arg(1)) : eval(e->arg(2));
        case Intrinsic::Exp:
            return ofFloat(std::exp(eval(x).f));
        case Intrinsic::Tanh:
            return ofFloat(std::tanh(eval(x).f));
        case Intrinsic::Sqrt:
            return ofFloat(std::sqrt(eval(x).f));
        case Intrinsic::Floor:
            return ofFloat(std::floor(rounded(x)));
        case Intrinsic::Isnan:
            return ofInt(std::isnan(eval(x).f));
        case Intrinsic::Fabs:
            if (isFloat(e->dtype)) return ofFloat(std::fabs(eval(x).f));
            return ofInt(eval(x).i < 0 ? wrap(0 - static_cast<uint64_t>(eval(x).i), e->dtype) : eval(x).i);
        case Intrinsic::BitwiseXor:
            return ofInt(eval(x).i ^ eval(e->arg(1)).i);
        case Intrinsic::ShiftRight:
            return ofInt(eval(x).i >> (eval(e->arg(1)).i & (dtypeBytes(e->dtype) * 8 - 1)));
        default:
            break;
        }
        failCheck("an intrinsic the plain interpreter knows", __FILE__, __LINE__,
                  std::string(intrinsicName(e->intrinsic)));
    }

    Scalar eval(Expr e) {
        switch (e->kind) {
        case ExprKind::IntImm:
            return ofInt(e->intValue);
        case ExprKind::FloatImm:
            return ofFloat(e->floatValue);
        case ExprKind::Var:
            return m_vars.at(e.node());
        case ExprKind::Load:
            return load(e);
        case ExprKind::Cast:
            return cast(e);
        case ExprKind::And:
            return ofInt(eval(e->arg(0)).i != 0 && eval(e->arg(1)).i != 0);
        case ExprKind::Or:
            return ofInt(eval(e->arg(0)).i != 0 || eval(e->arg(1)).i != 0);
        case ExprKind::Not:
            return ofInt(eval(e->arg(0)).i == 0);
        case ExprKind::Select:
            return eval(e->arg(0)).i != 0 ? eval(e->arg(1)) : eval(e->arg(2));
        case ExprKind::Let:
            m_vars[e->arg(0).node()] = eval(e->arg(1));
            return eval(e->arg(2));
        case ExprKind::Call:
            return call(e);
        default:
            break;
        }
        if (isComparison(e->kind)) {
            const Expr a = e->arg(0), b = e->arg(1);
            if (isFloat(a->dtype)) return ofInt(compares(e->kind, rounded(a), rounded(b)));
            return ofInt(compares(e->kind, eval(a).i, eval(b).i));
        }
        return isFloat(e->dtype) ? floatArithmetic(e) : intArithmetic(e);
    }

    std::unordered_map<const ExprNode *, Scalar> m_vars;
};

} // namespace

std::vector<TensorValue> interpretPlainly(const ComputeDag &dag, const std::vector<TensorValue> &inputs) {
    PlainInterpreter plain;
    size_t next = 0;
    for (const Tensor *arg : dag.args())
        if (arg->op->isPlaceholder()) plain.tensors[arg] = inputs[next++];
    for (size_t i = 0; i < dag.size(); ++i)
        if (!dag.op(i).isPlaceholder()) plain.compute(dag.op(i));
    std::vector<TensorValue> outputs;
    for (const Tensor *arg : dag.args())
        if (!arg->op->isPlaceholder()) outputs.push_back(plain.tensors.at(arg));
    return outputs;
}

} // namespace loopscope
