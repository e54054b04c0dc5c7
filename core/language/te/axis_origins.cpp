#include "language/te/axis_origins.h"

#include "language/expr/walk.h"

#include <algorithm>

namespace loopscope {

namespace {

Expr shifted(Expr e, int64_t by) {
    if (by == 0) return e;
    if (e->kind == ExprKind::IntImm) return makeInt(e->intValue + by, e->dtype);
    const bool sum = e->kind == ExprKind::Add || e->kind == ExprKind::Sub;
    if (sum && e->arg(1)->kind == ExprKind::IntImm) {
        const int64_t constant = e->arg(1)->intValue;
        return shifted(e->arg(0), by + (e->kind == ExprKind::Add ? constant : -constant));
    }
    return by > 0 ? makeBinary(ExprKind::Add, e, makeInt(by, e->dtype))
                  : makeBinary(ExprKind::Sub, e, makeInt(-by, e->dtype));
}

class Mover {
  public:
    /// sign 1: coordinates become counts; -1: the other way.
    Mover(std::span<const Axis> axes, int sign, const LoadMoved &moved) : m_axes(axes), m_sign(sign), m_moved(moved) {}

    Expr move(Expr e) const {
        if (e->kind == ExprKind::Var) return shifted(e, m_sign * originOfAxis(e));
        if (e->argCount == 0) return e;
        std::vector<Expr> operands;
        operands.reserve(e->argCount);
        for (const Expr operand : e->operands()) operands.push_back(move(operand));
        if (e->kind == ExprKind::Load) return movedLoad(e, std::move(operands));
        const bool sum = isInteger(e->dtype) && (e->kind == ExprKind::Add || e->kind == ExprKind::Sub);
        if (sum && operands[1]->kind == ExprKind::IntImm && !operands[0].is(e->arg(0)))
            return shifted(operands[0], e->kind == ExprKind::Add ? operands[1]->intValue : -operands[1]->intValue);
        return withOperands(e, operands);
    }

  private:
    [[nodiscard]] int64_t originOfAxis(Expr var) const {
        const auto found = std::ranges::find_if(m_axes, [&](const Axis &axis) { return axis.var.is(var); });
        return found == m_axes.end() ? 0 : found->origin;
    }

    [[nodiscard]] Expr movedLoad(Expr load, std::vector<Expr> indices) const {
        const Tensor &tensor = asTensor(load->symbol);
        for (size_t d = 0; d < indices.size(); ++d) indices[d] = shifted(indices[d], -m_sign * originOf(tensor, d));
        const Expr result = withOperands(load, indices);
        if (m_moved && !result.is(load)) m_moved(load, result);
        return result;
    }

    std::span<const Axis> m_axes;
    int m_sign;
    const LoadMoved &m_moved;
};

bool anyOrigin(std::span<const Axis> axes) {
    return std::ranges::any_of(axes, [](const Axis &axis) { return axis.origin != 0; });
}

} // namespace

Expr countsFromCoordinates(Expr e, std::span<const Axis> axes, const LoadMoved &moved) {
    return Mover(axes, 1, moved).move(e);
}

Expr shiftedBy(Expr e, int64_t by) { return shifted(e, by); }

Expr coordinatesFromCounts(Expr e, std::span<const Axis> axes) { return Mover(axes, -1, {}).move(e); }

std::vector<Axis> allAxes(const Op &op) {
    std::vector<Axis> axes = op.axes;
    if (op.reduction) axes.insert(axes.end(), op.reduction->axes.begin(), op.reduction->axes.end());
    return axes;
}

int64_t originOf(const Tensor &tensor, size_t d) {
    return tensor.op == nullptr || d >= tensor.op->axes.size() ? 0 : tensor.op->axes[d].origin;
}

bool hasOrigins(const Op &op) {
    return anyOrigin(allAxes(op)) ||
           std::ranges::any_of(inputTensors(op), [](const Tensor *tensor) { return anyOrigin(tensor->op->axes); });
}

} // namespace loopscope
