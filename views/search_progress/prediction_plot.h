#pragma once
// What the cost model predicted against what was measured: a good model puts the points on a rising line. Scores are
// comparable within a round, so one round stands out; below, how well each round was ranked.

#include "views/search_progress/round_scores.h"
#include "views/trial_plots/trial_plot.h"

class QLabel;

namespace loopscope {

class RoundChoice;

class PredictionPlot final : public TrialPlot {
    Q_OBJECT

  public:
    PredictionPlot(const PlottedTrials &data, Theme &theme, Settings &settings, QWidget *parent = nullptr);

    void rebuild() override;
    void addTrials(int first) override;
    void updateReferences() override; // measured is relative to the best

  protected:
    void resizeEvent(QResizeEvent *event) override;
    void applyColors() override;

  private:
    void layOutStrip();
    void draw();

    RoundChoice *m_round;
    QLabel *m_quality;
    QCPAxisRect *m_strip;
    QCPGraph *m_other;
    QCPGraph *m_chosen;
    QCPGraph *m_failed;
    QCPGraph *m_ranks;
    Layer *m_layer = nullptr;
    QTimer m_soon; // all points move when the best changes: not at every trial
};

} // namespace loopscope
