#include "language/expr/interval.h"
#include "language/tensor/wide_tensor.h"
#include "networks/onnx/graph_export.h"
#include "networks/onnx/tensor_data.h"
#include "networks/op/clip_limits.h"
#include "networks/op/data_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace loopscope {

namespace {

/// Operators that are the same in ONNX, but for the name.
constexpr std::pair<std::string_view, const char *> kSame[] = {
    {"relu", "Relu"},
    {"sigmoid", "Sigmoid"},
    {"tanh", "Tanh"},
    {"exp", "Exp"},
    {"log", "Log"},
    {"sqrt", "Sqrt"},
    {"neg", "Neg"},
    {"abs", "Abs"},
    {"reciprocal", "Reciprocal"},
    {"erf", "Erf"},
    {"floor", "Floor"},
    {"ceil", "Ceil"},
    {"round", "Round"},
    {"sign", "Sign"},
    {"sin", "Sin"},
    {"cos", "Cos"},
    {"not", "Not"},
    {"identity", "Identity"},
    {"softplus", "Softplus"},
    {"hard_swish", "HardSwish"},
    {"add", "Add"},
    {"sub", "Sub"},
    {"mul", "Mul"},
    {"div", "Div"},
    {"pow", "Pow"},
    {"maximum", "Max"},
    {"minimum", "Min"},
    {"equal", "Equal"},
    {"less", "Less"},
    {"greater", "Greater"},
    {"less_equal", "LessOrEqual"},
    {"greater_equal", "GreaterOrEqual"},
    {"and", "And"},
    {"or", "Or"},
    {"xor", "Xor"},
    {"prelu", "PRelu"},
    {"where", "Where"},
    {"scatter_nd", "ScatterND"},
    {"add_n", "Sum"},
    {"matmul", "MatMul"},
    {"expand", "Expand"},
    {"tile", "Tile"},
    {"slice", "Slice"},
    {"range", "Range"},
    {"dropout", "Dropout"},
};

std::string_view sameName(std::string_view op) {
    const auto *at =
        std::find_if(std::begin(kSame), std::end(kSame), [&](const auto &pair) { return pair.first == op; });
    return at == std::end(kSame) ? std::string_view() : at->second;
}

void writeSame(NodeExport &node) { node.finish(sameName(node.node().op), node.allInputs()); }

void writeAlpha(NodeExport &node) {
    const bool leaky = node.node().op == "leaky_relu";
    setNumber(node.finish(leaky ? "LeakyRelu" : "Elu", node.allInputs()), "alpha", node.use().number("alpha"));
}

void writeHardSigmoid(NodeExport &node) {
    auto &to = node.finish("HardSigmoid", node.allInputs());
    setNumber(to, "alpha", node.use().number("alpha"));
    setNumber(to, "beta", node.use().number("beta"));
}

HostTensor exactScalar(DType type, int64_t value) {
    WideTensor scalar = WideTensor::zeros(type, {});
    scalar.integers[0] = value;
    return scalar.narrow();
}

void writeClip(NodeExport &node) {
    const DType type = node.use().dtype(0);
    std::vector<std::string> inputs = {node.in(0), "", ""};
    if (isFloat(type)) {
        if (!std::isinf(node.use().number("min")))
            inputs[1] = node.constant("min", HostTensor::scalar(type, node.use().number("min")));
        if (!std::isinf(node.use().number("max")))
            inputs[2] = node.constant("max", HostTensor::scalar(type, node.use().number("max")));
    } else {
        const IntegerLimits limits = integerLimits(node.use().node(), type);
        const Interval all = Interval::ofType(type);
        if (limits.least > all.min) inputs[1] = node.constant("min", exactScalar(type, limits.least));
        if (limits.most < all.max) inputs[2] = node.constant("max", exactScalar(type, limits.most));
    }
    node.finish("Clip", std::move(inputs));
}

void writeCast(NodeExport &node) {
    setInteger(node.finish("Cast", node.allInputs()), "to",
               onnxOfDtype(dtypeFromName(node.use().text("to")).value_or(DType::Float32)));
}

/// Floats with the sign of the divisor, which has a form of its own only from version 28 on: that of the dividend, and
/// once more the divisor where it is another.
void writeMod(NodeExport &node) {
    if (node.use().integer("fmod") != 0 || !isFloat(node.use().dtype(0))) {
        setInteger(node.finish("Mod", node.allInputs()), "fmod", node.use().integer("fmod"));
        return;
    }
    const std::string zero = node.constant("zero", HostTensor::scalar(node.use().dtype(0), 0));
    const std::string rest = node.value("Mod", node.allInputs(), {{"fmod", 1}});
    const std::string other =
        node.value("Xor", {node.value("Less", {rest, zero}), node.value("Less", {node.in(1), zero})});
    const std::string isZero = node.value("Equal", {rest, zero});
    node.finish("Where",
                {node.value("And", {node.value("Not", {isZero}), other}), node.value("Add", {rest, node.in(1)}), rest});
}

void writeGatherNd(NodeExport &node) {
    setInteger(node.finish("GatherND", node.allInputs()), "batch_dims", node.use().integer("batch_dims"));
}

/// x / 2 * (1 + erf(x / sqrt 2)), which has a name only from version 20 on.
void writeGelu(NodeExport &node) {
    const DType type = node.use().dtype(0);
    const auto number = [&](std::string_view what, double value) {
        return node.constant(what, HostTensor::scalar(type, value));
    };
    const std::string scaled = node.value("Mul", {node.in(0), number("sqrt_half", std::sqrt(0.5))});
    const std::string area = node.value("Add", {node.value("Erf", {scaled}), number("one", 1)});
    node.finish("Mul", {node.value("Mul", {node.in(0), number("half", 0.5)}), area});
}

void writeWindow(NodeExport &node, onnx::NodeProto &to) {
    setIntegers(to, "strides", node.use().integers("strides"));
    setIntegers(to, "pads", node.use().integers("pads"));
}

void writeConv(NodeExport &node) {
    const bool transposed = node.node().op == "conv_transpose";
    auto &to = node.finishPlanes(transposed ? "ConvTranspose" : "Conv");
    const Dims &stored = node.use().dims(1);
    const Dims weights = permuted(stored, inverseOf(kernelAxesIn(layoutOf(node.node()), stored.size())));
    setIntegers(to, "kernel_shape",
                constantDims({weights.begin() + 2, weights.end()}).value_or(std::vector<int64_t>()));
    writeWindow(node, to);
    setIntegers(to, "dilations", node.use().integers("dilations"));
    setInteger(to, "group", node.use().integer("group"));
    if (transposed) setIntegers(to, "output_padding", node.use().integers("output_padding"));
}

void writePool(NodeExport &node) {
    const bool greatest = node.node().op == "max_pool";
    auto &to = node.finishPlanes(greatest ? "MaxPool" : "AveragePool");
    setIntegers(to, "kernel_shape", node.use().integers("kernel"));
    writeWindow(node, to);
    setInteger(to, "ceil_mode", node.use().integer("ceil_mode"));
    if (greatest)
        setIntegers(to, "dilations", node.use().integers("dilations"));
    else
        setInteger(to, "count_include_pad", node.use().integer("count_include_pad"));
}

void writeGlobalPool(NodeExport &node) {
    node.finishPlanes(node.node().op == "global_max_pool" ? "GlobalMaxPool" : "GlobalAveragePool");
}

void writeLrn(NodeExport &node) {
    auto &to = node.finish("LRN", node.allInputs());
    setInteger(to, "size", node.use().integer("size"));
    for (const char *name : {"alpha", "beta", "bias"}) setNumber(to, name, node.use().number(name));
}

void writeNormalization(NodeExport &node) {
    const std::string &op = node.node().op;
    auto &to = node.finish(op == "batch_norm"   ? "BatchNormalization"
                           : op == "layer_norm" ? "LayerNormalization"
                                                : "InstanceNormalization",
                           node.allInputs());
    setNumber(to, "epsilon", node.use().number("epsilon"));
    if (op == "layer_norm") setInteger(to, "axis", node.use().integer("axis"));
}

void writeSoftmax(NodeExport &node) {
    setInteger(node.finish(node.node().op == "softmax" ? "Softmax" : "LogSoftmax", node.allInputs()), "axis",
               node.use().integer("axis"));
}

void writeGemm(NodeExport &node) {
    auto &to = node.finish("Gemm", node.allInputs());
    setNumber(to, "alpha", node.use().number("alpha"));
    setNumber(to, "beta", node.use().number("beta"));
    setInteger(to, "transA", node.use().integer("trans_a"));
    setInteger(to, "transB", node.use().integer("trans_b"));
}

void writeDense(NodeExport &node) { setInteger(node.finish("Gemm", node.allInputs()), "transB", 1); }

/// The bias with axes of extent 1 behind it.
void writeBiasAdd(NodeExport &node) {
    const size_t rank = node.use().rank(0);
    const size_t axis = axisIn(node.use().integer("axis"), rank).value_or(0);
    std::vector<int64_t> axes;
    for (size_t i = axis + 1; i < rank; ++i) axes.push_back(static_cast<int64_t>(i - axis));
    std::string bias = node.in(1);
    if (!axes.empty()) bias = node.value("Unsqueeze", {bias, node.integers("axes", axes)});
    node.finish("Add", {node.in(0), bias});
}

void writeReduction(NodeExport &node) {
    constexpr std::pair<std::string_view, const char *> kNames[] = {
        {"reduce_sum", "ReduceSum"}, {"reduce_mean", "ReduceMean"}, {"reduce_max", "ReduceMax"},
        {"reduce_min", "ReduceMin"}, {"reduce_prod", "ReduceProd"}, {"reduce_l2", "ReduceL2"},
    };
    const std::string &op = node.node().op;
    const std::vector<int64_t> &axes = node.use().integers("axes");
    std::vector<std::string> inputs = {node.in(0)};
    if (op == "reduce_sum" && !axes.empty()) inputs.push_back(node.integers("axes", axes));
    const char *name = "ReduceSumSquare";
    for (const auto &[ours, theirs] : kNames)
        if (ours == op) name = theirs;
    auto &to = node.finish(name, std::move(inputs));
    if (op != "reduce_sum") setIntegers(to, "axes", axes);
    setInteger(to, "keepdims", node.use().integer("keep_dims"));
}

void writeArgument(NodeExport &node) {
    auto &to = node.finish(node.node().op == "argmax" ? "ArgMax" : "ArgMin", node.allInputs());
    setInteger(to, "axis", node.use().integer("axis"));
    setInteger(to, "keepdims", node.use().integer("keep_dims"));
    setInteger(to, "select_last_index", node.use().integer("select_last"));
}

void writeReshape(NodeExport &node) {
    auto &to = node.finish("Reshape", node.allInputs());
    if (node.use().integer("allow_zero") != 0) setInteger(to, "allowzero", 1);
}

void writeAxis(NodeExport &node) {
    const std::string &op = node.node().op;
    const char *name = op == "flatten"  ? "Flatten"
                       : op == "concat" ? "Concat"
                       : op == "gather" ? "Gather"
                                        : "GatherElements";
    setInteger(node.finish(name, node.allInputs()), "axis", node.use().integer("axis"));
}

void writeTranspose(NodeExport &node) {
    setIntegers(node.finish("Transpose", node.allInputs()), "perm", node.use().integers("permutation"));
}

void writeSqueeze(NodeExport &node) {
    std::vector<std::string> inputs = {node.in(0)};
    const std::vector<int64_t> &axes = node.use().integers("axes");
    if (!axes.empty()) inputs.push_back(node.integers("axes", axes));
    if (node.node().op == "unsqueeze" && axes.empty())
        node.finish("Identity", std::move(inputs));
    else
        node.finish(node.node().op == "squeeze" ? "Squeeze" : "Unsqueeze", std::move(inputs));
}

void writeSplit(NodeExport &node) {
    auto &to = node.finish("Split", {node.in(0), node.integers("sizes", node.use().integers("sizes"))});
    setInteger(to, "axis", node.use().integer("axis"));
}

void writePad(NodeExport &node) { setText(node.finish("Pad", node.allInputs()), "mode", node.use().text("mode")); }

void writeBlocks(NodeExport &node) {
    const bool toSpace = node.node().op == "depth_to_space";
    const int64_t square = node.use().integer("block") * node.use().integer("block");
    const Dim channels = node.use().dims(0)[1];
    if (!toSpace && node.use().text("mode") == "CRD") {
        // A form of its own only from version 28 on: the channels in another order.
        if (!channels.isConstant())
            throw Error("space_to_depth with mode CRD is written for a known number of channels alone");
        std::vector<int64_t> order;
        for (int64_t c = 0; c < channels.value(); ++c)
            for (int64_t place = 0; place < square; ++place) order.push_back(place * channels.value() + c);
        const std::string blocks =
            node.value("SpaceToDepth", node.allInputs(), {{"blocksize", node.use().integer("block")}});
        setInteger(node.finish("Gather", {blocks, node.integers("order", order)}), "axis", 1);
        return;
    }
    auto &to = node.finish(toSpace ? "DepthToSpace" : "SpaceToDepth", node.allInputs());
    setInteger(to, "blocksize", node.use().integer("block"));
    if (toSpace) setText(to, "mode", node.use().text("mode"));
}

void writeResize(NodeExport &node) {
    std::vector<std::string> inputs = {node.in(0), "", "", ""};
    const std::vector<double> &scales = node.use().numbers("scales");
    if (scales.empty()) {
        inputs[3] = node.integers("sizes", node.use().integers("sizes"));
    } else {
        const std::vector<float> narrow(scales.begin(), scales.end());
        inputs[2] = node.constant("scales", floatTensor({static_cast<int64_t>(narrow.size())}, narrow));
    }
    auto &to = node.finish("Resize", std::move(inputs));
    setText(to, "mode", node.use().text("mode"));
    setText(to, "coordinate_transformation_mode", node.use().text("coordinates"));
    setText(to, "nearest_mode", node.use().text("nearest"));
}

void writeShape(NodeExport &node) {
    auto &to = node.finish("Shape", node.allInputs());
    if (node.use().integer("start") != 0) setInteger(to, "start", node.use().integer("start"));
    if (node.use().integer("end") != INT64_MAX) setInteger(to, "end", node.use().integer("end"));
}

void writeConstantOfShape(NodeExport &node) {
    auto &to = node.finish("ConstantOfShape", node.allInputs());
    const auto at = node.node().attributes.find("value");
    if (at == node.node().attributes.end()) return;
    auto *attribute = to.add_attribute();
    attribute->set_name("value");
    attribute->set_type(onnx::AttributeProto_AttributeType_TENSOR);
    writeTensor(*attribute->mutable_t(), "", std::get<HostTensor>(at->second).reshaped({1}));
}

void writeTopk(NodeExport &node) {
    auto &to = node.finish("TopK", {node.in(0), node.integers("k", {node.use().integer("k")})});
    setInteger(to, "axis", node.use().integer("axis"));
    setInteger(to, "largest", node.use().integer("largest"));
}

void writeOneHot(NodeExport &node) {
    auto &to = node.finish("OneHot", {node.in(0), node.integers("depth", {node.use().integer("depth")}), node.in(1)});
    setInteger(to, "axis", node.use().integer("axis"));
}

void writeCumsum(NodeExport &node) {
    auto &to = node.finish("CumSum", {node.in(0), node.integers("axis", {node.use().integer("axis")})});
    setInteger(to, "exclusive", node.use().integer("exclusive"));
    setInteger(to, "reverse", node.use().integer("reverse"));
}

struct WriterRow {
    std::string_view op;
    NodeWriter writer;
};
constexpr WriterRow kWriters[] = {
    {"leaky_relu", writeAlpha},
    {"elu", writeAlpha},
    {"hard_sigmoid", writeHardSigmoid},
    {"clip", writeClip},
    {"cast", writeCast},
    {"mod", writeMod},
    {"gelu", writeGelu},
    {"conv", writeConv},
    {"conv_transpose", writeConv},
    {"max_pool", writePool},
    {"average_pool", writePool},
    {"lrn", writeLrn},
    {"batch_norm", writeNormalization},
    {"layer_norm", writeNormalization},
    {"instance_norm", writeNormalization},
    {"softmax", writeSoftmax},
    {"log_softmax", writeSoftmax},
    {"gemm", writeGemm},
    {"dense", writeDense},
    {"bias_add", writeBiasAdd},
    {"reduce_sum", writeReduction},
    {"reduce_mean", writeReduction},
    {"reduce_max", writeReduction},
    {"reduce_min", writeReduction},
    {"reduce_prod", writeReduction},
    {"reduce_l2", writeReduction},
    {"reduce_sum_square", writeReduction},
    {"argmax", writeArgument},
    {"argmin", writeArgument},
    {"reshape", writeReshape},
    {"flatten", writeAxis},
    {"concat", writeAxis},
    {"gather", writeAxis},
    {"gather_nd", writeGatherNd},
    {"gather_elements", writeAxis},
    {"global_average_pool", writeGlobalPool},
    {"global_max_pool", writeGlobalPool},
    {"transpose", writeTranspose},
    {"squeeze", writeSqueeze},
    {"unsqueeze", writeSqueeze},
    {"split", writeSplit},
    {"pad", writePad},
    {"depth_to_space", writeBlocks},
    {"space_to_depth", writeBlocks},
    {"resize", writeResize},
    {"shape", writeShape},
    {"constant_of_shape", writeConstantOfShape},
    {"topk", writeTopk},
    {"one_hot", writeOneHot},
    {"cumsum", writeCumsum},
};

} // namespace

NodeWriter nodeWriter(std::string_view op) {
    if (!sameName(op).empty()) return writeSame;
    for (const WriterRow &row : kWriters)
        if (row.op == op) return row.writer;
    return nullptr;
}

} // namespace loopscope
