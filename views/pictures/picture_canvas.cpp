#include "views/pictures/picture_canvas.h"

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <cmath>

namespace loopscope {

namespace {

constexpr double kStep = 1.25;    // of a notch of the wheel
constexpr double kPixelSeen = 6;  // on the screen: from there on the cursor frames a pixel
constexpr int kChequer = 8;       // pixels of the screen
constexpr double kArrowShare = 8; // of the window, by one press

} // namespace

PictureCanvas::PictureCanvas(Theme &theme, Viewpoint &viewpoint, QWidget *parent)
    : QWidget(parent), m_theme(theme), m_viewpoint(viewpoint) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    connect(&viewpoint, &Viewpoint::moved, this, qOverload<>(&QWidget::update));
    connect(&viewpoint, &Viewpoint::cursorMoved, this, qOverload<>(&QWidget::update));
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void PictureCanvas::setImage(const QImage &image, const QRectF &place) {
    m_image = image;
    m_reduced = {};
    m_place = place;
    m_notice.clear();
    update();
}

void PictureCanvas::setNotice(const QString &text) {
    m_image = {};
    m_reduced = {};
    m_notice = text;
    update();
}

QPointF PictureCanvas::toCoordinates(QPointF screen) const {
    return m_viewpoint.centre() + (screen - QRectF(rect()).center()) / m_viewpoint.zoom();
}

QPointF PictureCanvas::toScreen(QPointF coordinates) const {
    return QRectF(rect()).center() + (coordinates - m_viewpoint.centre()) * m_viewpoint.zoom();
}

std::optional<std::pair<int64_t, int64_t>> PictureCanvas::pixelUnderCursor() const {
    if (m_image.isNull() || !m_viewpoint.cursor() || m_place.isEmpty()) return std::nullopt;
    const QPointF inside = *m_viewpoint.cursor() - m_place.topLeft();
    const auto column = static_cast<int64_t>(std::floor(inside.x() * m_image.width() / m_place.width()));
    const auto row = static_cast<int64_t>(std::floor(inside.y() * m_image.height() / m_place.height()));
    if (column < 0 || row < 0 || column >= m_image.width() || row >= m_image.height()) return std::nullopt;
    return std::pair{column, row};
}

QPointF PictureCanvas::screenPlace(int64_t column, int64_t row) const {
    return toScreen(m_place.topLeft() +
                    QPointF((static_cast<double>(column) + 0.5) * m_place.width() / m_image.width(),
                            (static_cast<double>(row) + 0.5) * m_place.height() / m_image.height()));
}

// --- Painting
// --------------------------------------------------------------------------------------------------------

void PictureCanvas::paintEvent(QPaintEvent *) {
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Role::Base));
    if (!m_image.isNull()) {
        paintPicture(painter);
        paintCursor(painter);
    } else if (!m_notice.isEmpty()) {
        painter.setPen(m_theme.color(Role::QuietText));
        painter.drawText(rect().adjusted(kChequer, kChequer, -kChequer, -kChequer), Qt::AlignCenter | Qt::TextWordWrap,
                         m_notice);
    }
}

