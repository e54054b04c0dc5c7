#include "language/dag/validate.h"

#include "base/outcome.h"
#include "language/expr/assumptions.h"
#include "language/expr/walk.h"
#include "language/te/axis_origins.h"
#include "language/te/scatter.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace loopscope {

namespace {

std::string intervalText(Interval range) { return fmt::format("[{}, {}]", range.min, range.max); }

/// Where what is wrong stands in the file, if it stands in one.
struct Complaints {
    const WorkloadPlaces *places = nullptr;

    [[noreturn]] void about(const Op &op, Expr load, const std::string &sentence) const {
        if (places == nullptr) throw Error(sentence);
        throw places->error(op, load, sentence);
    }
};

void checkAxes(const Op &op, const Complaints &complaints) {
    std::vector<const Axis *> axes;
    for (const Axis &axis : op.axes) axes.push_back(&axis);
    if (op.reduction)
        for (const Axis &axis : op.reduction->axes) axes.push_back(&axis);
    for (size_t i = 0; i < axes.size(); ++i) {
        if (axes[i]->extent < 1)
            complaints.about(op, {},
                             fmt::format("axis '{}' of '{}' has extent {}; every extent must be at least 1",
                                         axes[i]->name(), op.name, axes[i]->extent));
        for (size_t k = 0; k < i; ++k)
            if (axes[k]->name() == axes[i]->name())
                complaints.about(
                    op, {},
                    fmt::format("'{}' has two axes named '{}'; the axes of one operator need different names, "
                                "reduce axes included",
                                op.name, axes[i]->name()));
    }
}

void checkShape(const Op &op, const Complaints &complaints) {
    for (const auto &tensor : op.outputs) {
        int64_t elements = 1;
        for (const int64_t extent : tensor->shape) {
            if (extent < 1)
                complaints.about(op, {},
                                 fmt::format("tensor '{}' has shape [{}]; every extent must be at least 1",
                                             tensor->name, fmt::join(tensor->shape, ", ")));
            elements = mulSaturating(elements, extent);
        }
        if (mulSaturating(elements, dtypeBytes(tensor->dtype)) >= (int64_t{1} << 46))
            complaints.about(op, {},
                             fmt::format("tensor '{}' of shape [{}] does not fit into any memory (64 TiB or more)",
                                         tensor->name, fmt::join(tensor->shape, ", ")));
    }
}

/// Walks one body in evaluation order, carrying the guards that hold there.
class LoadCheck {
  public:
    LoadCheck(const Op &op, const Complaints &complaints) : m_op(op), m_complaints(complaints) {}

    void walk(Expr e, const Assumptions &known) {
        if (known.contradictory()) return; // never evaluated
        const bool lazy = e->kind == ExprKind::Call && e->intrinsic == Intrinsic::IfThenElse;
        if (lazy) {
            walk(e->arg(0), known);
            for (const bool holds : {true, false}) {
                Assumptions branch = known;
                branch.assume(e->arg(0), holds);
                walk(e->arg(holds ? 1 : 2), branch);
            }
            return;
        }
        if (e->kind == ExprKind::Let) {
            walk(e->arg(1), known);
            Assumptions inner = known;
            if (isInteger(e->arg(1)->dtype)) inner.addRange(e->arg(0), known.intervalOf(e->arg(1)));
            walk(e->arg(2), inner);
            return;
        }
        // What a side divides by 0 where the other one is taken is no fault; where it is taken, a run tells.
        m_choices += e->kind == ExprKind::Select ? 1 : 0;
        for (const Expr operand : e->operands()) walk(operand, known);
        m_choices -= e->kind == ExprKind::Select ? 1 : 0;
        if (e->kind == ExprKind::Load) checkLoad(e, known);
        if (isDivision(e->kind) && isInteger(e->dtype)) checkDivisor(e, known);
    }

    /// `known` is what holds where a term is added.
    void checkPlace(const ScatterPlace &place, const Assumptions &known) {
        const Axis &axis = m_op.axes[place.axis];
        const Interval legal = Interval::upTo(axis.extent);
        const Interval range = known.intervalOf(place.index);
        if (range.empty() || range.inside(legal)) return;
        ExprArena arena;
        const ArenaScope scope(arena);
        const Expr shown = shiftedBy(coordinatesFromCounts(place.index, allAxes(m_op)), axis.origin);
        const Interval origin = Interval::point(axis.origin);
        m_complaints.about(m_op, {},
                           fmt::format("'{}' puts terms at {} = {}, which may leave the tensor (its range is {}, legal "
                                       "is {}); clamp it, as in clamp({}, {}, {})",
                                       m_op.name, axis.name(), toText(shown), intervalText(range + origin),
                                       intervalText(legal + origin), toText(shown), axis.origin,
                                       axis.origin + axis.extent - 1));
    }

  private:
    static bool isDivision(ExprKind kind) { return kind >= ExprKind::Div && kind <= ExprKind::FloorMod; }

