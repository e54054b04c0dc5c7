#include "schedule/grouping/cost_simplifier.h"

#include "language/expr/interval.h"
#include "language/expr/walk.h"
#include "schedule/grouping/common_values.h"

#include <algorithm>
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
        case ExprKind::Div:
            if (isFloat(e->dtype) && e->arg(1)->kind == ExprKind::FloatImm && e->arg(1)->floatValue != 0)
                return product(e->arg(0), makeFloat(1 / e->arg(1)->floatValue, e->dtype));
            return fold(e->kind, e->arg(0), e->arg(1));
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
        default:
            return isBinary(e->kind) ? fold(e->kind, e->arg(0), e->arg(1)) : e;
        }
    }

    static bool timesConstant(Expr e) { return e->kind == ExprKind::Mul && isImm(e->arg(1)); }
    static bool plusConstant(Expr e) { return e->kind == ExprKind::Add && isImm(e->arg(1)); }
    static bool fromConstant(Expr e) { return e->kind == ExprKind::Sub && isImm(e->arg(0)); }

    /// Sums of these do not wrap around (signed integers of some length by convention): common factors may be taken
    /// out.
    static bool distributes(DType type) { return isFloat(type) || isIndex(type); }

    /// The factor that both products have in common, and what is left of each; null when there is none.
    static Expr commonFactor(Expr a, Expr b, Expr &restA, Expr &restB) {
        if (a->kind != ExprKind::Mul || b->kind != ExprKind::Mul) return {};
        for (const size_t i : {size_t{1}, size_t{0}})
            for (const size_t k : {size_t{1}, size_t{0}})
                if (structurallyEqual(a->arg(i), b->arg(k))) {
                    restA = a->arg(1 - i);
                    restB = b->arg(1 - k);
                    return a->arg(i);
                }
        return {};
    }

    /// How often `part` goes into `whole` when it does so evenly.
    static std::optional<double> timesIn(Expr whole, Expr part) {
        if (isFloat(whole->dtype)) {
            if (part->floatValue == 0 || std::fmod(whole->floatValue, part->floatValue) != 0) return std::nullopt;
            return whole->floatValue / part->floatValue;
        }
        if (part->intValue == 0 || whole->intValue % part->intValue != 0) return std::nullopt;
        const int64_t times = whole->intValue / part->intValue;
        return static_cast<double>(times);
    }

    /// a ± b where both are products, one factor taken out.
    static Expr factored(ExprKind kind, Expr a, Expr b) {
        if (!distributes(a->dtype)) return {};
        const auto combined = [&](Expr x, Expr y) { return kind == ExprKind::Add ? sum(x, y) : difference(x, y); };
        Expr restA;
        Expr restB;
        if (const Expr factor = commonFactor(a, b, restA, restB)) return product(combined(restA, restB), factor);
        if (timesConstant(a) && timesConstant(b)) {
            const Expr factorA = a->arg(1);
            const Expr factorB = b->arg(1);
            if (const auto times = timesIn(factorB, factorA))
                return product(combined(a->arg(0), product(b->arg(0), constantOf(factorB, *times))), factorA);
            if (const auto times = timesIn(factorA, factorB))
                return product(combined(product(a->arg(0), constantOf(factorA, *times)), b->arg(0)), factorB);
        }
        return {};
    }

    /// Constants go to the end, where they meet.
    static Expr sum(Expr a, Expr b) {
        if (isImm(a) && !isImm(b)) std::swap(a, b);
        if (isImm(b)) {
            if (plusConstant(a)) return sum(a->arg(0), fold(ExprKind::Add, a->arg(1), b));
            // (x + c)/d + e is (x + c + d e)/d.
            if (isIndex(a->dtype) && a->kind == ExprKind::FloorDiv && isImm(a->arg(1)) && plusConstant(a->arg(0)) &&
                b->kind == ExprKind::IntImm)
                return quotient(sum(a->arg(0), makeInt(a->arg(1)->intValue * b->intValue, a->dtype)), a->arg(1));
            if (fromConstant(a)) return difference(fold(ExprKind::Add, a->arg(0), b), a->arg(1));
            return fold(ExprKind::Add, a, b);
        }
        if (plusConstant(a)) return sum(sum(a->arg(0), b), a->arg(1));
        if (plusConstant(b)) return sum(sum(a, b->arg(0)), b->arg(1));
        if (fromConstant(a)) return sum(difference(b, a->arg(1)), a->arg(0));
        if (fromConstant(b)) return sum(difference(a, b->arg(1)), b->arg(0));
        if (a->kind == ExprKind::Sub && structurallyEqual(a->arg(1), b)) return a->arg(0);
        if (b->kind == ExprKind::Sub && structurallyEqual(b->arg(1), a)) return b->arg(0);
        if (distributes(a->dtype)) {
            if (structurallyEqual(a, b)) return product(a, constantOf(a, 2));
            if (timesConstant(a) && structurallyEqual(a->arg(0), b))
                return product(b, fold(ExprKind::Add, a->arg(1), constantOf(a, 1)));
            if (timesConstant(b) && structurallyEqual(b->arg(0), a))
                return product(a, fold(ExprKind::Add, b->arg(1), constantOf(a, 1)));
        }
        if (const Expr taken = factored(ExprKind::Add, a, b)) return taken;
        return fold(ExprKind::Add, a, b);
    }

    static Expr negated(Expr constant) {
        return constantOf(constant,
                          isFloat(constant->dtype) ? -constant->floatValue : static_cast<double>(-constant->intValue));
    }

    static Expr difference(Expr a, Expr b) {
        const bool isSigned = distributes(a->dtype);
        if (isImm(b)) return isSigned && !isImm(a) ? sum(a, negated(b)) : fold(ExprKind::Sub, a, b);
        if (structurallyEqual(a, b)) return constantOf(a, 0);
        if (plusConstant(a)) return sum(difference(a->arg(0), b), a->arg(1));
        if (isSigned && plusConstant(b)) return sum(difference(a, b->arg(0)), negated(b->arg(1)));
        if (isSigned && fromConstant(b)) return sum(sum(a, b->arg(1)), negated(b->arg(0)));
        if (a->kind == ExprKind::Add && structurallyEqual(a->arg(1), b)) return a->arg(0);
        if (a->kind == ExprKind::Add && structurallyEqual(a->arg(0), b)) return a->arg(1);
        if (isSigned && (a->kind == ExprKind::Add || b->kind == ExprKind::Add))
            if (const Expr rest = cancelled(a, b)) return rest;
        if (const Expr taken = factored(ExprKind::Sub, a, b)) return taken;
        return fold(ExprKind::Sub, a, b);
    }

    static void addTerms(Expr e, std::vector<Expr> &terms) {
        if (e->kind == ExprKind::Add && !isImm(e->arg(1))) {
            addTerms(e->arg(0), terms);
            addTerms(e->arg(1), terms);
        } else {
            terms.push_back(e);
        }
    }

    /// a - b where both are sums with a term in common; null when they have none.
    static Expr cancelled(Expr a, Expr b) {
        std::vector<Expr> plus;
        std::vector<Expr> minus;
        addTerms(a, plus);
        addTerms(b, minus);
        const size_t before = plus.size();
        for (auto term = minus.begin(); term != minus.end();) {
            const auto same =
                std::find_if(plus.begin(), plus.end(), [&](Expr other) { return structurallyEqual(*term, other); });
            if (same == plus.end()) {
                ++term;
            } else {
                plus.erase(same);
                term = minus.erase(term);
            }
        }
        if (plus.size() == before) return {};
        const auto total = [&](const std::vector<Expr> &terms) {
            Expr all = terms.empty() ? constantOf(a, 0) : terms[0];
            for (size_t i = 1; i < terms.size(); ++i) all = sum(all, terms[i]);
            return all;
        };
        return minus.empty() ? total(plus) : difference(total(plus), total(minus));
    }

    static Expr product(Expr a, Expr b) {
        if (isImm(a) && !isImm(b)) std::swap(a, b);
        if (isImm(b)) {
            if (timesConstant(a)) return product(a->arg(0), fold(ExprKind::Mul, a->arg(1), b));
            if (plusConstant(a) && distributes(a->dtype))
                return sum(product(a->arg(0), b), fold(ExprKind::Mul, a->arg(1), b));
            return fold(ExprKind::Mul, a, b);
        }
        if (timesConstant(a)) return product(product(a->arg(0), b), a->arg(1));
        if (timesConstant(b)) return product(product(a, b->arg(0)), b->arg(1));
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
        const ExprKind opposite = kind == ExprKind::Min ? ExprKind::Max : ExprKind::Min;
        if (isImm(b) && a->kind == opposite && isImm(a->arg(1)) &&
            structurallyEqual(fold(kind, a->arg(1), b), b)) // beyond what is left of a
            return b;
        if (isImm(b) && plusConstant(a) && distributes(a->dtype))
            return sum(extreme(kind, a->arg(0), fold(ExprKind::Sub, b, a->arg(1))), a->arg(1));
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
    Expr rewrittenWhole(Expr e) override {
        if (e->kind != ExprKind::Let) return {};
        const Expr var = e->arg(0);
        const auto small = [](Expr v) { return isImm(v) || v->kind == ExprKind::Var; };
        std::vector<std::pair<Expr, size_t>> steps; // and which operand goes on
        Expr value = (*this)(e->arg(1));
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
        if (!gone && steps.empty()) return makeLet(var, value, (*this)(e->arg(2)));
        const Expr inner = gone ? value : makeVar(var->name(), value->dtype);
        Expr opened = inner;
        for (size_t i = steps.size(); i-- > 0;) {
            std::vector<Expr> operands(steps[i].first->operands().begin(), steps[i].first->operands().end());
            operands[steps[i].second] = opened;
            opened = withOperands(steps[i].first, operands);
        }
        const Expr body = (*this)(replaced(e->arg(2), var, opened));
        return gone ? body : makeLet(inner, value, body);
    }
};

} // namespace

Expr simplifiedForCost(Expr e) { return TidyUp()(e); }

} // namespace loopscope
