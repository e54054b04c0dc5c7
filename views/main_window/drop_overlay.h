#pragma once
// Shown over the window while files are dragged across it: what letting go would do.

#include "views/settings/theme.h"

#include <QWidget>

namespace loopscope {

class DropOverlay : public QWidget {
    Q_OBJECT

  public:
    DropOverlay(Theme &theme, QWidget *window);
    void showFor(int files);

  protected:
    void paintEvent(QPaintEvent *event) override;

  private:
    Theme &m_theme;
    int m_files = 0;
};

} // namespace loopscope
