// ONNX nodes as nodes of ours: each form that an operator had, names and symbols kept, constants kept as they are
// stored.

#include "model_maker.h"
#include "networks/op/infer_types.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

class OnnxImportTest : public QObject {
    Q_OBJECT

    static void same(const ModelMaker &maker, const char *wanted, const ImportOptions &options = {}) {
        const ImportResult result = maker.import(options);
        const std::string text = result.module ? functionText(result.module->main()) : problemsText(result);
        QCOMPARE(QString::fromStdString(text), QString(wanted));
        if (result.module) QVERIFY(checkAgainstCatalogue(result.module->main()).empty());
    }

    /// One operator on x[2, 3, 4, 5]; the text of what it became, without the frame.
    static std::string one(int64_t opset, const std::string &op, const std::vector<std::string> &inputs,
                           const std::vector<std::pair<std::string, OnnxAttribute>> &attributes = {}) {
        ModelMaker maker(opset);
        maker.input("x", {2, 3, 4, 5});
        maker.initialiser("one", HostTensor::scalar(DType::Float32, 1));
        maker.initialiser("six", HostTensor::scalar(DType::Float32, 6));
        maker.initialiser("axes", integerTensor({2}, std::vector<int64_t>{1, -1}));
        maker.initialiser("slope", HostTensor::splat(DType::Float32, {3}, 0.5));
        maker.initialiser("w", HostTensor::splat(DType::Float32, {8, 3, 3, 3}, 1));
        maker.node(op, inputs, {"y"}, attributes);
        maker.output("y");
        const ImportResult result = maker.import();
        if (!result.module) return problemsText(result);
        std::string text = functionText(result.module->main());
        text = text.substr(text.find('\n') + 1);
        return text.substr(0, text.find("result"));
    }

  private slots:
    void keepsNamesAndSymbols() {
        ModelMaker maker(13);
        maker.input("data", {-2, 3, -1});
        maker.initialiser("bias", HostTensor::splat(DType::Float32, {3, 1}, 2));
        maker.node("Add", {"data", "bias"}, {"sum"}).set_name("block/add");
        maker.node("Relu", {"sum"}, {"out"});
        maker.output("out");
        const ImportResult result = maker.import();
        QVERIFY2(result.module, problemsText(result).c_str());
        QCOMPARE(QString::fromStdString(functionText(result.module->main())),
                 QString("parameter data float32[a, 3, data_2]\n"
                         "sum float32[a, 3, data_2] = add(data, float32[3, 1] [2, 2, 2])\n"
                         "out float32[a, 3, data_2] = relu(sum)\n"
                         "result out float32[a, 3, data_2]\n"));
        const GraphFunction &function = result.module->main();
        QCOMPARE(function.name(), std::string("main"));
        QCOMPARE(function.node(NodeId(0)).name, std::string("block/add"));
        QCOMPARE(function.node(NodeId(0)).sources, std::vector<std::string>{"block/add"});
        QCOMPARE(function.node(NodeId(1)).name, std::string("out"));
        QCOMPARE(result.module->name, std::string("made"));
    }

    void bindsSymbolsAndInputs() {
        ModelMaker maker(13);
        maker.input("x", {-2, 6});
        maker.input("shape", {2}, DType::Int64);
        maker.node("Reshape", {"x", "shape"}, {"y"});
        maker.output("y");
        ImportOptions options;
        options.dims["a"] = 4;
        options.constants.emplace("shape", integerTensor({2}, std::vector<int64_t>{8, -1}));
        same(maker,
             "parameter x float32[4, 6]\n"
             "y float32[8, 3] = reshape(x, int64[2] [8, -1])\n"
             "result y float32[8, 3]\n",
             options);
        options.dims = {{"m", 4}};
        options.constants.emplace("z", HostTensor());
        same(maker,
             "'z': no such input, but a value is given for it\n"
             "'m': no such dim, but a number is given for it; the dims of inputs are a\n"
             "Reshape 'y' (opset 13): x [a, 6] does not fit into [8, -1]: 6*a elements are not known to be a multiple "
             "of 8\n",
             options);
    }

