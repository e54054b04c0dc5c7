// ONNX operators as version 18 of the operator set and later ones write them: axes, pads and sizes as inputs, operators
// that were several before.

#include "model_maker.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

namespace {

using Attribute = std::pair<std::string, OnnxAttribute>;

/// One operator on x[2, 4, 5]; the text of what it became, or what is wrong.
std::string one(int64_t opset, const std::string &op, const std::vector<std::string> &inputs,
                const std::vector<Attribute> &attributes = {}, const std::vector<std::string> &outputs = {"y"}) {
    ModelMaker maker(opset);
    maker.input("x", {2, 4, 5});
    maker.initialiser("last", integerTensor({1}, std::vector<int64_t>{-1}));
    maker.initialiser("none", integerTensor({0}, std::vector<int64_t>{}));
    maker.initialiser("pads", integerTensor({2}, std::vector<int64_t>{1, 2}));
    maker.initialiser("sizes", integerTensor({1}, std::vector<int64_t>{10}));
    maker.initialiser("scales", floatTensor({1}, std::vector<float>{2}));
    maker.initialiser("axis", integerTensor({}, std::vector<int64_t>{1}));
    maker.initialiser("places", integerTensor({3, 2}, std::vector<int64_t>{0, 1, -1, 2, 1, -4}));
    maker.initialiser("long", integerTensor({1, 4}, std::vector<int64_t>{0, 0, 0, 0}));
    maker.initialiser("tens", HostTensor::splat(DType::Int64, {2, 4, 1}, 0));
    maker.initialiser("plane", HostTensor::splat(DType::Float32, {1, 2, 2, 4}, 1));
    maker.initialiser("m", HostTensor::splat(DType::Float32, {5, 3}, 1));
    maker.initialiser("rows", HostTensor::splat(DType::Float32, {3, 5}, 1));
    maker.initialiser("two", HostTensor::splat(DType::Float32, {2}, 3));
    maker.initialiser("four", HostTensor::splat(DType::Float32, {4}, 3));
    maker.initialiser("five", HostTensor::splat(DType::Float32, {5}, 3));
    maker.node(op, inputs, outputs, attributes);
    for (const std::string &output : outputs) maker.output(output);
    const ImportResult result = maker.import();
    if (!result.module) return problemsText(result);
    std::string text = shortText(result.module->main());
    text = text.substr(text.find('\n') + 1);
    return text.substr(0, text.find("result"));
}

} // namespace

class NewerFormsTest : public QObject {
    Q_OBJECT

