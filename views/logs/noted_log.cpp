#include "views/logs/noted_log.h"

#include "views/session/jobs.h"
#include "views/session/messages.h"
#include "views/session/text.h"

#include <QFileInfo>

#include <exception>
#include <shared_mutex>
#include <utility>

namespace loopscope {

NotedLog::NotedLog(Jobs &jobs, Messages &messages, QObject *parent)
    : QObject(parent), m_jobs(jobs), m_messages(messages) {}

void NotedLog::look(const OpenLog *shown) {
    State state;
    if (shown != nullptr && shown->log) {
        const QFileInfo file(qt(notesPath(std8(shown->path))));
        state = {shown->id, shown->records(), file.exists() ? file.size() : -1, file.lastModified()};
    }
    if (state == m_state) return;
    m_state = state;
    m_jobs.cancel(std::exchange(m_job, 0));
    if (state.bytes < 0) return take({});
    LogNotes notes;
    try {
        notes = loadLogNotes(std8(shown->path));
    } catch (const std::exception &error) {
        m_messages.fail(qt(error.what()));
        return take({});
    }
    m_job = m_jobs.start(
        tr("looking for the records that notes are about"), this,
        [followed = shown->log, notes](JobControl &control) {
            const std::shared_lock reading(followed->reading);
            return notedRecords(followed->document, notes, &control.cancelFlag());
        },
        [this](NotedRecords found) {
            m_job = 0;
            take(std::move(found));
        },
        [this](const QString &problem) {
            m_job = 0;
            m_messages.fail(problem);
            take({});
        });
}

void NotedLog::take(NotedRecords notes) {
    if (notes.all.empty() && m_notes->all.empty()) return;
    m_notes = std::make_shared<const NotedRecords>(std::move(notes));
    Q_EMIT changed();
}

} // namespace loopscope
