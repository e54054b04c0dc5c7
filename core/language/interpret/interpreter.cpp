#include "language/interpret/interpreter.h"

#include "base/check.h"
#include "base/random.h"
#include "base/thread_pool.h"
#include "language/expr/half.h"
#include "language/expr/interval.h"
#include "language/expr/walk.h"
#include "language/interpret/input_draws.h"
#include "language/interpret/op_interpreter.h"
#include "language/interpret/product_sum.h"
#include "language/interpret/scatter_interpreter.h"
#include "language/interpret/stage_values.h"
#include "language/interpret/term_signs.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace loopscope {

namespace {

TensorValue emptyValue(const Tensor &tensor) {
    TensorValue value{tensor.dtype, tensor.shape, {}, {}, {}};
    if (isFloat(tensor.dtype))
        value.floats.resize(value.size());
    else
        value.integers.resize(value.size());
    return value;
}

std::vector<TensorValue> interpretOp(const Op &op, const LaneProgram::TensorValues &values, TermSigns signs,
                                     ThreadPool &pool) {
    std::vector<TensorValue> results;
    for (const auto &output : op.outputs) results.push_back(emptyValue(*output));
    if (const std::optional<Scatter> scatter = scatterOf(op))
        interpretScatter(op, *scatter, values, signs, results, pool);
    else if (!sumOfProducts(op, values, signs, results[0], pool))
        interpretGenerally(op, values, signs, results, pool);
    for (TensorValue &result : results)
        if (std::all_of(result.bounds.begin(), result.bounds.end(), [](float bound) { return bound == 0; }))
            result.bounds.clear();
    return results;
}

/// Mostly every index there is; now and then one beside them, which a clamp or a guard has to catch.
int64_t drawIndex(Random &random, int64_t extent, DType type) {
    const int64_t beside = random.below(16) == 0 ? static_cast<int64_t>(random.below(5)) - 2 : 0;
    const int64_t inside = static_cast<int64_t>(random.below(static_cast<uint64_t>(extent)));
    const int64_t index = beside < 0 ? beside : beside > 0 ? extent - 1 + beside : inside;
    const Interval legal = Interval::ofType(type);
    return std::clamp(index, legal.min, legal.max);
}

} // namespace

std::unordered_map<const TensorSymbol *, int64_t> indexExtents(const ComputeDag &dag) {
    std::unordered_map<const TensorSymbol *, int64_t> extents;
    for (size_t i = 0; i < dag.size(); ++i)
        for (const LoadAccess &load : dag.access(i).loads)
            for (size_t d = 0; d < load.indices.size(); ++d)
                postOrder(load.indices[d].expr, [&](Expr e) {
                    if (e->kind != ExprKind::Load || !asTensor(e->symbol).op->isPlaceholder()) return;
                    const int64_t extent = load.tensor->shape[d];
                    const auto known = extents.emplace(e->symbol, extent).first;
                    known->second = std::min(known->second, extent);
                });
    return extents;
}

size_t TensorValue::size() const {
    size_t count = 1;
    for (const int64_t extent : shape) count *= static_cast<size_t>(extent);
    return count;
}

std::vector<TensorValue> interpret(const ComputeDag &dag, const std::vector<TensorValue> &inputs, int threads) {
    std::vector<const Tensor *> outputs;
    for (const Tensor *arg : dag.args())
        if (!arg->op->isPlaceholder()) outputs.push_back(arg);
    return interpretStages(dag, inputs, outputs, threads);
}

std::vector<TensorValue> interpretStages(const ComputeDag &dag, const std::vector<TensorValue> &inputs,
                                         const std::vector<const Tensor *> &stages, int threads) {
    std::vector<TensorValue> results(stages.size());
    size_t next = 0;
    for (const Tensor *arg : dag.args()) {
        if (!arg->op->isPlaceholder()) continue;
        for (size_t i = 0; i < stages.size(); ++i)
            if (stages[i] == arg && next < inputs.size()) results[i] = inputs[next];
        ++next;
    }
    interpretInto(
        dag, inputs,
        [&](const Op &op, const std::vector<TensorValue> &outputs) {
            for (size_t i = 0; i < stages.size(); ++i)
                if (stages[i]->op == &op) results[i] = outputs[static_cast<size_t>(stages[i]->outputIndex)];
            return true;
        },
        threads);
    return results;
}

