#include "language/dag/analyse_access.h"

#include "base/check.h"
#include "language/dag/compute_dag.h"
#include "language/expr/affine.h"
#include "language/expr/walk.h"
#include "language/te/scan.h"
#include "language/te/scatter.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace loopscope {

namespace {

/// e is v, v + c, c + v or v - c with an integer constant c: Ansor counts these as element-wise.
bool constShiftEqual(Expr var, Expr e) {
    if (e.is(var)) return true;
    if (e->kind == ExprKind::Add)
        return (e->arg(0).is(var) && e->arg(1)->kind == ExprKind::IntImm) ||
               (e->arg(1).is(var) && e->arg(0)->kind == ExprKind::IntImm);
    return e->kind == ExprKind::Sub && e->arg(0).is(var) && e->arg(1)->kind == ExprKind::IntImm;
}

class OpReader {
  public:
    explicit OpReader(const Op &op) : m_op(op) {
        for (const Axis &axis : op.axes) addAxis(axis);
        if (op.reduction)
            for (const Axis &axis : op.reduction->axes) addAxis(axis);
    }

    LoadAccess read(Expr load) const {
        LoadAccess access;
        access.tensor = &asTensor(load->symbol);
        for (const Expr index : load->operands()) access.indices.push_back(indexForm(index));
        classify(load, access);
        return access;
    }

  private:
    void addAxis(const Axis &axis) { m_ranges.push_back({axis.var.node(), Interval::upTo(axis.extent)}); }

    [[nodiscard]] int axisOf(const ExprNode *var) const {
        for (size_t i = 0; i < m_ranges.size(); ++i)
            if (m_ranges[i].var == var) return static_cast<int>(i);
        return -1;
    }

    [[nodiscard]] IndexForm indexForm(Expr index) const {
        IndexForm result;
        result.expr = index;
        const LinearForm form = linearForm(index, m_ranges);
        for (const LinearTerm &term : form.terms) {
            const int axis = axisOf(term.atom.node());
            if (axis < 0) {
                result.terms.clear();
                return result;
            }
            result.terms.emplace_back(axis, term.coefficient);
        }
        std::sort(result.terms.begin(), result.terms.end());
        result.affine = true;
        result.constant = form.constant;
        return result;
    }

    void classify(Expr load, LoadAccess &access) const {
        std::vector<int> uses(m_op.axes.size(), 0);
        access.simple = access.sameOrder = true;
        int previous = -1;
        for (const Expr index : load->operands()) {
            int matched = -1;
            for (size_t axis = 0; axis < m_op.axes.size() && matched < 0; ++axis)
                if (constShiftEqual(m_op.axes[axis].var, index)) matched = static_cast<int>(axis);
            access.matchedAxis.push_back(matched);
            if (matched >= 0) {
                ++uses[static_cast<size_t>(matched)];
                if (matched < previous) access.sameOrder = false;
                previous = matched;
            } else if (index->kind != ExprKind::IntImm) {
                access.simple = false;
            }
        }
        for (const int count : uses) {
            if (count == 0) access.axisMissing = true;
            if (count > 1) access.axisDuplicated = true;
        }
    }

