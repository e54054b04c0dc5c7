#pragma once
// What all views look at. A view sets it when the user picks something and follows it when another view did; no view
// knows another. Back and forward walk over what was selected before.
//
// Stages and iterators are named, not numbered: cache steps and rfactor shift the numbers from schedule to schedule,
// the names stay. A part that the chosen schedule lacks is simply not found there.

#include <QObject>
#include <QString>

#include <vector>

namespace loopscope {

/// Whose loops and code are shown.
struct ScheduleRef {
    enum class Kind : uint8_t { Naive, Sketch, Trial, Edited };
    Kind kind = Kind::Naive;
    int number = 0; // in Document::sketches, Document::trials or Document::edited, from 0
    bool operator==(const ScheduleRef &) const = default;
};
/// One of a task that need not be the one shown.
struct TaskSchedule {
    int task = 0; // TaskState::taskId; 0: the one shown
    ScheduleRef ref;
    bool operator==(const TaskSchedule &) const = default;
};
/// What dragged trials are called: their numbers, from 0, joined by blanks.
inline constexpr auto kTrialsMimeType = "application/x-loopscope-trials";
QString scheduleName(
    const ScheduleRef &ref); // "naive schedule", "sketch 2", "trial 17", "edited schedule 1" (from 1 for people)

struct Selected {
    ScheduleRef schedule;
    QString stage;           // name of its op; empty = none
    QString iterator;        // name in that stage ("i.0@j.0@"), or of an axis of the op; empty = none
    int step = -1;           // number in the schedule's steps
    int node = -1;           // statement of the schedule's lowered program (StmtNode::id)
    int derivation = -1;     // node of the sketch tree (SketchStep's numbers); 0 = the naive state
    std::vector<int> trials; // brushed or selected together, ascending; the one in `schedule` need not be among them
    bool operator==(const Selected &) const = default;
};

class Selection : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    [[nodiscard]] const Selected &now() const { return m_now; }

    /// Tells `changed` when it differs. Enters the history unless only `trials` or a hover-like detail changed.
    void set(Selected selected);
    // Shorthands; what depends on the changed part is cleared (another schedule clears step and node, not the stage).
    void selectSchedule(const ScheduleRef &schedule);
    /// The schedule shown is another, and the one before is no place to come back to.
    void replaceSchedule(const ScheduleRef &schedule);
    void selectStage(const QString &stage);
    void selectIterator(const QString &stage, const QString &iterator);
    void selectStep(int step);
    void selectNode(int node, const QString &stage, const QString &iterator);
    void selectTrials(std::vector<int> trials);
    void clear();
    /// Both side by side, please: whoever shows comparisons hears of it. Nothing is selected by that.
    void compare(const ScheduleRef &left, const ScheduleRef &right) { compareOfTasks({0, left}, {0, right}); }
    void compareOfTasks(const TaskSchedule &left, const TaskSchedule &right) { Q_EMIT comparisonAsked(left, right); }

    [[nodiscard]] bool canGoBack() const { return m_at > 0; }
    [[nodiscard]] bool canGoForward() const { return m_at + 1 < m_history.size(); }
    void back();
    void forward();
    /// Another document is shown: the history does not lead into the old one.
    void reset(Selected start = {});

  signals:
    void changed(const loopscope::Selected &now, const loopscope::Selected &before);
    void historyChanged();
    void comparisonAsked(const loopscope::TaskSchedule &left, const loopscope::TaskSchedule &right);

  private:
    void go(size_t at);
    Selected m_now;
    std::vector<Selected> m_history{Selected{}};
    size_t m_at = 0;
};

} // namespace loopscope
