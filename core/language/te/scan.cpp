#include "language/te/scan.h"

#include "base/check.h"
#include "language/expr/walk.h"

#include <algorithm>
#include <array>

namespace loopscope {

namespace {

bool loadsItself(const Op &op, Expr e) {
    bool found = false;
    postOrder(e, [&](Expr node) { found = found || isOwnLoad(op, node); });
    return found;
}

/// c of var + c; nothing when e is anything else.
std::optional<int64_t> offsetFrom(Expr var, Expr e) {
    if (e.is(var)) return 0;
    const bool sum = e->kind == ExprKind::Add || e->kind == ExprKind::Sub;
    if (!sum) return std::nullopt;
    const auto immediate = [](Expr x) { return x->kind == ExprKind::IntImm; };
    if (e->arg(0).is(var) && immediate(e->arg(1)))
        return e->kind == ExprKind::Add ? e->arg(1)->intValue : -e->arg(1)->intValue;
    if (e->kind == ExprKind::Add && e->arg(1).is(var) && immediate(e->arg(0))) return e->arg(0)->intValue;
    return std::nullopt;
}

std::string namesOf(const Op &op) {
    std::string names;
    for (const Axis &axis : op.axes) names += (names.empty() ? "" : ", ") + std::string(axis.name());
    return names;
}

} // namespace

std::optional<Scan> scanOf(const Op &op) {
    if (op.isPlaceholder() || op.reduction || op.body.empty()) return std::nullopt;
    const Expr body = op.body[0];
    if (body->kind != ExprKind::Call || body->intrinsic != Intrinsic::IfThenElse) return std::nullopt;
    const Expr condition = body->arg(0);
    const bool backwards = condition->kind == ExprKind::Lt;
    if ((condition->kind != ExprKind::Ge && !backwards) || condition->arg(1)->kind != ExprKind::IntImm)
        return std::nullopt;
    const auto axis =
        std::ranges::find_if(op.axes, [&](const Axis &candidate) { return candidate.var.is(condition->arg(0)); });
    if (axis == op.axes.end()) return std::nullopt;
    if (std::ranges::none_of(op.body, [&](Expr value) { return loadsItself(op, value); })) return std::nullopt;
    const int64_t bound = condition->arg(1)->intValue;
    return Scan{static_cast<size_t>(axis - op.axes.begin()), backwards, backwards ? axis->extent - bound : bound};
}

bool scansAlong(const Op &op, size_t axis) {
    const std::optional<Scan> scan = scanOf(op);
    return scan && scan->axis == axis;
}

Expr scanStart(const Op &op, size_t k) { return op.body[k]->arg(2); }
Expr scanStep(const Op &op, size_t k) { return op.body[k]->arg(1); }

ScanDraft::ScanDraft(std::string name, std::vector<Axis> axes, size_t axis, const std::vector<Expr> &start)
    : m_axis(axis) {
    // Made by makeCompute as an op that may be changed, and not shared with anybody yet.
    m_op = std::const_pointer_cast<Op>(makeCompute(std::move(name), std::move(axes), start));
}

std::optional<ScanDraft::Fault> ScanDraft::faultOf(const std::vector<Expr> &step) const {
    const Axis &along = m_op->axes[m_axis];
    const std::string name(along.name());
    std::optional<Fault> fault;
    Expr before;
    Expr behind;
    const auto visit = [&](Expr e) {
        if (fault || !isOwnLoad(*m_op, e)) return;
        for (size_t d = 0; d < m_op->axes.size(); ++d) {
            const Expr var = m_op->axes[d].var;
            if (d != m_axis && !e->arg(static_cast<uint32_t>(d)).is(var)) {
                fault = {e, "a scan along " + name + " reads its own elements at the same " + std::string(var->name()) +
                                "; write " + std::string(var->name()) + " for index " + std::to_string(d) + " of `" +
                                m_op->name + "`"};
                return;
            }
        }
        const std::optional<int64_t> offset = offsetFrom(along.var, e->arg(static_cast<uint32_t>(m_axis)));
        if (!offset || *offset == 0) {
            fault = {e, "a scan along " + name + " reads its own elements a constant way before " + name + ", as in " +
                            name + " - 1, or, when it goes backwards, behind it, as in " + name + " + 1; " +
                            (offset ? "this one is not computed yet" : "this place may be anywhere")};
            return;
        }
        (*offset < 0 ? before : behind) = e;
    };
    for (const Expr value : step) postOrder(value, visit);
    if (fault) return fault;
    if (before && behind)
        return Fault{behind, "the scan `" + m_op->name + "` reads its own elements on both sides of " + name +
                                 "; it goes either forwards and reads " + name + " - 1, or backwards and reads " +
                                 name + " + 1"};
    if (!before && !behind)
        return Fault{{},
                     "the scan `" + m_op->name + "` never reads its own elements, as in " + m_op->name + "[" +
                         namesOf(*m_op) + "] with " + name + " - 1 for " + name +
                         "; without that it is a plain compute"};
    return std::nullopt;
}

OpPtr ScanDraft::finish(const std::vector<Expr> &start, const std::vector<Expr> &step, Attrs attrs, std::string tag) {
    const Axis &along = m_op->axes[m_axis];
    int64_t least = 0;
    int64_t most = 0;
    for (const Expr value : step)
        postOrder(value, [&](Expr e) {
            if (!isOwnLoad(*m_op, e)) return;
            const int64_t offset = offsetFrom(along.var, e->arg(static_cast<uint32_t>(m_axis))).value_or(0);
            least = std::min(least, offset);
            most = std::max(most, offset);
        });
    LOOPSCOPE_CHECK((least < 0) != (most > 0), "a scan reads its own elements on one side");
    const DType type = along.var->dtype;
    const Expr condition = most > 0 ? makeBinary(ExprKind::Lt, along.var, makeInt(along.extent - most, type))
                                    : makeBinary(ExprKind::Ge, along.var, makeInt(-least, type));
    for (size_t k = 0; k < step.size(); ++k) {
        const std::array<Expr, 3> cases = {condition, step[k], start[k]};
        m_op->body[k] = makeCall(Intrinsic::IfThenElse, step[k]->dtype, cases);
    }
    m_op->attrs = std::move(attrs);
    m_op->tag = std::move(tag);
    return std::move(m_op);
}

OpPtr rebuiltCompute(const Op &op, std::vector<Expr> body, std::optional<Reduction> reduction, Attrs attrs) {
    const OpPtr made = makeCompute(op.name, op.axes, std::move(body), std::move(reduction), std::move(attrs), op.tag);
    const std::shared_ptr<Op> rebuilt = std::const_pointer_cast<Op>(made);
    for (Expr &value : rebuilt->body)
        value = rewriteBottomUp(value, [&](Expr e) {
            return isOwnLoad(op, e)
                       ? makeLoad(made->output(static_cast<size_t>(asTensor(e->symbol).outputIndex)), e->operands())
                       : e;
        });
    return made;
}

} // namespace loopscope
