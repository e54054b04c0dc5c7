#include "networks/op_compute/emission.h"

#include "base/check.h"
#include "language/expr/half.h"
#include "networks/op/operator.h"

#include <fmt/format.h>

namespace loopscope {

Emission::Emission(const OperatorUse &use, std::vector<const Tensor *> inputs, std::vector<TensorType> outputs,
                   std::vector<OpPtr> &ops)
    : m_use(use), m_inputs(std::move(inputs)), m_outputs(std::move(outputs)), m_ops(ops) {}

std::vector<int64_t> Emission::outDims(size_t output) const {
    const auto dims = constantDims(m_outputs[output].dims);
    LOOPSCOPE_CHECK(dims, "outputs have static dims");
    return *dims;
}

std::vector<int64_t> Emission::constantIntegers(size_t input) const {
    if (const HostTensor *constant = m_use.constant(input)) return constant->integerValues();
    if (const auto elements = m_use.elements(input))
        if (const auto values = constantDims(*elements)) return *values;
    refuse(fmt::format("its input '{}' would have to be a constant",
                       input < m_use.of().inputs.size() ? m_use.of().inputs[input].name : std::to_string(input)));
}

std::vector<int64_t> Emission::perDimension(std::string_view attribute, size_t count, int64_t fallback) const {
    std::vector<int64_t> values = m_use.integers(attribute);
    if (values.empty()) values.assign(count, fallback);
    if (values.size() != count)
        refuse(fmt::format("its '{}' has {} numbers for {} dimensions", attribute, values.size(), count));
    return values;
}

NamedArgs Emission::productArgs(NamedArgs args) const {
    args.emplace_back("layout_free", layoutFree(1));
    const DType own = input().dtype;
    if (const DType type = summedIn(own); type != own) args.emplace_back("out_dtype", std::string(dtypeName(type)));
    return args;
}

const Tensor &Emission::call(std::string_view name, const std::vector<ArgValue> &positional, const NamedArgs &named) {
    return callOperator(m_ops, name, positional, named);
}

const Tensor &Emission::add(OpPtr op) {
    m_ops.push_back(std::move(op));
    return m_ops.back()->output();
}

const Tensor &Emission::compute(const std::string &name, const std::vector<int64_t> &shape,
                                const std::function<Expr(const std::vector<Expr> &)> &body, std::string_view prefix,
                                std::string tag) {
    std::vector<Axis> axes = numberedAxes(prefix, shape);
    const Expr value = body(varsOf(axes));
    return add(makeCompute(name, std::move(axes), {value}, std::nullopt, {}, std::move(tag)));
}

const Tensor &Emission::literal(double value, DType type) {
    return add(makeCompute("compile_engine_const", {}, {constantOf(value, type)}, std::nullopt, {}, "broadcast"));
}

const Tensor &Emission::padded(const Tensor &data, const std::vector<int64_t> &before,
                               const std::vector<int64_t> &after, const std::string &name, Expr value,
                               std::string_view prefix) {
    const OperatorSpec spec{m_use.of().name, {}, {}, nullptr};
    OperatorCall call(spec, {}, {});
    padTensor(call, data, before, after, name, value, prefix);
    return add(call.ops.back());
}

const Tensor &Emission::widened(const Tensor &tensor) {
    const DType type = summedIn(tensor.dtype);
    if (type == tensor.dtype) return tensor;
    return compute(
        "T_cast", tensor.shape, [&](const std::vector<Expr> &index) { return castTo(type, load(tensor, index)); }, "ax",
        "elemwise");
}

const Tensor *Emission::plusBias(const Tensor *result, size_t bias, size_t axis) {
    if (!has(bias)) return result;
    const Tensor &added = input(bias).dtype == result->dtype ? input(bias) : widened(input(bias));
    if (added.shape.size() > 1) return &call("add", {result, &added});
    return &compute(
        "T_add", result->shape,
        [&](const std::vector<Expr> &index) { return load(*result, index) + load(added, {index[axis]}); }, "ax",
        "broadcast");
}

void Emission::refuse(const std::string &sentence) const { throw Error(sentence); }

Expr loadBroadcast(const Tensor &tensor, const std::vector<int64_t> &shape, const std::vector<Expr> &index) {
    const size_t missing = shape.size() - tensor.shape.size();
    std::vector<Expr> own;
    for (size_t d = missing; d < shape.size(); ++d)
        own.push_back(tensor.shape[d - missing] == shape[d] ? index[d] : makeInt(0));
    return load(tensor, own);
}

Expr placeInside(Expr index, int64_t extent) {
    const Expr size = makeInt(extent, index->dtype);
    const Expr zero = makeInt(0, index->dtype);
    Expr counted = index;
    if (!isUnsigned(index->dtype))
        counted = select(makeBinary(ExprKind::Lt, index, zero), makeBinary(ExprKind::Add, index, size), index);
    const Expr last = makeInt(extent - 1, index->dtype);
    return castTo(DType::Int32, maxOf(minOf(counted, last), zero));
}

} // namespace loopscope
