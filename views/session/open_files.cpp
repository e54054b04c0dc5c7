#include "views/session/open_files.h"

#include "schedule/script/schedule_script.h"
#include "views/session/file_start.h"
#include "views/session/open_logs.h"
#include "views/session/open_networks.h"
#include "views/session/text.h"

#include <QFileInfo>

#include <utility>

namespace loopscope {

OpenFiles::OpenFiles(const DocumentStore &store, Documents &documents, EditedSchedules &edits, LogOpening &logs,
                     OpenLogs &openLogs, OpenNetworks &networks, SessionFile &sessions, Messages &messages)
    : m_store(store), m_documents(documents), m_edits(edits), m_logs(logs), m_openLogs(openLogs), m_networks(networks),
      m_sessions(sessions), m_messages(messages) {
    connect(&m_documents, &Documents::workloadOpened, this, [this](const QString &path) { Q_EMIT opened(path, true); });
    connect(&m_logs, &LogOpening::opened, this, [this](const QString &path) { Q_EMIT opened(path, true); });
    connect(&m_logs, &LogOpening::cancelled, this, [this](const QString &path) { Q_EMIT opened(path, false); });
    connect(
        &m_logs, &LogOpening::failed, this,
        [this](const QString &path, const QString &problem, const QString &detail) { fail(path, problem, detail); });
    connect(&m_documents, &Documents::understood, this, &OpenFiles::openScript);
    connect(&m_documents, &Documents::problemChanged, this, &OpenFiles::openScript);
    connect(this, &OpenFiles::opened, this, [this](const QString & /*path*/, bool ok) {
        if (ok) m_messages.succeeded(QStringLiteral("open"));
    });
}

void OpenFiles::fail(const QString &path, const QString &problem, const QString &detail, int line, int column) {
    m_messages.add({Message::Severity::Failure, problem, detail, path, line, column, -1, {}, QStringLiteral("open")});
    Q_EMIT opened(path, false);
}

void OpenFiles::openScript() {
    if (m_scriptPath.isEmpty()) return;
    const Document *shown = m_store.current();
    if (shown != nullptr && shown->analysing) return; // it waits
    const QString path = std::exchange(m_scriptPath, {});
    const QString text = std::exchange(m_script, {});
    if (shown == nullptr || shown->task == nullptr) {
        fail(path, tr("%1: the script of a schedule needs a workload; open that one first").arg(path),
             shown == nullptr ? tr("Nothing is open.") : tr("The text of %1 is not understood.").arg(shown->name));
        return;
    }
    const AppliedScript applied = applyScript(shown->task->dag, std8(text));
    if (applied.problem) {
        QStringList legal;
        for (const std::string &one : applied.problem->legal) legal << qt(one);
        m_edits.keepDraft({ScheduleRef::Kind::Edited, m_edits.begin({})}, text);
        fail(path, qt(applied.problem->text(std8(path))),
             legal.isEmpty() ? QString() : tr("What could stand there: %1").arg(legal.join(QStringLiteral(", "))),
             applied.problem->line, applied.problem->column);
    } else {
        m_edits.write({{}, -1, applied.state.steps(), tr("script %1").arg(QFileInfo(path).fileName()), text});
        Q_EMIT opened(path, true);
    }
    Q_EMIT scriptOpened();
}

void OpenFiles::open(const QStringList &paths) {
    for (const QString &given : paths) {
        const QString path = QFileInfo(given).absoluteFilePath();
        const FileStart start = readStart(path);
        if (!start.problem.isEmpty()) {
            fail(path, QStringLiteral("%1 %2").arg(path, start.problem), {});
            continue;
        }
        switch (start.kind) {
        case FileKind::Workload:
            m_documents.openWorkload(path, start.bytes);
            break;
        case FileKind::Log:
            m_openLogs.open(path);
            m_logs.expect({path});
            break;
        case FileKind::Network:
            m_networks.open(path);
            break;
        case FileKind::Script:
            m_scriptPath = path;
            m_script = QString::fromUtf8(start.bytes);
            break;
        case FileKind::SessionFile: {
            QByteArray window;
            const bool ok = m_sessions.load(path, &window);
            Q_EMIT opened(path, ok);
            break;
        }
        }
    }
    m_logs.openPending();
    openScript();
}

void OpenFiles::loadLog(const QString &path) {
    const Document *shown = m_store.current();
    loadLog(path, shown ? shown->taskId : 0);
}

void OpenFiles::loadLog(const QString &path, int taskId) {
    PendingLog log{QFileInfo(path).absoluteFilePath(), taskId};
    log.large = true;
    m_logs.expect(std::move(log));
    m_logs.openPending();
}

} // namespace loopscope
