#pragma once
// The trials of tasks: they arrive, leave, are pinned and noted, and one is the best. Whose task is not shown changes
// silently.

#include "views/session/document_store.h"
#include "views/session/selection.h"

#include <QObject>
#include <QSet>

namespace loopscope {

class TaskTrials : public QObject {
    Q_OBJECT

  public:
    TaskTrials(DocumentStore &documents, Selection &selection) : m_documents(documents), m_selection(selection) {}

    // Of the task shown.
    void setPinned(int trial, bool pinned);
    void setNote(int trial, const QString &note);
    /// The trial that times are told against; -1: none any more. One that failed has no time and is none.
    void setBaseline(int trial);
    /// The same of any task.
    void setBaseline(TaskState &state, int trial);

    // For whoever has changed a task.
    void add(TaskState &state, std::vector<TrialEntry> entries);
    /// What many trials repeat is kept once from now on; add does it.
    void share(std::vector<TrialEntry> &entries);
    [[nodiscard]] StepSkeletons &skeletons() { return m_skeletons; } // of all trials and their ancestors
    void drop(TaskState &state);
    void updateBest(TaskState &state);
    /// The same after trials were added from `first` on, which is all that changed: the others are not looked at again.
    void updateBest(TaskState &state, int first);
    void tellChanged(const TaskState &state, const std::vector<int> &trials);
    void tellRounds(const TaskState &state);
    void tellReset(const TaskState &state); // trials and rounds

  signals:
    void trialsAdded(int first, int count);
    void trialsChanged(std::vector<int> trials); // pinned, measured again, noted
    void trialsReset();
    void roundsChanged(); // rounds, generations
    void bestChanged(int trial);
    void baselineChanged();
    void aboutToDrop(int taskId);

  private:
    [[nodiscard]] TrialEntry *entry(int trial);
    void setBest(TaskState &state, int best);

    DocumentStore &m_documents;
    Selection &m_selection;
    QSet<QString> m_texts; // that many trials repeat, kept once: paths of logs, names of mutations
    StepSkeletons m_skeletons;
};

} // namespace loopscope
