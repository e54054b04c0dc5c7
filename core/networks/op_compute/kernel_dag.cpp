#include "networks/op_compute/kernel_dag.h"

#include "base/check.h"
#include "language/expr/half.h"
#include "networks/op/data_layout.h"
#include "networks/op/infer_types.h"
#include "networks/op/operator.h"
#include "networks/op_compute/emission.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace loopscope {

namespace {

const std::unordered_map<std::string_view, Emit> &emissions() {
    static const std::unordered_map<std::string_view, Emit> all = [] {
        std::unordered_map<std::string_view, Emit> table;
        for (const EmitTable &family :
             {elementwiseEmissions(), binaryEmissions(), convolutionEmissions(), winogradEmissions(), matrixEmissions(),
              poolingEmissions(), normalizationEmissions(), reductionEmissions(), movingEmissions(),
              indexingEmissions(), resizeEmissions()})
            table.insert(family.begin(), family.end());
        return table;
    }();
    return all;
}

/// What is defined, or computed by others, in float32 where the elements are narrower: whatever sums, and what takes
/// several steps for an element. Of products the sums are wide, and what is summed stays as it is stored.
enum class Width : uint8_t { Own, WideSums, WideInputs };

Width widthOf(std::string_view op) {
    static const std::unordered_map<std::string_view, Width> all = [] {
        std::unordered_map<std::string_view, Width> table;
        for (const char *product : {"conv", "conv_transpose", "matmul", "dense", "gemm"})
            table[product] = Width::WideSums;
        for (const char *steps : {"winograd_weight",
                                  "winograd_conv",
                                  "average_pool",
                                  "global_average_pool",
                                  "lrn",
                                  "batch_norm",
                                  "layer_norm",
                                  "instance_norm",
                                  "softmax",
                                  "log_softmax",
                                  "reduce_sum",
                                  "reduce_mean",
                                  "reduce_prod",
                                  "reduce_sum_square",
                                  "reduce_l2",
                                  "add_n",
                                  "resize",
                                  "gelu",
                                  "elu",
                                  "softplus",
                                  "hard_sigmoid",
                                  "hard_swish"})
            table[steps] = Width::WideInputs;
        return table;
    }();
    const auto found = all.find(op);
    return found == all.end() ? Width::Own : found->second;
}

/// Refuses by an Error, which computeDagOf turns into a refusal.
[[noreturn]] void refuse(const std::string &sentence) { throw Error(sentence); }

std::vector<int64_t> staticDims(const GraphFunction &function, ValueId value) {
    const Value &of = function.value(value);
    if (!of.type) refuse(fmt::format("the type of '{}' is not known", of.name));
    auto dims = constantDims(of.type->dims);
    if (!dims) refuse(fmt::format("'{}' is {}: kernels are made for static dims", of.name, typeText(*of.type)));
    for (const int64_t extent : *dims)
        if (extent < 1) refuse(fmt::format("'{}' is {}, which has no elements", of.name, typeText(*of.type)));
    return *std::move(dims);
}

/// The dims that TVM gives what is added along one axis of a tensor, where the value is such a bias at this input:
/// [1, C, 1, 1] of an image, [1, N] of a matrix.
std::optional<std::vector<int64_t>> biasDims(const GraphFunction &function, const Node &node, size_t input,
                                             int64_t channels) {
    const bool ofConv = (node.op == "conv" || node.op == "conv_transpose" || node.op == "winograd_conv") && input == 2;
    if (!ofConv && !(node.op == "bias_add" && input == 1)) return std::nullopt;
    const size_t rank = function.type(node.inputs[0]).dims.size();
    auto axis = static_cast<int64_t>(channelAxis(layoutOf(node), rank));
    if (!ofConv)
        if (const auto given = node.attributes.find("axis"); given != node.attributes.end())
            axis = std::get<int64_t>(given->second);
    std::vector<int64_t> dims(rank, 1);
    const auto at = axisIn(axis, dims.size());
    if (!at) return std::nullopt;
    dims[*at] = channels;
    return dims;
}

class DagBuilder {
  public:
    DagBuilder(const GraphFunction &function, const std::vector<NodeId> &nodes)
        : m_function(function), m_nodes(nodes) {}

