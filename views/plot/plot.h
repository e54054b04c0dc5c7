#pragma once
// QCustomPlot with our colours and habits: pan by drag, zoom by wheel at the cursor (Ctrl: x only, Shift: y only),
// Shift drag brushes a range, double click fits, hover tells, one click selects, export as shown. Knows no trial and no
// state.

#include "views/actions/view_roles.h"
#include "views/settings/theme.h"

#include <qcustomplot.h>

#include <functional>
#include <memory>

namespace loopscope {

class Plot : public QCustomPlot, public ExportRole, public ZoomRole {
    Q_OBJECT

  public:
    explicit Plot(Theme &theme, QWidget *parent = nullptr);
    ~Plot() override;

    void setTitles(const QString &x, const QString &y);
    /// Replots at most once a frame, however often it is asked.
    void replotSoon();
    void setEmptyText(const QString &text); // shown while there is nothing to see
    void setEmpty(bool empty);
    /// Text (rich) for the point under the cursor, empty = none; asked on hover with the position in pixels.
    void setHover(std::function<QString(const QPointF &)> hover);

    [[nodiscard]] QStringList exportSuffixes() const override { return {"svg", "png", "pdf"}; }
    QString exportTo(const QString &path) override;
    void zoomIn() override;
    void zoomOut() override;
    void zoomToFit() override;
    /// The user has not moved the axes since the last fit: new data may fit again.
    [[nodiscard]] bool untouched() const;

  signals:
    void clicked(const QPointF &pixel, Qt::KeyboardModifiers modifiers);
    void brushed(const QRectF &coordinates); // in axis coordinates
    void fitRequested();                     // the owner knows its data's ranges

  private:
    struct Impl;
    Theme &m_theme;
    std::unique_ptr<Impl> m_impl;
};

} // namespace loopscope
