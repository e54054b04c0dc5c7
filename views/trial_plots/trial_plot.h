#pragma once
// What plots of trials have in common: they look at the same trials, a click selects one, a brush selects many,
// the selected ones wear a ring wherever they stand, hovering tells all. Each keeps its controls in a row above the
// plot.

#include "views/plot/plot.h"
#include "views/plot/point_cloud.h"
#include "views/settings/settings.h"
#include "views/trial_plots/trial_series.h"

#include <QHBoxLayout>
#include <QWidget>

#include <optional>
#include <vector>

class QComboBox;

namespace loopscope {

/// What the plots of a view look at.
struct PlottedTrials {
    const Document *document = nullptr;
    TrialSeries series;
    double peakGflops = 0;    // of the machine, all its cores; 0 while not known
    int selected = -1;        // trial
    std::vector<int> brushed; // ascending
};

class TrialPlot : public QWidget {
    Q_OBJECT

  public:
    TrialPlot(const QString &title, const PlottedTrials &data, Theme &theme, Settings &settings, QWidget *parent);

    [[nodiscard]] const QString &title() const { return m_title; }
    [[nodiscard]] Plot &plot() const { return *m_plot; }
    /// Without a place of their own: who shows the plot puts them above it.
    [[nodiscard]] const std::vector<QWidget *> &controls() const { return m_controls; }

    /// Everything anew: another document, other axes, trials measured again.
    virtual void rebuild() = 0;
    /// The trials from `first` on are new.
    virtual void addTrials(int first) = 0;
    /// Rounds or generations were added.
    virtual void updateRounds() {}
    /// The best, the naive schedule's time or the machine's peaks changed.
    virtual void updateReferences() {}
    /// The selected trials are others: rings.
    virtual void updateSelection();

    /// Trial at this pixel, -1 = none.
    [[nodiscard]] int trialAt(const QPointF &pixel) const;

  signals:
    void trialClicked(int trial, Qt::KeyboardModifiers modifiers);
    void trialsBrushed(const std::vector<int> &trials);

  protected:
    /// Points that can be clicked, with their axes; as many layers as there are axis rectangles.
    struct Layer {
        PointCloud cloud;
        QCPAxis *x = nullptr;
        QCPAxis *y = nullptr;
        QCPGraph *rings = nullptr; // what is brushed
        QCPGraph *mark = nullptr;  // what is selected
    };
    Layer &addLayer(QCPAxis *x, QCPAxis *y);
    /// Points of thousands are small and plain, so that drawing them stays quick.
    [[nodiscard]] double pointSize(size_t points) const;
    [[nodiscard]] static QCPScatterStyle::ScatterShape pointShape(size_t points);
    QComboBox *addChoice(const QStringList &texts, const QString &settingsKey, int fallback, const QString &tip);
    virtual void applyColors();
    /// What is exported as CSV.
    [[nodiscard]] virtual QString table() const;

    [[nodiscard]] const PlottedTrials &data() const { return m_data; }
    [[nodiscard]] const Theme &theme() const { return m_theme; }
    [[nodiscard]] Settings &settings() const { return m_settings; }
    void addControl(QWidget *control) { m_controls.push_back(control); }
    [[nodiscard]] QVBoxLayout *body() const { return m_body; }
    std::vector<std::unique_ptr<Layer>> m_layers;

  private:
    [[nodiscard]] QString tipAt(const QPointF &pixel) const;
    const QString m_title;
    const PlottedTrials &m_data;
    Theme &m_theme;
    Settings &m_settings;
    Plot *m_plot;
    std::vector<QWidget *> m_controls;
    QVBoxLayout *m_body;
};

/// Marker and colour of a kind of failure, the same in every plot.
struct FailureMark {
    QCPScatterStyle::ScatterShape shape;
    Role color;
};
FailureMark failureMark(TrialError error);

} // namespace loopscope