    DagPtr build(const std::vector<ValueId> &inputs, const std::vector<ValueId> &outputs, const std::string &name) {
        const auto arena = std::make_shared<ExprArena>();
        const ArenaScope scope(arena);
        std::vector<const Tensor *> args;
        for (const ValueId input : inputs) {
            m_ops.push_back(
                makePlaceholder(fmt::format("p{}", args.size()), placeholderDims(input), m_function.type(input).dtype));
            args.push_back(&m_ops.back()->output());
            m_tensors[input] = args.back();
        }
        for (const NodeId node : m_nodes) emit(m_function.node(node));
        std::unordered_set<const Op *> read;
        for (const OpPtr &op : m_ops)
            for (const Tensor *input : inputTensors(*op)) read.insert(input->op);
        std::unordered_set<const Tensor *> given(args.begin(), args.end());
        for (const ValueId output : outputs) {
            const Tensor *tensor = &tensorOf(output);
            // Only tensors nobody reads are results of a DAG.
            if (read.contains(tensor->op) || !given.insert(tensor).second || tensor->op->isPlaceholder())
                tensor = &copied(*tensor);
            args.push_back(tensor);
        }
        checkAllRead(args);
        return ComputeDag::fromArgs(std::move(args), std::move(m_ops), {arena}, name);
    }

  private:
    struct ValueHash {
        size_t operator()(ValueId id) const { return std::hash<int>()(id.value); }
    };

    std::vector<int64_t> placeholderDims(ValueId value) const {
        std::vector<int64_t> dims = staticDims(m_function, value);
        if (dims.size() != 1) return dims;
        std::optional<std::vector<int64_t>> ofBias;
        for (const NodeId id : m_nodes) {
            const Node &node = m_function.node(id);
            for (size_t i = 0; i < node.inputs.size(); ++i) {
                if (node.inputs[i] != value) continue;
                const auto here = biasDims(m_function, node, i, dims[0]);
                if (!here || (ofBias && ofBias != here)) return dims;
                ofBias = here;
            }
        }
        return ofBias.value_or(dims);
    }

    const Tensor &copied(const Tensor &from) {
        std::vector<Axis> axes = numberedAxes("ax", from.shape);
        const Expr value = load(from, axes);
        m_ops.push_back(makeCompute("T_identity", std::move(axes), {value}, std::nullopt, {}, "elemwise"));
        return m_ops.back()->output();
    }

    const Tensor &rounded(const Tensor &from, DType type) {
        std::vector<Axis> axes = numberedAxes("ax", from.shape);
        const Expr value = castTo(type, load(from, axes));
        m_ops.push_back(makeCompute("T_cast", std::move(axes), {value}, std::nullopt, {}, "elemwise"));
        return m_ops.back()->output();
    }

    const Tensor &tensorOf(ValueId value) {
        if (const auto found = m_tensors.find(value); found != m_tensors.end()) return *found->second;
        if (!isLiteral(m_function, value))
            refuse(
                fmt::format("'{}' is neither an input of the kernel nor computed in it", m_function.value(value).name));
        const HostTensor &constant = *m_function.constant(value);
        const DType type = constant.dtype();
        const Expr number = isFloat(type) ? makeFloat(constant.number(0), type) : makeInt(constant.integer(0), type);
        m_ops.push_back(makeCompute("compile_engine_const", {}, {number}, std::nullopt, {}, "broadcast"));
        return *(m_tensors[value] = &m_ops.back()->output());
    }

