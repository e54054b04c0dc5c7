// One way to say each thing. Afterwards there are no gemm, add_n (but of narrow floats), bias_add, flatten, squeeze,
// unsqueeze and no bias inputs of convolutions: those are dense, add and reshape. Reshapes have constant shapes where
// all extents are known, axes count from the front, transposes and reductions name their axes.

#include "language/expr/half.h"
#include "networks/op/operator_use.h"
#include "networks/passes/constant_evaluation.h"
#include "networks/passes/function_edit.h"
#include "networks/passes/node_attributes.h"
#include "networks/passes/pass_context.h"
#include "networks/passes/pass_list.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace loopscope {

namespace {

HostTensor shapeTensor(const std::vector<int64_t> &dims) {
    return integerTensor({static_cast<int64_t>(dims.size())}, dims);
}

class Canonicaliser {
  public:
    Canonicaliser(FunctionEdit &edit, const ConstantEvaluation &evaluation) : m_edit(edit), m_evaluation(evaluation) {}

    void visit(NodeId id) {
        const std::string &op = m_edit.node(id).op;
        const TensorType *type = m_edit.type(m_edit.output(id));
        if (type && summedIn(type->dtype) != type->dtype && (op == "gemm" || op == "add_n"))
            return; // what is between their steps may leave the narrow type
        if (op == "gemm")
            gemm(id);
        else if (op == "conv" || op == "conv_transpose")
            convolutionBias(id);
        else if (op == "add_n")
            sum(id);
        else if (op == "bias_add")
            biasAdd(id);
        else if (op == "flatten" || op == "squeeze" || op == "unsqueeze" || op == "reshape")
            reshape(id);
        else if (op == "transpose")
            transpose(id);
        else if (op.starts_with("reduce_"))
            reduction(id);
        else
            axis(id);
    }

  private:
    ValueId scalar(NodeId at, DType dtype, double value) {
        return m_edit.addConstant(m_edit.node(at).name + ".factor", HostTensor::scalar(dtype, value));
    }
    /// Of a constant whose product is one in its type.
    std::optional<ValueId> folded(ValueId value, double factor) {
        if (factor == 1) return value;
        const HostTensor *constant = m_edit.constant(value);
        if (!constant) return std::nullopt;
        const HostTensor by = HostTensor::scalar(constant->dtype(), factor);
        auto product = m_evaluation.evaluate("mul", {constant, &by});
        if (!product || !standsFor(*product, *constant, by, Composition::Product)) return std::nullopt;
        return m_edit.addConstant(m_edit.value(value).name + ".scaled", *std::move(product));
    }
    ValueId times(NodeId at, ValueId value, double factor) {
        if (const auto product = folded(value, factor)) return *product;
        return m_edit.add(at, "mul", {value, scalar(at, m_edit.type(value)->dtype, factor)});
    }
    ValueId swapped(NodeId at, ValueId matrix) {
        if (const HostTensor *constant = m_edit.constant(matrix))
            return m_edit.addConstant(m_edit.value(matrix).name + ".transposed", transposed(*constant, {1, 0}));
        return m_edit.add(at, "transpose", {matrix}, {{"permutation", std::vector<int64_t>{1, 0}}});
    }
    ValueId reshaped(NodeId at, ValueId value, const std::vector<int64_t> &dims) {
        if (knownDims(m_edit, value) == dims) return value;
        if (const HostTensor *constant = m_edit.constant(value))
            return m_edit.addConstant(m_edit.value(value).name + ".reshaped", constant->reshaped(dims));
        return m_edit.add(at, "reshape",
                          {value, m_edit.addConstant(m_edit.node(at).name + ".shape", shapeTensor(dims))});
    }

    void gemm(NodeId id) {
        const Node &node = m_edit.node(id);
        const double alpha = numberOf(node, "alpha");
        const double beta = numberOf(node, "beta");
        ValueId a = m_edit.input(id, 0);
        ValueId w = m_edit.input(id, 1);
        const ValueId c = m_edit.input(id, 2);
        if (integerOf(node, "trans_a") != 0) a = swapped(id, a);
        if (integerOf(node, "trans_b") == 0) w = swapped(id, w);
        const auto scaled = folded(w, alpha);
        ValueId value = m_edit.add(id, "dense", {a, scaled.value_or(w)});
        if (!scaled) value = times(id, value, alpha);
        if (c.value >= 0 && beta != 0) value = m_edit.add(id, "add", {value, times(id, c, beta)});
        m_edit.replace(m_edit.output(id), value, "gemm is a dense and an add");
    }

    void convolutionBias(NodeId id) {
        const ValueId bias = m_edit.input(id, 2);
        const TensorType *type = m_edit.type(m_edit.output(id));
        if (bias.value < 0 || !type) return;
        const auto channels = knownDims(m_edit, bias);
        if (!channels || channels->size() != 1) return;
        std::vector<int64_t> dims(type->dims.size(), 1);
        dims[1] = channels->front();
        const Node node = m_edit.node(id);
        const ValueId product = m_edit.add(id, node.op, {m_edit.input(id, 0), m_edit.input(id, 1)}, node.attributes);
        const ValueId value = m_edit.add(id, "add", {product, reshaped(id, bias, dims)});
        m_edit.replace(m_edit.output(id), value, "its bias is an addition of its own");
    }

    void sum(NodeId id) {
        const std::vector<ValueId> terms = m_edit.inputs(id);
        if (terms.size() < 2) return;
        ValueId value = terms[0];
        for (size_t i = 1; i < terms.size(); ++i) value = m_edit.add(id, "add", {value, terms[i]});
        m_edit.replace(m_edit.output(id), value, "a sum of several is additions of two");
    }

