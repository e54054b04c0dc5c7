#pragma once
// What can be done to a schedule next and what each move is predicted to be worth; and what the schedules made by hand
// are predicted to take. Both are found off the UI thread, all at once, and kept. Predictions are those of a model that
// has learnt the task's trials, once there are enough of them, and the analytic estimate's before.

#include "schedule/loop_state.h"
#include "views/session/document_store.h"
#include "views/session/edited_schedules.h"
#include "views/session/jobs.h"
#include "views/session/messages.h"

#include <QObject>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace loopscope {

struct TaskModel; // has learnt the trials of one task; asked by one job at a time

struct OfferedMoves {
    LoopState state; // with ranges where they exist
    std::vector<Step> moves;
    std::vector<std::optional<double>> changes; // by move: time after over time before, less one; empty: not yet known
    QString predictedBy;                        // "the analytic estimate"; empty: not yet known
};
using OfferedMovesPtr = std::shared_ptr<const OfferedMoves>;

class MovePredictions : public QObject {
    Q_OBJECT

  public:
    MovePredictions(DocumentStore &store, EditedSchedules &edits, Messages &messages, Jobs &jobs);
    ~MovePredictions() override;

    /// Of a schedule of the task shown. Null while the moves are found; movesReady follows, and once more when they are
    /// predicted. Asked for again it costs nothing.
    OfferedMovesPtr of(const ScheduleRef &ref);
    /// Whose word a node's prediction is, as OfferedMoves::predictedBy; empty: it has none.
    [[nodiscard]] QString predictedBy(int node) const;

    /// Schedules have other numbers now, or are other ones.
    void forget();
    /// Nodes came, or trials to learn from.
    void refresh();

  signals:
    void movesReady(const loopscope::ScheduleRef &ref);

  private:
    struct Entry;
    using ModelPtr = std::shared_ptr<TaskModel>;
    [[nodiscard]] ModelPtr modelOf(int taskId) const;
    void learn();
    void predictMoves(const std::shared_ptr<Entry> &entry);
    void predictNodes();

    DocumentStore &m_store;
    EditedSchedules &m_edits;
    Messages &m_messages;
    Jobs &m_jobs;
    std::vector<std::shared_ptr<Entry>> m_entries; // the one used last comes last
    std::map<int, ModelPtr> m_models;              // by task
    std::map<int, size_t> m_shown;                 // the same: trials a model was to learn from last
    std::set<std::pair<int, int>> m_asked;         // task and node: predicted, or on their way
    std::map<std::pair<int, int>, QString> m_by;   // the same: by whom
    int m_learning = 0;                            // job
    int m_learningOf = 0;                          // task
    int m_generation = 0;                          // of models: what an older one said is late
};

} // namespace loopscope
