#include "views/main_window/wheel_needs_focus.h"

#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QEvent>
#include <QScrollBar>
#include <QWidget>

namespace loopscope {

namespace {

bool holdsValue(const QObject *object) {
    if (qobject_cast<const QScrollBar *>(object)) return false; // what it changes is what is seen
    return qobject_cast<const QAbstractSpinBox *>(object) || qobject_cast<const QComboBox *>(object) ||
           qobject_cast<const QAbstractSlider *>(object);
}

} // namespace

bool WheelNeedsFocus::eventFilter(QObject *watched, QEvent *event) {
    if (event->type() != QEvent::Wheel && event->type() != QEvent::Polish) return false;
    if (!holdsValue(watched)) return false;
    auto *widget = static_cast<QWidget *>(watched);
    if (event->type() == QEvent::Polish) {
        // Otherwise the wheel itself gives the focus, before the event comes here.
        if (widget->focusPolicy() == Qt::WheelFocus) widget->setFocusPolicy(Qt::StrongFocus);
        return false;
    }
    if (widget->hasFocus()) return false;
    event->ignore(); // on to what is around it, which may scroll
    return true;
}

} // namespace loopscope
