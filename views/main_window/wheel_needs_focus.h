#pragma once
// The wheel scrolls; it changes a number or a choice only where the user has put the focus. Without this a spin box
// under the pointer takes the focus and the next notch, and a parameter is another before anybody has noticed.
// For the whole application: dialogs and panels alike.

#include <QObject>

namespace loopscope {

class WheelNeedsFocus : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

  protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
};

} // namespace loopscope
