// The nine light ONNX models as packaging/test-peers installs them: all import, with the numbers of nodes that they are
// known for, within a blink, and come back from export.

#include "model_maker.h"
#include "networks/onnx/export.h"
#include "networks/op/infer_types.h"
#include "test_program.h"

#include <QElapsedTimer>
#include <QTest>
#include <cstdlib>
#include <filesystem>

using namespace loopscope;

class OnnxLightModelsTest : public QObject {
    Q_OBJECT

    static std::filesystem::path folder() {
        if (const char *given = std::getenv("LOOPSCOPE_LIGHT_MODELS")) return given;
        return LOOPSCOPE_SOURCE_DIR "/build/peers/light-models";
    }

  private slots:
    void importsAll_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("nodes"); // without ConstantOfShape, which is a constant here
        QTest::addColumn<int>("millions");
        QTest::newRow("alexnet") << "bvlc_alexnet" << 24 << 61;
        QTest::newRow("vgg19") << "vgg19" << 46 << 144;
        QTest::newRow("zfnet") << "zfnet512" << 22 << 87;
        QTest::newRow("squeezenet") << "squeezenet" << 66 << 1;
        QTest::newRow("resnet50") << "resnet50" << 176 << 26;
        QTest::newRow("shufflenet") << "shufflenet" << 203 << 1;
        QTest::newRow("inception_v1") << "inception_v1" << 144 << 7;
        QTest::newRow("inception_v2") << "inception_v2" << 509 << 11;
        QTest::newRow("densenet121") << "densenet121" << 910 << 8;
    }
    void importsAll() {
        QFETCH(QString, name);
        QFETCH(int, nodes);
        QFETCH(int, millions);
        const std::filesystem::path path = folder() / ("light_" + name.toStdString() + ".onnx");
        if (!std::filesystem::exists(path))
            QSKIP("the light models are not installed; packaging/test-peers does it, or LOOPSCOPE_LIGHT_MODELS names "
                  "their folder");
        QElapsedTimer timer;
        timer.start();
        const ImportResult result = importOnnx(path.string());
        qInfo("imported in %lld ms", static_cast<long long>(timer.elapsed()));
        QVERIFY2(result.module, problemsText(result).c_str());
        QVERIFY2(result.notes.empty(), result.notes.empty() ? "" : problemText(result.notes[0]).c_str());
        const GraphFunction &function = result.module->main();
        QVERIFY(checkAgainstCatalogue(function).empty());
        QCOMPARE(function.parameters().size(), size_t{1});
        QCOMPARE(typeText(function.type(function.parameters()[0])), std::string("float32[1, 3, 224, 224]"));
        QCOMPARE(static_cast<int>(function.nodeCount()), nodes);
        int64_t weights = 0;
        for (size_t i = 0; i < function.valueCount(); ++i)
            if (const HostTensor *constant = function.constant(ValueId(i)); constant && isFloat(constant->dtype()))
                weights += constant->elements();
        QCOMPARE(static_cast<int>((weights + 500000) / 1000000), millions);

        const auto bytes = onnxBytes(*result.module);
        QVERIFY2(bytes, bytes.ok() ? "" : bytes.why().c_str());
        const ImportResult again = importText(*bytes);
        QVERIFY2(again.module, problemsText(again).c_str());
        QCOMPARE(QString::fromStdString(shortText(again.module->main())), QString::fromStdString(shortText(function)));
    }
};

LOOPSCOPE_TEST(OnnxLightModelsTest)
#include "light_models_test.moc"
