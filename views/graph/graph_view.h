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

/// WASD and middle/right drag pan, Ctrl+wheel and +/- zoom about the cursor, F fits the selection then everything, Home
/// fits everything, Esc clears the selection, `.` and `,` step to the next and previous node. A minimap appears when
/// the graph is much larger than the view. Thousands of items stay fluid (no antialiasing of text below legible size,
/// item level of detail through `levelOfDetail`).
class GraphView : public QGraphicsView, public ExportRole, public ZoomRole {
    Q_OBJECT

  public:
    explicit GraphView(Theme &theme, QWidget *parent = nullptr);
    ~GraphView() override;

    void zoomIn() override;
    void zoomOut() override;
    void zoomToFit() override;
    /// Moves (animated for short ways) so that the rectangle is seen, zooming out only when it must.
    void reveal(const QRectF &sceneRect);
    /// The user has not moved since the last fit: a new layout may fit again.
    [[nodiscard]] bool untouched() const { return m_untouched; }

    [[nodiscard]] QStringList exportSuffixes() const override { return {"svg", "png", "pdf"}; }
    QString exportTo(const QString &path) override; // the whole scene

    /// Text in the middle while the scene is empty: "Open a workload to see its ComputeDAG".
    void setEmptyText(const QString &text);
    /// Shown in a corner with a way to cancel while `busy`: "Laying out 1000 nodes ...".
    void setBusy(const QString &text, std::function<void()> cancel);
    void clearBusy();

  signals:
    void escapePressed();
    void nextRequested(int direction); // +1 and -1
    void scaleChanged(double scale);

  protected:
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void drawForeground(QPainter *painter, const QRectF &rect) override;
    void paintEvent(QPaintEvent *event) override;

  private:
    struct Impl;
    Theme &m_theme;
    bool m_untouched = true;
    std::unique_ptr<Impl> m_impl;
};

} // namespace loopscope
