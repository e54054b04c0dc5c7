#include "grouping/cost_simplifier.h"

#include "expr/interval.h"
#include "expr/walk.h"
#include "grouping/common_values.h"

#include <cmath>
#include <optional>

namespace loopscope {

namespace {

Expr constantOf(Expr like, double value) {
    return isFloat(like->dtype) ? makeFloat(value, like->dtype) : makeInt(static_cast<int64_t>(value), like->dtype);
}

bool isIndex(DType type) { return type == DType::Int32 || type == DType::Int64; }

Expr replaced(Expr e, Expr var, Expr value) {
    class Replacement final : public SharedRewrite {
      public:
        Replacement(Expr var, Expr value) : m_var(var), m_value(value) {}

      private:
        Expr rewritten(Expr node, Expr /*before*/) override { return node.is(m_var) ? m_value : node; }
        Expr m_var, m_value;
    };
    return Replacement(var, value)(e);
}

/// Of a function of one constant.
std::optional<double> calculated(Intrinsic intrinsic, double x) {
    switch (intrinsic) {
    case Intrinsic::Exp:
        return std::exp(x);
    case Intrinsic::Exp2:
        return std::exp2(x);
    case Intrinsic::Log:
        return x > 0 ? std::optional(std::log(x)) : std::nullopt;
    case Intrinsic::Sqrt:
        return x >= 0 ? std::optional(std::sqrt(x)) : std::nullopt;
    case Intrinsic::Sin:
        return std::sin(x);
    case Intrinsic::Cos:
        return std::cos(x);
    case Intrinsic::Fabs:
        return std::abs(x);
    case Intrinsic::Floor:
        return std::floor(x);
    case Intrinsic::Ceil:
        return std::ceil(x);
    default:
        return std::nullopt;
    }
}

class TidyUp final : public SharedRewrite {
  private:
    Expr rewritten(Expr e, Expr /*before*/) override {
        switch (e->kind) {
        case ExprKind::Add:
            return sum(e->arg(0), e->arg(1));
        case ExprKind::Sub:
            return difference(e->arg(0), e->arg(1));
        case ExprKind::Mul:
            return product(e->arg(0), e->arg(1));
        case ExprKind::FloorDiv:
            return quotient(e->arg(0), e->arg(1));
        case ExprKind::Min:
        case ExprKind::Max:
            return extreme(e->kind, e->arg(0), e->arg(1));
        case ExprKind::Cast:
            return castTo(e->dtype, e->arg(0));
        case ExprKind::Not:
            return logicalNot(e->arg(0));
        case ExprKind::Select:
            return e->arg(0)->kind == ExprKind::IntImm ? (e->arg(0)->intValue != 0 ? e->arg(1) : e->arg(2)) : e;
        case ExprKind::Call:
            return call(e);
        case ExprKind::Let:
            return let(e);
        default:
            return isBinary(e->kind) ? fold(e->kind, e->arg(0), e->arg(1)) : e;
        }
    }

    /// x + c, c last.
    static Expr sum(Expr a, Expr b) {
        if (isImm(a) && !isImm(b)) std::swap(a, b);
        if (isImm(b)) {
            if (a->kind == ExprKind::Add && isImm(a->arg(1))) return sum(a->arg(0), fold(ExprKind::Add, a->arg(1), b));
            return fold(ExprKind::Add, a, b);
        }
        if (isIndex(a->dtype)) {
            if (a->kind == ExprKind::Add && isImm(a->arg(1))) return sum(sum(a->arg(0), b), a->arg(1));
            if (b->kind == ExprKind::Add && isImm(b->arg(1))) return sum(sum(a, b->arg(0)), b->arg(1));
            if (a->kind == ExprKind::Sub && structurallyEqual(a->arg(1), b)) return a->arg(0);
            if (b->kind == ExprKind::Sub && structurallyEqual(b->arg(1), a)) return b->arg(0);
        }
        return fold(ExprKind::Add, a, b);
    }

    static Expr difference(Expr a, Expr b) {
        if (isImm(b)) {
            if (!isFloat(b->dtype) && !isIndex(b->dtype)) return fold(ExprKind::Sub, a, b);
            const double value = isFloat(b->dtype) ? -b->floatValue : static_cast<double>(-b->intValue);
            return sum(a, constantOf(b, value));
        }
        if (isIndex(a->dtype)) {
            if (structurallyEqual(a, b)) return makeInt(0, a->dtype);
            if (a->kind == ExprKind::Add && isImm(a->arg(1))) return sum(difference(a->arg(0), b), a->arg(1));
            if (b->kind == ExprKind::Add && isImm(b->arg(1)))
                return sum(difference(a, b->arg(0)), makeInt(-b->arg(1)->intValue, b->dtype));
            if (a->kind == ExprKind::Add && structurallyEqual(a->arg(1), b)) return a->arg(0);
            if (a->kind == ExprKind::Add && structurallyEqual(a->arg(0), b)) return a->arg(1);
        }
        return fold(ExprKind::Sub, a, b);
    }

