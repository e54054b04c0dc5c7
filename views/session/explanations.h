#pragma once
// Why the schedules looked at last are as fast as they are, loop by loop (core/search/explain): made on request, in
// jobs, with what a model that learnt the task's trials makes of them, and kept.

#include "search/explain/explain_schedule.h"
#include "views/session/document_store.h"
#include "views/session/edited_schedules.h"
#include "views/session/explaining_model.h"
#include "views/session/jobs.h"
#include "workbench/best_moves.h"

#include <QObject>

#include <memory>
#include <vector>

namespace loopscope {

struct Explained {
    ScheduleRef ref;
    QString problem; // why there is nothing; empty: there is
    ScheduleExplanation schedule;
    size_t learntFrom = 0; // trials; 0: no model was asked
};
using ExplainedPtr = std::shared_ptr<const Explained>;

/// What could be tried next, and what was tried that is most like it.
struct Advice {
    ScheduleRef ref;
    QString problem;
    bool byModel = false;        // else the analytic estimate
    std::vector<BestMove> moves; // those that promise to gain, best first
    struct Near {
        int trial = 0;
        QStringList differences; // "split C i into 4 → split C i into 8"
    };
    std::vector<Near> nearest; // of equally near ones the fastest first, as they were measured first
};
using AdvicePtr = std::shared_ptr<const Advice>;

class Explanations : public QObject {
    Q_OBJECT

  public:
    Explanations(DocumentStore &documents, const EditedSchedules &edits, Jobs &jobs);
    ~Explanations() override;

    /// Of a schedule of the task shown. Null while being made (explained follows), and where there is none.
    ExplainedPtr of(const ScheduleRef &ref);
    /// The same of any task that is open (TaskState::taskId).
    ExplainedPtr of(int task, const ScheduleRef &ref);
    /// As of(ref) (advised follows).
    AdvicePtr advice(const ScheduleRef &ref);
    /// What was made for the task is out of date.
    void forget(int taskId);

  signals:
    void explained(const loopscope::ScheduleRef &ref);       // of the task shown
    void ready(int task, const loopscope::ScheduleRef &ref); // an explanation, of whichever task
    void advised(const loopscope::ScheduleRef &ref);

  private:
    struct Entry;
    std::shared_ptr<Entry> entry(const TaskState &state, const ScheduleRef &ref);
    [[nodiscard]] bool isShown(const Entry &entry) const;
    void tellExplained(const Entry &entry);
    void jobCancelled(int job);

    DocumentStore &m_documents;
    const EditedSchedules &m_edits;
    Jobs &m_jobs;
    std::shared_ptr<ExplainingModel> m_model = std::make_shared<ExplainingModel>(); // a job may outlive this
    std::vector<std::shared_ptr<Entry>> m_entries;                                  // the one used last comes last
};

} // namespace loopscope
