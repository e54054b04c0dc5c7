#include "networks/passes/constant_evaluation.h"

#include "base/check.h"
#include "language/expr/half.h"
#include "networks/op/infer_types.h"
#include "networks/op/operator.h"
#include "networks/op/strided_loop.h"
#include "networks/passes/node_attributes.h"
#include "networks/passes/pass_context.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace loopscope {

namespace {

constexpr uint64_t kWideBytes = sizeof(double); // of an element while it is computed

using Tensors = std::vector<const HostTensor *>;

/// Each element of the result is one of input 0, whichever.
bool onlyMoves(std::string_view op) {
    static constexpr std::array moving = {"depth_to_space", "expand", "flatten", "identity", "reshape",   "slice",
                                          "space_to_depth", "split",  "squeeze", "tile",     "transpose", "unsqueeze"};
    return std::find(moving.begin(), moving.end(), op) != moving.end();
}

/// Elements keep their order.
bool onlyReshapes(std::string_view op) {
    return op == "reshape" || op == "flatten" || op == "squeeze" || op == "unsqueeze" || op == "identity";
}

bool sameElement(const HostTensor &a, const HostTensor &b) {
    return a.dtype() == b.dtype() && spread(a, a.dtype(), {}).sameAs(spread(b, b.dtype(), {}));
}

std::vector<InputFact> factsOf(const Tensors &inputs) {
    std::vector<InputFact> facts;
    for (const HostTensor *input : inputs) {
        InputFact fact;
        if (input) {
            fact = {true, {input->dtype(), asDims(input->dims())}, input};
            if (!isFloat(input->dtype()) && input->rank() <= 1 && input->elements() <= kMaxKnownElements)
                fact.elements = asDims(input->integerValues());
        }
        facts.push_back(std::move(fact));
    }
    return facts;
}

Outcome<std::vector<HostTensor>> evaluateWide(const Node &node, const Operator &entry, const Tensors &inputs,
                                              ThreadPool &pool) {
    std::vector<WideTensor> wide(inputs.size());
    std::vector<const WideTensor *> pointers(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i)
        if (inputs[i]) {
            wide[i] = WideTensor::of(*inputs[i]);
            pointers[i] = &wide[i];
        }
    const auto values = entry.evaluate(OperatorUse(node, entry, factsOf(inputs)), pointers, pool);
    if (!values) return values.refusal();
    std::vector<HostTensor> narrow;
    for (const WideTensor &value : *values) narrow.push_back(value.narrow());
    return narrow;
}

int digitsOf(DType type) {
    switch (type) {
    case DType::Float64:
        return 53;
    case DType::Float32:
        return 24;
    case DType::Float16:
        return 11;
    default:
        return 8; // bfloat16
    }
}

} // namespace

bool standsFor(double composed, std::initializer_list<double> parts, DType type, Composition by) {
    if (!isFloat(type)) return true;
    const double most = largestOf(type);
    const double least = minNormalOf(type);
    const auto fits = [&](double number) {
        return std::abs(number) <= most && (by == Composition::Sum || std::abs(number) >= least);
    };
    // A term takes the digits of what it is added to, which do not come back when another takes it away.
    const auto absorbs = [&](double part) { return std::ldexp(std::abs(part), -digitsOf(type)) > 1; };
    if (by == Composition::Sum && std::any_of(parts.begin(), parts.end(), absorbs)) return false;
    return fits(composed) || !std::all_of(parts.begin(), parts.end(), fits);
}

bool standsFor(const HostTensor &composed, const HostTensor &a, const HostTensor &b, Composition by) {
    if (!isFloat(composed.dtype())) return true;
    if (isUniform(composed) && isUniform(a) && isUniform(b))
        return standsFor(composed.number(0), {a.number(0), b.number(0)}, composed.dtype(), by);
    ThreadPool one(1);
    bool all = true;
    const StridedLoop loop(composed.dims(), {denseStrides(composed.dims()), broadcastStrides(a.dims(), composed.dims()),
                                             broadcastStrides(b.dims(), composed.dims())});
    loop.run(one, [&](const StridedLoop::Places &at, const StridedLoop::Places &step, int64_t count) {
        for (int64_t i = 0; all && i < count; ++i)
            all = standsFor(composed.number(at[0] + i * step[0]),
                            {a.number(at[1] + i * step[1]), b.number(at[2] + i * step[2])}, composed.dtype(), by);
    });
    return all;
}

