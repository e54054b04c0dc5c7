#include "dag/interpreter.h"

#include "check.h"
#include "dag/expr_program.h"
#include "dag/product_sum.h"
#include "expr/half.h"
#include "random.h"
#include "thread_pool.h"

#include <algorithm>

namespace loopscope {

namespace {

TensorValue emptyValue(const Tensor &tensor) {
    TensorValue value{tensor.dtype, tensor.shape, {}, {}};
    if (isFloat(tensor.dtype))
        value.floats.resize(value.size());
    else
        value.integers.resize(value.size());
    return value;
}

/// Evaluates any op, element by element.
class OpInterpreter {
  public:
    OpInterpreter(const Op &op, const ExprProgram::TensorValues &values, std::vector<TensorValue> &results)
        : m_op(op), m_results(results), m_program(op.name, values) {
        for (const Axis &axis : op.axes) m_program.addAxis(axis);
        if (op.reduction) {
            const Reduction &reduction = *op.reduction;
            for (const Axis &axis : reduction.axes) {
                m_program.addAxis(axis);
                m_reducePoints *= axis.extent;
            }
            m_reduceKind = reduceKind(reduction.combiner);
            if (reduction.condition) m_condition = m_program.compile(reduction.condition);
            for (const Expr var : reduction.combiner.left) m_left.push_back(m_program.slotOf(var));
            for (const Expr var : reduction.combiner.right) m_right.push_back(m_program.slotOf(var));
            for (const Expr result : reduction.combiner.result) m_combine.push_back(m_program.compile(result));
            for (const Expr identity : reduction.combiner.identity) m_identity.push_back(m_program.compile(identity));
        }
        for (const Expr body : op.body) m_bodies.push_back(m_program.compile(body));
    }

    /// Elements [begin, end) of every output.
    void run(int64_t begin, int64_t end) const {
        std::vector<Slot> env(m_program.slots());
        std::vector<Slot> values(m_bodies.size());
        for (int64_t element = begin; element < end; ++element) {
            int64_t rest = element;
            for (size_t axis = m_op.axes.size(); axis-- > 0;) {
                env[axis].i = rest % m_op.axes[axis].extent;
                rest /= m_op.axes[axis].extent;
            }
            if (m_op.reduction)
                reduce(env.data(), values);
            else
                for (size_t k = 0; k < m_bodies.size(); ++k) values[k] = m_program.value(m_bodies[k], env.data());
            for (size_t k = 0; k < m_bodies.size(); ++k) store(m_results[k], static_cast<size_t>(element), values[k]);
        }
    }

  private:
    static void store(TensorValue &result, size_t element, Slot value) {
        if (isFloat(result.dtype))
            result.floats[element] = roundToType(value.f, result.dtype);
        else
            result.integers[element] = wrapToType(value.i, result.dtype);
    }

    void reduce(Slot *env, std::vector<Slot> &total) const {
        for (size_t k = 0; k < total.size(); ++k) total[k] = m_program.value(m_identity[k], env);
        Slot *const axes = env + m_op.axes.size();
        const auto &reduceAxes = m_op.reduction->axes;
        for (size_t r = 0; r < reduceAxes.size(); ++r) axes[r].i = 0;
        for (int64_t point = 0; point < m_reducePoints; ++point) {
            if (m_condition < 0 || m_program.intValue(m_condition, env) != 0) combine(env, total);
            for (size_t r = reduceAxes.size(); r-- > 0;) {
                if (++axes[r].i < reduceAxes[r].extent) break;
                axes[r].i = 0;
            }
        }
    }

