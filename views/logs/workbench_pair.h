#pragma once
// Two records of one computation, of different logs and perhaps of different targets, side by side in the workbench:
// each is shown there as a trial (workbench_record.h), and whoever shows comparisons is asked for both.

#include "views/logs/workbench_record.h"
#include "views/session/view_context.h"

#include <optional>

namespace loopscope {

class WorkbenchPair : public QObject {
    Q_OBJECT

  public:
    WorkbenchPair(const ViewContext &context, QObject *parent);

    /// While another pair is under way, that one is given up.
    void show(const WorkbenchRecord::Wanted &first, const WorkbenchRecord::Wanted &other);
    [[nodiscard]] bool busy() const { return m_stage != Stage::None; }

  signals:
    void busyChanged();
    void failed(const QString &why);

  private:
    enum class Stage : uint8_t { None, First, Other };
    void goOn();
    void compare();
    void end();
    /// None: it is no trial of the task shown.
    [[nodiscard]] std::optional<TaskSchedule> trialOf(const WorkbenchRecord::Wanted &wanted) const;

    ViewContext m_context;
    WorkbenchRecord *m_record;
    WorkbenchRecord::Wanted m_first;
    WorkbenchRecord::Wanted m_other;
    std::optional<TaskSchedule> m_shown; // what the first became
    Stage m_stage = Stage::None;
};

} // namespace loopscope