bool isUniform(const HostTensor &tensor) { return tensor.isSplat() || tensor.elements() == 1; }

HostTensor spread(const HostTensor &uniform, DType dtype, std::vector<int64_t> dims) {
    if (dtype == uniform.dtype()) return HostTensor::splatOf(uniform, std::move(dims)); // bit by bit
    if (isFloat(uniform.dtype())) return HostTensor::splat(dtype, std::move(dims), uniform.number(0));
    return integerSplat(dtype, std::move(dims), uniform.integer(0));
}

HostTensor transposed(const HostTensor &tensor, const std::vector<size_t> &permutation) {
    const size_t rank = tensor.rank();
    LOOPSCOPE_CHECK(permutation.size() == rank, fmt::format("{}", permutation.size()));
    std::vector<int64_t> dims(rank);
    for (size_t i = 0; i < rank; ++i) dims[i] = tensor.dims()[permutation[i]];
    if (tensor.isSplat()) return spread(tensor, tensor.dtype(), dims);
    HostTensor result = HostTensor::zeros(tensor.dtype(), dims);
    const int64_t count = tensor.elements();
    if (count == 0) return result;
    std::vector<int64_t> strides(rank, 1); // in the tensor, of its own axes
    for (size_t i = rank; i-- > 1;) strides[i - 1] = strides[i] * tensor.dims()[i];
    const auto size = static_cast<size_t>(dtypeBytes(tensor.dtype()));
    const std::byte *from = tensor.bytes();
    std::byte *to = result.mutableBytes();
    std::vector<int64_t> index(rank, 0);
    int64_t offset = 0;
    for (int64_t i = 0; i < count; ++i) {
        std::memcpy(to + static_cast<size_t>(i) * size, from + static_cast<size_t>(offset) * size, size);
        for (size_t axis = rank; axis-- > 0;) {
            const int64_t stride = strides[permutation[axis]];
            offset += stride;
            if (++index[axis] < dims[axis]) break;
            offset -= stride * dims[axis];
            index[axis] = 0;
        }
    }
    return result;
}

ConstantEvaluation::ConstantEvaluation(GraphPassContext &context)
    : m_maxBytes(context.options.foldedBytes), m_maxGrown(context.options.grownBytes), m_grown(&context.grownBytes),
      m_pool(context.pool ? std::shared_ptr<ThreadPool>(context.pool, [](ThreadPool *) {})
                          : std::make_shared<ThreadPool>(1)) {}

Outcome<HostTensor> ConstantEvaluation::evaluate(const std::string &op, const Tensors &inputs,
                                                 Attributes attributes) const {
    Node node;
    node.name = op;
    node.op = op;
    for (size_t i = 0; i < inputs.size(); ++i) node.inputs.push_back(inputs[i] ? ValueId(i) : ValueId());
    node.outputs = {ValueId(inputs.size())};
    node.attributes = std::move(attributes);
    auto values = evaluate(node, inputs);
    if (!values) return values.refusal();
    return std::move(values->front());
}