    void checkLoad(Expr load, const Assumptions &known) {
        const TensorSymbol &tensor = *load->symbol;
        if (load->argCount != tensor.shape.size())
            m_complaints.about(m_op, load,
                               fmt::format("'{}' reads {} with {} {}, but '{}' has {} dimension{}", m_op.name,
                                           toText(load), load->argCount, load->argCount == 1 ? "index" : "indices",
                                           tensor.name, tensor.shape.size(), tensor.shape.size() == 1 ? "" : "s"));
        for (size_t d = 0; d < load->argCount; ++d) {
            const Expr index = load->arg(d);
            if (!isInteger(index->dtype))
                m_complaints.about(m_op, load,
                                   fmt::format("'{}' reads {}: index {} has type {}, an index must be an integer",
                                               m_op.name, toText(load), toText(index), dtypeName(index->dtype)));
            const Interval legal = Interval::upTo(tensor.shape[d]);
            const Interval range = known.intervalOf(index);
            if (range.empty() || range.inside(legal)) continue;
            complainOfRange(load, d, range, legal);
        }
    }

    /// In the coordinates of the workload's text.
    void complainOfRange(Expr load, size_t d, Interval range, Interval legal) {
        ExprArena arena;
        const ArenaScope scope(arena);
        const Expr shown = coordinatesFromCounts(load, allAxes(m_op));
        const std::string index = toText(shown->arg(d));
        const Interval origin = Interval::point(originOf(asTensor(load->symbol), d));
        const Interval legalThere = legal + origin;
        const bool never = intersect(range, legal).empty();
        m_complaints.about(
            m_op, load,
            fmt::format("'{}' reads {}: index {} of dimension {} {} (its range is {}, legal is {}); {}", m_op.name,
                        toText(shown), index, d, never ? "always lies outside the tensor" : "may leave the tensor",
                        intervalText(range + origin), intervalText(legalThere),
                        containsLoad(shown->arg(d))
                            ? fmt::format("clamp it, as in min(max({}, {}), {})", index, legalThere.min, legalThere.max)
                            : "change the extents, or guard the load with if_then_else (a select evaluates "
                              "both of its sides)"));
    }

    void checkDivisor(Expr e, const Assumptions &known) {
        if (m_choices == 0 && known.intervalOf(e->arg(1)) == Interval::point(0))
            m_complaints.about(m_op, {}, fmt::format("'{}' divides by zero in {}", m_op.name, toText(e)));
    }

    const Op &m_op;
    const Complaints &m_complaints;
    int m_choices = 0; // selections around the place
};

void checkLoads(const Op &op, const Complaints &complaints) {
    std::vector<VarRange> ranges;
    for (const Axis &axis : op.axes) ranges.push_back({axis.var.node(), Interval::upTo(axis.extent)});
    if (op.reduction)
        for (const Axis &axis : op.reduction->axes) ranges.push_back({axis.var.node(), Interval::upTo(axis.extent)});
    LoadCheck check(op, complaints);
    Assumptions known(std::move(ranges));
    if (const std::optional<Scatter> scatter = scatterOf(op)) {
        if (scatter->condition) {
            check.walk(scatter->condition, known);
            known.assume(scatter->condition);
        }
        for (const ScatterPlace &place : scatter->places) {
            check.walk(place.index, known);
            check.checkPlace(place, known);
        }
    } else if (op.reduction && op.reduction->condition) {
        check.walk(op.reduction->condition, known);
        known.assume(op.reduction->condition);
    }
    for (const Expr body : op.body) check.walk(body, known);
}

} // namespace

void validateOps(const std::vector<OpPtr> &ops, const WorkloadPlaces *places) {
    const Complaints complaints{places};
    for (const OpPtr &op : ops) {
        checkShape(*op, complaints);
        if (op->isPlaceholder()) continue;
        checkAxes(*op, complaints);
        checkLoads(*op, complaints);
    }
}

void validateArgs(const std::vector<OpPtr> &ops, const std::vector<const Tensor *> &args) {
    std::unordered_map<const Op *, bool> isRead;
    for (const OpPtr &op : ops) isRead.emplace(op.get(), false);
    for (const OpPtr &op : ops)
        for (const Tensor *input : inputTensors(*op)) isRead[input->op] = true;

    std::unordered_set<const Tensor *> given;
    bool anyOutput = false;
    for (const Tensor *arg : args) {
        if (!given.insert(arg).second) throw Error(fmt::format("'{}' is an argument twice", arg->name));
        if (arg->op->isPlaceholder()) {
            const auto found = isRead.find(arg->op);
            if (found == isRead.end() || !found->second)
                throw Error(fmt::format("placeholder '{}' is never read; remove it, or use it", arg->name));
        } else if (isRead.at(arg->op)) {
            throw Error(fmt::format("'{}' is an argument but another operator reads it; only tensors nobody reads are "
                                    "results, add a copy of it",
                                    arg->name));
        } else {
            anyOutput = true;
        }
    }
    if (!anyOutput) throw Error("there is nothing to compute: the workload has placeholders only");
    for (const OpPtr &op : ops)
        for (const auto &tensor : op->outputs)
            if ((op->isPlaceholder() || !isRead.at(op.get())) && !given.contains(tensor.get()))
                throw Error(fmt::format("'{}' is not among the arguments of the workload, but {}", tensor->name,
                                        op->isPlaceholder() ? "it is read" : "nobody reads it"));
}

} // namespace loopscope
