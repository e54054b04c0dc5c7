#pragma once
// The plots of a search side by side where there is room, one at a time behind tabs where there is not. A double click
// on a title enlarges its plot, another one brings the others back.

#include "views/trial_plots/trial_plot.h"

#include <QWidget>

#include <vector>

class QGridLayout;
class QTabBar;
class QToolButton;

namespace loopscope {

class PlotPanes final : public QWidget {
    Q_OBJECT

  public:
    PlotPanes(Theme &theme, Settings &settings, QWidget *parent = nullptr);
    void add(TrialPlot *plot); // all before it is shown

    /// The plot that export and zoom are about: enlarged, alone, or last touched.
    [[nodiscard]] TrialPlot *current() const;
    void setCurrent(int index);
    void enlarge(int index); // -1: none
    [[nodiscard]] int enlarged() const { return m_enlarged; }
    [[nodiscard]] bool showsAll() const { return m_grid; }

  signals:
    void exported(const QString &path, const QString &problem);

  protected:
    void resizeEvent(QResizeEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

  private:
    struct Pane {
        QWidget *frame = nullptr;
        QWidget *title = nullptr;
        QToolButton *enlarge = nullptr;
        TrialPlot *plot = nullptr;
    };
    void arrange();
    void chooseExport(TrialPlot *plot);
    Theme &m_theme;
    Settings &m_settings;
    QTabBar *m_tabs;
    QWidget *m_area;
    QGridLayout *m_cells;
    std::vector<Pane> m_panes;
    int m_current = 0;
    int m_enlarged = -1;
    bool m_grid = true;
};

} // namespace loopscope
