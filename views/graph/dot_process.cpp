#include "views/graph/dot_process.h"

#include "base/outcome.h"

#include <QProcess>
#include <QStandardPaths>

#include <csignal>
#include <sys/prctl.h>

namespace loopscope {

namespace {

constexpr int kPollMs = 20;

/// The first line that says something, without the final full stop.
QString firstLine(const QByteArray &text) {
    for (const QByteArray &line : text.split('\n'))
        if (!line.trimmed().isEmpty()) return QString::fromUtf8(line.trimmed());
    return {};
}

} // namespace

QByteArray runDot(const QByteArray &graph, const std::atomic<bool> &cancelled) {
    const QString program = QStandardPaths::findExecutable(QStringLiteral("dot"));
    if (program.isEmpty())
        throw Error("The program `dot` that lays graphs out is not installed; it is in the package graphviz.");

    QProcess dot;
    // A window that is killed leaves no dot behind.
    dot.setChildProcessModifier([] { prctl(PR_SET_PDEATHSIG, SIGKILL); });
    dot.start(program, {QStringLiteral("-Tjson")});
    if (!dot.waitForStarted())
        throw Error("`" + program.toStdString() + "` cannot be started: " + dot.errorString().toStdString() + ".");
    dot.write(graph);
    dot.closeWriteChannel();
    while (dot.state() != QProcess::NotRunning && !dot.waitForFinished(kPollMs)) {
        if (!cancelled) continue;
        dot.kill();
        dot.waitForFinished();
        return {};
    }
    if (cancelled) return {};
    if (dot.exitStatus() != QProcess::NormalExit || dot.exitCode() != 0) {
        QString cause = firstLine(dot.readAllStandardError());
        if (cause.isEmpty())
            cause = dot.exitStatus() == QProcess::NormalExit ? QStringLiteral("exit code %1").arg(dot.exitCode())
                                                             : QStringLiteral("it crashed");
        throw Error("`dot` failed to lay the graph out: " + cause.toStdString() + ".");
    }
    return dot.readAllStandardOutput();
}

} // namespace loopscope
