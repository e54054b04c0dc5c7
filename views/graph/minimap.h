#pragma once
// The whole graph in a corner with the visible part framed; click or drag to go there. Shown only when the graph is
// much larger than the view.

#include "views/settings/theme.h"

#include <QPixmap>
#include <QTimer>
#include <QWidget>

class QGraphicsView;

namespace loopscope {

class Minimap : public QWidget {
    Q_OBJECT

  public:
    Minimap(QGraphicsView &view, Theme &theme, QWidget *parent);

    /// What there is to see, in scene coordinates.
    void setContent(const QRectF &content);
    /// After the view moved, zoomed or changed its size: shows, hides, places itself and moves the frame.
    void follow();
    /// The picture is drawn anew soon.
    void refresh();

  signals:
    void goTo(QPointF scenePoint);

  protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;

  private:
    void draw();
    [[nodiscard]] QRectF visiblePart() const;
    [[nodiscard]] QPointF toScene(QPointF point) const;

    QGraphicsView &m_view;
    Theme &m_theme;
    QRectF m_content;
    QPixmap m_picture;
    QTimer m_soon;
};

} // namespace loopscope
