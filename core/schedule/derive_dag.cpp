#include "schedule/derive_dag.h"

#include "base/check.h"
#include "language/expr/walk.h"
#include "language/te/scan.h"
#include "language/te/scatter.h"
#include "schedule/iteration_graph.h"

#include <algorithm>

namespace loopscope {

namespace {

using TensorMap = std::vector<std::pair<const Tensor *, const Tensor *>>;

/// A parent DAG on its way to becoming another: ops are appended in order, later ones reading what replaced earlier
/// ones.
class DagRewriter {
  public:
    explicit DagRewriter(const ComputeDag &dag)
        : m_dag(dag), m_arena(std::make_shared<ExprArena>()), m_scope(m_arena) {}

    /// From now on loads of `from` (in all ops, or in the ops listed) become loads of `to`.
    void replace(const Tensor &from, const Tensor &to) { m_replaced.emplace_back(&from, &to); }
    void replaceOutputs(const Op &from, const Op &to) {
        for (size_t k = 0; k < from.outputs.size(); ++k) replace(from.output(k), to.output(k));
    }

    void append(OpPtr op) { m_ops.push_back(std::move(op)); }

    /// The parent's op, rebuilt when it reads something replaced; its readers follow.
    void appendOld(size_t index, const TensorMap &extra = {}) {
        const OpPtr &op = m_dag.ops()[index];
        TensorMap map = m_replaced;
        map.insert(map.end(), extra.begin(), extra.end());
        const auto &loads = m_dag.access(index).loads;
        const bool changes = std::any_of(loads.begin(), loads.end(),
                                         [&](const LoadAccess &load) { return find(map, load.tensor) != nullptr; });
        if (!changes) {
            append(op);
            return;
        }
        std::vector<Expr> body;
        for (const Expr e : op->body) body.push_back(redirect(e, map));
        std::optional<Reduction> reduction = op->reduction;
        if (reduction && reduction->condition) reduction->condition = redirect(reduction->condition, map);
        OpPtr rebuilt = rebuiltCompute(*op, std::move(body), std::move(reduction), op->attrs);
        replaceOutputs(*op, *rebuilt);
        append(std::move(rebuilt));
    }

    DagPtr finish() {
        std::vector<const Tensor *> args = m_dag.args();
        for (const Tensor *&arg : args)
            if (const Tensor *now = find(m_replaced, arg)) arg = now;
        std::vector<ArenaPtr> arenas = m_dag.arenas();
        arenas.push_back(m_arena);
        return ComputeDag::fromOrderedOps(std::move(m_ops), std::move(args), std::move(arenas), m_dag.name());
    }

    /// `<op>.<scope>`, with `.d` appended to the op's name until no op is called that.
    [[nodiscard]] std::string freshName(std::string base, const std::string &scope) const {
        const auto taken = [&](const std::string &name) {
            return std::any_of(m_dag.ops().begin(), m_dag.ops().end(),
                               [&](const OpPtr &op) { return op->name == name; });
        };
        while (taken(base + "." + scope)) base += ".d";
        return base + "." + scope;
    }

  private:
    static const Tensor *find(const TensorMap &map, const TensorSymbol *tensor) {
        for (const auto &[from, to] : map)
            if (from == tensor) return to;
        return nullptr;
    }
    static Expr redirect(Expr e, const TensorMap &map) {
        return rewriteBottomUp(e, [&](Expr node) {
            if (node->kind != ExprKind::Load) return node;
            const Tensor *to = find(map, node->symbol);
            return to == nullptr ? node : makeLoad(*to, node->operands());
        });
    }

