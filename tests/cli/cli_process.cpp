#include "cli_process.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>

namespace loopscope {

QByteArray CliRun::story() const {
    return QString("exit code %1\nstandard output: %2\nstandard error: %3").arg(exitCode).arg(out, error).toUtf8();
}

CliRun runCli(const QStringList &arguments, int seconds, const QByteArray &typed) {
    QProcess process;
    process.start(cliPath(), arguments);
    process.write(typed);
    process.closeWriteChannel();
    CliRun run;
    if (!process.waitForFinished(seconds * 1000)) {
        process.kill();
        process.waitForFinished();
    } else if (process.exitStatus() == QProcess::NormalExit) {
        run.exitCode = process.exitCode();
    }
    run.out = QString::fromUtf8(process.readAllStandardOutput());
    run.error = QString::fromUtf8(process.readAllStandardError());
    return run;
}

QString cliPath() { return QString(LOOPSCOPE_BIN_DIR) + "/loopscope-cli"; }
QString sample(const QString &name) { return QString(LOOPSCOPE_SOURCE_DIR) + "/samples/" + name; }
QString written(const QTemporaryDir &folder, const QString &name, const QByteArray &text) {
    QFile file(folder.filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) qFatal("cannot write");
    return file.fileName();
}

QStringList smallMatmul() { return {sample("matmul.te"), "--param", "M=48", "--param", "N=64", "--param", "K=32"}; }

} // namespace loopscope
