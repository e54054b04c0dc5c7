#pragma once
// Measuring again: what is selected, the best and the naive schedule, in turn, so that all see the same machine.

#include "views/session/document_store.h"
#include "views/session/jobs.h"
#include "views/session/messages.h"
#include "views/session/search_thread.h"
#include "views/session/task_trials.h"

#include <vector>

namespace loopscope {

class Remeasuring : public QObject {
    Q_OBJECT

  public:
    Remeasuring(DocumentStore &documents, TaskTrials &trials, Messages &messages, Jobs &jobs);

    /// Trials of the task shown. The machine must have nothing else to measure: SearchRunner::remeasure sees to it.
    void start(const std::vector<int> &trials, const MeasurerFactory &make);
    [[nodiscard]] bool underWay() const { return m_underWay; }

  signals:
    void changed(); // it began, or ended

  private:
    void take(TaskState &state, const std::vector<int> &numbers, const std::vector<Trial> &measured);
    void end();

    DocumentStore &m_documents;
    TaskTrials &m_trials;
    Messages &m_messages;
    Jobs &m_jobs;
    bool m_underWay = false;
    int m_job = 0;
};

} // namespace loopscope