    const ComputeDag &m_dag;
    ArenaPtr m_arena;
    ArenaScope m_scope;
    TensorMap m_replaced;
    std::vector<OpPtr> m_ops;
};

std::vector<Axis> numberedAxes(const std::vector<int64_t> &shape) {
    std::vector<Axis> axes;
    for (size_t i = 0; i < shape.size(); ++i) axes.push_back({makeVar("ax" + std::to_string(i)), shape[i]});
    return axes;
}

std::vector<Expr> varsOf(const std::vector<Axis> &axes) {
    std::vector<Expr> vars;
    for (const Axis &axis : axes) vars.push_back(axis.var);
    return vars;
}

} // namespace

DagPtr deriveCacheRead(const ComputeDag &dag, size_t index, const std::string &scope,
                       std::span<const StageId> readers) {
    DagRewriter rewriter(dag);
    const Op &op = dag.op(index);
    const std::string base = op.outputs.size() > 1 ? op.name + ".v0" : op.name;
    const std::vector<Axis> axes = numberedAxes(op.shape());
    const OpPtr copy = makeCompute(rewriter.freshName(base, scope), axes, {makeLoad(op.output(), varsOf(axes))});
    const TensorMap toCopy = {{&op.output(), &copy->output()}};
    for (size_t i = 0; i < dag.size(); ++i) {
        const bool reads = std::find(readers.begin(), readers.end(), StageId(i)) != readers.end();
        rewriter.appendOld(i, reads ? toCopy : TensorMap{});
        if (i == index) rewriter.append(copy);
    }
    return rewriter.finish();
}

DagPtr deriveCacheWrite(const ComputeDag &dag, size_t index, const std::string &scope) {
    DagRewriter rewriter(dag);
    const Op &op = dag.op(index);
    std::vector<Axis> axes;
    Substitution toCache;
    for (const Axis &axis : op.axes) {
        axes.push_back({makeVar(std::string(axis.name()) + ".c", axis.var->dtype), axis.extent});
        toCache.emplace_back(axis.var.node(), axes.back().var);
    }
    std::vector<Expr> body;
    for (const Expr e : op.body) body.push_back(substitute(e, toCache));
    std::optional<Reduction> reduction = op.reduction;
    if (reduction && reduction->condition) reduction->condition = substitute(reduction->condition, toCache);
    const OpPtr cache =
        makeCompute(rewriter.freshName(op.name, scope), axes, std::move(body), std::move(reduction), op.attrs, op.tag);

    std::vector<Expr> copies;
    for (const auto &output : cache->outputs) copies.push_back(makeLoad(*output, varsOf(op.axes)));
    Attrs attrs = op.attrs;
    attrs.erase("FLOP"); // counted once, where the work is
    attrs.erase(kScatterAttribute);
    const OpPtr copy = makeCompute(op.name, op.axes, std::move(copies), std::nullopt, std::move(attrs), op.tag);
    for (size_t i = 0; i < dag.size(); ++i) {
        if (i != index) {
            rewriter.appendOld(i);
            continue;
        }
        rewriter.append(cache);
        rewriter.append(copy);
        rewriter.replaceOutputs(op, *copy);
    }
    return rewriter.finish();
}

namespace {

/// The reduce axes that the factored leaf comes from, what the parts are called, and each axis in terms of the parts.
class ReductionSplit {
  public:
    ReductionSplit(const Stage &stage, IterId leaf) : m_stage(stage) {
        const auto nodes = static_cast<size_t>(stage.nodeCount);
        m_extent.resize(nodes);
        for (size_t i = 0; i < axisCount(*stage.op); ++i) m_extent[i] = axisOf(*stage.op, i).extent;
        extentsDown(stage, m_extent.data());
        m_names = nodeNames(stage);
        m_touched.assign(nodes, false);
        m_value.resize(nodes);
        m_touched[static_cast<size_t>(stage.iters[leaf.index()].node)] = true;
        // Everything the leaf comes from, everything else that comes from those, and so on: a fusion ties two axes.
        bool grew = true;
        while (grew) {
            grew = false;
            for (const IterRelation &r : stage.relations) {
                if (!touched(r.parent) && !touched(r.outer) && !touched(r.inner)) continue;
                if (touched(r.parent) && touched(r.outer) && touched(r.inner)) continue;
                m_touched[index(r.parent)] = m_touched[index(r.outer)] = m_touched[index(r.inner)] = true;
                grew = true;
            }
        }
    }

    [[nodiscard]] bool touched(int node) const { return m_touched[index(node)]; }
    [[nodiscard]] Axis axisFor(int node) const { return {makeVar(m_names[index(node)]), m_extent[index(node)]}; }
    void setValue(int node, Expr value) { m_value[index(node)] = value; }
    [[nodiscard]] Expr value(int node) const { return m_value[index(node)]; }

