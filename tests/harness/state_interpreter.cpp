#include "harness/state_interpreter.h"

#include "harness/scalar_evaluator.h"
#include "schedule/iteration_graph.h"

#include <cmath>
#include <unordered_map>

namespace loopscope {

namespace {

Scalar scalarOf(double value, DType type) {
    return isFloat(type) ? ofFloat(value) : ofInt(static_cast<int64_t>(value));
}

/// Dense values of one tensor; `when` holds the run in which an element was computed.
struct Storage {
    std::vector<int64_t> shape;
    std::vector<double> value;
    std::vector<int64_t> when;
};

class StateRunner final : public ScalarEvaluator {
  public:
    StateRunner(const BoundedState &bounded, const std::vector<TensorValue> &inputs)
        : m_bounded(bounded), m_state(bounded.state), m_dag(*bounded.state.dag()), m_epoch(m_state.stageCount(), 0) {
        size_t input = 0;
        for (const Tensor *arg : m_dag.args())
            if (arg->op->isPlaceholder()) fill(*arg, inputs.at(input++));
        for (size_t i = 0; i < m_dag.size(); ++i) {
            if (m_dag.op(i).isPlaceholder()) continue;
            for (const auto &tensor : m_dag.op(i).outputs) {
                Storage &storage = m_storage[tensor.get()];
                storage.shape = tensor->shape;
                storage.value.assign(elements(tensor->shape), NAN);
                storage.when.assign(storage.value.size(), 0);
            }
        }
    }

    StateRun run() {
        StateRun result;
        try {
            for (size_t i = 0; i < m_state.stageCount(); ++i) {
                const Stage &stage = m_state.stage(StageId(i));
                if (!stage.op->isPlaceholder() && stage.location == ComputeLocation::Root) runStage(i);
            }
            for (const Tensor *arg : m_dag.args())
                if (!arg->op->isPlaceholder()) result.outputs.push_back(collect(*arg));
        } catch (const EvaluationFailure &failure) {
            result.failure = failure.what();
        }
        return result;
    }

  private:
    static size_t elements(const std::vector<int64_t> &shape) {
        size_t count = 1;
        for (const int64_t extent : shape) count *= static_cast<size_t>(extent);
        return count;
    }

    void fill(const Tensor &tensor, const TensorValue &value) {
        Storage &storage = m_storage[&tensor];
        storage.shape = tensor.shape;
        const size_t count = elements(tensor.shape);
        for (size_t i = 0; i < count; ++i)
            storage.value.push_back(isFloat(tensor.dtype) ? value.floats[i] : static_cast<double>(value.integers[i]));
    }

    TensorValue collect(const Tensor &tensor) {
        const Storage &storage = m_storage.at(&tensor);
        TensorValue value;
        value.dtype = tensor.dtype;
        value.shape = tensor.shape;
        for (size_t i = 0; i < storage.value.size(); ++i) {
            if (storage.when[i] == 0)
                throw EvaluationFailure("an element of output " + tensor.name + " was never computed");
            if (isFloat(tensor.dtype))
                value.floats.push_back(storage.value[i]);
            else
                value.integers.push_back(static_cast<int64_t>(storage.value[i]));
        }
        return value;
    }

    void runStage(size_t id) {
        m_epoch[id] = ++m_clock;
        const Stage &stage = m_state.stage(StageId(id));
        std::vector<int64_t> leaves(stage.iters.size(), 0);
        runLoop(id, 0, leaves);
    }

    void runLoop(size_t id, size_t depth, std::vector<int64_t> &leaves) {
        const Stage &stage = m_state.stage(StageId(id));
        if (depth == stage.iters.size()) {
            runBody(id, leaves);
            return;
        }
        const StageBounds &bounds = m_bounded.stages[id];
        const ExprNode *variable = bounds.vars[depth].node();
        for (int64_t v = 0; v < stage.iters[depth].extent; ++v) {
            leaves[depth] = v;
            m_vars[variable] = ofInt(v);
            for (size_t attached = 0; attached < id; ++attached) // stage order is data order
                if (m_state.attachedTo(StageId(attached)) == AttachPoint{StageId(id), IterId(depth)})
                    runStage(attached);
            runLoop(id, depth + 1, leaves);
        }
    }

