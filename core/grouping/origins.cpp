#include "grouping/pipeline.h"

#include "expr/affine.h"
#include "expr/walk.h"

#include <algorithm>
#include <optional>

namespace loopscope {

namespace {

/// var + offset wherever an index holds it, clamps and all: the shift between the coordinates of reader and read.
void offsetsIn(Expr e, Expr var, std::optional<Interval> &offsets) {
    if (!usesVar(e, var)) return;
    const LinearForm form = linearForm(e, {});
    if (form.coefficientOf(var) == 1 && form.terms.size() == 1) {
        const Interval here = Interval::point(form.constant);
        offsets = offsets ? hull(*offsets, here) : here;
        return;
    }
    if (e->kind == ExprKind::Min || e->kind == ExprKind::Max)
        for (const Expr operand : e->operands()) offsetsIn(operand, var, offsets);
}

} // namespace

Origins centredOrigins(const ComputeDag &dag, const Origins &known) {
    Origins origins = known;
    for (const OpPtr &op : dag.ops()) {
        if (op->isPlaceholder() || known.contains(op->name)) continue;
        std::vector<std::optional<Interval>> offsets(op->axes.size());
        for (const Expr body : op->body)
            postOrder(body, [&](Expr e) {
                if (e->kind != ExprKind::Load) return;
                const Op *producer = asTensor(e->symbol).op;
                const auto origin = producer == nullptr ? origins.end() : origins.find(producer->name);
                for (size_t a = 0; a < op->axes.size(); ++a)
                    for (size_t d = 0; d < e->argCount; ++d) {
                        std::optional<Interval> here;
                        offsetsIn(e->arg(d), op->axes[a].var, here);
                        if (!here) continue;
                        const int64_t shift = origin == origins.end() ? 0 : origin->second[d];
                        here = *here + Interval::point(shift);
                        offsets[a] = offsets[a] ? hull(*offsets[a], *here) : *here;
                    }
            });
        std::vector<int64_t> origin;
        for (const auto &range : offsets) origin.push_back(range ? floorDivInt(range->min + range->max, 2) : 0);
        origins[op->name] = std::move(origin);
    }
    return origins;
}

} // namespace loopscope