  private slots:
    void become_data() {
        QTest::addColumn<QString>("was");
        QTest::addColumn<QString>("wanted");
        const auto row = [](const char *name, const std::string &was, const char *wanted) {
            QTest::newRow(name) << QString::fromStdString(was) << wanted;
        };
        row("mean", one(18, "ReduceMean", {"x", "last"}, {{"keepdims", int64_t{0}}}),
            "y float32[2, 4] = reduce_mean(x) {axes: [-1], keep_dims: 0}\n");
        row("mean of all", one(18, "ReduceMean", {"x"}), "y float32[1, 1, 1] = reduce_mean(x)\n");
        row("mean of none", one(18, "ReduceMean", {"x", "none"}, {{"noop_with_empty_axes", int64_t{1}}}),
            "y float32[2, 4, 5] = identity(x)\n");
        row("l1", one(18, "ReduceL1", {"x", "last"}),
            "y/abs float32[2, 4, 5] = abs(x)\n"
            "y float32[2, 4, 1] = reduce_sum(y/abs) {axes: [-1]}\n");
        row("l1 of none", one(18, "ReduceL1", {"x"}, {{"noop_with_empty_axes", int64_t{1}}}),
            "y float32[2, 4, 5] = abs(x)\n");
        row("squares of none", one(18, "ReduceSumSquare", {"x"}, {{"noop_with_empty_axes", int64_t{1}}}),
            "y float32[2, 4, 5] = mul(x, x)\n");
        row("logarithms of none", one(18, "ReduceLogSum", {"x", "none"}, {{"noop_with_empty_axes", int64_t{1}}}),
            "y float32[2, 4, 5] = log(x)\n");
        row("mean by attribute", one(18, "ReduceMean", {"x"}, {{"axes", std::vector<int64_t>{1}}}),
            "ReduceMean 'y' (opset 18): attribute 'axes' is unknown; those of ReduceMean are keepdims, "
            "noop_with_empty_axes\n");
        row("parts", one(18, "Split", {"x"}, {{"axis", int64_t{2}}, {"num_outputs", int64_t{2}}}, {"y", "z"}),
            "y float32[2, 4, 3], z float32[2, 4, 2] = split(x) {axis: 2, sizes: [3, 2]}\n");
        row("equal parts", one(18, "Split", {"x"}, {{"axis", int64_t{1}}, {"num_outputs", int64_t{2}}}, {"y", "z"}),
            "y float32[2, 2, 5], z float32[2, 2, 5] = split(x) {axis: 1, sizes: [2, 2]}\n");
        row("other number of parts",
            one(18, "Split", {"x"}, {{"axis", int64_t{1}}, {"num_outputs", int64_t{3}}}, {"y", "z"}),
            "Split 'y' (opset 18): attribute 'num_outputs' is 3, and there are 2 outputs\n");
        row("parts twice",
            one(18, "Split", {"x", "pads"}, {{"axis", int64_t{1}}, {"num_outputs", int64_t{2}}}, {"y", "z"}),
            "Split 'y' (opset 18): has both the sizes of the parts and their number; one of them is given\n");
        row("too many parts",
            one(18, "Split", {"x"}, {{"axis", int64_t{1}}, {"num_outputs", int64_t{6}}},
                {"a", "b", "c", "d", "e", "f"}),
            "Split 'a' (opset 18): 4 elements do not split into 5 parts of 1 and a smaller one\n");
        row("pads of an axis", one(18, "Pad", {"x", "pads", "", "last"}),
            "y float32[2, 4, 8] = pad(x, int64[6] [0, 0, 1, 0, 0, 2])\n");
        row("pads of a wrong axis", one(18, "Pad", {"x", "pads", "", "sizes"}),
            "Pad 'y' (opset 18): has the axis 10, and float32[2, 4, 5] has no such axis\n");
        row("pads of two axes", one(18, "Pad", {"x", "pads", "", "pads"}),
            "Pad 'y' (opset 18): has 2 pads for 2 axes; there are two for each\n");
        row("size of an axis", one(18, "Resize", {"x", "", "", "sizes"}, {{"axes", std::vector<int64_t>{2}}}),
            "y float32[2, 4, 10] = resize(x) {sizes: [2, 4, 10]}\n");
        row("scale of an axis",
            one(19, "Resize", {"x", "", "scales"}, {{"axes", std::vector<int64_t>{-2}}, {"antialias", int64_t{0}}}),
            "y float32[2, 8, 5] = resize(x) {scales: [1, 2, 1]}\n");
        row("scale of two axes", one(19, "Resize", {"x", "", "scales"}, {{"axes", std::vector<int64_t>{1, 2}}}),
            "Resize 'y' (opset 19): has 2 axes and 1 numbers for them\n");
        row("antialias",
            one(18, "Resize", {"x", "", "", "sizes"}, {{"axes", std::vector<int64_t>{2}}, {"antialias", int64_t{1}}}),
            "Resize 'y' (opset 18): attribute 'antialias' is 1, which is not supported; supported is 0\n");
        row("cast", one(19, "Cast", {"x"}, {{"to", int64_t{11}}, {"saturate", int64_t{1}}}),
            "y float64[2, 4, 5] = cast(x) {to: float64}\n");
        row("average",
            one(19, "AveragePool", {"x"},
                {{"kernel_shape", std::vector<int64_t>{2}}, {"dilations", std::vector<int64_t>{2}}}),
            "AveragePool 'y' (opset 19): has dilations above 1, which are supported of convolutions and of MaxPool\n");
        row("gelu", one(20, "Gelu", {"x"}), "y float32[2, 4, 5] = gelu(x)\n");
        row("gelu by tanh", one(20, "Gelu", {"x"}, {{"approximate", std::string("tanh")}}),
            "y/mul float32[2, 4, 5] = mul(x, x)\n"
            "y/mul_1 float32[2, 4, 5] = mul(y/mul, float32[] [0.044714998453855515])\n"
            "y/add float32[2, 4, 5] = add(y/mul_1, float32[] [1])\n"
            "y/mul_2 float32[2, 4, 5] = mul(x, y/add)\n"
            "y/mul_3 float32[2, 4, 5] = mul(y/mul_2, float32[] [1.5957691669464111])\n"
            "y/sigmoid float32[2, 4, 5] = sigmoid(y/mul_3)\n"
            "y float32[2, 4, 5] = mul(x, y/sigmoid)\n");
        row("gelu too early", one(19, "Gelu", {"x"}),
            "Gelu 'y' (opset 19): there is no such operator before version 20 of the operator set\n");
        row("mish", one(18, "Mish", {"x"}),
            "y/softplus float32[2, 4, 5] = softplus(x)\n"
            "y/tanh float32[2, 4, 5] = tanh(y/softplus)\n"
            "y float32[2, 4, 5] = mul(x, y/tanh)\n");
        row("swish", one(24, "Swish", {"x"}, {{"alpha", 2.0F}}),
            "y/mul float32[2, 4, 5] = mul(x, float32[] [2])\n"
            "y/sigmoid float32[2, 4, 5] = sigmoid(y/mul)\n"
            "y float32[2, 4, 5] = mul(x, y/sigmoid)\n");
        row("thresholded relu", one(10, "ThresholdedRelu", {"x"}, {{"alpha", 0.5F}}),
            "y/greater bool[2, 4, 5] = greater(x, float32[] [0.5])\n"
            "y float32[2, 4, 5] = where(y/greater, x, float32[] [0])\n");
        row("celu", one(12, "Celu", {"x"}, {{"alpha", 2.0F}}),
            "y/minimum float32[2, 4, 5] = minimum(x, float32[] [0])\n"
            "y/div float32[2, 4, 5] = div(y/minimum, float32[] [2])\n"
            "y/elu float32[2, 4, 5] = elu(y/div)\n"
            "y/mul float32[2, 4, 5] = mul(y/elu, float32[] [2])\n"
            "y/relu float32[2, 4, 5] = relu(x)\n"
            "y float32[2, 4, 5] = add(y/relu, y/mul)\n");
        row("celu of one", one(12, "Celu", {"x"}), "y float32[2, 4, 5] = elu(x)\n");
        row("celu of nothing", one(12, "Celu", {"x"}, {{"alpha", 0.0F}}),
            "Celu 'y' (opset 12): attribute 'alpha' is 0; the input is divided by it\n");
        row("root mean square", one(23, "RMSNormalization", {"x", "five"}),
            "y/mul float32[2, 4, 5] = mul(x, x)\n"
            "y/reduce_mean float32[2, 4, 1] = reduce_mean(y/mul) {axes: [2]}\n"
            "y/add float32[2, 4, 1] = add(y/reduce_mean, float32[] [9.999999747378752e-06])\n"
            "y/sqrt float32[2, 4, 1] = sqrt(y/add)\n"
            "y/div float32[2, 4, 5] = div(x, y/sqrt)\n"
            "y float32[2, 4, 5] = mul(y/div, float32[5] [3, 3, 3, 3, 3])\n");
        row("groups", one(21, "GroupNormalization", {"x", "four", "four"}, {{"num_groups", int64_t{2}}}),
            "y/reshape float32[2, 2, 10] = reshape(x, int64[3] [0, 2, -1])\n"
            "y/instance_norm float32[2, 2, 10] = instance_norm(y/reshape, float32[2] [1, 1], float32[2] [0, 0])\n"
            "y/reshape_1 float32[2, 4, 5] = reshape(y/instance_norm, int64[3] [2, 4, 5]) {allow_zero: 1}\n"
            "y/unsqueeze float32[4, 1] = unsqueeze(float32[4] [3, 3, 3, 3]) {axes: [1]}\n"
            "y/unsqueeze_1 float32[4, 1] = unsqueeze(float32[4] [3, 3, 3, 3]) {axes: [1]}\n"
            "y/mul float32[2, 4, 5] = mul(y/reshape_1, y/unsqueeze)\n"
            "y float32[2, 4, 5] = add(y/mul, y/unsqueeze_1)\n");
        row("groups before 21", one(18, "GroupNormalization", {"x", "two", "two"}, {{"num_groups", int64_t{2}}}),
            "y/reshape float32[2, 2, 10] = reshape(x, int64[3] [0, 2, -1])\n"
            "y/instance_norm float32[2, 2, 10] = instance_norm(y/reshape, float32[2] [1, 1], float32[2] [0, 0])\n"
            "y/reshape_1 float32[2, 4, 5] = reshape(y/instance_norm, int64[3] [2, 4, 5]) {allow_zero: 1}\n"
            "y/unsqueeze float32[2, 1] = unsqueeze(float32[2] [3, 3]) {axes: [1]}\n"
            "y/expand float32[2, 2] = expand(y/unsqueeze, int64[2] [2, 2])\n"
            "y/reshape_2 float32[4] = reshape(y/expand, int64[1] [4])\n"
            "y/unsqueeze_1 float32[4, 1] = unsqueeze(y/reshape_2) {axes: [1]}\n"
            "y/unsqueeze_2 float32[2, 1] = unsqueeze(float32[2] [3, 3]) {axes: [1]}\n"
            "y/expand_1 float32[2, 2] = expand(y/unsqueeze_2, int64[2] [2, 2])\n"
            "y/reshape_3 float32[4] = reshape(y/expand_1, int64[1] [4])\n"
            "y/unsqueeze_3 float32[4, 1] = unsqueeze(y/reshape_3) {axes: [1]}\n"
            "y/mul float32[2, 4, 5] = mul(y/reshape_1, y/unsqueeze_1)\n"
            "y float32[2, 4, 5] = add(y/mul, y/unsqueeze_3)\n");
        row("uneven groups", one(21, "GroupNormalization", {"x", "four", "four"}, {{"num_groups", int64_t{3}}}),
            "GroupNormalization 'y' (opset 21): makes 3 groups of the channels of float32[2, 4, 5]\n");
        row("triangle", one(14, "Trilu", {"x"}, {{"upper", int64_t{0}}}),
            "y/cast bool[4, 5] = cast(int64[4, 5] [1, 0, 0, 0, 0, 1]) {to: bool}\n"
            "y float32[2, 4, 5] = where(y/cast, x, float32[] [0])\n");
        row("triangle of many diagonals", one(14, "Trilu", {"x", "pads"}),
            "Trilu 'y' (opset 14): has 2 diagonals; it is one\n");
        row("product", one(12, "Einsum", {"x", "m"}, {{"equation", std::string("bij, jk -> bki")}}),
            "y/reshape float32[1, 8, 5] = reshape(x, int64[3] [1, 8, 5]) {allow_zero: 1}\n"
            "y/reshape_1 float32[1, 5, 3] = reshape(float32[5, 3] [1, 1, 1, 1, 1, 1], int64[3] [1, 5, 3]) {allow_zero: "
            "1}\n"
            "y/matmul float32[1, 8, 3] = matmul(y/reshape, y/reshape_1)\n"
            "y/reshape_2 float32[2, 4, 3] = reshape(y/matmul, int64[3] [2, 4, 3]) {allow_zero: 1}\n"
            "y float32[2, 3, 4] = transpose(y/reshape_2) {permutation: [0, 2, 1]}\n");
        row("sum first", one(12, "Einsum", {"x"}, {{"equation", std::string("bij->j")}}),
            "y/reduce_sum float32[5] = reduce_sum(x) {axes: [0, 1], keep_dims: 0}\n"
            "y float32[5] = transpose(y/reduce_sum) {permutation: [0]}\n");
        row("without an arrow", one(12, "Einsum", {"x", "m"}, {{"equation", std::string("bij,jk")}}),
            "y/reshape float32[1, 8, 5] = reshape(x, int64[3] [1, 8, 5]) {allow_zero: 1}\n"
            "y/reshape_1 float32[1, 5, 3] = reshape(float32[5, 3] [1, 1, 1, 1, 1, 1], int64[3] [1, 5, 3]) {allow_zero: "
            "1}\n"
            "y/matmul float32[1, 8, 3] = matmul(y/reshape, y/reshape_1)\n"
            "y/reshape_2 float32[2, 4, 3] = reshape(y/matmul, int64[3] [2, 4, 3]) {allow_zero: 1}\n"
            "y float32[2, 4, 3] = transpose(y/reshape_2) {permutation: [0, 1, 2]}\n");
        row("diagonal", one(12, "Einsum", {"x"}, {{"equation", std::string("bii->b")}}),
            "Einsum 'y' (opset 12): the equation 'bii->b' has i twice in one operand, which is not supported\n");
        row("ellipsis", one(12, "Einsum", {"x"}, {{"equation", std::string("...i->...")}}),
            "Einsum 'y' (opset 12): the equation '...i->...' has an ellipsis, which is not supported; letters are\n");
        row("letters", one(12, "Einsum", {"x"}, {{"equation", std::string("b1j->b")}}),
            "Einsum 'y' (opset 12): the equation 'b1j->b' has something else than letters\n");
        row("result twice", one(12, "Einsum", {"x"}, {{"equation", std::string("bij->bb")}}),
            "Einsum 'y' (opset 12): the equation 'bij->bb' has b in its result, which stands there twice or in no "
            "operand\n");
        row("operands", one(12, "Einsum", {"x"}, {{"equation", std::string("bij,jk->bk")}}),
            "Einsum 'y' (opset 12): the equation 'bij,jk->bk' is for 2 operands, and there are 1\n");
        row("axes of an operand", one(12, "Einsum", {"x"}, {{"equation", std::string("bi->b")}}),
            "Einsum 'y' (opset 12): operand 0 is float32[2, 4, 5], and the equation has 'bi' for it\n");
        row("extents", one(12, "Einsum", {"x", "m"}, {{"equation", std::string("bij,ik->bk")}}),
            "Einsum 'y' (opset 12): i is 4 in one operand and 5 in another\n");
        row("no equation", one(12, "Einsum", {"x"}), "Einsum 'y' (opset 12): attribute 'equation' is missing\n");
        row("running sum", one(11, "CumSum", {"x", "axis"}), "y float32[2, 4, 5] = cumsum(x) {axis: 1}\n");
        row("running sum backwards",
            one(11, "CumSum", {"x", "last"}, {{"reverse", int64_t{1}}, {"exclusive", int64_t{1}}}),
            "y float32[2, 4, 5] = cumsum(x) {axis: 2, exclusive: 1, reverse: 1}\n");
        row("running sum of no axis", one(11, "CumSum", {"x", "sizes"}),
            "CumSum 'y' (opset 11): the axis is one number, and one of float32[2, 4, 5]\n");
        row("tuples", one(12, "GatherND", {"x", "places"}),
            "y float32[3, 5] = gather_nd(x, int64[3, 2] [0, 1, -1, 2, 1, -4])\n");
        row("tuples in batches", one(12, "GatherND", {"x", "tens"}, {{"batch_dims", int64_t{1}}}),
            "y float32[2, 4, 5] = gather_nd(x, int64[2, 4, 1] [0, 0, 0, 0, 0, 0]) {batch_dims: 1}\n");
        row("tuples too long", one(12, "GatherND", {"x", "long"}),
            "GatherND 'y' (opset 12): indices [1, 4] name no places in x [2, 4, 5]; the last axis of the indices has 1 "
            "to 3 numbers\n");
        row("remainder of floats", one(28, "Mod", {"x", "five"}),
            "y float32[2, 4, 5] = mod(x, float32[5] [3, 3, 3, 3, 3])\n");
        row("remainder of floats before it was said", one(27, "Mod", {"x", "five"}),
            "Mod 'y' (opset 27): attribute 'fmod' is 0, and floats need 1 before version 28 of the operator set: their "
            "remainder is that of C's fmod\n");
        row("columns first",
            one(28, "SpaceToDepth", {"plane"}, {{"blocksize", int64_t{2}}, {"mode", std::string("CRD")}}),
            "y float32[1, 8, 1, 2] = space_to_depth(float32[1, 2, 2, 4] [1, 1, 1, 1, 1, 1]) "
            "{block: 2, mode: CRD}\n");
        row("scattered", one(16, "ScatterND", {"x", "places", "rows"}, {{"reduction", std::string("none")}}),
            "y float32[2, 4, 5] = scatter_nd(x, int64[3, 2] [0, 1, -1, 2, 1, -4], float32[3, 5] [1, 1, 1, 1, 1, 1])\n");
        row("scattered and added", one(16, "ScatterND", {"x", "places", "rows"}, {{"reduction", std::string("add")}}),
            "ScatterND 'y' (opset 16): attribute 'reduction' is add, which is not supported; supported is none\n");
        row("newest", one(28, "Relu", {"x"}), "y float32[2, 4, 5] = relu(x)\n");
        row("newer than newest", one(29, "Relu", {"x"}),
            "asks for version 29 of the operator set; supported are versions 1 to 28 (exporters have an option for it, "
            "and onnx.version_converter converts)\n");
    }
    void largeTrianglesAreRefused() {
        ModelMaker maker(14);
        maker.input("x", {4097, 4097});
        maker.node("Trilu", {"x"}, {"y"});
        maker.output("y");
        QCOMPARE(QString::fromStdString(problemsText(maker.import())),
                 QString("Trilu 'y' (opset 14): has the input float32[4097, 4097]; supported are planes of 16777216 "
                         "elements at most\n"));
    }
    void become() {
        QFETCH(QString, was);
        QFETCH(QString, wanted);
        QCOMPARE(was, wanted);
    }
};

LOOPSCOPE_TEST(NewerFormsTest)
#include "newer_forms_test.moc"
