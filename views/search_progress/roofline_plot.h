#pragma once
// The rooflines of this machine and the trials below them: all have the task's one arithmetic intensity, the best so
// far climbs towards the roofline that limits it. Points are spread a little sideways, in the order of the trials.

#include "views/search_progress/roofline.h"
#include "views/trial_plots/trial_plot.h"

#include <QPolygonF>

#include <optional>

class QLabel;
class QToolButton;

namespace loopscope {

class RooflinePlot final : public TrialPlot {
    Q_OBJECT

  public:
    RooflinePlot(const PlottedTrials &data, Theme &theme, Settings &settings, QWidget *parent = nullptr);

    void rebuild() override;
    void addTrials(int first) override;
    void updateReferences() override;
    /// What the machine can do, as far as it was measured.
    void setMachine(const std::optional<MachineRooflines> &machine);
    /// Whether the machine is being measured; why it cannot be now, or empty.
    void setMeasuring(bool measuring, const QString &whyNot);

  signals:
    void measureMachine();

  protected:
    void applyColors() override;

  private:
    struct Line {
        Roofline roofline;
        QCPGraph *graph = nullptr;
        QCPItemText *name = nullptr;
        QString text; // its name in full
        int color = 0;
        bool flat = false; // the part of peak performance, drawn once for all memories
    };
    [[nodiscard]] double xOf(int trial) const;
    void drawRoofs();
    void drawTrials();
    using IsFree = std::function<bool(const QPolygonF &)>;
    struct NamePlace {
        QString text;
        QPointF at; // pixels
        Qt::Alignment alignment;
        double angle = 0; // degrees
        QPolygonF covers;
    };
    void placeNames();
    [[nodiscard]] std::optional<NamePlace> flatPlace(const Line &line, const QRectF &rect, const IsFree &isFree) const;
    [[nodiscard]] std::optional<NamePlace> slopedPlace(const Line &line, const QString &text, bool upright,
                                                       const QRectF &rect, const IsFree &isFree) const;

    std::optional<MachineRooflines> m_machine;
    QToolButton *m_measure;
    QLabel *m_limit;
    QCPGraph *m_points;
    QCPGraph *m_path;
    QCPItemStraightLine *m_here;
    std::vector<Line> m_lines;
    Layer *m_layer = nullptr;
    double m_intensity = 0;
    QTimer m_soon;
};

} // namespace loopscope