void PictureCanvas::paintPicture(QPainter &painter) {
    const QRectF target(toScreen(m_place.topLeft()), toScreen(m_place.bottomRight()));
    const QRectF seen = target.intersected(rect());
    if (seen.isEmpty()) return;
    if (m_image.hasAlphaChannel()) {
        painter.save();
        painter.setClipRect(seen);
        const QColor dark = m_theme.color(Role::Grid);
        const QColor light = m_theme.color(Role::Raised);
        for (int y = 0; y < height(); y += kChequer)
            for (int x = 0; x < width(); x += kChequer)
                painter.fillRect(x, y, kChequer, kChequer, ((x + y) / kChequer) % 2 == 0 ? light : dark);
        painter.restore();
    }
    const double each = target.width() / m_image.width() * devicePixelRatioF(); // of the device
    if (each >= 1) {
        painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
        painter.drawImage(target, m_image);
        return;
    }
    const QSize reduced = (target.size() * devicePixelRatioF()).toSize().expandedTo({1, 1});
    if (m_reduced.size() != reduced)
        m_reduced = m_image.scaled(reduced, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    painter.drawImage(target, m_reduced);
}

/// The pixel that is told of, also where the cursor is over another picture.
void PictureCanvas::paintCursor(QPainter &painter) {
    const auto pixel = pixelUnderCursor();
    if (!pixel) return;
    const double each = m_place.width() * m_viewpoint.zoom() / m_image.width();
    const double side = std::max(each, kPixelSeen);
    QRectF frame(0, 0, side, side);
    frame.moveCenter(screenPlace(pixel->first, pixel->second));
    painter.setPen(QPen(Qt::black, 1));
    painter.drawRect(frame.adjusted(-1, -1, 1, 1));
    painter.setPen(QPen(Qt::white, 1));
    painter.drawRect(frame);
}

// --- Hands
// -----------------------------------------------------------------------------------------------------------

void PictureCanvas::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    Q_EMIT resized();
}

void PictureCanvas::wheelEvent(QWheelEvent *event) {
    if (m_image.isNull() || event->angleDelta().y() == 0) return event->ignore();
    m_viewpoint.zoomBy(std::pow(kStep, event->angleDelta().y() / 120.0), toCoordinates(event->position()));
    event->accept();
}

void PictureCanvas::mousePressEvent(QMouseEvent *event) {
    Q_EMIT entered();
    if (event->button() == Qt::LeftButton || event->button() == Qt::MiddleButton) m_dragged = event->position();
}

void PictureCanvas::mouseMoveEvent(QMouseEvent *event) {
    if (m_dragged && event->buttons() != Qt::NoButton) {
        m_viewpoint.moveBy((*m_dragged - event->position()) / m_viewpoint.zoom());
        m_dragged = event->position();
        setCursor(Qt::ClosedHandCursor);
    }
    m_viewpoint.setCursor(m_image.isNull() ? std::nullopt : std::optional(toCoordinates(event->position())));
}

void PictureCanvas::mouseReleaseEvent(QMouseEvent *) {
    m_dragged.reset();
    unsetCursor();
}

void PictureCanvas::mouseDoubleClickEvent(QMouseEvent *) { m_viewpoint.fit(); }

void PictureCanvas::leaveEvent(QEvent *) { m_viewpoint.setCursor(std::nullopt); }

void PictureCanvas::keyPressEvent(QKeyEvent *event) {
    const double across = width() / m_viewpoint.zoom() / kArrowShare;
    const double down = height() / m_viewpoint.zoom() / kArrowShare;
    switch (event->key()) {
    case Qt::Key_Left:
        return m_viewpoint.moveBy({-across, 0});
    case Qt::Key_Right:
        return m_viewpoint.moveBy({across, 0});
    case Qt::Key_Up:
        return m_viewpoint.moveBy({0, -down});
    case Qt::Key_Down:
        return m_viewpoint.moveBy({0, down});
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return m_viewpoint.zoomBy(kStep);
    case Qt::Key_Minus:
        return m_viewpoint.zoomBy(1 / kStep);
    case Qt::Key_F:
    case Qt::Key_Home:
        return m_viewpoint.fit();
    case Qt::Key_1:
        return m_viewpoint.lifeSize();
    case Qt::Key_Period:
    case Qt::Key_PageDown:
        return Q_EMIT stageStepped(1);
    case Qt::Key_Comma:
    case Qt::Key_PageUp:
        return Q_EMIT stageStepped(-1);
    default:
        QWidget::keyPressEvent(event);
    }
}

void PictureCanvas::focusInEvent(QFocusEvent *event) {
    QWidget::focusInEvent(event);
    Q_EMIT entered();
}

void PictureCanvas::contextMenuEvent(QContextMenuEvent *event) {
    if (m_image.isNull()) return;
    Q_EMIT entered();
    Q_EMIT menuRequested(event->globalPos());
}

} // namespace loopscope