    static Expr product(Expr a, Expr b) {
        if (isImm(a) && !isImm(b)) std::swap(a, b);
        if (isImm(b)) {
            if (a->kind == ExprKind::Mul && isImm(a->arg(1)))
                return product(a->arg(0), fold(ExprKind::Mul, a->arg(1), b));
            if (isIndex(a->dtype) && a->kind == ExprKind::Add && isImm(a->arg(1)))
                return sum(product(a->arg(0), b), fold(ExprKind::Mul, a->arg(1), b));
        }
        return fold(ExprKind::Mul, a, b);
    }

    static Expr quotient(Expr a, Expr b) {
        if (isIndex(a->dtype) && b->kind == ExprKind::IntImm && b->intValue > 0) {
            const int64_t divisor = b->intValue;
            const auto dividing = [&](Expr e) {
                return e->kind == ExprKind::Mul && e->arg(1)->kind == ExprKind::IntImm &&
                       e->arg(1)->intValue % divisor == 0;
            };
            const auto divided = [&](Expr e) {
                return product(e->arg(0), makeInt(e->arg(1)->intValue / divisor, e->dtype));
            };
            if (dividing(a)) return divided(a);
            if (a->kind == ExprKind::Add && a->arg(1)->kind == ExprKind::IntImm) {
                const int64_t constant = a->arg(1)->intValue;
                if (dividing(a->arg(0)))
                    return sum(divided(a->arg(0)), makeInt(floorDivInt(constant, divisor), a->dtype));
                if (constant % divisor == 0) return sum(quotient(a->arg(0), b), makeInt(constant / divisor, a->dtype));
            }
            if (a->kind == ExprKind::FloorDiv && a->arg(1)->kind == ExprKind::IntImm && a->arg(1)->intValue > 0)
                return fold(ExprKind::FloorDiv, a->arg(0), makeInt(a->arg(1)->intValue * divisor, a->dtype));
        }
        return fold(ExprKind::FloorDiv, a, b);
    }

    static Expr extreme(ExprKind kind, Expr a, Expr b) {
        if (isImm(a) && !isImm(b)) std::swap(a, b);
        if (isImm(b) && a->kind == kind && isImm(a->arg(1))) return extreme(kind, a->arg(0), fold(kind, a->arg(1), b));
        if (structurallyEqual(a, b)) return a;
        return fold(kind, a, b);
    }

    static Expr call(Expr e) {
        if (e->intrinsic == Intrinsic::IfThenElse) {
            if (e->arg(0)->kind == ExprKind::IntImm) return e->arg(0)->intValue != 0 ? e->arg(1) : e->arg(2);
            return e;
        }
        if (e->argCount == 1 && e->arg(0)->kind == ExprKind::FloatImm && isFloat(e->dtype))
            if (const auto value = calculated(e->intrinsic, e->arg(0)->floatValue)) return makeFloat(*value, e->dtype);
        return e;
    }

    static bool arithmetic(ExprKind kind) {
        return kind == ExprKind::Add || kind == ExprKind::Sub || kind == ExprKind::Mul || kind == ExprKind::Div ||
               kind == ExprKind::FloorDiv || kind == ExprKind::Mod || kind == ExprKind::FloorMod;
    }

    /// A let of a variable or a constant is opened, and so is a step of its value that has one as an operand; what is
    /// left stays bound.
    static Expr let(Expr e) {
        const Expr var = e->arg(0);
        const auto small = [](Expr v) { return isImm(v) || v->kind == ExprKind::Var; };
        std::vector<std::pair<Expr, size_t>> steps; // and which operand goes on
        Expr value = e->arg(1);
        while (true) {
            const bool bounded = (value->kind == ExprKind::Min || value->kind == ExprKind::Max) && isImm(value->arg(1));
            const bool widened =
                value->kind == ExprKind::Cast && dtypeBytes(value->dtype) > dtypeBytes(value->arg(0)->dtype);
            size_t operand = 0;
            if (!bounded && !widened) {
                if (!arithmetic(value->kind)) break;
                operand = small(value->arg(1)) ? 0 : 1;
                if (operand == 1 && value->arg(0)->kind != ExprKind::Var) break;
            }
            steps.emplace_back(value, operand);
            value = value->arg(operand);
        }
        const bool gone = small(value);
        if (!gone && steps.empty()) return e;
        const Expr inner = gone ? value : makeVar(var->name(), value->dtype);
        Expr opened = inner;
        for (size_t i = steps.size(); i-- > 0;) {
            std::vector<Expr> operands(steps[i].first->operands().begin(), steps[i].first->operands().end());
            operands[steps[i].second] = opened;
            opened = withOperands(steps[i].first, operands);
        }
        const Expr body = simplifiedForCost(replaced(e->arg(2), var, opened));
        return gone ? body : makeLet(inner, value, body);
    }
};

} // namespace

Expr simplifiedForCost(Expr e) { return TidyUp()(e); }

} // namespace loopscope
