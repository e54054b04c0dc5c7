#pragma once
// QCustomPlot with our colours and habits: pan by drag, zoom by wheel at the cursor (Ctrl: x only, Shift: y only),
// Shift drag brushes a range, double click fits, hover tells, one click selects, export as shown. Knows no trial and no
// state. With the keyboard: W A S D or arrows pan, + and - zoom, F fits.

#include "views/actions/view_roles.h"
#include "views/plot/quantity.h"
#include "views/settings/theme.h"

#include "views/plot/custom_plot.h"

#include <functional>
#include <memory>

namespace loopscope {

class Plot : public QCustomPlot, public ExportRole, public ZoomRole {
    Q_OBJECT

  public:
    explicit Plot(Theme &theme, QWidget *parent = nullptr);
    ~Plot() override;

    void setTitles(const QString &x, const QString &y);
    /// Of any axis. A title longer than its axis loses what stands behind the comma, then is cut; never does it run
    /// into what is beside.
    void setTitle(QCPAxis *axis, const QString &title);
    /// What the axes count, and whether logarithmically: ticks and their labels.
    void setQuantities(Quantity x, Quantity y, bool logX = false, bool logY = false);
    /// Replots at most once a frame, however often it is asked; not before it is seen.
    void replotSoon();
    /// The overlay layer alone: rings around what is selected. Cheap at any number of points.
    void replotOverlay();
    void setEmptyText(const QString &text); // shown while there is nothing to see
    void setEmpty(bool empty);
    [[nodiscard]] bool empty() const;
    /// Text (rich) for the point under the cursor, empty = none; asked on hover with the position in pixels.
    void setHover(std::function<QString(const QPointF &)> hover);
    /// What "csv" exports; the suffix is offered once this is set.
    void setTable(std::function<QString()> csv);

    /// The ranges of all data, margins included. Shown at once while untouched(), and by the next fit otherwise.
    void setDataRange(const QCPRange &x, const QCPRange &y);
    /// A row above the plot that says what is what; it is exported too. Called again when the list changes.
    void showLegend(const QList<QCPAbstractPlottable *> &plottables);
    /// An axis that neither pans nor zooms: of a strip with rows of its own.
    void keepFixed(QCPAxis *axis);
    /// Colours and fonts of every axis rectangle; after one was added.
    void applyTheme();

    [[nodiscard]] QStringList exportSuffixes() const override;
    QString exportTo(const QString &path) override;
    void zoomIn() override;
    void zoomOut() override;
    void zoomToFit() override;
    /// The user has not moved the axes since the last fit: new data may fit again.
    [[nodiscard]] bool untouched() const;

    [[nodiscard]] QSize minimumSizeHint() const override;

  signals:
    void clicked(const QPointF &pixel, Qt::KeyboardModifiers modifiers);
    void brushed(const QRectF &coordinates); // in axis coordinates
    void themeApplied();                     // set the colours of the data again

  protected:
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

  private:
    struct Impl;
    void pan(const QPointF &pixels);
    void zoom(double factor, const QPointF &at, bool x, bool y);
    void endBrush();
    void wrapLegend();
    void fitTitles();
    [[nodiscard]] QString tableText() const;
    Theme &m_theme;
    std::unique_ptr<Impl> m_impl;
};

/// Writes the text to the file, in UTF-8. Empty on success, else a sentence.
QString writeTable(const QString &path, const QString &text);

/// Of values from `least` to `most` on a linear or logarithmic axis, with room around them; never empty.
QCPRange rangeWithMargin(double least, double most, bool logarithmic, double share = 0.05);

} // namespace loopscope