    void dimsOfAnySizeMayBeWrittenAsMinusOne() {
        ModelMaker maker(13);
        maker.input("x", {-1, 3});
        auto *dims = maker.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
        dims->mutable_dim(0)->set_dim_value(-1);
        maker.node("Relu", {"x"}, {"y"});
        maker.output("y");
        same(maker, "parameter x float32[x_0, 3]\n"
                    "y float32[x_0, 3] = relu(x)\n"
                    "result y float32[x_0, 3]\n");
        dims->mutable_dim(0)->set_dim_param("?");
        dims->mutable_dim(1)->set_dim_param("?");
        same(maker, "parameter x float32[x_0, x_1]\n"
                    "y float32[x_0, x_1] = relu(x)\n"
                    "result y float32[x_0, x_1]\n");
        dims->mutable_dim(0)->set_dim_value(-2);
        same(maker, "'x': the input has the dim -2, which is negative\n");
    }

    void readsExpressionsAsDims() {
        ModelMaker maker(13);
        maker.input("x", {-2, -2});
        auto *dims = maker.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
        dims->mutable_dim(0)->set_dim_param("batch size");
        dims->mutable_dim(1)->set_dim_param("past + 1");
        maker.node("Relu", {"x"}, {"y"});
        maker.output("y");
        ImportOptions options;
        same(maker, "parameter x float32[batch_size, past + 1]\n"
                    "y float32[batch_size, past + 1] = relu(x)\n"
                    "result y float32[batch_size, past + 1]\n");
        options.dims = {{"batch size", 2}, {"past", 6}};
        same(maker,
             "parameter x float32[2, 7]\n"
             "y float32[2, 7] = relu(x)\n"
             "result y float32[2, 7]\n",
             options);
    }

    void initialisersAmongInputsAreNoParameters() {
        ModelMaker maker(9);
        maker.input("x", {1, 3}).input("w", {2, 3}).input("b", {2});
        maker.initialiser("w", HostTensor::splat(DType::Float32, {2, 3}, 1));
        maker.initialiser("b", HostTensor::splat(DType::Float32, {2}, 0));
        maker.initialiser("unused", HostTensor::splat(DType::Float32, {1, 1}, 0));
        maker.node("Gemm", {"x", "w", "b"}, {"y"}, {{"transB", int64_t{1}}});
        maker.output("y", {1, 2});
        same(maker, "parameter x float32[1, 3]\n"
                    "y float32[1, 2] = gemm(x, float32[2, 3] [1, 1, 1, 1, 1, 1], float32[2] [0, 0]) {alpha: 1, beta: "
                    "1, trans_a: 0, trans_b: 1}\n"
                    "result y float32[1, 2]\n");
    }

    void splatsStaySplats() {
        ModelMaker maker(9);
        maker.input("x", {1, 8});
        maker.initialiser("dims", integerTensor({2}, std::vector<int64_t>{8, 1000000}));
        maker.node("ConstantOfShape", {"dims"}, {"w"}, {{"value", HostTensor::splat(DType::Float32, {1}, 0.02)}});
        maker.node("MatMul", {"x", "w"}, {"y"});
        maker.output("y");
        const ImportResult result = maker.import();
        QVERIFY2(result.module, problemsText(result).c_str());
        const GraphFunction &function = result.module->main();
        QCOMPARE(function.nodeCount(), size_t{1});
        const HostTensor *w = function.constant(function.node(NodeId(0)).inputs[1]);
        QVERIFY(w && w->isSplat());
        QCOMPARE(w->elements(), int64_t{8000000});
    }

    void nodesAreSorted() {
        ModelMaker maker(13);
        maker.input("x", {4});
        maker.node("Exp", {"b"}, {"c"});
        maker.node("Neg", {"a"}, {"b"});
        maker.node("Abs", {"x"}, {"a"});
        maker.output("c");
        same(maker, "parameter x float32[4]\n"
                    "a float32[4] = abs(x)\n"
                    "b float32[4] = neg(a)\n"
                    "c float32[4] = exp(b)\n"
                    "result c float32[4]\n");
    }

