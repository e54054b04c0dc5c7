#include "deploy/network/weights.h"

#include "base/check.h"
#include "base/random.h"
#include "language/tensor/content_hash.h"
#include "language/tensor/seeded_fill.h"
#include "networks/graph/function_builder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

namespace loopscope {

namespace {

bool isOneOf(std::string_view op, std::initializer_list<std::string_view> ops) {
    return std::find(ops.begin(), ops.end(), op) != ops.end();
}

class WeightSeeding {
  public:
    WeightSeeding(const GraphFunction &function, uint64_t seed)
        : m_function(function), m_seed(seed), m_readers(function.readers()) {
        for (size_t n = 0; n < function.nodeCount(); ++n)
            if (isOneOf(function.node(NodeId(n)).op, {"dense", "gemm", "matmul"})) m_lastDense = NodeId(n);
    }

    SeededWeights run() {
        FunctionBuilder builder(m_function.name());
        FunctionCopy copy(m_function, builder);
        SeededWeights result;
        for (size_t v = 0; v < m_function.valueCount(); ++v) {
            const ValueId value(v);
            if (!isPlain(value) && !goesWithPlain(value)) continue;
            const auto recipe = recipeFor(value);
            if (!recipe) continue;
            const TensorType &type = m_function.type(value);
            const auto dims = constantDims(type.dims);
            if (!dims || !isFloat(type.dtype)) continue;
            copy.map(value, builder.addConstant(m_function.value(value).name,
                                                HostTensor::generated(type.dtype, *dims, *recipe)));
            ++result.replaced;
        }
        for (size_t n = 0; n < m_function.nodeCount(); ++n) {
            const Node &node = m_function.node(NodeId(n));
            const bool gone = node.op == "constant_of_shape" && isPlain(node.outputs.front()) &&
                              recipeFor(node.outputs.front()).has_value();
            if (!gone) copy.copyNode(NodeId(n));
        }
        copy.copyResults();
        result.function = std::move(builder).finish();
        return result;
    }

  private:
    /// The same number throughout.
    [[nodiscard]] bool isPlain(ValueId value) const {
        if (const HostTensor *constant = m_function.constant(value))
            return constant->isSplat() && constant->elements() > 1;
        const NodeId producer = m_function.value(value).producer;
        if (producer.value < 0) return false;
        const Node &node = m_function.node(producer);
        return node.op == "constant_of_shape" && constantDims(m_function.type(value).dims).has_value();
    }

    /// Numbers that were right for weights which are no longer there: of a normalisation behind a convolution whose
    /// weights are replaced, and its bias.
    [[nodiscard]] bool goesWithPlain(ValueId value) const {
        const auto &readers = m_readers[value.index()];
        if (!m_function.isConstant(value) || readers.empty()) return false;
        const auto hasPlainWeights = [this](const Node &node) {
            return isOneOf(node.op, {"conv", "conv_transpose", "dense", "gemm"}) && isPlain(node.inputs[1]);
        };
        const Node &node = m_function.node(readers.front());
        if (hasPlainWeights(node)) return node.inputs[0] != value;
        if (node.op != "batch_norm" || node.inputs[0] == value) return false;
        const NodeId before = m_function.value(node.inputs[0]).producer;
        return before.value >= 0 && hasPlainWeights(m_function.node(before));
    }

    /// By what its first reader makes of it; nothing when that is no weight.
    [[nodiscard]] std::optional<FillRecipe> recipeFor(ValueId value) const {
        ValueId read = value;
        for (;;) {
            const auto &readers = m_readers[read.index()];
            if (readers.empty()) return std::nullopt;
            const Node &node = m_function.node(readers.front());
            const auto found = std::find(node.inputs.begin(), node.inputs.end(), read);
            const auto at = static_cast<size_t>(found - node.inputs.begin());
            const bool moves =
                isOneOf(node.op, {"reshape", "transpose", "unsqueeze", "squeeze", "flatten", "identity"});
            if (!moves || at != 0) return recipeOf(readers.front(), node, at, read, value);
            read = node.outputs.front();
        }
    }

