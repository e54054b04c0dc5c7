#pragma once
// loopscope-cli as a user calls it: a process with arguments, an exit code and two outputs.

#include <QByteArray>
#include <QJsonDocument>
#include <QString>
#include <QStringList>

class QTemporaryDir;

namespace loopscope {

struct CliRun {
    int exitCode = -1; // -1: crashed, or killed after the time limit
    QString out;
    QString error;
    /// The one JSON value on standard output; null when it is not exactly that.
    [[nodiscard]] QJsonDocument json() const { return QJsonDocument::fromJson(out.toUtf8()); }
    /// Everything, for the message of a failed check.
    [[nodiscard]] QByteArray story() const;
};

/// `typed`: what stands on its standard input.
CliRun runCli(const QStringList &arguments, int seconds = 120, const QByteArray &typed = {});
QString cliPath();
/// Full path of a sample.
QString sample(const QString &name);
/// A file with that text in the folder; its full path.
QString written(const QTemporaryDir &folder, const QString &name, const QByteArray &text);
/// A matmul small enough that a trial is over at once.
QStringList smallMatmul();

} // namespace loopscope
