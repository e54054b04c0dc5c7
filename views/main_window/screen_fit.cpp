#include "views/main_window/screen_fit.h"

#include <QApplication>
#include <QEvent>
#include <QPointer>
#include <QScreen>
#include <QStyle>
#include <QTimer>
#include <QWidget>

#include <algorithm>

namespace loopscope {

namespace {

/// Windows with an edge that could lie beyond the screen. Menus and tooltips are placed by Qt.
bool isBound(const QWidget &window) {
    if (!window.isWindow() || window.windowState() & (Qt::WindowMaximized | Qt::WindowFullScreen)) return false;
    const Qt::WindowType type = window.windowType();
    return type == Qt::Window || type == Qt::Dialog || type == Qt::Tool || type == Qt::Sheet;
}

QMargins frameOf(const QWidget &window) {
    const QRect inside = window.geometry();
    const QRect outside = window.frameGeometry();
    QMargins frame(inside.left() - outside.left(), inside.top() - outside.top(), outside.right() - inside.right(),
                   outside.bottom() - inside.bottom());
    // Before it is on screen nobody knows; a title bar there will be.
    if (!window.isVisible() && frame.isNull() && !window.windowFlags().testFlag(Qt::FramelessWindowHint))
        frame.setTop(window.style()->pixelMetric(QStyle::PM_TitleBarHeight, nullptr, &window));
    return frame;
}

void fit(QWidget &window) {
    const QScreen *screen = window.screen();
    if (!screen || !isBound(window)) return;
    const QMargins frame = frameOf(window);
    const QRect wanted = window.geometry();
    const QRect place = onScreen(wanted, frame, screen->availableGeometry());
    // A content that insists on more than there is would push the window back; it is squeezed.
    if (window.minimumWidth() > place.width()) window.setMinimumWidth(place.width());
    if (window.minimumHeight() > place.height()) window.setMinimumHeight(place.height());
    if (place != wanted) window.setGeometry(place);
}

} // namespace

QRect onScreen(const QRect &wanted, const QMargins &frame, const QRect &available) {
    const QRect room = available.marginsRemoved(frame);
    QRect place(wanted.topLeft(), wanted.size().boundedTo(room.size()));
    place.moveLeft(std::clamp(place.left(), room.left(), std::max(room.left(), room.right() + 1 - place.width())));
    place.moveTop(std::clamp(place.top(), room.top(), std::max(room.top(), room.bottom() + 1 - place.height())));
    return place;
}

ScreenFit::ScreenFit(QObject *parent) : QObject(parent) { qApp->installEventFilter(this); }

bool ScreenFit::eventFilter(QObject *watched, QEvent *event) {
    const auto type = event->type();
    if ((type != QEvent::Show && type != QEvent::Resize) || event->spontaneous() || !watched->isWidgetType())
        return false;
    auto *window = static_cast<QWidget *>(watched);
    if (!isBound(*window)) return false;
    if (type == QEvent::Show) fit(*window);
    // Once more when the frame is known and the layouts have had their say.
    QTimer::singleShot(0, window, [guard = QPointer<QWidget>(window)] {
        if (guard && guard->isVisible()) fit(*guard);
    });
    return false;
}

} // namespace loopscope
