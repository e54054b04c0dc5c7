#include "views/graph/graph_view.h"

#include "views/graph/graph_export.h"
#include "views/graph/minimap.h"
#include "views/graph/view_overlays.h"

#include <QApplication>
#include <QCursor>
#include <QGraphicsScene>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QVariantAnimation>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

constexpr double kFitMargin = 16;   // round the content when it is fitted, pixels of the screen
constexpr double kLargest = 4;      // zoom
constexpr double kSmallest = 0.002; // a thousand stages in a row
constexpr double kStep = 1.25;      // of one press of + or -
constexpr double kPanShare = 0.12;  // of the view, for one press of WASD
constexpr int kRevealMs = 160;      //
constexpr double kShortWay = 3;     // of the view's size: longer ways are jumped
constexpr double kBeyond = 0.75;    // of the view may lie beyond the content

/// The note that offers to show all of a large graph.
QString tooSmall() { return GraphView::tr("All of it would be too small to read."); }

} // namespace

struct GraphView::Impl {
    enum class Fit : uint8_t { None, All, Start, Rect };

    QRectF content;
    QRectF focus;
    QRectF first;        // what showStart began at
    double legible = 1;  // and the zoom it did not go below
    double readable = 0; // setReadable()
    QRectF fitted;       // what zoomTo fitted
    Fit fit = Fit::None; // what a resize repeats while untouched
    Minimap *minimap = nullptr;
    GraphNotices *notices = nullptr;
    bool dimmed = false;
    std::function<QString(QGraphicsItem *, QPointF)> toolTip;

    QPoint pressedAt;
    QPoint draggedTo;
    Qt::MouseButton pressed = Qt::NoButton;
    bool dragging = false;
    QGraphicsItem *hovered = nullptr;
    QVariantAnimation way;
};

GraphView::GraphView(Theme &theme, QWidget *parent)
    : QGraphicsView(parent), m_theme(theme), m_impl(std::make_unique<Impl>()) {
    setScene(new QGraphicsScene(this));
    scene()->setItemIndexMethod(QGraphicsScene::BspTreeIndex);
    setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing | QPainter::SmoothPixmapTransform);
    setOptimizationFlags(DontSavePainterState | DontAdjustForAntialiasing);
    setViewportUpdateMode(FullViewportUpdate); // a frame is cheap, and overlays lie over it
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setTransformationAnchor(NoAnchor);
    setResizeAnchor(AnchorViewCenter);
    setFrameShape(NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    viewport()->setMouseTracking(true);
    setAccessibleName(tr("Graph"));

    m_impl->minimap = new Minimap(*this, theme, this);
    m_impl->notices = new GraphNotices(theme, this);
    connect(m_impl->minimap, &Minimap::goTo, this, [this](QPointF point) {
        touched();
        centerOn(point);
    });
    const auto recolor = [this] {
        setBackgroundBrush(m_theme.color(Role::Base));
        scene()->update();
    };
    connect(&theme, &Theme::changed, this, recolor);
    recolor();
    m_impl->way.setDuration(kRevealMs);
    m_impl->way.setEasingCurve(QEasingCurve::OutCubic);
    connect(&m_impl->way, &QVariantAnimation::valueChanged, this,
            [this](const QVariant &value) { centerOn(value.toPointF()); });
}

GraphView::~GraphView() { m_impl->way.stop(); }

// --- Content
// ----------------------------------------------------------------------------------------------------------

void GraphView::setContent(const QRectF &bounds) {
    m_impl->content = bounds;
    m_impl->focus = {};
    m_impl->hovered = nullptr; // it may be gone
    m_impl->way.stop();
    updateSceneRect();
    m_impl->minimap->setContent(bounds);
    placeOverlays();
}

QRectF GraphView::content() const { return m_impl->content; }

void GraphView::contentChanged() { m_impl->minimap->refresh(); }

GraphNotices &GraphView::notices() { return *m_impl->notices; }

void GraphView::setDimmed(bool dimmed) {
    if (m_impl->dimmed == dimmed) return;
    m_impl->dimmed = dimmed;
    viewport()->update();
}

void GraphView::setToolTips(std::function<QString(QGraphicsItem *, QPointF)> toolTip) {
    m_impl->toolTip = std::move(toolTip);
}

