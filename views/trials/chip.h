#pragma once
// A small rounded button with a count: "wrong-answer 12". Keyboard reachable like any button.

#include "views/settings/theme.h"

#include <QAbstractButton>

namespace loopscope {

class Chip : public QAbstractButton {
    Q_OBJECT

  public:
    Chip(Theme &theme, Role role, QWidget *parent = nullptr);
    void setCount(const QString &text, int count);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

  protected:
    void paintEvent(QPaintEvent *event) override;

  private:
    Theme &m_theme;
    Role m_role;
    QString m_count;
};

} // namespace loopscope
