#include "views/pictures/viewpoint.h"

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

constexpr double kLargest = 64; // of the screen to one of the picture

} // namespace

void Viewpoint::setContent(const QRectF &content, const QSizeF &window) {
    if (content == m_content && window == m_window) return;
    m_content = content;
    m_window = window;
    if (m_untouched)
        fit();
    else
        settle();
}

void Viewpoint::fit() {
    m_untouched = true;
    m_centre = m_content.center();
    if (!m_content.isEmpty() && !m_window.isEmpty())
        m_zoom = std::min({m_window.width() / m_content.width(), m_window.height() / m_content.height(), kLargest});
    Q_EMIT moved();
}

void Viewpoint::lifeSize() {
    m_untouched = false;
    m_zoom = 1;
    settle();
}

void Viewpoint::zoomBy(double factor, std::optional<QPointF> place) {
    if (m_content.isEmpty() || m_window.isEmpty()) return;
    const double all =
        std::min({m_window.width() / m_content.width(), m_window.height() / m_content.height(), kLargest});
    const double zoom = std::clamp(m_zoom * factor, std::min(all, 1.0) / 4, kLargest);
    const QPointF about = place.value_or(m_centre);
    m_centre = about + (m_centre - about) * (m_zoom / zoom);
    m_zoom = zoom;
    m_untouched = false;
    settle();
}

void Viewpoint::moveBy(QPointF coordinates) {
    m_centre += coordinates;
    m_untouched = false;
    settle();
}

/// The middle stays within the picture.
void Viewpoint::settle() {
    m_centre.setX(std::clamp(m_centre.x(), m_content.left(), m_content.right()));
    m_centre.setY(std::clamp(m_centre.y(), m_content.top(), m_content.bottom()));
    Q_EMIT moved();
}

void Viewpoint::setCursor(std::optional<QPointF> place) {
    if (place == m_cursor) return;
    m_cursor = place;
    Q_EMIT cursorMoved();
}

} // namespace loopscope
