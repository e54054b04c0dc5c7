#pragma once
// A level that everything is compared with (the naive schedule, the machine's peak): a dashed line with its name. A
// level outside of what is shown keeps its name at the edge, with an arrow to where it is.

#include "views/plot/custom_plot.h"

namespace loopscope {

class ReferenceLine {
  public:
    /// Lines and texts belong to the plot.
    ReferenceLine(QCustomPlot *plot, QCPAxis *x, QCPAxis *y);
    void setLevel(double value, const QString &name); // NaN: none
    void setColor(const QColor &ink, const QColor &paper);
    /// Before every replot: the ranges may have moved. `row` keeps names at one edge from covering each other;
    /// a name at the upper edge stands where there are few points: at the right when they fall towards it.
    void place(int row, bool pointsFall);
    [[nodiscard]] double level() const { return m_level; }

  private:
    QCPAxis *m_y;
    QCPItemStraightLine *m_line;
    QCPItemText *m_text;
    QString m_name;
    double m_level;
};

} // namespace loopscope