    void readsEveryForm_data() {
        QTest::addColumn<QString>("got");
        QTest::addColumn<QString>("wanted");
        const auto row = [](const char *name, const std::string &got, const char *wanted) {
            QTest::newRow(name) << QString::fromStdString(got) << QString(wanted);
        };
        using List = std::vector<int64_t>;
        const std::string same = "y float32[2, 3, 4, 5] = ";
        row("Clip 6", one(6, "Clip", {"x"}, {{"min", 0.0F}, {"max", 6.0F}}),
            (same + "clip(x) {max: 6, min: 0}\n").c_str());
        row("Clip 11", one(11, "Clip", {"x", "", "six"}), (same + "clip(x) {max: 6}\n").c_str());
        row("Clip computed", one(13, "Clip", {"x", "one", "six"}), (same + "clip(x) {max: 6, min: 1}\n").c_str());
        row("Unsqueeze 11", one(11, "Unsqueeze", {"x"}, {{"axes", List{0}}}),
            "y float32[1, 2, 3, 4, 5] = unsqueeze(x) {axes: [0]}\n");
        row("Unsqueeze 13", one(13, "Unsqueeze", {"x", "axes"}),
            "y float32[2, 1, 3, 4, 5, 1] = unsqueeze(x) {axes: [1, -1]}\n");
        row("ReduceSum 11", one(11, "ReduceSum", {"x"}, {{"axes", List{1}}, {"keepdims", int64_t{0}}}),
            "y float32[2, 4, 5] = reduce_sum(x) {axes: [1], keep_dims: 0}\n");
        row("ReduceSum 13", one(13, "ReduceSum", {"x", "axes"}),
            "y float32[2, 1, 4, 1] = reduce_sum(x) {axes: [1, -1], keep_dims: 1}\n");
        row("ReduceSum 13 of nothing", one(13, "ReduceSum", {"x"}, {{"noop_with_empty_axes", int64_t{1}}}),
            (same + "identity(x)\n").c_str());
        row("Softmax 11 flattens", one(11, "Softmax", {"x"}),
            "y/flatten float32[2, 60] = flatten(x) {axis: 1}\n"
            "y/softmax float32[2, 60] = softmax(y/flatten) {axis: -1}\n"
            "y float32[2, 3, 4, 5] = reshape(y/softmax, int64[4] [2, 3, 4, 5]) {allow_zero: 1}\n");
        row("Softmax 11 of the last axis", one(11, "Softmax", {"x"}, {{"axis", int64_t{3}}}),
            (same + "softmax(x) {axis: 3}\n").c_str());
        row("Softmax 13", one(13, "Softmax", {"x"}), (same + "softmax(x) {axis: -1}\n").c_str());
        row("Conv, SAME_UPPER",
            one(11, "Conv", {"x", "w"}, {{"auto_pad", std::string("SAME_UPPER")}, {"strides", List{2, 2}}}),
            "y float32[2, 8, 2, 3] = conv(x, float32[8, 3, 3, 3] [1, 1, 1, 1, 1, 1]) {pads: [0, 1, 1, 1], strides: "
            "[2, 2]}\n");
        row("Conv, SAME_LOWER",
            one(11, "Conv", {"x", "w"}, {{"auto_pad", std::string("SAME_LOWER")}, {"strides", List{2, 2}}}),
            "y float32[2, 8, 2, 3] = conv(x, float32[8, 3, 3, 3] [1, 1, 1, 1, 1, 1]) {pads: [1, 1, 0, 1], strides: "
            "[2, 2]}\n");
        row("Add 6 from an axis", one(6, "Add", {"x", "slope"}, {{"broadcast", int64_t{1}}, {"axis", int64_t{1}}}),
            "y/unsqueeze float32[3, 1, 1] = unsqueeze(float32[3] [0.5, 0.5, 0.5]) {axes: [1, 2]}\n"
            "y float32[2, 3, 4, 5] = add(x, y/unsqueeze)\n");
        row("PRelu 6", one(6, "PRelu", {"x", "slope"}),
            "y/unsqueeze float32[3, 1, 1] = unsqueeze(float32[3] [0.5, 0.5, 0.5]) {axes: [1, 2]}\n"
            "y float32[2, 3, 4, 5] = prelu(x, y/unsqueeze)\n");
        row("Slice 9", one(9, "Slice", {"x"}, {{"starts", List{1}}, {"ends", List{3}}, {"axes", List{2}}}),
            "y float32[2, 3, 2, 5] = slice(x, int64[1] [1], int64[1] [3], int64[1] [2])\n");
        row("Pad 2", one(9, "Pad", {"x"}, {{"pads", List{0, 0, 1, 1, 0, 0, 1, 1}}}),
            "y float32[2, 3, 6, 7] = pad(x, int64[8] [0, 0, 1, 1, 0, 0]) {mode: constant}\n");
        row("Reshape 1", one(1, "Reshape", {"x"}, {{"shape", List{0, -1}}}),
            "y float32[2, 60] = reshape(x, int64[2] [0, -1])\n");
        row("Sum", one(8, "Sum", {"x", "one", "x"}), (same + "add_n(x, float32[] [1], x)\n").c_str());
        row("Max of three", one(8, "Max", {"x", "one", "six"}),
            "y/maximum float32[2, 3, 4, 5] = maximum(x, float32[] [1])\n"
            "y float32[2, 3, 4, 5] = maximum(y/maximum, float32[] [6])\n");
        row("Upsample 7",
            one(7, "Upsample", {"x"}, {{"scales", std::vector<float>{1, 1, 2, 2}}, {"mode", std::string("nearest")}}),
            "y float32[2, 3, 8, 10] = resize(x) {coordinates: asymmetric, mode: nearest, nearest: floor, scales: [1, "
            "1, 2, 2]}\n");
        row("Shape 15", one(15, "Shape", {"x"}, {{"start", int64_t{1}}, {"end", int64_t{-1}}}),
            "y int64[2] = shape(x) {end: -1, start: 1}\n");
        row("Cast 1", one(1, "Cast", {"x"}, {{"to", std::string("DOUBLE")}}),
            "y float64[2, 3, 4, 5] = cast(x) {to: float64}\n");
        row("Constant", one(12, "Constant", {}, {{"value_floats", std::vector<float>{1, 2}}}), "");
    }
    void readsEveryForm() {
        QFETCH(QString, got);
        QFETCH(QString, wanted);
        QCOMPARE(got, wanted);
    }

