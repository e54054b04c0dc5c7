#pragma once
// Parallel coordinates: an upright axis for each of the choices that weigh most, the speed last, and a line for every
// valid trial through the values it chose. A brush around values of an axis selects the trials that chose them.

#include "views/choices/weighed_choices.h"
#include "views/trial_plots/trial_plot.h"

#include <array>

namespace loopscope {

class ParallelPlot final : public TrialPlot {
    Q_OBJECT

  public:
    ParallelPlot(const PlottedTrials &data, Theme &theme, Settings &settings, QWidget *parent = nullptr);

    /// Null: none are known (yet).
    void setChoices(const WeighedChoicesPtr &choices);
    void rebuild() override;
    void addTrials(int /*first*/) override {} // they come with their choices
    void updateSelection() override;
    /// Choices that have an axis, from left to right.
    [[nodiscard]] const std::vector<int> &shown() const { return m_shown; }
    /// Where a trial's line crosses an axis, in the coordinates of the plot; the last axis is the speed.
    [[nodiscard]] QPointF crossing(int trial, size_t axis) const;

  protected:
    void applyColors() override;
    void resizeEvent(QResizeEvent *event) override;
    [[nodiscard]] QString table() const override;

  private:
    static constexpr size_t kShades = 6; // of speed
    using Coordinates = std::array<QVector<double>, 2>;
    void append(Coordinates &to, int trial) const;
    bool chooseAxes();
    void draw();
    void label();

    WeighedChoicesPtr m_choices;
    std::vector<int> m_shown;
    std::vector<double> m_speed; // of each trial, in shares of the best; 0 failed
    std::array<QCPCurve *, kShades> m_lines{};
    QCPCurve *m_brushed;
    QCPCurve *m_selected;
    QCPCurve *m_uprights; // the axes
    std::vector<QCPItemText *> m_values;
    Layer *m_layer = nullptr;
};

/// Speed of each trial as a share of that of the fastest; 0: it failed.
std::vector<double> speedShares(const Document *document, size_t trials);
/// The table that both plots export: a trial a line, a choice a column.
QString choiceTableText(const WeighedChoicesPtr &choices, const Document *document);

} // namespace loopscope
