// A short search of every sample: whatever is drawn is built, right, and timed.

#include "cli_process.h"

#include <QDir>
#include <QJsonObject>
#include <QtTest>
#include <map>

using namespace loopscope;

namespace {

/// Samples whose reference answer takes long are made smaller.
QStringList smaller(const QString &name) {
    static const std::map<QString, QStringList> params = {
        {"conv3d_ncdhw.te", {"CI=32", "CO=32", "D=6"}},
        {"conv3d_ndhwc.te", {"CI=32", "CO=32", "D=6"}},
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

QTEST_GUILESS_MAIN(SamplesTest)
#include "samples_test.moc"
