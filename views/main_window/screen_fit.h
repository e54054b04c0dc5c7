#pragma once
// No window, dialog or floating dock is larger than the screen it is on: what is shown too large, or grows by its own
// content, is cut back to the screen and moved onto it. What the user drags beyond an edge stays where it was dragged.

#include <QMargins>
#include <QObject>
#include <QRect>

class QWidget;

namespace loopscope {

/// Where a window goes that would like to have `wanted` (without its frame) on a screen with `available` room.
QRect onScreen(const QRect &wanted, const QMargins &frame, const QRect &available);

class ScreenFit : public QObject {
    Q_OBJECT

  public:
    /// Watches every window of the application while it lives.
    explicit ScreenFit(QObject *parent);

  protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
};

} // namespace loopscope
