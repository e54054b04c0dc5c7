#include "measure/baselines/operand_access.h"

#include "language/expr/walk.h"

#include <algorithm>

namespace loopscope {

NestAxes::NestAxes(const Op &reducer) : op(&reducer), spatialCount(reducer.axes.size()) {
    auto add = [&](const Axis &axis) {
        vars.push_back(axis.var);
        extents.push_back(axis.extent);
        ranges.push_back({axis.var.node(), Interval::upTo(std::max<int64_t>(axis.extent, 2))});
    };
    for (const Axis &axis : reducer.axes) add(axis);
    for (const Axis &axis : reducer.reduction->axes) add(axis);
}

int NestAxes::find(Expr var) const {
    for (size_t i = 0; i < vars.size(); ++i)
        if (vars[i].is(var)) return int(i);
    return -1;
}

int64_t OperandAccess::stride(size_t dimension) const {
    int64_t elements = 1;
    for (size_t d = dimension + 1; d < tensor->shape.size(); ++d) elements *= tensor->shape[d];
    return elements;
}

bool OperandAccess::uses(const NestAxes &nest, int axis) const {
    return std::any_of(indices.begin(), indices.end(), [&](const LinearForm &index) {
        return std::any_of(index.terms.begin(), index.terms.end(),
                           [&](const LinearTerm &term) { return usesVar(term.atom, nest.vars[size_t(axis)]); });
    });
}

namespace {

bool isZero(Expr e) {
    return e->kind == ExprKind::FloatImm ? e->floatValue == 0 : e->kind == ExprKind::IntImm && e->intValue == 0;
}

bool isConditional(Expr e) {
    return e->kind == ExprKind::Select || (e->kind == ExprKind::Call && e->intrinsic == Intrinsic::IfThenElse);
}

void splitConjunction(Expr condition, std::vector<Expr> &parts) {
    if (condition->kind == ExprKind::And) {
        for (const Expr operand : condition->operands()) splitConjunction(operand, parts);
    } else {
        parts.push_back(condition);
    }
}

/// A comparison of integers as form >= 0; nothing for other kinds.
std::optional<LinearForm> asNonNegative(Expr comparison, VarRanges ranges) {
    const ExprKind kind = comparison->kind;
    if (kind != ExprKind::Lt && kind != ExprKind::Le && kind != ExprKind::Gt && kind != ExprKind::Ge)
        return std::nullopt;
    const bool leftIsGreater = kind == ExprKind::Gt || kind == ExprKind::Ge;
    LinearForm form = linearForm(comparison->arg(leftIsGreater ? 0 : 1), ranges);
    addScaled(form, linearForm(comparison->arg(leftIsGreater ? 1 : 0), ranges), -1);
    if (kind == ExprKind::Lt || kind == ExprKind::Gt) form.constant -= 1;
    return form;
}

/// `x mod divisor == 0`, either way round.
std::optional<DivisibleWhere> asDivisible(Expr comparison, VarRanges ranges) {
    if (comparison->kind != ExprKind::Eq) return std::nullopt;
    for (const int side : {0, 1}) {
        const Expr modulo = comparison->arg(size_t(side));
        if (!isZero(comparison->arg(size_t(1 - side)))) continue;
        if (modulo->kind != ExprKind::FloorMod && modulo->kind != ExprKind::Mod) continue;
        if (modulo->arg(1)->kind != ExprKind::IntImm) continue;
        return DivisibleWhere{linearForm(modulo->arg(0), ranges), modulo->arg(1)->intValue};
    }
    return std::nullopt;
}

bool equal(const LinearForm &a, const LinearForm &b) { return constantDifference(a, b) == std::optional<int64_t>(0); }

/// Whether form >= 0 is one of the two bounds of what runs from 0 to `last`.
bool isBoundOf(const LinearForm &form, const LinearForm &value, int64_t last) {
    if (equal(form, value)) return true;
    LinearForm upper;
    upper.constant = last;
    addScaled(upper, value, -1);
    return equal(form, upper);
}

/// Of an index floordiv(x, stride) + constant what is divided: x + constant * stride, which runs to the last element
/// times the stride where it is read at multiples alone.
struct SpreadOut {
    LinearForm value;
    int64_t stride = 1;
};
std::optional<SpreadOut> spreadOut(const LinearForm &index, VarRanges ranges) {
    if (index.terms.size() != 1 || index.terms[0].coefficient != 1) return std::nullopt;
    const Expr quotient = index.terms[0].atom;
    if (quotient->kind != ExprKind::FloorDiv && quotient->kind != ExprKind::Div) return std::nullopt;
    if (quotient->arg(1)->kind != ExprKind::IntImm) return std::nullopt;
    SpreadOut result{linearForm(quotient->arg(0), ranges), quotient->arg(1)->intValue};
    result.value.constant += index.constant * result.stride;
    return result;
}

/// Whether form >= 0 is one of the two bounds of an index, or of what is spread out by a stride to give it.
bool isBoundOfIndex(const LinearForm &form, const LinearForm &index, int64_t extent, VarRanges ranges) {
    if (isBoundOf(form, index, extent - 1)) return true;
    const std::optional<SpreadOut> spread = spreadOut(index, ranges);
    return spread && isBoundOf(form, spread->value, (extent - 1) * spread->stride);
}

Refusal unknownCondition(Expr condition, const Tensor &tensor) {
    return Refusal{"the condition " + toText(condition) + " under which " + tensor.name +
                   " is read is neither padding nor dilation"};
}

} // namespace

Outcome<OperandAccess> resolveOperand(Expr factor, const NestAxes &nest) {
    std::vector<Expr> conditions;
    Expr e = factor;
    while (true) {
        if (isConditional(e) && isZero(e->arg(2))) {
            splitConjunction(e->arg(0), conditions);
            e = e->arg(1);
            continue;
        }
        if (e->kind != ExprKind::Load)
            return Refusal{"a library multiplies plain operands, but the reduction of " + nest.op->name + " reads " +
                           toText(e)};
        const Op &producer = *asTensor(e->symbol).op;
        if (producer.isPlaceholder()) break;
        if (producer.reduction || producer.outputs.size() != 1)
            return Refusal{"the workload has more than one reduction (" + nest.op->name + " and " + producer.name +
                           "), which no library primitive covers"};
        Substitution substitution;
        for (size_t i = 0; i < producer.axes.size(); ++i)
            substitution.emplace_back(producer.axes[i].var.node(), e->arg(i));
        e = substitute(producer.body[0], substitution);
    }

    OperandAccess access;
    access.tensor = &asTensor(e->symbol);
    if (access.tensor->dtype != DType::Float32)
        return Refusal{access.tensor->name + " holds " + std::string(dtypeName(access.tensor->dtype)) +
                       "; the libraries are compared in float32"};
    for (const Expr index : e->operands()) access.indices.push_back(linearForm(index, nest.ranges));

    for (const Expr condition : conditions) {
        if (decide(condition, nest.ranges) == std::optional<bool>(true)) continue;
        if (auto hole = asDivisible(condition, nest.ranges)) {
            access.holes.push_back(*hole);
            continue;
        }
        const std::optional<LinearForm> form = asNonNegative(condition, nest.ranges);
        bool bound = false;
        for (size_t d = 0; form && d < access.indices.size(); ++d)
            bound = bound || isBoundOfIndex(*form, access.indices[d], access.tensor->shape[d], nest.ranges);
        if (!bound) return unknownCondition(condition, *access.tensor);
        access.padded = true;
    }
    return access;
}

} // namespace loopscope