    void runBody(size_t id, const std::vector<int64_t> &leaves) {
        const Stage &stage = m_state.stage(StageId(id));
        const StageBounds &bounds = m_bounded.stages[id];
        const Op &op = *stage.op;
        std::vector<int64_t> node(static_cast<size_t>(stage.nodeCount), 0);
        for (size_t i = 0; i < leaves.size(); ++i) node[static_cast<size_t>(stage.iters[i].node)] = leaves[i];
        const auto at = [](int n) { return static_cast<size_t>(n); };
        for (auto r = stage.relations.rbegin(); r != stage.relations.rend(); ++r) {
            const int64_t inner = bounds.nodeExtent[at(r->inner)];
            if (r->kind == IterRelation::Kind::Fuse) {
                node[at(r->outer)] = node[at(r->parent)] / inner;
                node[at(r->inner)] = node[at(r->parent)] % inner;
                continue;
            }
            node[at(r->parent)] = node[at(r->outer)] * inner + node[at(r->inner)];
            if (node[at(r->parent)] >= bounds.nodeExtent[at(r->parent)]) return; // tail of a split
        }
        std::vector<int64_t> element;
        for (size_t a = 0; a < axisCount(op); ++a) {
            int64_t value = node[a];
            if (a < op.axes.size()) {
                if (bounds.axes[a].min) value += eval(bounds.axes[a].min).i;
                if (value < 0 || value >= op.axes[a].extent) return; // beyond the tensor: never needed
                element.push_back(value);
            }
            m_vars[axisOf(op, a).var.node()] = ofInt(value);
        }
        if (op.reduction)
            reduceInto(id, element);
        else
            for (size_t k = 0; k < op.outputs.size(); ++k) {
                const double value = evaluate(op.body[k]);
                Storage &storage = m_storage.at(op.outputs[k].get());
                const size_t index = offset(storage, element);
                storage.value[index] = value;
                storage.when[index] = m_epoch[id];
            }
    }

    void reduceInto(size_t id, const std::vector<int64_t> &element) {
        const Op &op = *m_state.stage(StageId(id)).op;
        const Combiner &combiner = op.reduction->combiner;
        std::vector<double> soFar;
        for (size_t k = 0; k < op.outputs.size(); ++k) {
            Storage &storage = m_storage.at(op.outputs[k].get());
            const size_t index = offset(storage, element);
            if (storage.when[index] != m_epoch[id]) {
                storage.value[index] = evaluate(combiner.identity[k]);
                storage.when[index] = m_epoch[id];
            }
            soFar.push_back(storage.value[index]);
        }
        if (op.reduction->condition && eval(op.reduction->condition).i == 0) return;
        std::vector<double> next;
        for (const Expr e : op.body) next.push_back(evaluate(e));
        for (size_t k = 0; k < next.size(); ++k) {
            m_vars[combiner.left[k].node()] = scalarOf(soFar[k], combiner.left[k]->dtype);
            m_vars[combiner.right[k].node()] = scalarOf(next[k], combiner.right[k]->dtype);
        }
        for (size_t k = 0; k < op.outputs.size(); ++k) {
            Storage &storage = m_storage.at(op.outputs[k].get());
            storage.value[offset(storage, element)] = evaluate(combiner.result[k]);
        }
    }

    static size_t offset(const Storage &storage, const std::vector<int64_t> &element) {
        size_t index = 0;
        for (size_t d = 0; d < element.size(); ++d)
            index = index * static_cast<size_t>(storage.shape[d]) + static_cast<size_t>(element[d]);
        return index;
    }

    double readElement(const Tensor &tensor, const std::vector<int64_t> &element) {
        for (size_t d = 0; d < element.size(); ++d)
            if (element[d] < 0 || element[d] >= tensor.shape[d])
                throw EvaluationFailure("a load of " + tensor.name + " outside the tensor");
        const int producer = m_dag.indexOf(tensor.op);
        const Stage &stage = m_state.stage(StageId(producer));
        if (stage.location == ComputeLocation::Inlined) {
            auto saved = m_vars; // axes of the inlined op may be in use further out (it may be read twice)
            for (size_t d = 0; d < element.size(); ++d) m_vars[tensor.op->axes[d].var.node()] = ofInt(element[d]);
            const double value = evaluate(tensor.op->body[static_cast<size_t>(tensor.outputIndex)]);
            m_vars = std::move(saved);
            return value;
        }
        const Storage &storage = m_storage.at(&tensor);
        const size_t index = offset(storage, element);
        if (!tensor.op->isPlaceholder() && storage.when[index] != m_epoch[static_cast<size_t>(producer)])
            throw EvaluationFailure("an element of " + tensor.name +
                                    " is read that the region computed there does not hold");
        return storage.value[index];
    }

    Scalar load(Expr e) override {
        std::vector<int64_t> element;
        for (size_t d = 0; d < e->argCount; ++d) element.push_back(eval(e->arg(d)).i);
        return scalarOf(readElement(asTensor(e->symbol), element), e->dtype);
    }

    double evaluate(Expr e) {
        const Scalar value = eval(e);
        return isFloat(e->dtype) ? value.f : static_cast<double>(value.i);
    }

    const BoundedState &m_bounded;
    const LoopState &m_state;
    const ComputeDag &m_dag;
    std::unordered_map<const Tensor *, Storage> m_storage;
    std::vector<int64_t> m_epoch;
    int64_t m_clock = 0;
};

} // namespace

StateRun runState(const BoundedState &bounded, const std::vector<TensorValue> &inputs) {
    return StateRunner(bounded, inputs).run();
}

} // namespace loopscope
