#include "bundle_run.h"

#include "records/bundle/expected_answer.h"
#include "schedule/steps_json.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

constexpr const char *kProduct = R"(workload product(M = 24, N = 20, K = 16)

A = placeholder [M, K] float32
B = placeholder [K, N] float32
C = matmul(A, B, style = "benchmark")
)";

BundleRun ran(const QString &program, const QStringList &arguments, const QString &folder,
              const QProcessEnvironment &environment) {
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.setWorkingDirectory(folder);
    QProcessEnvironment patient = environment; // threads that wait by computing hold up a machine that is busy anyway
    patient.insert(QStringLiteral("OMP_WAIT_POLICY"), QStringLiteral("passive"));
    process.setProcessEnvironment(patient);
    process.start(program, arguments);
    BundleRun run;
    if (process.waitForFinished(200000) && process.exitStatus() == QProcess::NormalExit)
        run.exitCode = process.exitCode();
    run.output = process.readAll();
    return run;
}

} // namespace

Task smallProduct(const std::string &target) {
    return makeTask(ComputeDag::fromWorkload(parseWorkload(kProduct, "product.te")), parseTarget(target));
}

std::vector<Steps> stepsOf(const std::vector<std::string> &json) {
    std::vector<Steps> all;
    for (const std::string &text : json) all.push_back(stepsFromJson(nlohmann::json::parse(text)));
    return all;
}

BundleRound writtenRound(const QString &folder, const Task &task, const std::vector<Steps> &candidates,
                         const BundleOptions &options) {
    return addRound(folder.toStdString(),
                    makeBundle(task, expectedAnswer(*task.dag, options.seed, 1).dump(), candidates, options));
}

BundleRun run(const BundleRound &round, const QProcessEnvironment &environment) {
    static QTemporaryDir compiled;
    const QString folder = QString::fromStdString(round.path);
    const QString runner = compiled.filePath(QStringLiteral("runner"));
    if (!QFile::exists(runner)) {
        const BundleRun made = ran(QStringLiteral("make"), {QStringLiteral("runner")}, folder, environment);
        if (made.exitCode != 0) return made;
        QFile::copy(folder + QStringLiteral("/runner"), runner);
    }
    QFile::copy(runner, folder + QStringLiteral("/runner")); // newer than run.cpp
    return ran(QStringLiteral("make"), {QStringLiteral("run")}, folder, environment);
}

QByteArray textOf(const QString &path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return {};
    return file.readAll();
}

void writeText(const QString &path, const QByteArray &text) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(text), text.size());
}

void replaceIn(const QString &path, const QByteArray &what, const QByteArray &by) {
    QByteArray text = textOf(path);
    const auto at = text.indexOf(what);
    QVERIFY2(at >= 0, (what + " is not in " + path.toUtf8() + ":\n" + text.left(3000)).constData());
    writeText(path, text.replace(at, what.size(), by));
}

} // namespace loopscope
