// What is written as ONNX and read again is the same network.

#include "base/outcome.h"
#include "conformance_cases.h"
#include "model_maker.h"
#include "networks/graph/statement.h"
#include "networks/onnx/export.h"
#include "networks/op/infer_types.h"
#include "networks/op/reference.h"
#include "test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <filesystem>

using namespace loopscope;

class OnnxExportTest : public QObject {
    Q_OBJECT

    static std::string written(const Module &module) {
        const auto bytes = onnxBytes(module);
        if (!bytes) return "refused: " + bytes.why();
        const ImportResult again = importText(*bytes);
        return again.module ? shortText(again.module->main()) : problemsText(again);
    }

    static Module typed(FunctionBuilder builder) {
        const auto function = inferTypes(*std::move(builder).finish());
        if (!function) throw Error(function.why());
        return {"made", "", {*function}};
    }

    static WideTensor run(const Module &module, const HostTensor &input) {
        const auto values = runReference(module.main(), std::vector<HostTensor>{input});
        if (!values) throw Error(values.why());
        return values->at(module.main().results()[0]);
    }

  private slots:
    void readsBackWhatItWrote() {
        ModelMaker maker(17);
        maker.input("x", {-2, 3, 8, 8});
        maker.initialiser("w", HostTensor::splat(DType::Float32, {4, 3, 3, 3}, 0.5).dense());
        maker.initialiser("b", HostTensor::splat(DType::Float32, {4}, 1));
        maker.initialiser("shape", integerTensor({2}, std::vector<int64_t>{0, -1}));
        maker.initialiser("axes", integerTensor({1}, std::vector<int64_t>{1}));
        maker.node("Conv", {"x", "w", "b"}, {"c"}, {{"pads", std::vector<int64_t>{1, 1, 1, 1}}});
        maker.node("Relu", {"c"}, {"r"});
        maker.node("MaxPool", {"r"}, {"p"}, {{"kernel_shape", std::vector<int64_t>{2, 2}}});
        maker.node("Reshape", {"p", "shape"}, {"f"});
        maker.node("ReduceSum", {"f", "axes"}, {"s"});
        maker.node("Split", {"f"}, {"left", "right"}, {{"axis", int64_t{1}}});
        maker.node("Softmax", {"left"}, {"y"});
        maker.output("s").output("y").output("right");
        const ImportResult result = maker.import();
        QVERIFY2(result.module, problemsText(result).c_str());
        QCOMPARE(QString::fromStdString(written(*result.module)),
                 QString::fromStdString(shortText(result.module->main())));
    }