    void combine(Slot *env, std::vector<Slot> &total) const {
        if (m_program.isFloatNode(m_bodies[0]) && m_reduceKind != ReduceKind::Other) {
            const double value = m_program.floatValue(m_bodies[0], env);
            double &sum = total[0].f;
            switch (m_reduceKind) {
            case ReduceKind::Sum:
                sum += value;
                return;
            case ReduceKind::Prod:
                sum *= value;
                return;
            case ReduceKind::Min:
                sum = value < sum ? value : sum;
                return;
            default:
                sum = value > sum ? value : sum;
                return;
            }
        }
        for (size_t k = 0; k < total.size(); ++k) env[m_left[k]] = total[k];
        for (size_t k = 0; k < total.size(); ++k) env[m_right[k]] = m_program.value(m_bodies[k], env);
        for (size_t k = 0; k < total.size(); ++k) total[k] = m_program.value(m_combine[k], env);
    }

    const Op &m_op;
    std::vector<TensorValue> &m_results;
    ExprProgram m_program;
    ReduceKind m_reduceKind = ReduceKind::Other;
    int64_t m_reducePoints = 1;
    int m_condition = -1;
    std::vector<int> m_left, m_right;                 // slots
    std::vector<int> m_combine, m_identity, m_bodies; // nodes
};

std::vector<TensorValue> interpretOp(const Op &op, const ExprProgram::TensorValues &values, ThreadPool &pool) {
    std::vector<TensorValue> results;
    for (const auto &output : op.outputs) results.push_back(emptyValue(*output));
    if (sumOfProducts(op, values, results[0], pool)) return results;
    const OpInterpreter interpreter(op, values, results);
    const auto elements = static_cast<int64_t>(results[0].size());
    // Enough elements per piece that setting up the environment does not count.
    const int64_t piece = std::max<int64_t>(1, std::min<int64_t>(4096, elements / (int64_t{4} * pool.threads()) + 1));
    pool.forEach(static_cast<size_t>((elements + piece - 1) / piece), [&](size_t i, int) {
        const int64_t begin = static_cast<int64_t>(i) * piece;
        interpreter.run(begin, std::min(elements, begin + piece));
    });
    return results;
}

} // namespace

size_t TensorValue::size() const {
    size_t count = 1;
    for (const int64_t extent : shape) count *= static_cast<size_t>(extent);
    return count;
}

std::vector<TensorValue> interpret(const ComputeDag &dag, const std::vector<TensorValue> &inputs, int threads) {
    ThreadPool pool(std::max(1, threads));
    ExprProgram::TensorValues values;
    size_t next = 0;
    for (const Tensor *arg : dag.args()) {
        if (!arg->op->isPlaceholder()) continue;
        LOOPSCOPE_CHECK(next < inputs.size(), "no value for placeholder '" + arg->name + "'");
        const TensorValue &input = inputs[next++];
        LOOPSCOPE_CHECK(input.shape == arg->shape && input.dtype == arg->dtype,
                        "value of placeholder '" + arg->name + "' has another shape or type");
        values[arg] = &input;
    }
    std::vector<std::vector<TensorValue>> computed(dag.size());
    for (size_t i = 0; i < dag.size(); ++i) {
        const Op &op = dag.op(i);
        if (op.isPlaceholder()) continue;
        computed[i] = interpretOp(op, values, pool);
        for (size_t k = 0; k < op.outputs.size(); ++k) values[op.outputs[k].get()] = &computed[i][k];
    }
    std::vector<TensorValue> outputs;
    for (const Tensor *arg : dag.args())
        if (!arg->op->isPlaceholder()) outputs.push_back(*values.at(arg));
    return outputs;
}

std::vector<TensorValue> randomInputs(const ComputeDag &dag, uint64_t seed) {
    std::vector<TensorValue> inputs;
    for (const Tensor *arg : dag.args()) {
        if (!arg->op->isPlaceholder()) continue;
        Random random(seed, inputs.size());
        TensorValue value = emptyValue(*arg);
        for (double &x : value.floats) x = roundToType(2 * random.uniform() - 1, arg->dtype);
        for (int64_t &x : value.integers) {
            const auto draw = static_cast<int64_t>(random.below(16));
            x = arg->dtype == DType::Bool ? draw % 2 : arg->dtype == DType::UInt8 ? draw : draw - 8;
        }
        inputs.push_back(std::move(value));
    }
    return inputs;
}

} // namespace loopscope
