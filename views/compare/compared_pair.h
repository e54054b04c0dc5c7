#pragma once
// Which two schedules are compared: of the task shown, or of another one that computes the same, as for a GPU. They
// stay when another target is shown, and leave with a sentence when what they are of is gone.

#include "views/compare/compared_side.h"
#include "views/session/session.h"

#include <QObject>

#include <array>
#include <optional>

namespace loopscope {

class ComparedPair : public QObject {
    Q_OBJECT

  public:
    ComparedPair(Session &session, QObject *parent);

    [[nodiscard]] const std::optional<TaskSchedule> &side(AlignedText::Side side) const { return m_sides[side]; }
    /// The same, in the words of the task shown; none where it is of another.
    [[nodiscard]] std::optional<ScheduleRef> shownRef(AlignedText::Side side) const;
    void set(const TaskSchedule &left, const TaskSchedule &right);
    /// The other side goes when it computes something else.
    void choose(AlignedText::Side side, const TaskSchedule &schedule);
    void swap();

    /// Its task; null while nothing is chosen.
    [[nodiscard]] const TaskState *state(AlignedText::Side side) const;
    /// Both are chosen, and their tasks understood.
    [[nodiscard]] bool complete() const;
    /// They are of two tasks, so that each has a machine of its own.
    [[nodiscard]] bool acrossTasks() const;
    /// Both are chosen, and one of them is for a GPU, the other for a processor: their code is in different languages.
    [[nodiscard]] bool acrossKinds() const;
    /// With its target where the sides have different ones, or it is not the one shown.
    [[nodiscard]] QString name(AlignedText::Side side) const;
    /// Which of the two is faster, as far as the times shown say; empty: they say nothing.
    [[nodiscard]] QString verdict() const;
    /// Why a side left by itself; empty: none did since somebody chose.
    [[nodiscard]] QString whyGone() const { return m_whyGone; }
    /// What there is of it for the tab; the rest is asked for, and changed() comes when it is there.
    [[nodiscard]] ComparedSide known(AlignedText::Side side, CompareTab tab) const;
    /// The schedule of another target to hold against one of the task shown: the best there, else the first by the
    /// model's ranking, else the naive one. None: no task of another target is open.
    [[nodiscard]] std::optional<TaskSchedule> counterpart() const;

  signals:
    void changed(); // other sides, or more is known of them

  private:
    void follow();
    void check();
    void nameSides();
    void takeAway(AlignedText::Side side, const QString &why);
    [[nodiscard]] TaskSchedule resolved(const TaskSchedule &schedule) const;
    [[nodiscard]] bool has(int task, const ScheduleRef &ref) const;
    [[nodiscard]] bool hasTask(int task) const;

    Session &m_session;
    std::array<std::optional<TaskSchedule>, 2> m_sides;
    std::array<QString, 2> m_names; // as they were called last: what is gone cannot be asked
    QString m_whyGone;
};

} // namespace loopscope