    /// ONNX has channels first alone; what stands around says the rest.
    void channelsLastStandBetweenTransposes() {
        FunctionBuilder builder("main");
        const auto last = std::string("channels_last");
        const ValueId x = builder.addParameter("x", {DType::Float32, {1, 6, 5, 4}});
        std::vector<float> numbers(size_t{3} * 3 * 2 * 8);
        for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 7) - 3;
        const ValueId w = builder.addConstant("w", floatTensor({3, 3, 2, 8}, numbers));
        const ValueId c = builder.add("conv", "c", {x, w}, {{"group", int64_t{2}}, {"layout", last}});
        const ValueId p = builder.add("max_pool", "p", {c}, {{"kernel", std::vector<int64_t>{2, 1}}, {"layout", last}});
        const ValueId a =
            builder.add("average_pool", "a", {p}, {{"kernel", std::vector<int64_t>{1, 2}}, {"layout", last}});
        const ValueId m = builder.add("global_max_pool", "m", {p}, {{"layout", last}});
        const ValueId g = builder.add("global_average_pool", "g", {a}, {{"layout", last}});
        builder.addResult(builder.add("add", "y", {g, m}));
        const Module module = typed(std::move(builder));
        const auto bytes = onnxBytes(module);
        QVERIFY2(bytes.ok(), bytes.ok() ? "" : bytes.why().c_str());
        const ImportResult again = importText(*bytes);
        QVERIFY2(again.module, problemsText(again).c_str());
        const std::string text = shortText(again.module->main());
        QVERIFY2(text.find("channels_last") == std::string::npos, text.c_str());
        std::vector<float> data(size_t{6} * 5 * 4);
        for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i * 5 % 11) - 5;
        const HostTensor input = floatTensor({1, 6, 5, 4}, data);
        QCOMPARE(run(*again.module, input).floats, run(module, input).floats);
        QCOMPARE(run(module, input).dims, (std::vector<int64_t>{1, 1, 1, 8}));
    }

    void splatsStaySmall() {
        FunctionBuilder builder("main");
        const ValueId x = builder.addParameter("x", {DType::Float32, {1, 1000}});
        const ValueId w = builder.addConstant("w", HostTensor::splat(DType::Float32, {1000, 4000}, 0.25));
        builder.addResult(builder.add("matmul", "y", {x, w}));
        const Module module = typed(std::move(builder));
        const auto bytes = onnxBytes(module);
        QVERIFY(bytes);
        QVERIFY(bytes->size() < 1000);
        QCOMPARE(QString::fromStdString(written(module)), QString::fromStdString(shortText(module.main())));
    }

    /// Operators that ONNX has not, as what they mean.
    void oursBecomeTheirs() {
        FunctionBuilder builder("main");
        const ValueId x = builder.addParameter("x", {DType::Float32, {2, 3, 4, 4}});
        const ValueId bias = builder.addConstant("bias", floatTensor({3}, std::vector<float>{1, -2, 0.5F}));
        const ValueId shape = builder.addConstant("shape", integerTensor({2}, std::vector<int64_t>{2, 48}));
        const ValueId w = builder.addConstant("w", HostTensor::splat(DType::Float32, {5, 48}, 0.125));
        const ValueId biased = builder.add("bias_add", "biased", {x, bias});
        const ValueId bent = builder.add("gelu", "bent", {biased});
        const ValueId cut = builder.add("clip", "cut", {bent}, {{"max", 1.5}});
        const ValueId flat = builder.add("reshape", "flat", {cut, shape});
        builder.addResult(builder.add("dense", "y", {flat, w}));
        const Module module = typed(std::move(builder));
        const auto bytes = onnxBytes(module);
        QVERIFY2(bytes, bytes.ok() ? "" : bytes.why().c_str());
        const ImportResult again = importText(*bytes);
        QVERIFY2(again.module, problemsText(again).c_str());
        HostTensor input = HostTensor::zeros(DType::Float32, {2, 3, 4, 4});
        for (int64_t i = 0; i < input.elements(); ++i) input.setNumber(i, std::sin(static_cast<double>(i)));
        const WideTensor before = run(module, input);
        const WideTensor after = run(*again.module, input);
        QCOMPARE(before.dims, after.dims);
        for (size_t i = 0; i < before.floats.size(); ++i)
            QVERIFY2(std::abs(before.floats[i] - after.floats[i]) < 1e-6, std::to_string(i).c_str());
    }

    void largeWeightsLieBeside() {
        QTemporaryDir folder;
        const std::string path = folder.filePath("net.onnx").toStdString();
        FunctionBuilder builder("main");
        const ValueId x = builder.addParameter("x", {DType::Float32, {1, 64}});
        HostTensor weights = HostTensor::zeros(DType::Float32, {64, 64});
        for (int64_t i = 0; i < weights.elements(); ++i) weights.setNumber(i, static_cast<double>(i));
        const ValueId w = builder.addConstant("w", weights);
        builder.addResult(builder.add("matmul", "y", {x, w}));
        const Module module = typed(std::move(builder));
        OnnxExportOptions options;
        options.maxBytesInside = 1000;
        QVERIFY(writeOnnx(module, path, options));
        QCOMPARE(std::filesystem::file_size(path + ".data"), uintmax_t{64 * 64 * 4});
        QVERIFY(std::filesystem::file_size(path) < 1000);
        const Module again = loadOnnx(path);
        const GraphFunction &function = again.main();
        QVERIFY(function.constant(function.node(NodeId(0)).inputs[1])->sameAs(weights));
        // Cut off, the file is a problem.
        std::filesystem::resize_file(path + ".data", 16000);
        const ImportResult cut = importOnnx(path);
        QCOMPARE(QString::fromStdString(problemsText(cut)),
                 QString("'w': the initialiser its external data is 16384 bytes at 0 of 'net.onnx.data', which has "
                         "16000\n"));
        QVERIFY_EXCEPTION_THROWN((void)writeOnnx(module, "/nowhere/net.onnx"), Error);
    }

    void refusesWhatOnnxHasNot() {
        FunctionBuilder builder("main");
        const ValueId x = builder.addParameter("x", {DType::Float32, {4}});
        const ValueId y = builder.add("own_kind", "y", {x});
        builder.setType(y, TensorType{DType::Float32, {4}});
        builder.addResult(y);
        const auto bytes = onnxBytes({"made", "", {std::move(builder).finish()}});
        QVERIFY(!bytes);
        QCOMPARE(bytes.why(), std::string("own_kind 'y': ONNX has no such operator"));
    }

    /// Every model of ONNX's own cases that can be imported, written and read again.
    void conformanceModelsComeBack() {
        const auto cases = conformanceCases({"node", "simple", "pytorch-operator", "pytorch-converted"});
        if (cases.empty()) QSKIP("the package libonnx-testdata is not installed, which has ONNX's test cases");
        int same = 0;
        for (const ConformanceCase &of : cases) {
            const ImportResult first = importOnnx(of.folder + "/model.onnx");
            if (!first.module) continue;
            if (firstStatementText(*first.module)) {
                QVERIFY(written(*first.module).ends_with("control flow is not written as ONNX"));
                continue;
            }
            QCOMPARE(QString::fromStdString(of.name + "\n" + written(*first.module)),
                     QString::fromStdString(of.name + "\n" + shortText(first.module->main())));
            ++same;
        }
        qInfo("%d models come back", same);
        QVERIFY2(same >= 620, std::to_string(same).c_str());
    }
};

LOOPSCOPE_TEST(OnnxExportTest)
#include "export_test.moc"
