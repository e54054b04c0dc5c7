#pragma once
// Time over the size: a thin line for each variant, a thick one for what the table takes, dots for static kernels; and
// against the axis at the right what the table costs over static kernels.

#include "views/network_dispatch/dispatch_curves.h"
#include "views/plot/plot.h"

#include <memory>
#include <vector>

namespace loopscope {

class DispatchPlot final : public Plot {
    Q_OBJECT

  public:
    explicit DispatchPlot(Theme &theme, QWidget *parent = nullptr);
    /// `kernel` -1: the whole network. Null: nothing.
    void show(std::shared_ptr<const DispatchTable> table, int kernel);
    /// The variant that stands out; -1: none.
    void mark(int variant);
    [[nodiscard]] const DispatchCurves &curves() const { return m_curves; }
    [[nodiscard]] int marked() const { return m_marked; }

  private:
    void applyColors();
    [[nodiscard]] QString pointText(const QPointF &pixel) const;
    [[nodiscard]] QString csv() const;

    Theme &m_colors;
    std::shared_ptr<const DispatchTable> m_table;
    int m_kernel = -1;
    DispatchCurves m_curves;
    QCPGraph *m_ratio;
    QCPGraph *m_one; // as fast as static kernels
    QCPGraph *m_fixed;
    QCPGraph *m_taken;
    std::vector<QCPGraph *> m_variants;
    int m_marked = -1;
};

} // namespace loopscope