    void splitsIntoEqualParts() {
        ModelMaker maker(13);
        maker.input("x", {2, 6});
        maker.node("Split", {"x"}, {"a", "", "c"}, {{"axis", int64_t{1}}});
        maker.output("a").output("c");
        same(maker, "parameter x float32[2, 6]\n"
                    "a float32[2, 2], a/1 float32[2, 2], c float32[2, 2] = split(x) {axis: 1, sizes: [2, 2, 2]}\n"
                    "result a float32[2, 2]\n"
                    "result c float32[2, 2]\n");
    }

    void dropsMasksThatNobodyReads() {
        ModelMaker maker(9);
        maker.input("x", {2});
        maker.node("Dropout", {"x"}, {"y", "mask"}, {{"ratio", 0.5F}});
        maker.output("y");
        same(maker, "parameter x float32[2]\n"
                    "y float32[2] = dropout(x)\n"
                    "result y float32[2]\n");
    }

    void namesOnTheWayAreFree() {
        ModelMaker maker(11);
        maker.input("x", {2, 3, 4}).input("y/flatten", {1});
        maker.node("Softmax", {"x"}, {"y"}).set_name("soft");
        maker.node("Relu", {"y/flatten"}, {"z"}).set_name("soft");
        maker.output("y").output("z");
        const ImportResult result = maker.import();
        QVERIFY2(result.module, problemsText(result).c_str());
        const GraphFunction &function = result.module->main();
        QVERIFY(function.find("y/flatten_1") && function.find("y/flatten"));
        QCOMPARE(function.node(NodeId(0)).name, std::string("soft/flatten"));
        QCOMPARE(function.node(NodeId(2)).name, std::string("soft"));
        QCOMPARE(function.node(NodeId(3)).name, std::string("soft_1"));
        QCOMPARE(function.node(NodeId(3)).sources, std::vector<std::string>{"soft"});
    }
};

LOOPSCOPE_TEST(OnnxImportTest)
#include "import_test.moc"