bool interpretInto(const ComputeDag &dag, const std::vector<TensorValue> &inputs, const StageSink &sink, int threads,
                   const StageChange &change) {
    ThreadPool pool(std::max(1, threads));
    LaneProgram::TensorValues values;
    size_t next = 0;
    for (const Tensor *arg : dag.args()) {
        if (!arg->op->isPlaceholder()) continue;
        LOOPSCOPE_CHECK(next < inputs.size(), "no value for placeholder '" + arg->name + "'");
        const TensorValue &input = inputs[next++];
        LOOPSCOPE_CHECK(input.shape == arg->shape && input.dtype == arg->dtype,
                        "value of placeholder '" + arg->name + "' has another shape or type");
        values[arg] = &input;
    }
    std::vector<size_t> lastReader(dag.size());
    for (size_t i = 0; i < dag.size(); ++i) {
        lastReader[i] = i;
        for (const Tensor *input : inputTensors(dag.op(i)))
            if (const int producer = dag.indexOf(input->op); producer >= 0)
                lastReader[static_cast<size_t>(producer)] = i;
    }
    std::vector<std::vector<TensorValue>> computed(dag.size());
    TermSignAnalysis signs;
    for (size_t i = 0; i < dag.size(); ++i) {
        const Op &op = dag.op(i);
        const TermSigns ofTerms = signs.visit(op);
        if (op.isPlaceholder()) continue;
        computed[i] = interpretOp(op, values, ofTerms, pool);
        if (change) change(op, computed[i]);
        for (size_t k = 0; k < op.outputs.size(); ++k) values[op.outputs[k].get()] = &computed[i][k];
        if (!sink(op, computed[i])) return false;
        for (size_t p = 0; p <= i; ++p)
            if (lastReader[p] == i) computed[p] = {};
    }
    return true;
}

double operationsOf(const Op &op) {
    if (op.isPlaceholder()) return 0;
    double points = 1; // elements, terms of each
    for (const int64_t extent : op.shape()) points *= static_cast<double>(extent);
    if (op.reduction)
        for (const Axis &axis : op.reduction->axes) points *= static_cast<double>(axis.extent);
    double nodes = 0;
    for (const Expr body : op.body) postOrder(body, [&](Expr) { ++nodes; });
    return points * nodes;
}

InterpreterWork interpreterWork(const ComputeDag &dag) {
    InterpreterWork work;
    constexpr double kBytesEach = sizeof(double) + sizeof(float); // with the bound
    for (const OpPtr &op : dag.ops()) {
        double elements = static_cast<double>(op->outputs.size());
        for (const int64_t extent : op->shape()) elements *= static_cast<double>(extent);
        work.bytes += elements * kBytesEach;
        work.operations += operationsOf(*op);
    }
    return work;
}

void openOverflows(TensorValue &output) {
    if (!isFloat(output.dtype) || output.bounds.empty()) return;
    for (size_t i = 0; i < output.size(); ++i)
        if (!std::isfinite(output.floats[i]) && std::isinf(output.bounds[i])) output.floats[i] = 0;
}

IntegerDraw integerDraw(DType type) {
    switch (type) {
    case DType::Int16:
    case DType::UInt16:
    case DType::UInt32:
        return {Interval::ofType(type).min, uint64_t{1} << (8 * dtypeBytes(type))};
    case DType::Bool:
    case DType::UInt8:
        return {0, 16};
    default:
        return {-8, 16};
    }
}

std::vector<TensorValue> randomInputs(const ComputeDag &dag, uint64_t seed) {
    std::vector<TensorValue> inputs;
    const auto indices = indexExtents(dag);
    for (const Tensor *arg : dag.args()) {
        if (!arg->op->isPlaceholder()) continue;
        Random random(seed, inputs.size());
        TensorValue value = emptyValue(*arg);
        for (double &x : value.floats) x = roundToType(2 * random.uniform() - 1, arg->dtype);
        const auto index = indices.find(arg);
        const IntegerDraw draw = integerDraw(arg->dtype);
        for (int64_t &x : value.integers) {
            if (index != indices.end()) {
                x = drawIndex(random, index->second, arg->dtype);
                continue;
            }
            const auto drawn = static_cast<int64_t>(random.below(draw.count)) + draw.least;
            x = arg->dtype == DType::Bool ? drawn % 2 : drawn;
        }
        inputs.push_back(std::move(value));
    }
    return inputs;
}

} // namespace loopscope
