#pragma once
// Compilers and what they made, run as a user runs them.

#include <QByteArray>
#include <QProcess>
#include <QStandardPaths>
#include <QString>

namespace loopscope {

struct CommandRun {
    int exitCode = -1; // -1: it did not end
    QByteArray said;   // both outputs
};

inline CommandRun runIn(const QString &folder, const QString &command) {
    QProcess process;
    process.setWorkingDirectory(folder);
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start("sh", {"-c", command});
    if (!process.waitForFinished(240000)) return {-1, "it came to no end: " + process.readAll()};
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAll()};
}

inline bool installed(const QString &program) { return !QStandardPaths::findExecutable(program).isEmpty(); }

/// The compiler is there and has OpenMP, or why it cannot be used.
inline QString whyNoCompiler(const QString &compiler, const QString &folder) {
    if (!installed(compiler)) return compiler + " is not installed";
    const CommandRun run =
        runIn(folder, "printf 'int main(void) { return 0; }' > p.c && " + compiler + " -fopenmp p.c -o p && ./p");
    return run.exitCode == 0 ? QString() : compiler + " cannot compile a program with OpenMP: " + run.said.left(200);
}

} // namespace loopscope
