#pragma once
// Where one looks, how large, and at what the cursor points: the same for all pictures shown side by side, in the
// coordinates of the workload. A picture of another scale (a level of a pyramid) takes part by its share of the
// largest.

#include <QObject>
#include <QPointF>
#include <QRectF>
#include <QSizeF>

#include <optional>

namespace loopscope {

class Viewpoint : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    [[nodiscard]] QPointF centre() const { return m_centre; }
    [[nodiscard]] double zoom() const { return m_zoom; } // pixels of the screen to one of the picture
    [[nodiscard]] std::optional<QPointF> cursor() const { return m_cursor; }
    /// Nobody has moved since it was fitted: another size may be fitted again.
    [[nodiscard]] bool untouched() const { return m_untouched; }

    /// Everything there is to see, in a window of that size; fits it unless somebody has moved.
    void setContent(const QRectF &content, const QSizeF &window);
    void fit();
    void lifeSize();
    /// What lies at `place` stays where it is.
    void zoomBy(double factor, std::optional<QPointF> place = {});
    void moveBy(QPointF coordinates);
    void setCursor(std::optional<QPointF> place);

  signals:
    void moved();
    void cursorMoved();

  private:
    void settle();
    QRectF m_content;
    QSizeF m_window;
    QPointF m_centre;
    double m_zoom = 1;
    std::optional<QPointF> m_cursor;
    bool m_untouched = true;
};

} // namespace loopscope
