#pragma once
// A picture of boxes and arrows that one can move through: pan, zoom, fit, find, minimap, export as shown. What a node
// looks like is the item's business; what it means is the view's.

#include "views/actions/view_roles.h"
#include "views/settings/theme.h"

#include <QGraphicsItem>
#include <QGraphicsView>

#include <functional>
#include <memory>

namespace loopscope {

class GraphNotices;

/// Left, middle and right drag and WASD pan, Ctrl+wheel and +/- zoom about the cursor, F fits what is selected then
/// everything, Home fits everything, Esc clears the selection, `.` and `,` step to the next and previous node. A
/// minimap appears when the graph is much larger than the view. Thousands of items stay fluid when they draw by
/// levelOfDetail() (views/graph/level_of_detail.h).
///
/// Items need no mouse code: the view tells which of them was clicked. How to fill it: scene()->clear(), add items,
/// setContent(bounds), showStart(first node).
class GraphView : public QGraphicsView, public ExportRole, public ZoomRole {
    Q_OBJECT

  public:
    /// Has a scene of its own from the beginning.
    explicit GraphView(Theme &theme, QWidget *parent = nullptr);
    ~GraphView() override;

    /// What there is to see; panning ends a little beyond it. Empty: its notices say why.
    void setContent(const QRectF &bounds);
    [[nodiscard]] QRectF content() const;
    /// Items look different now: the minimap follows soon.
    void contentChanged();

    void zoomIn() override;
    void zoomOut() override;
    void zoomToFit() override;
    /// Fitting everything never makes it smaller than this: what is larger is shown from its beginning on, with an
    /// offer to show all of it. 0: no limit.
    void setReadable(double zoom);
    void zoomTo(const QRectF &sceneRect); // fits it, never larger than life
    /// The first look at a graph: all of it where text stays legible (at that zoom and above), otherwise legible with
    /// `first` at the upper edge.
    void showStart(const QRectF &first, double legible = 0.7);
    /// Moves (animated for short ways) so that the rectangle is seen, zooming out only when it must.
    void reveal(const QRectF &sceneRect);
    /// The user has not moved since the last fit: a new layout may fit again.
    [[nodiscard]] bool untouched() const { return m_untouched; }
    [[nodiscard]] double zoom() const; // 1 = life size
    /// Moves so that a place of the scene lies at a place of the viewport: a new layout keeps what one looked at.
    void moveTo(QPointF scenePoint, QPointF viewportPoint);
    /// What F fits; empty when nothing is selected.
    void setFocusRect(const QRectF &sceneRect);

    [[nodiscard]] QStringList exportSuffixes() const override {
        return {QStringLiteral("svg"), QStringLiteral("png"), QStringLiteral("pdf")};
    }
    QString exportTo(const QString &path) override; // the whole scene

    /// What is said over the picture, or in place of one.
    [[nodiscard]] GraphNotices &notices();
    /// What is seen belongs to something that has changed since.
    void setDimmed(bool dimmed);
    /// Tooltip (rich text) of the item at that place; empty none.
    void setToolTips(std::function<QString(QGraphicsItem *item, QPointF scenePoint)> toolTip);

  signals:
    void escapePressed();
    void nextRequested(int direction); // +1 and -1
    void arrowPressed(int key);        // Qt::Key_Up ...
    void enterPressed();
    /// `item` is the topmost at that place, null for the ground. Not sent for drags.
    void itemClicked(QGraphicsItem *item, QPointF scenePoint, Qt::KeyboardModifiers modifiers);
    void itemDoubleClicked(QGraphicsItem *item, QPointF scenePoint);
    void itemHovered(QGraphicsItem *item); // null: none; only when it changes
    void menuRequested(QGraphicsItem *item, QPointF scenePoint, QPoint globalPoint);

  protected:
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;
    void drawForeground(QPainter *painter, const QRectF &rect) override;
    bool viewportEvent(QEvent *event) override;

  private:
    struct Impl;
    void zoomBy(double factor, QPointF about);
    void setZoom(double scale);
    void fit(const QRectF &rect, double largest);
    void touched();
    void moveBy(QPointF pixels);
    void updateSceneRect();
    void placeOverlays();
    void setHovered(QGraphicsItem *item);

    Theme &m_theme;
    bool m_untouched = true;
    std::unique_ptr<Impl> m_impl;
};

} // namespace loopscope