QString GraphView::exportTo(const QString &path) {
    return exportScene(*scene(), m_impl->content, m_theme.color(Role::Base), path);
}

// --- Where one is
// -----------------------------------------------------------------------------------------------------

double GraphView::zoom() const { return transform().m11(); }

void GraphView::setZoom(double scale) {
    setTransform(QTransform::fromScale(scale, scale));
    updateSceneRect();
}

void GraphView::updateSceneRect() {
    // Beyond the content there is room enough to bring any node into the middle.
    const double scale = std::max(zoom(), kSmallest);
    const double x = viewport()->width() / scale * kBeyond;
    const double y = viewport()->height() / scale * kBeyond;
    setSceneRect(m_impl->content.adjusted(-x, -y, x, y));
}

void GraphView::touched() {
    m_impl->way.stop();
    if (m_impl->notices->note() == tooSmall()) m_impl->notices->setNote({});
    m_untouched = false;
    m_impl->fit = Impl::Fit::None;
}

void GraphView::moveTo(QPointF scenePoint, QPointF viewportPoint) {
    m_impl->way.stop();
    centerOn(scenePoint + (QRectF(viewport()->rect()).center() - viewportPoint) / zoom());
}

void GraphView::zoomBy(double factor, QPointF about) {
    if (m_impl->content.isEmpty()) return;
    const double scale = std::clamp(zoom() * factor, kSmallest, kLargest);
    if (scale == zoom()) return;
    touched();
    const QPointF before = mapToScene(about.toPoint());
    setZoom(scale);
    moveTo(before, about);
}

void GraphView::zoomIn() { zoomBy(kStep, QRectF(viewport()->rect()).center()); }

void GraphView::zoomOut() { zoomBy(1 / kStep, QRectF(viewport()->rect()).center()); }

void GraphView::fit(const QRectF &rect, double largest) {
    if (rect.isEmpty()) return;
    m_impl->way.stop();
    const QSizeF room = QSizeF(viewport()->size()) - QSizeF(2 * kFitMargin, 2 * kFitMargin);
    if (room.width() <= 0 || room.height() <= 0) return;
    const double scale = std::min(room.width() / rect.width(), room.height() / rect.height());
    setZoom(std::clamp(scale, kSmallest, largest));
    centerOn(rect.center());
}

void GraphView::setReadable(double zoom) { m_impl->readable = zoom; }

void GraphView::zoomToFit() {
    fit(m_impl->content, 1);
    if (zoom() < m_impl->readable) {
        const QRectF &content = m_impl->content;
        showStart(content.contains(m_impl->first) && !m_impl->first.isEmpty() ? m_impl->first
                                                                              : QRectF(content.topLeft(), QSizeF(1, 1)),
                  m_impl->readable);
        m_impl->notices->setNote(tooSmall(), tr("Show it all"), [this] {
            fit(m_impl->content, 1);
            touched();
        });
        return;
    }
    m_impl->fit = Impl::Fit::All;
    m_untouched = true;
}

void GraphView::zoomTo(const QRectF &sceneRect) {
    touched();
    fit(sceneRect, 1);
    m_impl->fit = Impl::Fit::Rect;
    m_impl->fitted = sceneRect;
}

void GraphView::showStart(const QRectF &first, double legible) {
    const QRectF &content = m_impl->content;
    m_impl->first = first;
    m_impl->legible = legible;
    fit(content, 1);
    if (zoom() < legible && !content.isEmpty()) {
        setZoom(legible);
        const QSizeF seen = QSizeF(viewport()->size()) / legible;
        const double margin = kFitMargin / legible;
        // As much of the content as possible, beginning at its first node.
        const QPointF start(content.width() <= seen.width() - 2 * margin
                                ? content.center().x()
                                : std::clamp(first.center().x(), content.left() - margin + seen.width() / 2,
                                             content.right() + margin - seen.width() / 2),
                            content.height() <= seen.height() - 2 * margin
                                ? content.center().y()
                                : std::clamp(first.top() - margin + seen.height() / 2,
                                             content.top() - margin + seen.height() / 2,
                                             content.bottom() + margin - seen.height() / 2));
        centerOn(start);
    }
    m_impl->fit = Impl::Fit::Start;
    m_untouched = true;
}

