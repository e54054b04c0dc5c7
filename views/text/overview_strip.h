#pragma once
// A narrow strip beside the scroll bar that shows where in the whole text the marks, matches and problems are, and goes
// there on a click.

#include "views/settings/theme.h"

#include <QWidget>

#include <vector>

namespace loopscope {

class OverviewStrip : public QWidget {
    Q_OBJECT

  public:
    OverviewStrip(Theme &theme, QWidget *parent);

    struct Tick {
        int first = 0; // line, from 1
        int last = 0;
        Role role = Role::Accent;
    };
    void setTicks(std::vector<Tick> ticks, int lines);
    [[nodiscard]] QSize sizeHint() const override;

  signals:
    void lineAsked(int line);

  protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;

  private:
    Theme &m_theme;
    std::vector<Tick> m_ticks;
    int m_lines = 1;
};

} // namespace loopscope
