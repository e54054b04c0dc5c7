#pragma once
// The title of a dock that stands alone: slim, with float and close. Docks that share tabs have their name on the tab.

#include "views/settings/theme.h"

#include <QDockWidget>

class QLabel;

namespace loopscope {

class DockTitle : public QWidget {
    Q_OBJECT

  public:
    DockTitle(Theme &theme, const QString &icon, QDockWidget *dock);
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent *event) override;

  private:
    Theme &m_theme;
    QDockWidget *m_dock;
    QString m_icon;
};

} // namespace loopscope