    [[nodiscard]] std::optional<FillRecipe> recipeOf(NodeId id, const Node &node, size_t input, ValueId read,
                                                     ValueId value) const {
        ContentHasher hasher;
        hasher.add(m_function.value(value).name);
        const uint64_t stream = hasher.finish().low;
        const auto normal = [&](double deviation) { return FillRecipe::normal(m_seed, 0, deviation, stream); };
        const auto uniform = [&](double scale) {
            return FillRecipe::uniform(m_seed, 0.5 * scale, 1.5 * scale, stream);
        };
        if (isOneOf(node.op, {"conv", "conv_transpose", "dense", "gemm", "matmul"})) {
            if (input == 1) {
                const double half = id == m_lastDense ? 0.5 : 1;
                return normal(half * std::sqrt(2.0 / static_cast<double>(fanIn(node, read))));
            }
            if (input == 2) return normal(0.1);
        }
        if (isOneOf(node.op, {"bias_add", "add"}) && input == 1) return normal(0.1);
        if (isOneOf(node.op, {"batch_norm", "instance_norm", "layer_norm"})) {
            switch (input) {
            case 1:
                return uniform(meetsAnotherBranch(node.outputs.front()) ? 0.3 : 1);
            case 2:
            case 3:
                return normal(0.1);
            case 4:
                return uniform(1);
            default:
                break;
            }
        }
        return std::nullopt;
    }

    /// Products that are summed up for one result.
    [[nodiscard]] int64_t fanIn(const Node &node, ValueId weights) const {
        const auto dims = constantDims(m_function.type(weights).dims);
        if (!dims || dims->empty()) return 1;
        const auto attribute = [&](const char *name, int64_t fallback) {
            const auto found = node.attributes.find(name);
            const auto *number = found == node.attributes.end() ? nullptr : std::get_if<int64_t>(&found->second);
            return number == nullptr ? fallback : *number;
        };
        int64_t product = 1;
        if (node.op == "conv" || node.op == "conv_transpose") {
            for (size_t d = 2; d < dims->size(); ++d) product *= (*dims)[d];
            product *= node.op == "conv" ? (*dims)[std::min<size_t>(1, dims->size() - 1)]
                                         : dims->front() / std::max<int64_t>(1, attribute("group", 1));
        } else if (node.op == "dense" || (node.op == "gemm" && attribute("trans_b", 0) != 0)) {
            product = dims->back();
        } else {
            product = dims->size() < 2 ? dims->front() : (*dims)[dims->size() - 2];
        }
        return std::max<int64_t>(1, product);
    }

    [[nodiscard]] bool meetsAnotherBranch(ValueId value) const {
        for (const NodeId id : m_readers[value.index()]) {
            const Node &node = m_function.node(id);
            const bool sums = isOneOf(node.op, {"add", "add_n"}) && node.inputs.size() > 1;
            if (sums && std::none_of(node.inputs.begin(), node.inputs.end(),
                                     [this](ValueId input) { return m_function.isConstant(input) || isPlain(input); }))
                return true;
        }
        return false;
    }

    const GraphFunction &m_function;
    uint64_t m_seed;
    std::vector<std::vector<NodeId>> m_readers;
    NodeId m_lastDense;
};

HostTensor drawnOneByOne(DType type, const std::vector<int64_t> &dims, InputKind kind, Random random, double scale) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    HostTensor tensor = HostTensor::zeros(type, dims);
    for (int64_t i = 0; i < tensor.elements(); ++i) {
        double number = 2 * random.uniform() - 1;
        if (kind == InputKind::Ties)
            number = 0.5 * static_cast<double>(random.below(9)) - 2;
        else if (random.below(8) == 0)
            number = std::array{std::nan(""), kInfinity, -kInfinity, -0.0}[random.index(4)];
        tensor.setNumber(i, number * scale);
    }
    return tensor;
}

} // namespace

SeededWeights withSeededWeights(const GraphFunction &function, uint64_t seed) {
    return WeightSeeding(function, seed).run();
}

std::vector<HostTensor> seededInputs(const GraphFunction &function, InputKind kind, uint64_t seed, double scale) {
    std::vector<HostTensor> inputs;
    for (size_t i = 0; i < function.parameters().size(); ++i) {
        const TensorType &type = function.type(function.parameters()[i]);
        const auto dims = constantDims(type.dims);
        LOOPSCOPE_CHECK(dims.has_value(), "inputs are made for static dims");
        FillRecipe recipe = FillRecipe::integers(seed, 0, 1, i);
        if (isFloat(type.dtype)) {
            if (kind == InputKind::Ties || kind == InputKind::Special) {
                inputs.push_back(drawnOneByOne(type.dtype, *dims, kind, Random(seed, i), scale));
                continue;
            }
            const auto between = [&](double low, double high) {
                return FillRecipe::uniform(seed, low * scale, high * scale, i);
            };
            recipe = kind == InputKind::Ramp       ? FillRecipe::ramp()
                     : kind == InputKind::Mean100  ? between(99, 101)
                     : kind == InputKind::Mean1000 ? between(999, 1001)
                     : kind == InputKind::Large    ? between(20000, 40000)
                                                   : between(-1, 1);
        }
        inputs.push_back(HostTensor::generated(type.dtype, *dims, recipe));
    }
    return inputs;
}

} // namespace loopscope
