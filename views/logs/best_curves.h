#pragma once
// How the best time of a task fell in each of the logs compared, by trials or by time.

#include "records/logs/diff_chart.h"
#include "views/plot/plot.h"

#include <QStringList>

namespace loopscope {

class BestCurves : public Plot {
    Q_OBJECT

  public:
    BestCurves(Theme &theme, ChartAxis axis, QWidget *parent = nullptr);

    /// Null: nothing is chosen. `names` of the logs, in their order.
    void show(const TaskDiff *task, const QStringList &names);
    /// Those that have something to show.
    [[nodiscard]] int curves() const;

  private:
    void recolor();
    [[nodiscard]] QString hoverAt(const QPointF &pixel) const;
    [[nodiscard]] QString table() const;

    Theme &m_colors;
    const ChartAxis m_axis;
    std::vector<QCPGraph *> m_curves; // of each log
    std::vector<QCPGraph *> m_bests;  // where each found its best
};

} // namespace loopscope
