#pragma once
// The course of a search: every valid trial as a point, the best so far as a line, every failure as a mark in the strip
// below by its kind. By trial or by search time; as time or as GFLOP/s.

#include "views/search_progress/reference_line.h"
#include "views/trial_plots/trial_plot.h"

#include <map>

class QToolButton;

namespace loopscope {

class ProgressPlot final : public TrialPlot {
    Q_OBJECT

  public:
    ProgressPlot(const PlottedTrials &data, Theme &theme, Settings &settings, QWidget *parent = nullptr);

    void rebuild() override;
    void addTrials(int first) override;
    void updateReferences() override;
    void updateSelection() override;

  protected:
    void applyColors() override;

  private:
    [[nodiscard]] bool speed() const; // GFLOP/s, not time
    [[nodiscard]] bool byTrial() const;
    [[nodiscard]] bool logarithmic() const;
    [[nodiscard]] double xOf(int trial, double elapsed) const;
    [[nodiscard]] double yOf(double seconds, double gflops) const;
    void append();
    void fit();
    void layOutStrip();
    void nameColors(); // in the legend, of what there is

    QComboBox *m_y;
    QComboBox *m_x;
    QComboBox *m_scale;
    QCPAxisRect *m_strip;
    QCPGraph *m_points;
    QCPGraph *m_doubtful; // first times that could not be confirmed
    QCPGraph *m_best;
    QCPGraph *m_winner; // Document::best
    std::map<TrialError, QCPGraph *> m_failures;
    std::vector<TrialError> m_rows; // of the strip, bottom row last
    ReferenceLine m_naive;
    ReferenceLine m_peak;
    Layer *m_validLayer = nullptr;
    Layer *m_failedLayer = nullptr;
    size_t m_valid = 0; // shown so far
    size_t m_failed = 0;
    size_t m_records = 0;
    double m_least = 0; // of the valid values shown
    double m_most = 0;
};

} // namespace loopscope
