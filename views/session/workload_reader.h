#pragma once
// Text, parameters and target become a task here, in jobs: those being edited once the user pauses, those a session
// file keeps, and the sketches that take too long to wait for. A read text is handed to Documents, which decides what
// it means; the rest is put where it belongs at once.

#include "views/session/analysis.h"
#include "views/session/document_store.h"
#include "views/session/jobs.h"
#include "views/session/messages.h"

#include <QTimer>

#include <map>

namespace loopscope {

class WorkloadReader : public QObject {
    Q_OBJECT

  public:
    WorkloadReader(DocumentStore &documents, Messages &messages, Jobs &jobs);

    /// The document shown, shortly after the last call.
    void readSoon() { m_soon.start(); }
    [[nodiscard]] bool isWaiting() const { return m_soon.isActive(); }
    void stopWaiting() { m_soon.stop(); }
    /// What was typed last and waits for more.
    void readNow();
    void read(Document &document);
    /// What is being read is of a task that was left.
    void abandon(Document &document);
    void deriveSketches(TaskState &state);
    void stopDeriving(int taskId);
    /// The task of a kept state, without its sketches: enough to read its logs. Going there makes the rest.
    void understand(const TaskState &state);
    /// Some task is not known yet, so that it is open whose a log is.
    [[nodiscard]] bool busy() const;

  signals:
    void wasRead(int id, const loopscope::TaskSource &source, const std::shared_ptr<loopscope::Analysis> &analysis);
    void problemChanged();  // of the document shown
    void sketchesChanged(); // of the task shown
    void settled();         // one task less to wait for

  private:
    void jobCancelled(int job);

    DocumentStore &m_documents;
    Messages &m_messages;
    Jobs &m_jobs;
    QTimer m_soon;
    std::map<int, int> m_sketchJobs;    // task -> job that derives its many sketches
    std::map<int, int> m_understanding; // kept task -> job that reads it
};

} // namespace loopscope
