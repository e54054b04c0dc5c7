#pragma once
// Schedules made by hand. An edit changes no schedule: it makes a new node in the tree of edits of the task (EditNode),
// whose parent is the schedule it was made from. So undo goes to the parent, a branch is as good as any other, and two
// nodes can be compared. A node is shown like any schedule: ScheduleRef::Kind::Edited with its number.

#include "views/session/document_store.h"
#include "views/session/selection.h"

#include <QObject>

#include <optional>
#include <utility>
#include <vector>

namespace loopscope {

class EditedSchedules : public QObject {
    Q_OBJECT

  public:
    EditedSchedules(DocumentStore &store, Selection &selection);

    /// The steps of a schedule of the task shown: a copy to change and hand to edit(). None when there is no such
    /// schedule.
    [[nodiscard]] std::optional<EditedSteps> stepsOf(const ScheduleRef &ref) const;
    /// Null when there is no such node, or it was dropped.
    [[nodiscard]] const EditNode *node(int number) const;
    /// Of a node, or, for -1, where editing began; in the order they were made, without the dropped.
    [[nodiscard]] std::vector<int> children(int number) const;

    /// The node that stands for the schedule: itself when it is one, else one where editing begins. It is selected.
    /// -1 when there is no such schedule.
    int begin(const ScheduleRef &from);
    /// What editing made of the schedule, as a new node below its own; the same steps again lead to the child that has
    /// them. It is selected. `did`: the edit in words, a line of a script where one line made it. -1 when there is no
    /// such schedule.
    int edit(const ScheduleRef &from, EditedSteps steps, const QString &did);
    /// One more step at the end, in the numbers of the state it is shown as. Nothing is made when it is refused: then a
    /// sentence, else an empty text.
    QString apply(const ScheduleRef &from, const Step &step);

    /// A schedule somebody is writing as a script.
    struct WrittenScript {
        ScheduleRef from; // it began as this one's
        int last = -1;    // node that what was written a moment ago made; -1: none
        Steps steps;      // it makes
        QString did;      // in words
        QString text;     // as it is written
    };
    /// The node of the script; it is selected. It takes the place of the node written last, unless something was made
    /// of that one or is known of it. A text of the same schedule makes no node, and is kept with it. -1 when there is
    /// no such schedule.
    int write(const WrittenScript &script);
    /// A text that cannot be applied is kept until one can.
    void keepDraft(const ScheduleRef &of, const QString &text);

    // Along the tree, from the node that is selected: to its parent, and to the child seen last.
    [[nodiscard]] bool canUndo() const;
    [[nodiscard]] bool canRedo() const;
    void undo();
    void redo();

    void rename(int number, const QString &name);
    void setNote(int number, const QString &note);
    void setPinned(int number, bool pinned);
    /// With all that was made of it. What shows one of them shows its parent then.
    void drop(int number);

    // Of any task, as both come late.
    void setPredictions(int taskId, const std::vector<std::pair<int, double>> &ofNaive); // by node
    void setMeasured(int taskId, int number, const EditMeasurement &measured);

    /// Nodes came, in a session that is read. No check is made; parents come before their children.
    void restore(TaskState &state, std::vector<EditNode> nodes);

  signals:
    void nodesChanged(); // of the task shown: made, dropped, named, predicted, measured
    void draftChanged(); // of the task shown

  private:
    [[nodiscard]] TaskState *shown() const { return m_store.current(); }
    int add(TaskState &state, EditNode node);
    int rootOf(const ScheduleRef &from); // made where there is none; -1: no such schedule
    [[nodiscard]] bool fleeting(int number, int parent) const;
    void select(int number);
    void follow();
    [[nodiscard]] int selectedNode() const; // -1: another schedule is
    void tell(int taskId);

    DocumentStore &m_store;
    Selection &m_selection;
};

} // namespace loopscope
