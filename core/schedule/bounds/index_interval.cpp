#include "schedule/bounds/index_interval.h"

#include "language/expr/interval.h"
#include "schedule/iteration_graph.h"

#include <optional>

namespace loopscope {

namespace {

FormInterval everything() {
    FormInterval result;
    result.everything = true;
    return result;
}

FormInterval pointAt(Form form) { return {form, form, true, false}; }

/// What wraps in its type may be anything.
FormInterval held(const FormPool &pool, const FormInterval &values, DType type) {
    if (values.everything) return values;
    const Interval range = {pool.range(values.low).min, pool.range(values.high).max};
    return range.inside(Interval::ofType(type)) ? values : everything();
}

FormInterval valueInterval(FormPool &pool, Expr e, const Op &op, const FormInterval *axes) {
    const auto operand = [&](size_t i) { return valueInterval(pool, e->arg(i), op, axes); };
    const auto constantOf = [](const FormInterval &v) -> std::optional<int64_t> {
        if (v.everything || !v.point || !v.low.isConstant()) return std::nullopt;
        return v.low.constant;
    };
    switch (e->kind) {
    case ExprKind::IntImm:
        return pointAt(FormPool::constant(e->intValue));
    case ExprKind::Var:
        for (size_t i = 0; i < axisCount(op); ++i)
            if (axisOf(op, i).var.is(e)) return axes[i];
        return everything();
    case ExprKind::Cast:
        return isInteger(e->dtype) && isInteger(e->arg(0)->dtype) ? held(pool, operand(0), e->dtype) : everything();
    case ExprKind::Add:
    case ExprKind::Sub: {
        const FormInterval a = operand(0);
        const FormInterval b = operand(1);
        if (a.everything || b.everything) return everything();
        const bool point = a.point && b.point;
        if (e->kind == ExprKind::Add)
            return held(pool, {pool.add(a.low, b.low), pool.add(a.high, b.high), point, false}, e->dtype);
        return held(pool, {pool.subtract(a.low, b.high), pool.subtract(a.high, b.low), point, false}, e->dtype);
    }
    case ExprKind::Mul: {
        FormInterval a = operand(0);
        FormInterval b = operand(1);
        if (!constantOf(b)) std::swap(a, b);
        const std::optional<int64_t> factor = constantOf(b);
        if (!factor || a.everything) return everything();
        if (*factor < 0) std::swap(a.low, a.high);
        return held(pool, {pool.scale(a.low, *factor), pool.scale(a.high, *factor), a.point, false}, e->dtype);
    }
    case ExprKind::FloorDiv:
    case ExprKind::Div: {
        const FormInterval a = operand(0);
        const std::optional<int64_t> divisor = constantOf(operand(1));
        if (a.everything || !divisor || *divisor <= 0) return everything();
        if (e->kind == ExprKind::Div && pool.range(a.low).min < 0) return everything();
        const Form low = pool.floorDiv(a.low, *divisor);
        return {low, a.point ? low : pool.floorDiv(a.high, *divisor), a.point, false};
    }
    case ExprKind::FloorMod:
    case ExprKind::Mod: {
        const FormInterval a = operand(0);
        const std::optional<int64_t> divisor = constantOf(operand(1));
        if (!divisor || *divisor <= 0) return everything();
        const int64_t lowest = e->kind == ExprKind::Mod ? 1 - *divisor : 0;
        const FormInterval any{FormPool::constant(lowest), FormPool::constant(*divisor - 1), false, false};
        if (a.everything || (e->kind == ExprKind::Mod && pool.range(a.low).min < 0)) return any;
        if (a.point) return pointAt(pool.floorMod(a.low, *divisor));
        const Form bucket = pool.floorDiv(a.low, *divisor);
        const Form change = pool.subtract(pool.floorDiv(a.high, *divisor), bucket);
        const FormRange changes = pool.tightRange(change);
        if (changes.min != 0 || changes.max != 0) return {Form{}, FormPool::constant(*divisor - 1), false, false};
        return {pool.addScaled(a.low, bucket, -*divisor), pool.addScaled(a.high, bucket, -*divisor), false, false};
    }
    case ExprKind::Min:
    case ExprKind::Max: {
        const FormInterval a = operand(0);
        const FormInterval b = operand(1);
        if (a.everything || b.everything) return everything();
        const bool smaller = e->kind == ExprKind::Min;
        const auto pick = [&](Form x, Form y, bool upper) {
            const FormRange difference = pool.tightRange(pool.subtract(x, y));
            if (difference.max <= 0) return smaller ? x : y;
            if (difference.min >= 0) return smaller ? y : x;
            // Undecided: the nearer bound that is certainly on the outer side.
            if (upper) return smaller ? y : FormPool::plus(y, difference.max);
            return smaller ? FormPool::plus(y, difference.min) : y;
        };
        FormInterval result{pick(a.low, b.low, false), pick(a.high, b.high, true), false, false};
        const Form width = pool.subtract(result.high, result.low);
        result.point = width.isConstant() && width.constant == 0;
        return result;
    }
    case ExprKind::Select:
        return unite(pool, operand(1), operand(2));
    case ExprKind::Call:
        return e->intrinsic == Intrinsic::IfThenElse ? unite(pool, operand(1), operand(2)) : everything();
    default:
        return everything();
    }
}

} // namespace

FormInterval indexInterval(FormPool &pool, const IndexForm &index, const Op &op, const FormInterval *axes) {
    if (!index.affine) return valueInterval(pool, index.expr, op, axes);
    FormInterval result = pointAt(FormPool::constant(index.constant));
    for (const auto &[axis, coefficient] : index.terms) {
        const FormInterval &part = axes[axis];
        if (part.everything) return everything();
        const bool up = coefficient > 0;
        const Form low = pool.addScaled(result.low, up ? part.low : part.high, coefficient);
        result.high =
            part.point && result.point ? low : pool.addScaled(result.high, up ? part.high : part.low, coefficient);
        result.low = low;
        result.point = result.point && part.point;
    }
    return result;
}

FormInterval unite(FormPool &pool, const FormInterval &a, const FormInterval &b) {
    if (a.everything || b.everything) return everything();
    // min(a, b) = b + min(0, a - b); where the sign of a - b varies, its smallest value gives a bound.
    const auto joined = [&](Form x, Form y, bool upper) {
        const FormRange difference = pool.tightRange(pool.subtract(x, y));
        const int64_t extreme = upper ? difference.max : difference.min;
        if (upper ? difference.min >= 0 : difference.max <= 0) return x;
        if (upper ? extreme <= 0 : extreme >= 0) return y;
        return FormPool::plus(y, extreme);
    };
    FormInterval result;
    result.low = joined(a.low, b.low, false);
    result.high = joined(a.high, b.high, true);
    if (a.point && b.point) {
        const Form width = pool.subtract(result.high, result.low);
        result.point = width.isConstant() && width.constant == 0;
    }
    return result;
}

} // namespace loopscope
