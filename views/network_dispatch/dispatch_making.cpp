#include "views/network_dispatch/dispatch_making.h"

#include "base/outcome.h"
#include "deploy/dispatch/dispatch_table_json.h"
#include "views/session/text.h"

#include <QCoreApplication>
#include <QFileInfo>

namespace loopscope {

QString commandLineProgram() {
    const QString asked = qEnvironmentVariable("LOOPSCOPE_CLI");
    return asked.isEmpty() ? QCoreApplication::applicationDirPath() + QStringLiteral("/loopscope-cli") : asked;
}

DispatchMaking::DispatchMaking(QObject *parent) : QObject(parent) {
    connect(&m_process, &QProcess::readyReadStandardError, this, &DispatchMaking::readErrors);
    connect(&m_process, &QProcess::finished, this, &DispatchMaking::finished);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;
        Q_EMIT failed(tr("%1 cannot be started: %2").arg(m_process.program(), m_process.errorString()));
        Q_EMIT changed();
    });
}

DispatchMaking::~DispatchMaking() {
    m_process.disconnect(this);
    if (!running()) return;
    m_process.kill();
    m_process.waitForFinished();
}

void DispatchMaking::start(const Request &request) {
    if (running()) return;
    m_cancelled = false;
    m_progress.clear();
    m_lastLine.clear();
    m_rest.clear();
    QStringList words{QStringLiteral("net"),
                      QStringLiteral("dispatch"),
                      request.path,
                      QStringLiteral("--bound"),
                      QString::number(request.bound),
                      QStringLiteral("--most"),
                      QString::number(request.most),
                      QStringLiteral("--fusion"),
                      request.fusion == FusionMode::Better ? QStringLiteral("better") : QStringLiteral("compatible"),
                      QStringLiteral("--out"),
                      m_folder.filePath(QStringLiteral("table.json"))};
    if (request.tune > 0)
        words << QStringLiteral("--tune") << QString::number(request.tune) << QStringLiteral("--log")
              << request.tuneLog;
    else
        for (const std::string &log : request.logs) words << QStringLiteral("--log") << qt(log);
    m_process.setStandardOutputFile(QProcess::nullDevice());
    m_process.start(commandLineProgram(), words, QIODevice::ReadOnly);
    Q_EMIT changed();
}

void DispatchMaking::cancel() {
    if (!running()) return;
    m_cancelled = true;
    m_process.kill();
}

void DispatchMaking::readErrors() {
    m_rest += m_process.readAllStandardError();
    for (qsizetype end = m_rest.indexOf('\n'); end >= 0; end = m_rest.indexOf('\n')) {
        const QString line = QString::fromUtf8(m_rest.left(end)).trimmed();
        m_rest.remove(0, end + 1);
        if (line.isEmpty()) continue;
        m_lastLine = line;
        if (!line.startsWith(QLatin1String("kernel ")) && !line.startsWith(QLatin1String("tuning "))) continue;
        m_progress = line;
        Q_EMIT changed();
    }
}

void DispatchMaking::finished(int code, QProcess::ExitStatus status) {
    readErrors();
    if (m_cancelled) {
        Q_EMIT changed();
        return;
    }
    if (status == QProcess::NormalExit && code == 0) {
        try {
            const auto table = std::make_shared<const DispatchTable>(
                readDispatchTable(std8(m_folder.filePath(QStringLiteral("table.json")))));
            Q_EMIT made(table);
        } catch (const Error &error) {
            Q_EMIT failed(qt(error.what()));
        }
    } else if (status == QProcess::NormalExit) {
        const QString prefix = QStringLiteral("loopscope-cli: ");
        Q_EMIT failed(m_lastLine.startsWith(prefix) ? m_lastLine.mid(prefix.size()) : m_lastLine);
    } else {
        Q_EMIT failed(
            tr("%1 ended by a crash while kernels were timed").arg(QFileInfo(m_process.program()).fileName()));
    }
    Q_EMIT changed();
}

} // namespace loopscope
