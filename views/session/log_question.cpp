#include "views/session/log_question.h"

#include "language/target/target_identity.h"
#include "records/record/log_lock.h"
#include "views/session/text.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QSysInfo>

#include <algorithm>

namespace loopscope {

namespace {

QString freeBeside(const QString &log, const QString &addition) {
    const QFileInfo info(log);
    const QString stem = QStringLiteral("%1/%2-%3").arg(info.absolutePath(), info.completeBaseName(), addition);
    const QString suffix = info.suffix().isEmpty() ? QString() : u'.' + info.suffix();
    QString path = stem + suffix;
    for (int i = 2; QFileInfo::exists(path); ++i) path = QStringLiteral("%1-%2%3").arg(stem).arg(i).arg(suffix);
    return path;
}

/// Kernels of the target are what this machine runs best, on cores that it has.
bool isThisMachine(const Target &target) {
    const TargetIdentity theirs = identityOf(target);
    TargetIdentity ours = identityOf(parseTarget("llvm"));
    if (theirs.cores > 0 && theirs.cores <= ours.cores) ours.cores = theirs.cores;
    return theirs.sameAs(ours);
}

} // namespace

std::optional<LogQuestion> logQuestion(const TaskState &state) {
    const QString log = state.setup.logPath.isEmpty() ? state.logPath : state.setup.logPath;
    if (log.isEmpty() || !state.task || state.task->target.isGpu()) return std::nullopt;
    if (const auto holder = logHolder(std8(log)); holder && holder->pid != QCoreApplication::applicationPid()) {
        const QString program = holder->program.empty() ? QStringLiteral("another program") : qt(holder->program);
        return LogQuestion{
            QStringLiteral("%1 is being written by %2%3.")
                .arg(log, program, holder->pid > 0 ? QStringLiteral(" (process %1)").arg(holder->pid) : QString()),
            freeBeside(log, QStringLiteral("copy")), true};
    }
    const bool opened = std::any_of(state.trials.begin(), state.trials.end(),
                                    [&](const TrialEntry &entry) { return entry.fromLog && entry.logPath == log; });
    if (!opened || !state.setup.logPath.isEmpty() || isThisMachine(state.task->target)) return std::nullopt;
    return LogQuestion{QStringLiteral("The trials of %1 were measured on another machine, for %2.")
                           .arg(log, qt(identityOf(state.task->target).text())),
                       freeBeside(log, QSysInfo::machineHostName()), false};
}

} // namespace loopscope
