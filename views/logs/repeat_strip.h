#pragma once
// The times of every repeat of a record on a line, a dot each, with their mean: a glance says how far they scatter.

#include "views/settings/theme.h"

#include <QWidget>

#include <vector>

namespace loopscope {

class RepeatStrip : public QWidget {
    Q_OBJECT

  public:
    RepeatStrip(Theme &theme, QWidget *parent);

    void setTimes(const std::vector<double> &seconds); // none: it is hidden
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent *event) override;

  private:
    Theme &m_theme;
    std::vector<double> m_seconds;
    double m_mean = 0;
};

} // namespace loopscope