void GraphView::reveal(const QRectF &sceneRect) {
    if (sceneRect.isEmpty()) return;
    const double margin = kFitMargin / zoom();
    const QRectF wanted = sceneRect.adjusted(-margin, -margin, margin, margin);
    const QRectF seen = mapToScene(viewport()->rect()).boundingRect();
    if (seen.contains(wanted)) return;
    m_untouched = false;
    m_impl->fit = Impl::Fit::None;
    if (wanted.width() > seen.width() || wanted.height() > seen.height()) {
        fit(sceneRect, std::min(1.0, zoom()));
        return;
    }
    QPointF by;
    if (wanted.left() < seen.left()) by.setX(wanted.left() - seen.left());
    if (wanted.right() > seen.right()) by.setX(wanted.right() - seen.right());
    if (wanted.top() < seen.top()) by.setY(wanted.top() - seen.top());
    if (wanted.bottom() > seen.bottom()) by.setY(wanted.bottom() - seen.bottom());
    const bool shortWay = std::fabs(by.x()) < kShortWay * seen.width() && std::fabs(by.y()) < kShortWay * seen.height();
    m_impl->way.stop();
    if (!shortWay || !isVisible()) {
        centerOn(sceneRect.center());
        return;
    }
    m_impl->way.setStartValue(seen.center());
    m_impl->way.setEndValue(seen.center() + by);
    m_impl->way.start();
}

void GraphView::setFocusRect(const QRectF &sceneRect) { m_impl->focus = sceneRect; }

void GraphView::moveBy(QPointF pixels) {
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() + qRound(pixels.x()));
    verticalScrollBar()->setValue(verticalScrollBar()->value() + qRound(pixels.y()));
}

// --- Events
// -----------------------------------------------------------------------------------------------------------

void GraphView::wheelEvent(QWheelEvent *event) {
    if ((event->modifiers() & Qt::ControlModifier) != 0) {
        zoomBy(std::pow(2.0, event->angleDelta().y() / 480.0), event->position());
    } else {
        touched();
        QPointF by = event->pixelDelta().isNull() ? QPointF(event->angleDelta()) * 0.6 : QPointF(event->pixelDelta());
        if ((event->modifiers() & Qt::ShiftModifier) != 0) by = {by.y(), by.x()};
        moveBy(-by);
    }
    event->accept();
}

void GraphView::keyPressEvent(QKeyEvent *event) {
    const auto pan = [&](double x, double y) {
        touched();
        moveBy({x * kPanShare * viewport()->width(), y * kPanShare * viewport()->height()});
    };
    QPointF about = viewport()->mapFromGlobal(QPointF(QCursor::pos()));
    if (!viewport()->rect().contains(about.toPoint())) about = QRectF(viewport()->rect()).center();
    const auto modifiers = event->modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier);
    if (modifiers != Qt::NoModifier) {
        event->ignore();
        return;
    }
    switch (event->key()) {
    case Qt::Key_W:
        pan(0, -1);
        break;
    case Qt::Key_S:
        pan(0, 1);
        break;
    case Qt::Key_A:
        pan(-1, 0);
        break;
    case Qt::Key_D:
        pan(1, 0);
        break;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoomBy(kStep, about);
        break;
    case Qt::Key_Minus:
        zoomBy(1 / kStep, about);
        break;
    case Qt::Key_F:
        // Once for what is selected, again for everything.
        if (m_impl->focus.isEmpty() || (m_impl->fit == Impl::Fit::Rect && m_impl->fitted == m_impl->focus))
            zoomToFit();
        else
            zoomTo(m_impl->focus);
        break;
    case Qt::Key_Home:
        zoomToFit();
        break;
    case Qt::Key_Escape:
        Q_EMIT escapePressed();
        break;
    case Qt::Key_Period:
        Q_EMIT nextRequested(1);
        break;
    case Qt::Key_Comma:
        Q_EMIT nextRequested(-1);
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        Q_EMIT enterPressed();
        break;
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Left:
    case Qt::Key_Right:
        Q_EMIT arrowPressed(event->key());
        break;
    default:
        event->ignore();
        return;
    }
    event->accept();
}

