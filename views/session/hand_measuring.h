#pragma once
// Measuring schedules that no search found: those made by hand and the naive one, one after the other. Each becomes a
// trial of its task with a record in the log, as those of a search do, so that it counts for the best, stands in the
// tables, and the next search learns from it.

#include "views/session/document_store.h"
#include "views/session/edited_schedules.h"
#include "views/session/jobs.h"
#include "views/session/messages.h"
#include "views/session/search_thread.h"
#include "views/session/task_trials.h"
#include "views/settings/settings.h"

#include <QObject>

#include <cstddef>
#include <deque>
#include <vector>

namespace loopscope {

/// A log for what is called so, where logs stand by default; a file that does not exist yet.
QString newLogPath(Settings &settings, const QString &name);
/// The log that what is measured of the task goes to: the one its search is set to, the one it has, or a new one.
void chooseLog(TaskState &state, Settings &settings);

class HandMeasuring : public QObject {
    Q_OBJECT

  public:
    struct Parts {
        DocumentStore &documents;
        TaskTrials &trials;
        EditedSchedules &edits;
        Settings &settings;
        Messages &messages;
        Jobs &jobs;
    };
    explicit HandMeasuring(const Parts &parts);

    /// Why a schedule of the task shown cannot be measured, whatever else runs; empty: it can.
    [[nodiscard]] QString whyNot(const ScheduleRef &ref) const;
    /// The trial that has been measured of it already; -1: none.
    [[nodiscard]] int trialOf(const ScheduleRef &ref) const;
    /// Behind those that wait; one that waits already is not taken twice. The task shown has it, and it can be
    /// measured.
    void add(const ScheduleRef &ref);
    [[nodiscard]] bool waits(int taskId, const ScheduleRef &ref) const; // or is under way
    [[nodiscard]] bool underWay() const { return m_underWay; }
    /// "being measured", "waiting to be measured"; empty: neither.
    [[nodiscard]] QString standing(int taskId, const ScheduleRef &ref) const;
    [[nodiscard]] size_t waiting() const { return m_queue.size(); }
    /// Begins with the one that waits longest. The machine must have nothing else to measure: SearchRunner sees to it.
    void next(const MeasurerFactory &make);
    void forgetTask(int taskId);
    /// That trial is the schedule.
    void link(const ScheduleRef &ref, int trial);

  signals:
    void changed(); // one began, or ended

  private:
    struct Waiting {
        int taskId = 0;
        ScheduleRef ref;
        Steps steps;
    };
    void take(const Waiting &order, const struct HandMeasured &measured);
    void tellNode(const Waiting &order, const EditMeasurement &measured);
    void end();
    void follow(const std::vector<int> &trials);
    void forgetTrials(int taskId);

    Parts m_parts;
    std::deque<Waiting> m_queue;
    Waiting m_now;
    bool m_underWay = false;
    int m_job = 0;
};

} // namespace loopscope
