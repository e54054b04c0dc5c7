// Small networks of three kinds against what ONNX Runtime (1.32, its own optimisations off) answers for them, once read
// as text and once as the ONNX file that export writes: the reference run, and plans in both modes of fusion.
#include "deploy/network/build.h"
#include "deploy/network/prepare.h"
#include "deploy/network/verify.h"
#include "deploy/plan/plan_runner.h"
#include "language/tensor/compare.h"
#include "language/tensor/npy_file.h"
#include "networks/onnx/export.h"
#include "networks/op/reference.h"
#include "test_program.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

namespace {

std::string dataFile(const QString &name) {
    return (QStringLiteral(LOOPSCOPE_SOURCE_DIR "/tests/deploy/network/data/") + name).toStdString();
}

} // namespace

class GoldenTest : public QObject {
    Q_OBJECT

  private slots:
    void answersAreThoseOfOnnxRuntime_data() {
        QTest::addColumn<QString>("network");
        QTest::addColumn<bool>("asOnnx");
        for (const char *network : {"residual", "branches", "attention"})
            for (const bool asOnnx : {false, true})
                QTest::addRow("%s%s", network, asOnnx ? ", as ONNX" : "") << network << asOnnx;
    }

    void answersAreThoseOfOnnxRuntime() {
        QFETCH(QString, network);
        QFETCH(bool, asOnnx);
        const HostTensor input = readNpy(dataFile(network + "_x.npy"));
        const WideTensor golden = WideTensor::of(readNpy(dataFile(network + "_y.npy")));
        NetworkChoice choice;
        choice.path = dataFile(network + ".net");
        QTemporaryDir folder;
        if (asOnnx) {
            const ReadNetwork read = readNetwork(choice);
            choice.path = folder.filePath(network + ".onnx").toStdString();
            const auto written = writeOnnx(read.module, choice.path);
            QVERIFY2(written.ok(), written.ok() ? "" : written.why().c_str());
        }
        const std::vector<HostTensor> inputs = {input};
        for (const FusionMode fusion : {FusionMode::Compatible, FusionMode::Better}) {
            choice.fusion = fusion;
            choice.level = usualLevel(fusion);
            const PreparedNetwork prepared = prepareNetwork(choice);
            for (const Module *module : {&prepared.imported, &prepared.optimised}) {
                const auto reference = runReference(module->main(), inputs);
                QVERIFY2(reference.ok(), reference.ok() ? "" : reference.why().c_str());
                // Theirs is single precision.
                const HostTensor answer = reference->at(module->main().results()[0]).narrow();
                const TensorVerdict verdict = compareTensors(answer, golden, 1e-5);
                QVERIFY2(verdict.ok, verdict.sentence.c_str());
            }
            BuildOptions options;
            options.defaults = {.seed = 1, .population = 24, .generations = 1, .keep = 2};
            const auto built =
                buildPlan(prepared.optimised.main(), prepared.partition, parseTarget("llvm -num-cores=2"), options);
            QVERIFY2(built.ok(), built.ok() ? "" : built.why().c_str());
            PlanRunner runner(built->plan, {.threads = 2});
            runner.setInput(0, input);
            runner.run();
            const TensorVerdict verdict = compareTensors(runner.output(0), golden, 2e-5);
            QVERIFY2(verdict.ok, verdict.sentence.c_str());
            const auto kernels = verifyPlan(prepared.imported.main(), runner, inputs);
            QVERIFY2(kernels.ok() && kernels->ok(), "a kernel deviates from the imported network");
            QVERIFY(kernels->calls.size() >= 3);
        }
    }

    /// The golden answers themselves would notice: another weight changes them.
    void aDifferentNetworkHasAnotherAnswer() {
        NetworkChoice choice;
        choice.path = dataFile("residual.net");
        QFile file(QString::fromStdString(choice.path));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QByteArray text = file.readAll();
        QVERIFY(text.contains("sum = add(c, pooled)"));
        text.replace("sum = add(c, pooled)", "sum = add(c, ar)");
        QTemporaryDir folder;
        QFile changed(folder.filePath("changed.net"));
        QVERIFY(changed.open(QIODevice::WriteOnly) && changed.write(text) == text.size());
        changed.close();
        choice.path = changed.fileName().toStdString();
        const ReadNetwork other = readNetwork(choice);
        const std::vector<HostTensor> inputs = {readNpy(dataFile("residual_x.npy"))};
        const auto reference = runReference(other.module.main(), inputs);
        QVERIFY(reference.ok());
        QVERIFY(!compareTensors(reference->at(other.module.main().results()[0]).narrow(),
                                WideTensor::of(readNpy(dataFile("residual_y.npy"))), 1e-5)
                     .ok);
    }
};

LOOPSCOPE_TEST(GoldenTest)
#include "golden_test.moc"
