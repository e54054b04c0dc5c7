#pragma once
// The generations of a round: how the scores of the population are distributed, its best and its median, how many
// children were invalid; the trials picked from it as points; and the descent of the selected trial, from its sketch
// through every mutation.

#include "views/trial_plots/trial_plot.h"

class QLabel;

namespace loopscope {

class RoundChoice;

class PopulationPlot final : public TrialPlot {
    Q_OBJECT

  public:
    PopulationPlot(const PlottedTrials &data, Theme &theme, Settings &settings, QWidget *parent = nullptr);

    void rebuild() override;
    void addTrials(int first) override;
    void updateRounds() override;
    void updateSelection() override;

  protected:
    void applyColors() override;
    [[nodiscard]] QString table() const override;

  private:
    [[nodiscard]] const RoundInfo *shownRound() const;
    void fillRounds();
    void draw();

    RoundChoice *m_round;
    QLabel *m_sampled;
    QLabel *m_descent;
    QCPGraph *m_best;
    QCPGraph *m_median;
    QCPGraph *m_picked;
    QCPGraph *m_lineage;
    std::vector<QCPCurve *> m_violins;
    Layer *m_layer = nullptr;
    QTimer m_soon;
};

} // namespace loopscope