    void biasAdd(NodeId id) {
        const ValueId x = m_edit.input(id, 0);
        const ValueId bias = m_edit.input(id, 1);
        const TensorType *type = m_edit.type(x);
        const auto channels = knownDims(m_edit, bias);
        const auto at = type ? axisIn(integerOf(m_edit.node(id), "axis"), type->dims.size()) : std::nullopt;
        if (!at || !channels || channels->size() != 1) return;
        std::vector<int64_t> dims(type->dims.size(), 1);
        dims[*at] = channels->front();
        m_edit.replace(m_edit.output(id), m_edit.add(id, "add", {x, reshaped(id, bias, dims)}),
                       "a bias is an addition of a tensor that broadcasts");
    }

    /// The shape to reshape to, where a constant can say it.
    [[nodiscard]] std::optional<std::vector<int64_t>> targetShape(NodeId id) const {
        const TensorType *from = m_edit.type(m_edit.input(id, 0));
        const TensorType *to = m_edit.type(m_edit.output(id));
        if (!from || !to) return std::nullopt;
        std::vector<int64_t> dims;
        bool open = false;
        for (size_t i = 0; i < to->dims.size(); ++i) {
            const Dim &dim = to->dims[i];
            if (dim.isConstant()) {
                if (dim.value() == 0) return std::nullopt;
                dims.push_back(dim.value());
            } else if (i < from->dims.size() && from->dims[i] == dim) {
                dims.push_back(0);
            } else if (!open) {
                dims.push_back(-1);
                open = true;
            } else {
                return std::nullopt;
            }
        }
        return dims;
    }

    void reshape(NodeId id) {
        const bool already = m_edit.node(id).op == "reshape";
        const auto dims = targetShape(id);
        if (!dims) return;
        if (already) {
            if (!knownDims(m_edit, m_edit.output(id))) return;
            const HostTensor *shape = m_edit.constant(m_edit.input(id, 1));
            if (shape && shape->integerValues() == *dims) return;
        }
        const ValueId shape = m_edit.addConstant(m_edit.node(id).name + ".shape", shapeTensor(*dims));
        m_edit.replace(m_edit.output(id), m_edit.add(id, "reshape", {m_edit.input(id, 0), shape}),
                       already ? "its shape is known" : "it is a reshape");
    }

    /// The same operator with other attributes.
    void rewrite(NodeId id, Attributes attributes) {
        const Node node = m_edit.node(id);
        const NodeId made = m_edit.addNode(id, node.op, m_edit.inputs(id), std::move(attributes), node.outputs.size());
        for (size_t i = 0; i < node.outputs.size(); ++i)
            m_edit.replace(node.outputs[i], m_edit.node(made).outputs[i], "its axes count from the front");
    }

    void transpose(NodeId id) {
        const TensorType *type = m_edit.type(m_edit.input(id, 0));
        if (!type) return;
        const std::vector<size_t> permutation = permutationOf(m_edit.node(id), type->dims.size());
        const std::vector<int64_t> axes(permutation.begin(), permutation.end());
        if (axes.size() != type->dims.size() || integersOf(m_edit.node(id), "permutation") == axes) return;
        rewrite(id, {{"permutation", axes}});
    }

    void reduction(NodeId id) {
        const TensorType *type = m_edit.type(m_edit.input(id, 0));
        if (!type) return;
        const std::vector<int64_t> given = integersOf(m_edit.node(id), "axes");
        std::vector<int64_t> axes;
        for (const int64_t axis : given) {
            const auto at = axisIn(axis, type->dims.size());
            if (!at) return;
            axes.push_back(static_cast<int64_t>(*at));
        }
        if (given.empty()) {
            axes.resize(type->dims.size());
            std::iota(axes.begin(), axes.end(), 0);
        }
        std::sort(axes.begin(), axes.end());
        if (axes == given || axes.empty()) return;
        Attributes attributes = m_edit.node(id).attributes;
        attributes["axes"] = axes;
        rewrite(id, std::move(attributes));
    }

    void axis(NodeId id) {
        static constexpr std::array counted = {"softmax", "log_softmax", "concat",     "split",          "gather",
                                               "argmax",  "argmin",      "layer_norm", "gather_elements"};
        const Node &node = m_edit.node(id);
        if (std::find(counted.begin(), counted.end(), node.op) == counted.end()) return;
        const TensorType *type = m_edit.type(m_edit.input(id, 0));
        const int64_t given = integerOf(node, "axis");
        const auto at = type ? axisIn(given, type->dims.size()) : std::nullopt;
        if (!at || given == static_cast<int64_t>(*at)) return;
        Attributes attributes = node.attributes;
        attributes["axis"] = static_cast<int64_t>(*at);
        rewrite(id, std::move(attributes));
    }

    FunctionEdit &m_edit;
    const ConstantEvaluation &m_evaluation;
};

} // namespace

GraphPass canonicalisePass() {
    return {
        {.name = "canonicalise",
         .level = 1,
         .needs = {Fact::Types},
         .preserves = {Fact::Types},
         .establishes = {Fact::Canonical},
         .description = "one form for each thing: dense and add for gemm, additions for biases, reshapes for flatten"},
        FunctionRun([](const FunctionPtr &function, GraphPassContext &context) -> Outcome<FunctionPtr> {
            const ConstantEvaluation evaluation(context);
            FunctionEdit edit(function, "canonicalise", context.report);
            Canonicaliser canonicaliser(edit, evaluation);
            for (NodeId at = edit.first(); at.value >= 0; at = edit.next(at)) canonicaliser.visit(at);
            return edit.finish();
        })};
}

} // namespace loopscope