void GraphView::mousePressEvent(QMouseEvent *event) {
    m_impl->pressedAt = m_impl->draggedTo = event->pos();
    m_impl->pressed = event->button();
    m_impl->dragging = false;
    m_impl->way.stop();
    event->accept();
}

void GraphView::mouseMoveEvent(QMouseEvent *event) {
    if (m_impl->pressed == Qt::NoButton || event->buttons() == Qt::NoButton) {
        setHovered(itemAt(event->pos()));
        return;
    }
    if (!m_impl->dragging && (event->pos() - m_impl->pressedAt).manhattanLength() < QApplication::startDragDistance())
        return;
    if (!m_impl->dragging) {
        m_impl->dragging = true;
        viewport()->setCursor(Qt::ClosedHandCursor);
    }
    touched();
    moveBy(m_impl->draggedTo - event->pos());
    m_impl->draggedTo = event->pos();
    event->accept();
}

void GraphView::mouseReleaseEvent(QMouseEvent *event) {
    const bool click = !m_impl->dragging && m_impl->pressed == event->button();
    m_impl->pressed = Qt::NoButton;
    m_impl->dragging = false;
    viewport()->unsetCursor();
    event->accept();
    if (!click) return;
    QGraphicsItem *item = itemAt(event->pos());
    const QPointF point = mapToScene(event->pos());
    if (event->button() == Qt::LeftButton)
        Q_EMIT itemClicked(item, point, event->modifiers());
    else if (event->button() == Qt::RightButton)
        Q_EMIT menuRequested(item, point, event->globalPosition().toPoint());
}

void GraphView::mouseDoubleClickEvent(QMouseEvent *event) {
    m_impl->pressed = Qt::NoButton;
    event->accept();
    if (event->button() == Qt::LeftButton) Q_EMIT itemDoubleClicked(itemAt(event->pos()), mapToScene(event->pos()));
}

void GraphView::contextMenuEvent(QContextMenuEvent *event) {
    // The right button asks on release, as pressing it may begin a drag.
    if (event->reason() == QContextMenuEvent::Mouse) return;
    const QPoint place = m_impl->focus.isEmpty() ? viewport()->rect().center() : mapFromScene(m_impl->focus.center());
    Q_EMIT menuRequested(itemAt(place), mapToScene(place), viewport()->mapToGlobal(place));
}

void GraphView::resizeEvent(QResizeEvent *event) {
    QGraphicsView::resizeEvent(event);
    updateSceneRect();
    switch (m_impl->fit) {
    case Impl::Fit::All:
        zoomToFit();
        break;
    case Impl::Fit::Start:
        showStart(m_impl->first, m_impl->legible);
        break;
    case Impl::Fit::Rect:
        zoomTo(m_impl->fitted);
        break;
    case Impl::Fit::None:
        break;
    }
    placeOverlays();
}

void GraphView::scrollContentsBy(int dx, int dy) {
    QGraphicsView::scrollContentsBy(dx, dy);
    m_impl->minimap->follow();
}

void GraphView::drawForeground(QPainter *painter, const QRectF &rect) {
    if (!m_impl->dimmed) return;
    QColor veil = m_theme.color(Role::Base);
    veil.setAlphaF(0.55F);
    painter->fillRect(rect, veil);
}

bool GraphView::viewportEvent(QEvent *event) {
    if (event->type() == QEvent::ToolTip && m_impl->toolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        QGraphicsItem *item = itemAt(help->pos());
        const QString text = item ? m_impl->toolTip(item, mapToScene(help->pos())) : QString();
        if (text.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), text, viewport());
        return true;
    }
    if (event->type() == QEvent::Leave) setHovered(nullptr);
    return QGraphicsView::viewportEvent(event);
}

void GraphView::setHovered(QGraphicsItem *item) {
    if (m_impl->hovered == item) return;
    m_impl->hovered = item;
    Q_EMIT itemHovered(item);
}

void GraphView::placeOverlays() {
    const QRect area = viewport()->geometry();
    m_impl->notices->placeIn(area, !m_impl->content.isEmpty());
    m_impl->minimap->follow();
}

} // namespace loopscope
