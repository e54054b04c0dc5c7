#pragma once
// The times of two schedules that were timed in turn: a row of dots for each, one a repeat, over one scale, with the
// median of each. Small: a glance says whether they overlap.

#include "views/settings/theme.h"

#include <QWidget>

#include <vector>

namespace loopscope {

class PairPlot : public QWidget {
    Q_OBJECT

  public:
    PairPlot(Theme &theme, QWidget *parent);

    void setTimes(const std::vector<double> &left, const std::vector<double> &right); // seconds
    [[nodiscard]] QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent *event) override;

  private:
    Theme &m_theme;
    std::vector<double> m_times[2]; // ascending
};

} // namespace loopscope
