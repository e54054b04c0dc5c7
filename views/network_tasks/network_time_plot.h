#pragma once
// How the estimated time of the whole network falls while its tasks are searched, and what a run of it took where one
// was timed.

#include "views/plot/plot.h"
#include "views/session/network_progress.h"

namespace loopscope {

class NetworkTimePlot final : public Plot {
    Q_OBJECT

  public:
    explicit NetworkTimePlot(Theme &theme, QWidget *parent = nullptr);
    void show(const NetworkProgress &progress);

  private:
    void applyColors();
    [[nodiscard]] QString pointText(const QPointF &pixel) const;
    [[nodiscard]] QString csv() const;

    Theme &m_colors;
    QCPGraph *m_estimated;
    QCPGraph *m_measured;
    std::vector<NetworkTimePoint> m_points;
    std::vector<NetworkTimePoint> m_runs;
};

} // namespace loopscope
