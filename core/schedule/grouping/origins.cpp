#include "schedule/grouping/pipeline.h"

#include "language/expr/affine.h"
#include "language/expr/walk.h"
#include "language/te/axis_origins.h"

#include <algorithm>
#include <map>

namespace loopscope {

namespace {

/// How often each offset occurs.
using Offsets = std::map<int64_t, int>;

/// var + offset wherever an index holds it, clamps and all: the shift between the coordinates of reader and read.
void offsetsIn(Expr e, Expr var, int64_t shift, Offsets &offsets) {
    if (!usesVar(e, var)) return;
    const LinearForm form = linearForm(e, {});
    if (form.coefficientOf(var) == 1 && form.terms.size() == 1)
        ++offsets[form.constant + shift];
    else if (e->kind == ExprKind::Min || e->kind == ExprKind::Max)
        for (const Expr operand : e->operands()) offsetsIn(operand, var, shift, offsets);
}

/// The middle of a symmetric stencil; of any other its commonest offset, the first of several.
int64_t centreOf(const Offsets &offsets) {
    if (offsets.empty()) return 0;
    const int64_t twice = offsets.begin()->first + offsets.rbegin()->first;
    const bool symmetric = twice % 2 == 0 && std::all_of(offsets.begin(), offsets.end(), [&](const auto &entry) {
                               const auto mirrored = offsets.find(twice - entry.first);
                               return mirrored != offsets.end() && mirrored->second == entry.second;
                           });
    if (symmetric) return twice / 2;
    return std::max_element(offsets.begin(), offsets.end(),
                            [](const auto &a, const auto &b) { return a.second < b.second; })
        ->first;
}

} // namespace

Origins centredOrigins(const ComputeDag &dag, const Origins &known) {
    Origins origins = known;
    const bool told = std::any_of(dag.ops().begin(), dag.ops().end(), [](const OpPtr &op) { return hasOrigins(*op); });
    for (const OpPtr &op : dag.ops()) {
        if (op->isPlaceholder() || known.contains(op->name)) continue;
        if (told) {
            for (const Axis &axis : op->axes) origins[op->name].push_back(axis.origin);
            continue;
        }
        std::vector<Offsets> offsets(op->axes.size());
        for (const Expr body : op->body)
            postOrder(body, [&](Expr e) {
                if (e->kind != ExprKind::Load) return;
                const Op *producer = asTensor(e->symbol).op;
                const auto origin = producer == nullptr ? origins.end() : origins.find(producer->name);
                for (size_t a = 0; a < op->axes.size(); ++a)
                    for (size_t d = 0; d < e->argCount; ++d)
                        offsetsIn(e->arg(d), op->axes[a].var, origin == origins.end() ? 0 : origin->second[d],
                                  offsets[a]);
            });
        std::vector<int64_t> origin;
        origin.reserve(offsets.size());
        for (const Offsets &axis : offsets) origin.push_back(centreOf(axis));
        origins[op->name] = std::move(origin);
    }
    return origins;
}

} // namespace loopscope
