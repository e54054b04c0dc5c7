#include "schedule/grouping/inlining.h"

#include "language/dag/stays_in_memory.h"
#include "language/expr/walk.h"
#include "schedule/grouping/common_values.h"
#include "schedule/grouping/cost_simplifier.h"
#include "schedule/grouping/point_cost.h"
#include "schedule/stage_facts.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_set>

namespace loopscope {

namespace {

bool loadsAny(const Pipeline &pipeline, Expr e, const std::vector<bool> &stages,
              std::unordered_set<const ExprNode *> &seen) {
    if (!seen.insert(e.node()).second) return false;
    if (e->kind == ExprKind::Load) {
        const BufferNumber buffer = pipeline.bufferOf(e);
        if (!pipeline.isInput(buffer) && stages[static_cast<size_t>(buffer)]) return true;
    }
    return std::any_of(e->operands().begin(), e->operands().end(),
                       [&](Expr operand) { return loadsAny(pipeline, operand, stages, seen); });
}

size_t valueIndex(const PipelineStage &stage, const TensorSymbol *tensor) {
    const auto found = std::find(stage.tensors.begin(), stage.tensors.end(), tensor);
    return static_cast<size_t>(found - stage.tensors.begin());
}

/// Loads replaced by values, arguments put in directly; for expressions without lets.
class DirectInlining final : public SharedRewrite {
  public:
    DirectInlining(const Pipeline &pipeline, const std::vector<bool> &inlined)
        : m_pipeline(pipeline), m_inlined(inlined) {}

  private:
    Expr rewritten(Expr e, Expr /*before*/) override {
        if (e->kind != ExprKind::Load) return e;
        const BufferNumber buffer = m_pipeline.bufferOf(e);
        if (m_pipeline.isInput(buffer) || !m_inlined[static_cast<size_t>(buffer)]) return e;
        const PipelineStage &stage = m_pipeline.stages[static_cast<size_t>(buffer)];
        const Expr body = m_pipeline.node(stage.nodes.front()).openValues[valueIndex(stage, e->symbol)];
        class Arguments final : public SharedRewrite {
          public:
            Arguments(const PipelineStage &stage, Expr load) : m_stage(stage), m_load(load) {}

          private:
            Expr rewritten(Expr node, Expr /*before*/) override {
                if (node->kind != ExprKind::Var) return node;
                for (size_t d = 0; d < m_stage.axes.size(); ++d)
                    if (m_stage.axes[d].var.is(node))
                        return castTo(node->dtype, m_load->arg(m_stage.axes.size() - 1 - d)); // an index may be wider
                return node;
            }
            const PipelineStage &m_stage;
            Expr m_load;
        };
        const Expr placed = Arguments(stage, e)(body);
        return holdsMore(static_cast<size_t>(buffer), body) ? DirectInlining(m_pipeline, m_inlined)(placed) : placed;
    }

    /// Whether the body of a stage loads what is to be inlined, too.
    bool holdsMore(size_t stage, Expr body) {
        if (m_holdsMore.empty()) m_holdsMore.resize(m_pipeline.stages.size());
        if (!m_holdsMore[stage]) {
            std::unordered_set<const ExprNode *> seen;
            m_holdsMore[stage] = loadsAny(m_pipeline, body, m_inlined, seen);
        }
        return *m_holdsMore[stage];
    }

    const Pipeline &m_pipeline;
    const std::vector<bool> &m_inlined;
    std::vector<std::optional<bool>> m_holdsMore; // by stage
};

/// A copy of an expression with new variables in its lets, so that two copies may stand inside each other.
class FreshLets final : public SharedRewrite {
  private:
    Expr rewritten(Expr e, Expr /*before*/) override {
        if (e->kind != ExprKind::Let) return e;
        const Expr var = makeVar(e->arg(0)->name(), e->arg(0)->dtype);
        return makeLet(var, e->arg(1), substitute(e->arg(2), {{e->arg(0).node(), var}}));
    }
};

/// One stage into its readers: arguments that are more than a variable or a constant are bound by lets.
class BindingInlining final : public SharedRewrite {
  public:
    BindingInlining(const Pipeline &pipeline, int stage) : m_pipeline(pipeline), m_stage(stage) {}
    [[nodiscard]] bool found() const { return m_found; }

