// The light models of ONNX with seeded weights: how much the pipeline leaves of them. They come with the Python package
// onnx; LOOPSCOPE_LIGHT_MODELS names the folder they are in.

#include "bisect.h"
#include "expression_text.h"
#include "networks/graph/function_builder.h"
#include "networks/onnx/import.h"
#include "networks/passes/pass_list.h"
#include "networks/passes/pipeline.h"
#include "networks/passes/well_formed.h"
#include "test_program.h"

#include <QTest>

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <map>

using namespace loopscope;
using namespace loopscope::test;

namespace {

std::filesystem::path folder() {
    const QByteArray named = qgetenv("LOOPSCOPE_LIGHT_MODELS");
    return named.isEmpty() ? "/usr/share/libonnx-testdata/data/light" : named.toStdString();
}

/// All constants of floats get numbers of their own: those of the files are all the same.
FunctionPtr seeded(const GraphFunction &function) {
    FunctionBuilder builder(function.name());
    FunctionCopy copy(function, builder);
    for (size_t i = 0; i < function.valueCount(); ++i) {
        const Value &value = function.value(ValueId(i));
        if (!value.constant || !isFloat(value.constant->dtype()) || value.constant->elements() < 2) continue;
        const std::vector<int64_t> &dims = value.constant->dims();
        const double spread =
            std::sqrt(6.0 * static_cast<double>(dims[0]) / static_cast<double>(value.constant->elements()));
        const TensorType type = {value.constant->dtype(), asDims(dims)};
        copy.map(ValueId(i), builder.addConstant(value.name, dims.size() > 1 ? seededTensor(type, i, -spread, spread)
                                                                             : seededTensor(type, i, 0.5, 1.5)));
    }
    for (size_t i = 0; i < function.nodeCount(); ++i) copy.copyNode(NodeId(i));
    copy.copyResults();
    return std::move(builder).finish();
}

Module load(const std::string &name) {
    GraphPassContext context;
    PassSequence fold("fold");
    fold.add(inferShapesPass()).add(foldConstantsPass()).add(deadCodePass());
    Module module = loadOnnx((folder() / ("light_" + name + ".onnx")).string());
    PassResult result = runPasses(fold, module, context);
    if (!result.ok()) throw Error(result.refusal->sentence);
    return result.module.with(seeded(result.module.main()));
}

std::map<std::string, size_t> operatorsOf(const Module &module) {
    std::map<std::string, size_t> operators;
    for (size_t i = 0; i < module.main().nodeCount(); ++i) ++operators[module.main().node(NodeId(i)).op];
    return operators;
}

} // namespace

class LightModelsTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        if (!std::filesystem::exists(folder() / "light_resnet50.onnx"))
            QSKIP(
                "the light models of the Python package onnx are not there: LOOPSCOPE_LIGHT_MODELS names their folder");
    }

    void leaves_data() {
        QTest::addColumn<int>("batchNorms");
        QTest::addColumn<int>("convolutions");
        QTest::addColumn<int>("scalesLeft");
        QTest::addColumn<int>("nodes"); // 0: whatever it is
        QTest::newRow("resnet50") << 53 << 53 << 0 << 177;
        QTest::newRow("shufflenet") << 49 << 49 << 0 << 0;
        QTest::newRow("inception_v2") << 69 << 69 << 0 << 0;
        QTest::newRow("densenet121") << 121 << 121 << 62 << 0;
        QTest::newRow("squeezenet") << 0 << 26 << 0 << 0;
        QTest::newRow("inception_v1") << 0 << 57 << 0 << 0;
    }
    void leaves() {
        QFETCH(int, batchNorms);
        QFETCH(int, convolutions);
        QFETCH(int, scalesLeft);
        QFETCH(int, nodes);
        const Module module = load(QTest::currentDataTag());
        QCOMPARE(operatorsOf(module)["batch_norm"], static_cast<size_t>(batchNorms));
        GraphPassContext context;
        context.watch = [](const PassInfo &, const Module &, const Module &after) -> PassVerdict {
            if (auto wrong = whatIsWrong(after.main())) return {true, Refusal{*std::move(wrong)}};
            return {};
        };
        const PassResult result = optimise(module, context);
        QVERIFY2(result.ok(), result.ok() ? "" : result.refusal->sentence.c_str());
        std::map<std::string, size_t> left = operatorsOf(result.module);
        std::string counts;
        for (const auto &[op, count] : left) counts += fmt::format(" {} {}", op, count);
        qInfo("%s",
              fmt::format("{} nodes:{}\n{}", result.module.main().nodeCount(), counts, context.report.text()).c_str());
        QCOMPARE(left["batch_norm"], size_t(0));
        QCOMPARE(left["conv"], static_cast<size_t>(convolutions));
        QCOMPARE(left["mul"], static_cast<size_t>(scalesLeft));
        if (nodes > 0) QCOMPARE(result.module.main().nodeCount(), static_cast<size_t>(nodes));
    }

    void computesTheSame() {
        const Module module = load("shufflenet");
        Bisect bisect(module, seededInputs(module.main()), {.tolerance = 1e-4});
        GraphPassContext context{.level = 3, .watch = bisect.watch()};
        const PassResult result = optimise(module, context);
        QVERIFY2(result.ok(), result.ok() ? "" : result.refusal->sentence.c_str());
        QVERIFY(bisect.runs() >= 2); // folding and canonical forms
    }
};

LOOPSCOPE_TEST(LightModelsTest)
#include "light_models_test.moc"
