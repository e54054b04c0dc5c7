// A short search of every sample: whatever is drawn is built, right, and timed.

#include "cli_process.h"
#include "test_program.h"

#include <QDir>
#include <QJsonObject>
#include <QtTest>
#include <map>

using namespace loopscope;

namespace {

/// Samples that take seconds a kernel, or for their reference answer, are made smaller.
QStringList smaller(const QString &name) {
    static const std::map<QString, QStringList> params = {
        {"batch_matmul.te", {"N=128", "M=128", "K=128"}},
        {"conv2d_bias_relu.te", {"CI=64", "CO=64"}},
        {"conv2d_bias_relu_nhwc.te", {"CI=32", "CO=32"}},
        {"conv2d_bn_relu.te", {"CI=32", "CO=32"}},
        {"conv2d_capsule_nhwijc.te", {"CI=8", "CO=8"}},
        {"conv2d_nchw.te", {"CI=64", "CO=64"}},
        {"conv2d_nhwc.te", {"CI=64", "CO=64"}},
        {"conv2d_transpose_nchw.te", {"CI=64", "CO=32"}},
        {"conv2d_transpose_nhwc.te", {"CI=64", "CO=32"}},
        {"conv2d_winograd_nchw.te", {"CI=16", "CO=16", "H=20", "W=20"}},
        {"conv2d_winograd_nhwc.te", {"CI=32", "CO=32"}},
        {"conv3d_ncdhw.te", {"CI=16", "CO=16", "D=6"}},
        {"conv3d_ndhwc.te", {"CI=16", "CO=16", "D=6"}},
        {"elementwise.te", {"M=128"}},
        {"matmul.te", {"M=128", "N=128", "K=128"}},
        {"matmul_int8.te", {"M=64", "N=64", "K=64"}},
        {"matmul_relu.te", {"M=128", "N=128", "K=128"}},
        {"winograd_bias_relu_nhwc.te", {"CI=32", "CO=32"}},
    };
    const auto found = params.find(name);
    QStringList arguments;
    if (found != params.end())
        for (const QString &param : found->second) arguments << "--param" << param;
    return arguments;
}

} // namespace

class SamplesTest : public QObject {
    Q_OBJECT
  private slots:
    void everyTrialIsVerified_data() {
        QTest::addColumn<QString>("path");
        const QDir folder(sample(""));
        for (const QString &name : folder.entryList({"*.te"}, QDir::Files, QDir::Name))
            QTest::newRow(qPrintable(name)) << folder.filePath(name);
    }
    void everyTrialIsVerified() {
        QFETCH(QString, path);
        const CliRun run =
            runCli(QStringList{"tune", path, "--trials", "2", "--json"} + smaller(QFileInfo(path).fileName()));
        QVERIFY2(run.exitCode == 0, run.story());
        const auto json = run.json().object();
        QVERIFY2(json["trials"].toInt() >= 1, run.story());
        QVERIFY2(json["valid"].toInt() == json["trials"].toInt(), run.story());
        QVERIFY2(json["naive_seconds"].toDouble() > 0, run.story());
    }
};

LOOPSCOPE_TEST(SamplesTest)
#include "samples_test.moc"