  private:
    Expr rewritten(Expr e, Expr /*before*/) override {
        if (e->kind != ExprKind::Load || m_pipeline.bufferOf(e) != m_stage) return e;
        m_found = true;
        const PipelineStage &stage = m_pipeline.stages[static_cast<size_t>(m_stage)];
        Expr body = FreshLets()(m_pipeline.node(stage.nodes.front()).values[valueIndex(stage, e->symbol)]);
        Substitution direct;
        std::vector<std::pair<Expr, Expr>> bound;
        for (size_t d = 0; d < stage.axes.size(); ++d) {
            const Expr var = stage.axes[d].var;
            const Expr argument = castTo(var->dtype, e->arg(stage.axes.size() - 1 - d));
            if (isImm(argument) || argument->kind == ExprKind::Var) {
                direct.emplace_back(var.node(), argument);
            } else {
                const Expr named = makeVar(stage.axes[d].name, var->dtype);
                direct.emplace_back(var.node(), named);
                bound.emplace_back(named, argument);
            }
        }
        body = substitute(body, direct);
        for (const auto &[var, argument] : bound) body = makeLet(var, argument, body);
        return body;
    }

    const Pipeline &m_pipeline;
    int m_stage;
    bool m_found = false;
};

void inlineInto(Pipeline &pipeline, int stage, int reader) {
    for (const int node : pipeline.stages[static_cast<size_t>(reader)].nodes) {
        for (Expr &value : pipeline.nodes[static_cast<size_t>(node)].values)
            value = BindingInlining(pipeline, stage)(value);
        for (Expr &condition : pipeline.nodes[static_cast<size_t>(node)].conditions)
            condition = BindingInlining(pipeline, stage)(condition);
        for (Expr &place : pipeline.nodes[static_cast<size_t>(node)].places)
            place = BindingInlining(pipeline, stage)(place);
    }
}

std::vector<Expr> loadsOf(const Pipeline &pipeline, int node, int stage) {
    std::vector<Expr> loads;
    std::unordered_set<const ExprNode *> seen;
    const auto collect = [&](auto &&self, Expr e) -> void {
        if (!seen.insert(e.node()).second) return;
        if (e->kind == ExprKind::Load && pipeline.bufferOf(e) == stage) loads.push_back(e);
        for (const Expr operand : e->operands()) self(self, operand);
    };
    for (const Expr value : pipeline.node(node).values) collect(collect, value);
    for (const Expr condition : pipeline.node(node).conditions) collect(collect, condition);
    return loads;
}

std::set<BufferNumber> readBy(const Pipeline &pipeline, int stage) {
    std::set<BufferNumber> read;
    std::unordered_set<const ExprNode *> seen;
    const auto collect = [&](auto &&self, Expr e) -> void {
        if (!seen.insert(e.node()).second) return;
        if (e->kind == ExprKind::Load) read.insert(pipeline.bufferOf(e));
        for (const Expr operand : e->operands()) self(self, operand);
    };
    for (const int node : pipeline.stages[static_cast<size_t>(stage)].nodes) {
        for (const Expr value : pipeline.node(node).values) collect(collect, value);
        for (const Expr condition : pipeline.node(node).conditions) collect(collect, condition);
    }
    return read;
}

/// Stages in the order in which they would be computed, inputs of a stage by name; only what outputs need.
std::vector<int> realizationOrder(const Pipeline &pipeline) {
    std::vector<int> order;
    std::vector<bool> seen(pipeline.stages.size(), false);
    const auto visit = [&](auto &&self, int stage) -> void {
        if (seen[static_cast<size_t>(stage)]) return;
        seen[static_cast<size_t>(stage)] = true;
        const std::set<BufferNumber> read = readBy(pipeline, stage);
        for (const int other : pipeline.byName)
            if (read.contains(other)) self(self, other);
        order.push_back(stage);
    };
    for (const int output : pipeline.outputs) visit(visit, output);
    return order;
}

/// Computing it costs at most what loading it would.
bool trivial(const Pipeline &pipeline, int stage) {
    const PipelineStage &which = pipeline.stages[static_cast<size_t>(stage)];
    if (!which.pure() || staysInMemory(pipeline.dag->op(static_cast<size_t>(which.op)))) return false;
    int64_t arith = 0;
    int64_t bytes = 0;
    int64_t own = 0;
    for (const Expr value : pipeline.node(which.nodes.front()).values) {
        const PointCost cost = costOfValue(pipeline, simplifiedForCost(value));
        arith = std::max(arith, cost.arith);
        bytes = std::max(bytes, cost.allBytes());
        own = std::max<int64_t>(own, dtypeBytes(value->dtype));
    }
    return arith + bytes <= 1 + own;
}

/// The one stage that reads it, point by point; -1 when there is none.
int elementWiseReader(const Pipeline &pipeline, const std::vector<int> &order, int stage) {
    const PipelineStage &which = pipeline.stages[static_cast<size_t>(stage)];
    if (!which.pure() || staysInMemory(pipeline.dag->op(static_cast<size_t>(which.op)))) return -1;
    int reader = -1;
    for (const int other : order) {
        if (other == stage) continue;
        for (const int node : pipeline.stages[static_cast<size_t>(other)].nodes) {
            const auto loads = loadsOf(pipeline, node, stage);
            if (loads.empty()) continue;
            if (reader >= 0) return -1;
            reader = other;
            const auto &axes = pipeline.stages[static_cast<size_t>(other)].axes;
            for (const Expr load : loads) {
                if (load->argCount != axes.size()) return -1;
                for (size_t d = 0; d < axes.size(); ++d)
                    if (!load->arg(axes.size() - 1 - d).is(axes[d].var)) return -1;
            }
        }
    }
    return reader;
}

void removeUnread(Pipeline &pipeline) {
    const std::vector<int> order = realizationOrder(pipeline);
    for (size_t i = 0; i < pipeline.stages.size(); ++i)
        pipeline.stages[i].removed = std::find(order.begin(), order.end(), static_cast<int>(i)) == order.end();
}

} // namespace

Expr inlinedInto(const Pipeline &pipeline, Expr e, const std::vector<bool> &inlined) {
    std::unordered_set<const ExprNode *> seen;
    const Expr open = withoutLets(e);
    if (!loadsAny(pipeline, open, inlined, seen)) return e;
    return sharedOpenValues(DirectInlining(pipeline, inlined)(open));
}

Expr inlinedValue(const Pipeline &pipeline, int node, size_t value, const std::vector<bool> &inlined) {
    const PipelineNode &which = pipeline.node(node);
    std::unordered_set<const ExprNode *> seen;
    if (!loadsAny(pipeline, which.openValues[value], inlined, seen)) return which.values[value];
    return sharedOpenValues(DirectInlining(pipeline, inlined)(which.openValues[value]));
}

bool inliningFits(const Pipeline &pipeline, const std::vector<bool> &inlined, int stage) {
    std::vector<bool> ops(pipeline.dag->size(), false);
    for (size_t other = 0; other < inlined.size(); ++other)
        if (inlined[other]) ops[static_cast<size_t>(pipeline.stages[other].op)] = true;
    return inliningFits(*pipeline.dag, ops, StageId(pipeline.stages[static_cast<size_t>(stage)].op));
}

std::vector<std::string> inlineEarly(Pipeline &pipeline) {
    const ArenaScope scope(pipeline.arenas.back());
    removeUnread(pipeline);
    std::vector<int> inlined;
    const auto fits = [&](int stage) {
        std::vector<bool> stages(pipeline.stages.size(), false);
        for (const int other : inlined) stages[static_cast<size_t>(other)] = true;
        return inliningFits(pipeline, stages, stage);
    };
    std::vector<int> order = realizationOrder(pipeline);
    // As many stages at the end as there are outputs are left alone, whichever they are; with one output it is that.
    const auto looked = [&] { return order.size() - pipeline.outputs.size(); };
    for (size_t i = 0; i < looked(); ++i) {
        if (pipeline.stages[static_cast<size_t>(order[i])].output || !trivial(pipeline, order[i]) || !fits(order[i]))
            continue;
        inlined.push_back(order[i]);
        for (size_t j = i + 1; j < looked(); ++j) inlineInto(pipeline, order[i], order[j]);
    }
    for (bool changed = true; changed;) {
        changed = false;
        removeUnread(pipeline);
        order = realizationOrder(pipeline);
        for (size_t i = 0; i < looked(); ++i) {
            if (pipeline.stages[static_cast<size_t>(order[i])].output) continue;
            const int reader = elementWiseReader(pipeline, order, order[i]);
            if (reader < 0 || !fits(order[i])) continue;
            inlineInto(pipeline, order[i], reader);
            inlined.push_back(order[i]);
            changed = true;
        }
    }
    removeUnread(pipeline);
    for (PipelineNode &node : pipeline.nodes) {
        node.openValues.clear();
        for (const Expr value : node.values) node.openValues.push_back(withoutLets(value));
    }
    std::vector<std::string> names;
    for (const int stage : inlined)
        if (pipeline.stages[static_cast<size_t>(stage)].removed)
            names.push_back(pipeline.stages[static_cast<size_t>(stage)].name);
    return names;
}

std::vector<Expr> inlinedValues(const Pipeline &pipeline, int node, const std::vector<bool> &inlined) {
    std::vector<Expr> values;
    for (size_t i = 0; i < pipeline.node(node).values.size(); ++i)
        values.push_back(inlinedValue(pipeline, node, i, inlined));
    return values;
}

std::vector<Expr> inlinedPlaces(const Pipeline &pipeline, int node, const std::vector<bool> &inlined) {
    std::vector<Expr> places;
    for (const Expr place : pipeline.node(node).places) places.push_back(inlinedInto(pipeline, place, inlined));
    return places;
}

} // namespace loopscope
