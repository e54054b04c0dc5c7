#include "views/graph/minimap.h"

#include <QGraphicsScene>
#include <QGraphicsView>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace loopscope {

namespace {

constexpr double kCornerMargin = 8; // to the corner
constexpr double kPadding = 4;      // inside
constexpr double kShare = 0.28;     // of the view's width and height at most
// The content's area against the view's from which on a map helps.
constexpr double kMuchLarger = 1.3;

/// The content's place inside the map.
QRectF placed(const QRectF &content, const QSizeF &room) {
    const QSizeF size = content.size().scaled(room - QSizeF(2 * kPadding, 2 * kPadding), Qt::KeepAspectRatio);
    return {QPointF((room.width() - size.width()) / 2, (room.height() - size.height()) / 2), size};
}

} // namespace

Minimap::Minimap(QGraphicsView &view, Theme &theme, QWidget *parent) : QWidget(parent), m_view(view), m_theme(theme) {
    setObjectName(QStringLiteral("Minimap"));
    setAccessibleName(tr("Overview of the graph"));
    setToolTip(tr("The whole graph; click or drag to go there"));
    setCursor(Qt::PointingHandCursor);
    m_soon.setSingleShot(true);
    m_soon.setInterval(60);
    connect(&m_soon, &QTimer::timeout, this, [this] {
        draw();
        update();
    });
    connect(&theme, &Theme::changed, this, &Minimap::refresh);
    hide();
}

void Minimap::setContent(const QRectF &content) {
    m_content = content;
    m_picture = {};
    follow();
}

void Minimap::refresh() {
    if (isVisible())
        m_soon.start();
    else
        m_picture = {};
}

QRectF Minimap::visiblePart() const { return m_view.mapToScene(m_view.viewport()->rect()).boundingRect(); }

void Minimap::follow() {
    const QSizeF room = m_view.viewport()->size();
    const QSizeF seen = visiblePart().size();
    const bool larger =
        !m_content.isEmpty() && !room.isEmpty() &&
        (m_content.width() > seen.width() * kMuchLarger || m_content.height() > seen.height() * kMuchLarger);
    if (!larger) {
        hide();
        return;
    }
    QSizeF size = m_content.size().scaled(room * kShare, Qt::KeepAspectRatio);
    // A long chain is a hair's breadth; the map keeps a width that can be hit.
    const double least = 4.0 * fontMetrics().height();
    size = size.expandedTo({std::min(least, room.width() * kShare), std::min(least, room.height() * kShare)});
    const QSize whole = (size + QSizeF(2 * kPadding, 2 * kPadding)).toSize();
    const QRect corner = m_view.viewport()->geometry();
    setGeometry(QRect(QPoint(corner.right() + 1 - whole.width() - static_cast<int>(kCornerMargin),
                             corner.bottom() + 1 - whole.height() - static_cast<int>(kCornerMargin)),
                      whole));
    if (!isVisible()) show();
    raise();
    const QSizeF picture = m_picture.size() / m_picture.devicePixelRatio();
    if (m_picture.isNull())
        draw();
    else if (picture.toSize() != this->size())
        m_soon.start();
    update();
}

void Minimap::draw() {
    const double ratio = devicePixelRatioF();
    m_picture = QPixmap(size() * ratio);
    m_picture.setDevicePixelRatio(ratio);
    m_picture.fill(Qt::transparent);
    if (m_content.isEmpty() || m_view.scene() == nullptr) return;
    QPainter painter(&m_picture);
    m_view.scene()->render(&painter, placed(m_content, size()), m_content, Qt::IgnoreAspectRatio);
}

void Minimap::paintEvent(QPaintEvent * /*event*/) {
    QPainter painter(this);
    QColor ground = m_theme.color(Role::Window);
    ground.setAlphaF(0.92F);
    painter.setPen(m_theme.color(Role::Border));
    painter.setBrush(ground);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
    const QSizeF picture = m_picture.size() / std::max(1.0, m_picture.devicePixelRatio());
    if (!m_picture.isNull() && picture.toSize() == size()) painter.drawPixmap(0, 0, m_picture);

    const QRectF place = placed(m_content, size());
    const double scale = place.width() / m_content.width();
    const QRectF seen = visiblePart();
    QRectF frame((seen.topLeft() - m_content.topLeft()) * scale + place.topLeft(), seen.size() * scale);
    frame &= QRectF(rect()).adjusted(1.5, 1.5, -1.5, -1.5);
    // At least a few pixels, however large the graph is.
    if (frame.height() < 4) frame.adjust(0, -2, 0, 2);
    if (frame.width() < 4) frame.adjust(-2, 0, 2, 0);
    QColor inside = m_theme.color(Role::Accent);
    inside.setAlphaF(0.14F);
    painter.setBrush(inside);
    painter.setPen(QPen(m_theme.color(Role::Accent), 1.5));
    painter.drawRect(frame);
}

QPointF Minimap::toScene(QPointF point) const {
    const QRectF place = placed(m_content, size());
    const double scale = place.width() / m_content.width();
    return (point - place.topLeft()) / scale + m_content.topLeft();
}

void Minimap::mousePressEvent(QMouseEvent *event) {
    if (event->button() == Qt::LeftButton) Q_EMIT goTo(toScene(event->position()));
}

void Minimap::mouseMoveEvent(QMouseEvent *event) {
    if ((event->buttons() & Qt::LeftButton) != 0) Q_EMIT goTo(toScene(event->position()));
}

} // namespace loopscope
