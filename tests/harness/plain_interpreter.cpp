#include "harness/plain_interpreter.h"

#include "base/check.h"
#include "harness/scalar_evaluator.h"
#include "language/expr/half.h"
#include "language/te/scan.h"

#include <unordered_map>

namespace loopscope {

namespace {

class PlainInterpreter : public ScalarEvaluator {
  public:
    explicit PlainInterpreter(const OpRewrite &rewrite) : m_rewrite(rewrite), m_scope(m_arena) {}

    std::unordered_map<const TensorSymbol *, TensorValue> tensors;

    void compute(const Op &op) {
        std::vector<TensorValue *> results; // a scan reads what it has computed of them
        for (const auto &output : op.outputs) {
            TensorValue value{output->dtype, output->shape, {}, {}};
            (isFloat(value.dtype) ? value.floats.resize(value.size()) : value.integers.resize(value.size()));
            tensors[output.get()] = std::move(value);
        }
        for (const auto &output : op.outputs) results.push_back(&tensors.at(output.get()));
        const size_t elements = results[0]->size();
        const std::optional<Scan> scan = scanOf(op);
        m_body = op.body;
        m_condition = op.reduction ? op.reduction->condition : Expr();
        if (m_rewrite)
            for (Expr &e : m_body) e = m_rewrite(op, e);
        if (m_rewrite && m_condition) m_condition = m_rewrite(op, m_condition);
        for (size_t turn = 0; turn < elements; ++turn) {
            const size_t element = scan && scan->backwards ? elements - 1 - turn : turn;
            setAxes(op.axes, static_cast<int64_t>(element));
            const std::vector<Scalar> values = op.reduction ? reduce(op) : evalAll(m_body);
            for (size_t k = 0; k < values.size(); ++k)
                if (isFloat(results[k]->dtype))
                    results[k]->floats[element] = roundToType(values[k].f, results[k]->dtype);
                else
                    results[k]->integers[element] = wrapped(static_cast<uint64_t>(values[k].i), results[k]->dtype);
        }
    }

  private:
    void setAxes(const std::vector<Axis> &axes, int64_t point) {
        for (size_t a = axes.size(); a-- > 0; point /= axes[a].extent)
            m_vars[axes[a].var.node()].i = point % axes[a].extent;
    }

    std::vector<Scalar> evalAll(const std::vector<Expr> &exprs) {
        std::vector<Scalar> values;
        for (const Expr e : exprs) values.push_back(eval(e));
        return values;
    }

    std::vector<Scalar> reduce(const Op &op) {
        const Reduction &reduction = *op.reduction;
        int64_t points = 1;
        for (const Axis &axis : reduction.axes) points *= axis.extent;
        std::vector<Scalar> total = evalAll(reduction.combiner.identity);
        for (int64_t point = 0; point < points; ++point) {
            setAxes(reduction.axes, point);
            if (m_condition && eval(m_condition).i == 0) continue;
            const std::vector<Scalar> next = evalAll(m_body);
            for (size_t k = 0; k < total.size(); ++k) {
                m_vars[reduction.combiner.left[k].node()] = total[k];
                m_vars[reduction.combiner.right[k].node()] = next[k];
            }
            total = evalAll(reduction.combiner.result);
        }
        return total;
    }

    Scalar load(Expr e) override {
        const TensorValue &tensor = tensors.at(e->symbol);
        int64_t at = 0;
        for (size_t d = 0; d < e->argCount; ++d) {
            const int64_t index = eval(e->arg(d)).i;
            LOOPSCOPE_CHECK(index >= 0 && index < tensor.shape[d], "a read outside of " + e->symbol->name);
            at = at * tensor.shape[d] + index;
        }
        return isFloat(e->dtype) ? ofFloat(tensor.floats[static_cast<size_t>(at)])
                                 : ofInt(tensor.integers[static_cast<size_t>(at)]);
    }

    const OpRewrite &m_rewrite;
    ExprArena m_arena; // of what is rewritten
    ArenaScope m_scope;
    std::vector<Expr> m_body;
    Expr m_condition;
};

} // namespace

std::vector<TensorValue> interpretPlainly(const ComputeDag &dag, const std::vector<TensorValue> &inputs,
                                          const OpRewrite &rewrite) {
    PlainInterpreter plain(rewrite);
    size_t next = 0;
    for (const Tensor *arg : dag.args())
        if (arg->op->isPlaceholder()) plain.tensors[arg] = inputs[next++];
    for (size_t i = 0; i < dag.size(); ++i)
        if (!dag.op(i).isPlaceholder()) plain.compute(dag.op(i));
    std::vector<TensorValue> outputs;
    for (const Tensor *arg : dag.args())
        if (!arg->op->isPlaceholder()) outputs.push_back(plain.tensors.at(arg));
    return outputs;
}

} // namespace loopscope