    void emit(const Node &node) {
        const auto emission = emissions().find(node.op);
        if (const Operator *of = findOperator(node.op); of != nullptr && of->host)
            refuse(fmt::format("{} is computed on the host: no kernel is made of it", nodeText(node)));
        if (emission == emissions().end()) refuse(fmt::format("{} has no tensor expression", nodeText(node)));
        try {
            std::vector<const Tensor *> inputs;
            for (size_t i = 0; i < node.inputs.size(); ++i) {
                const bool reads = node.inputs[i].value >= 0 && readsElements(node, i);
                if (reads) staticDims(m_function, node.inputs[i]);
                inputs.push_back(reads ? &tensorOf(node.inputs[i]) : nullptr);
            }
            std::vector<TensorType> outputs;
            for (const ValueId output : node.outputs) {
                staticDims(m_function, output);
                outputs.push_back(m_function.type(output));
            }
            const OperatorUse use = useOf(m_function, node);
            const bool wide = !outputs.empty() && summedIn(outputs[0].dtype) != outputs[0].dtype;
            const Width width = wide ? widthOf(node.op) : Width::Own;
            std::vector<TensorType> emitted = outputs;
            if (width == Width::WideInputs) {
                Emission casts(use, {}, {}, m_ops);
                for (const Tensor *&input : inputs)
                    if (input != nullptr) input = &casts.widened(*input);
                for (TensorType &type : emitted) type.dtype = summedIn(type.dtype);
            }
            Emission context(use, std::move(inputs), std::move(emitted), m_ops);
            std::vector<const Tensor *> tensors = emission->second(context);
            LOOPSCOPE_CHECK(tensors.size() == outputs.size(), node.op + " has one tensor for each output");
            for (size_t k = 0; k < tensors.size(); ++k) {
                if (width != Width::Own && tensors[k]->dtype != outputs[k].dtype)
                    tensors[k] = &rounded(*tensors[k], outputs[k].dtype);
                LOOPSCOPE_CHECK(tensors[k]->dtype == outputs[k].dtype && asDims(tensors[k]->shape) == outputs[k].dims,
                                fmt::format("{} is {}, its tensor {}", nodeText(node), typeText(outputs[k]),
                                            typeText({tensors[k]->dtype, asDims(tensors[k]->shape)})));
                m_tensors[node.outputs[k]] = tensors[k];
            }
        } catch (const Error &error) {
            refuse(fmt::format("{}: {}", nodeText(node), error.sentence()));
        }
    }

    /// Placeholders that nobody reads would not be arguments; that none is left out is the caller's business.
    void checkAllRead(const std::vector<const Tensor *> &args) const {
        std::unordered_set<const Op *> read;
        for (const OpPtr &op : m_ops)
            for (const Tensor *input : inputTensors(*op)) read.insert(input->op);
        for (const Tensor *arg : args)
            if (arg->op->isPlaceholder() && !read.contains(arg->op))
                refuse(fmt::format("the kernel does not read its input {}", arg->name));
    }

    const GraphFunction &m_function;
    const std::vector<NodeId> &m_nodes;
    std::vector<OpPtr> m_ops;
    std::unordered_map<ValueId, const Tensor *, ValueHash> m_tensors;
};

} // namespace

bool hasTensorExpression(std::string_view op) { return emissions().contains(op); }

bool isLiteral(const GraphFunction &function, ValueId value) {
    const HostTensor *constant = function.constant(value);
    return constant != nullptr && constant->rank() == 0;
}

bool readsElements(const Node &node, size_t input) {
    if (node.op == "reshape" || node.op == "expand" || node.op == "tile" || node.op == "slice") return input == 0;
    if (node.op == "pad") return input != 1;
    if (node.op == "range") return input != 1;
    return node.op != "constant_of_shape" && node.op != "shape";
}

bool readsNumbers(const Node &node, size_t input) {
    if (node.op == "slice") return input == 1 || input == 3 || input == 4;
    return node.op == "pad" && input == 1;
}

bool readsByIndex(const Node &node) {
    return node.op == "gather" || node.op == "gather_elements" || node.op == "gather_nd";
}

Outcome<DagPtr> computeDagOf(const GraphFunction &function, const std::vector<NodeId> &nodes,
                             const std::vector<ValueId> &inputs, const std::vector<ValueId> &outputs,
                             const std::string &name) {
    try {
        return DagBuilder(function, nodes).build(inputs, outputs, name);
    } catch (const Error &error) {
        return Refusal{error.sentence()};
    }
}

} // namespace loopscope