Outcome<std::vector<HostTensor>> ConstantEvaluation::evaluate(const Node &node, const Tensors &inputs) const {
    const Operator *entry = findOperator(node.op);
    if (!entry) return Refusal{fmt::format("{}: there is no such operator", nodeText(node))};
    const auto inferred = entry->infer(OperatorUse(node, *entry, factsOf(inputs)));
    if (!inferred) return inferred.refusal();

    struct Wanted {
        DType dtype;
        std::vector<int64_t> dims;
    };
    std::vector<Wanted> wanted;
    for (const InferredOutput &output : *inferred) {
        const auto dims = constantDims(output.type.dims);
        if (!dims || elementCount(*dims) < 0)
            return Refusal{fmt::format("{}: its result has no known extent", nodeText(node))};
        wanted.push_back({output.type.dtype, *dims});
    }
    const auto splats = [&](const HostTensor &element) {
        std::vector<HostTensor> results;
        for (const Wanted &of : wanted) results.push_back(spread(element, of.dtype, of.dims));
        return results;
    };
    const HostTensor *first = inputs.empty() ? nullptr : inputs[0];
    const bool allUniform =
        std::all_of(inputs.begin(), inputs.end(), [](const auto *t) { return !t || isUniform(*t); });
    if (node.op == "constant_of_shape") {
        const auto value = node.attributes.find("value");
        return splats(value == node.attributes.end() ? HostTensor::scalar(DType::Float32, 0)
                                                     : std::get<HostTensor>(value->second));
    }
    if (first && isUniform(*first) && onlyMoves(node.op)) return splats(*first);
    if (first && onlyReshapes(node.op)) return std::vector<HostTensor>{first->reshaped(wanted[0].dims)};
    if (first && node.op == "transpose")
        return std::vector<HostTensor>{transposed(*first, permutationOf(node, first->rank()))};
    if (first && node.op == "concat" && allUniform &&
        std::all_of(inputs.begin(), inputs.end(), [&](const auto *t) { return sameElement(*t, *first); }))
        return splats(*first);
    if (first && allUniform && entry->pattern <= PatternKind::Broadcast && entry->maxOutputs == 1) {
        std::vector<HostTensor> ones;
        for (const HostTensor *input : inputs)
            ones.push_back(input ? spread(*input, input->dtype(), std::vector<int64_t>(input->rank(), 1))
                                 : HostTensor());
        Tensors pointers(inputs.size());
        for (size_t i = 0; i < inputs.size(); ++i) pointers[i] = inputs[i] ? &ones[i] : nullptr;
        const auto element = evaluateWide(node, *entry, pointers, *m_pool);
        if (!element) return element.refusal();
        if (element->front().elements() == 1) return splats(element->front());
    }

    uint64_t inputBytes = 0; // as they are stored: a splat is one element
    uint64_t wideBytes = 0;  // of all, while it is computed
    for (const HostTensor *input : inputs) {
        if (input == nullptr) continue;
        inputBytes += input->isSplat() ? static_cast<uint64_t>(dtypeBytes(input->dtype())) : input->byteSize();
        wideBytes += static_cast<uint64_t>(input->elements()) * kWideBytes;
    }
    uint64_t bytes = 0;
    for (const Wanted &of : wanted) {
        const auto elements = static_cast<uint64_t>(elementCount(of.dims));
        if (elements > UINT64_MAX / 16 ||
            (bytes += elements * static_cast<uint64_t>(dtypeBytes(of.dtype))) > UINT64_MAX / 16)
            return Refusal{fmt::format("{}: its result is too large", nodeText(node))};
    }
    if (bytes > std::max(m_maxBytes, inputBytes))
        return Refusal{fmt::format("{}: its result has {} bytes, constants are folded up to {}", nodeText(node), bytes,
                                   std::max(m_maxBytes, inputBytes))};
    for (const Wanted &of : wanted) wideBytes += static_cast<uint64_t>(elementCount(of.dims)) * kWideBytes;
    if (const uint64_t most = kWideBytes * std::max(m_maxBytes, 4 * inputBytes); wideBytes > most)
        return Refusal{fmt::format("{}: {} bytes would be needed to compute it, and constants are folded with up to {}",
                                   nodeText(node), wideBytes, most)};
    if (bytes > inputBytes && (*m_grown += bytes - inputBytes) > m_maxGrown) {
        *m_grown -= bytes - inputBytes;
        return Refusal{fmt::format("{}: constants of {} bytes more than the file has were folded already",
                                   nodeText(node), *m_grown)};
    }
    return evaluateWide(node, *entry, inputs, *m_pool);
}

} // namespace loopscope