    /// Values of all touched nodes from those of the touched leaves; returns the guard of splits that do not divide.
    Expr valuesUp() {
        Expr guard;
        for (auto r = m_stage.relations.rbegin(); r != m_stage.relations.rend(); ++r) {
            if (!touched(r->parent)) continue;
            const int64_t inner = m_extent[index(r->inner)];
            if (r->kind == IterRelation::Kind::Fuse) {
                setValue(r->outer, floorDiv(value(r->parent), inner));
                setValue(r->inner, floorMod(value(r->parent), inner));
                continue;
            }
            setValue(r->parent, value(r->outer) * inner + value(r->inner));
            const int64_t extent = m_extent[index(r->parent)];
            if (m_extent[index(r->outer)] * inner == extent) continue;
            const Expr inside = fold(ExprKind::Lt, value(r->parent), makeInt(extent, value(r->parent)->dtype));
            guard = guard ? logicalAnd(guard, inside) : inside;
        }
        return guard;
    }

  private:
    static size_t index(int node) { return static_cast<size_t>(node); }
    const Stage &m_stage;
    std::vector<int64_t> m_extent;
    std::vector<std::string> m_names;
    std::vector<bool> m_touched;
    std::vector<Expr> m_value;
};

} // namespace

DagPtr deriveRfactor(const ComputeDag &dag, size_t index, const Stage &stage, IterId leaf, int factorIter) {
    DagRewriter rewriter(dag);
    const Op &op = *stage.op;
    const auto rank = op.axes.size();
    ReductionSplit split(stage, leaf);
    const int factorNode = stage.iters[leaf.index()].node;
    const Axis factor = split.axisFor(factorNode);
    split.setValue(factorNode, factor.var);

    Substitution toPartial;
    std::vector<Axis> axes;
    for (const Axis &axis : op.axes) {
        axes.push_back({makeVar(axis.name(), axis.var->dtype), axis.extent});
        toPartial.emplace_back(axis.var.node(), axes.back().var);
    }
    axes.insert(axes.begin() + factorIter, factor);

    Reduction partial;
    partial.combiner = op.reduction->combiner;
    for (size_t i = 0; i < op.reduceRank(); ++i) {
        if (split.touched(static_cast<int>(rank + i))) continue;
        const Axis &axis = op.reduction->axes[i];
        partial.axes.push_back({makeVar(axis.name(), axis.var->dtype), axis.extent});
        toPartial.emplace_back(axis.var.node(), partial.axes.back().var);
    }
    for (const Iter &iter : stage.iters) {
        if (iter.node == factorNode || !split.touched(iter.node)) continue;
        partial.axes.push_back(split.axisFor(iter.node));
        split.setValue(iter.node, partial.axes.back().var);
    }
    const Expr guard = split.valuesUp();
    for (size_t i = 0; i < op.reduceRank(); ++i) {
        const int node = static_cast<int>(rank + i);
        if (split.touched(node)) toPartial.emplace_back(op.reduction->axes[i].var.node(), split.value(node));
    }
    if (op.reduction->condition) partial.condition = substitute(op.reduction->condition, toPartial);
    if (guard) partial.condition = partial.condition ? logicalAnd(guard, partial.condition) : guard;
    std::vector<Expr> body;
    for (const Expr e : op.body) body.push_back(substitute(e, toPartial));
    const OpPtr rf = makeCompute(op.name + ".rf", axes, std::move(body), std::move(partial));

    const std::vector<Axis> outerAxes = numberedAxes(op.shape());
    Reduction combination;
    combination.combiner = op.reduction->combiner;
    combination.axes.push_back({makeVar(std::string(factor.name()) + ".v"), factor.extent});
    std::vector<Expr> indices = varsOf(outerAxes);
    indices.insert(indices.begin() + factorIter, combination.axes[0].var);
    std::vector<Expr> loads;
    for (const auto &output : rf->outputs) loads.push_back(makeLoad(*output, indices));
    const OpPtr repl = makeCompute(op.name + ".repl", outerAxes, std::move(loads), std::move(combination));

    for (size_t i = 0; i < dag.size(); ++i) {
        if (i != index) {
            rewriter.appendOld(i);
            continue;
        }
        rewriter.append(rf);
        rewriter.append(repl);
        rewriter.replaceOutputs(op, *repl);
    }
    return rewriter.finish();
}

} // namespace loopscope
