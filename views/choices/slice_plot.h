#pragma once
// One choice: how fast the trials are that chose each of its values, and the best that each value reached. A steep line
// is a choice that matters; a flat one need not be tuned any more.

#include "views/choices/weighed_choices.h"
#include "views/trial_plots/trial_plot.h"

namespace loopscope {

class SlicePlot final : public TrialPlot {
    Q_OBJECT

  public:
    SlicePlot(const PlottedTrials &data, Theme &theme, Settings &settings, QWidget *parent = nullptr);

    /// Null or -1: none.
    void setChoice(const WeighedChoicesPtr &choices, int choice);
    [[nodiscard]] int choice() const { return m_choice; }
    void rebuild() override;
    void addTrials(int /*first*/) override {} // they come with their choices

  protected:
    void applyColors() override;
    [[nodiscard]] QString table() const override;

  private:
    WeighedChoicesPtr m_choices;
    int m_choice = -1;
    QCPGraph *m_points;
    QCPGraph *m_best;
    Layer *m_layer = nullptr;
};

} // namespace loopscope