    const Op &m_op;
    std::vector<VarRange> m_ranges;
};

bool needsTiling(const Op &op, const OpAccess &access) {
    if (op.attrs.contains("auto_scheduler_simplify_const_tensor_indices")) return false;
    int producersMissingAnAxis = 0;
    for (const int producer : access.producers) {
        const auto appears = [&](const Axis &axis) {
            return std::any_of(access.loads.begin(), access.loads.end(), [&](const LoadAccess &load) {
                return load.producer == producer &&
                       std::any_of(load.indices.begin(), load.indices.end(),
                                   [&](const IndexForm &index) { return usesVar(index.expr, axis.var); });
            });
        };
        if (std::any_of(op.axes.begin(), op.axes.end(),
                        [&](const Axis &axis) { return axis.extent > 1 && !appears(axis); }))
            ++producersMissingAnAxis;
    }
    return producersMissingAnAxis >= 2 || (producersMissingAnAxis >= 1 && op.reduceRank() > 0);
}

OpAccess analyseOp(const Op &op, const std::unordered_map<const Op *, int> &indexOf) {
    OpAccess access;
    if (op.isPlaceholder()) {
        access.simpleAccess = true;
        return access;
    }
    const OpReader reader(op);
    const auto visit = [&](Expr e) {
        if (e->kind == ExprKind::Load && !isOwnLoad(op, e)) {
            LoadAccess load = reader.read(e);
            const auto producer = indexOf.find(load.tensor->op);
            LOOPSCOPE_CHECK(producer != indexOf.end(), "'" + op.name + "' reads an op outside the DAG");
            load.producer = producer->second;
            if (std::find(access.producers.begin(), access.producers.end(), load.producer) == access.producers.end())
                access.producers.push_back(load.producer);
            access.loads.push_back(std::move(load));
        }
        if (e->kind == ExprKind::Select) access.hasBranch = true;
        if (e->kind == ExprKind::Call && e->intrinsic == Intrinsic::IfThenElse) access.hasBranch = true;
        if (e->kind == ExprKind::Call && e->intrinsic == Intrinsic::Exp) access.hasExpensive = true;
    };
    for (const Expr body : op.body) postOrder(body, visit);
    if (op.reduction) {
        for (const Expr identity : op.reduction->combiner.identity) postOrder(identity, visit);
        if (op.reduction->condition) postOrder(op.reduction->condition, visit);
    }

    const auto &loads = access.loads;
    access.simpleAccess = std::all_of(loads.begin(), loads.end(), [](const LoadAccess &load) { return load.simple; });
    const bool inOrder = std::all_of(loads.begin(), loads.end(),
                                     [](const LoadAccess &load) { return load.sameOrder && !load.axisDuplicated; });
    const bool ordered = scanOf(op).has_value();
    // A scan is never inlineable, and a reduction neither, although Ansor's conditions let one through whose source
    // ignores the reduce axes.
    access.strictlyInlineable =
        !op.reduction && !ordered &&
        (loads.empty() || (access.simpleAccess && inOrder && !access.hasExpensive && !access.hasBranch));
    access.needsMultiLevelTiling = !ordered && !isScatter(op) && needsTiling(op, access);
    return access;
}

/// Leading dimensions in which producer and consumer have equal extents and every load follows the consumer's axis.
int directCommonOuter(const Op &consumer, const OpAccess &access, const Op &producer, int producerIndex) {
    const size_t limit = std::min(consumer.shape().size(), producer.shape().size());
    for (size_t d = 0; d < limit; ++d) {
        if (consumer.shape()[d] != producer.shape()[d]) return static_cast<int>(d);
        for (const LoadAccess &load : access.loads)
            if (load.producer == producerIndex && !constShiftEqual(consumer.axes[d].var, load.indices[d].expr))
                return static_cast<int>(d);
    }
    return static_cast<int>(limit);
}

} // namespace

std::vector<OpAccess> analyseAccesses(const std::vector<OpPtr> &ops) {
    std::unordered_map<const Op *, int> indexOf;
    for (size_t i = 0; i < ops.size(); ++i) indexOf.emplace(ops[i].get(), static_cast<int>(i));
    std::vector<OpAccess> all;
    all.reserve(ops.size());
    for (const OpPtr &op : ops) all.push_back(analyseOp(*op, indexOf));
    for (size_t i = 0; i < ops.size(); ++i)
        for (const int producer : all[i].producers)
            all[static_cast<size_t>(producer)].consumers.push_back(static_cast<int>(i));
    for (size_t i = 0; i < ops.size(); ++i) {
        OpAccess &access = all[i];
        access.isOutput = !ops[i]->isPlaceholder() && access.consumers.empty();
        for (const int consumer : access.consumers) {
            const auto c = static_cast<size_t>(consumer);
            access.commonOuterIters.push_back(directCommonOuter(*ops[c], all[c], *ops[i], static_cast<int>(i)));
        }
    }
    return all;
}

int commonOuterIters(const ComputeDag &dag, int op, int target) {
    // least[i]: minimum over the paths from i to target, -1 when there is none. Ops come after what they read.
    std::vector<int> least(dag.size(), -1);
    least[static_cast<size_t>(target)] = std::numeric_limits<int>::max();
    for (int i = target - 1; i >= op; --i) {
        const OpAccess &access = dag.access(static_cast<size_t>(i));
        for (size_t c = 0; c < access.consumers.size(); ++c) {
            const int behind = least[static_cast<size_t>(access.consumers[c])];
            if (behind < 0) continue;
            const int along = std::min(behind, access.commonOuterIters[c]);
            int &here = least[static_cast<size_t>(i)];
            here = here < 0 ? along : std::min(here, along);
        }
    }
    const int result = least[static_cast<size_t>(op)];
    if (result < 0) return 0;
    return std::min(result, static_cast<int>(dag.op(static_cast<size_t>(op)).shape().size()));
}

bool elementwiseMatch(const ComputeDag &dag, int op, int target) {
    const auto sameShapes = [](const Op &a, const Op &b) {
        const auto matches = [&](const auto &tensor) { return tensor->shape == a.shape(); };
        return std::all_of(a.outputs.begin(), a.outputs.end(), matches) &&
               std::all_of(b.outputs.begin(), b.outputs.end(), matches);
    };
    for (int current = op; current != target;) {
        const OpAccess &access = dag.access(static_cast<size_t>(current));
        if (access.consumers.size() != 1) return false;
        const int next = access.consumers[0];
        const Op &from = dag.op(static_cast<size_t>(current)), &to = dag.op(static_cast<size_t>(next));
        if (from.isPlaceholder() || to.isPlaceholder() || !sameShapes(from, to)) return false;
        for (const LoadAccess &load : dag.access(static_cast<size_t>(next)).loads)
            if (load.producer == current &&
                (!load.simple || load.axisMissing || load.axisDuplicated || !load.sameOrder))
                return false;
        current = next;
    }
    return true;
}

} // namespace loopscope
