#include "views/session/open_files.h"

#include "views/session/file_start.h"

#include <QFileInfo>

namespace loopscope {

OpenFiles::OpenFiles(const DocumentStore &store, Documents &documents, LogOpening &logs, SessionFile &sessions,
                     Messages &messages)
    : m_store(store), m_documents(documents), m_logs(logs), m_sessions(sessions), m_messages(messages) {
    connect(&m_documents, &Documents::workloadOpened, this, [this](const QString &path) { Q_EMIT opened(path, true); });
    connect(&m_logs, &LogOpening::opened, this, [this](const QString &path) { Q_EMIT opened(path, true); });
    connect(&m_logs, &LogOpening::cancelled, this, [this](const QString &path) { Q_EMIT opened(path, false); });
    connect(&m_logs, &LogOpening::failed, this, &OpenFiles::fail);
    connect(this, &OpenFiles::opened, this, [this](const QString & /*path*/, bool ok) {
        if (ok) m_messages.succeeded(QStringLiteral("open"));
    });
}

void OpenFiles::fail(const QString &path, const QString &problem, const QString &detail) {
    m_messages.add({Message::Severity::Failure, problem, detail, path, 0, 0, -1, {}, QStringLiteral("open")});
    Q_EMIT opened(path, false);
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
            m_logs.expect({path});
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
}

void OpenFiles::loadLog(const QString &path) {
    const Document *shown = m_store.current();
    m_logs.expect({QFileInfo(path).absoluteFilePath(), shown ? shown->taskId : 0});
    m_logs.openPending();
}

} // namespace loopscope
