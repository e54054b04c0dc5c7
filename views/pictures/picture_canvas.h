#pragma once
// One picture to look at: moved by dragging, enlarged by the wheel, pixels as squares once they are large enough, what
// is transparent over a chequered ground. Where to look is the viewpoint's, which others follow, too.

#include "views/pictures/viewpoint.h"
#include "views/settings/theme.h"

#include <QImage>
#include <QRectF>
#include <QWidget>

#include <optional>
#include <utility>

namespace loopscope {

class PictureCanvas : public QWidget {
    Q_OBJECT

  public:
    PictureCanvas(Theme &theme, Viewpoint &viewpoint, QWidget *parent = nullptr);

    /// `place`: what it covers in the viewpoint's coordinates. A null image is none.
    void setImage(const QImage &image, const QRectF &place);
    /// In place of a picture.
    void setNotice(const QString &text);
    [[nodiscard]] const QImage &image() const { return m_image; }
    [[nodiscard]] const QRectF &place() const { return m_place; }
    [[nodiscard]] const QString &notice() const { return m_notice; }
    /// Column and row under the cursor, wherever it is; none outside.
    [[nodiscard]] std::optional<std::pair<int64_t, int64_t>> pixelUnderCursor() const;
    /// The middle of a pixel on the screen.
    [[nodiscard]] QPointF screenPlace(int64_t column, int64_t row) const;

    [[nodiscard]] QSize sizeHint() const override { return {240, 180}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {60, 40}; }

  signals:
    void entered(); // a click, a key, the focus: this one is meant
    void resized();
    void stageStepped(int by); // the one before (-1) or after (+1), please
    void menuRequested(QPoint globalPlace);

  protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;

  private:
    [[nodiscard]] QPointF toCoordinates(QPointF screen) const;
    [[nodiscard]] QPointF toScreen(QPointF coordinates) const;
    void paintPicture(QPainter &painter);
    void paintCursor(QPainter &painter);

    Theme &m_theme;
    Viewpoint &m_viewpoint;
    QImage m_image;
    QImage m_reduced; // for the screen, where it shows less than one pixel of it for one
    QRectF m_place;
    QString m_notice;
    std::optional<QPointF> m_dragged; // from there
};

} // namespace loopscope
