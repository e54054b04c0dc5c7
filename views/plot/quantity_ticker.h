#pragma once
// The ticks of quantity.h on an axis of a plot: as many as its length has room for.

#include "views/plot/quantity.h"

#include "views/plot/custom_plot.h"

namespace loopscope {

class QuantityTicker final : public QCPAxisTicker {
  public:
    /// The ticker belongs to the axis.
    QuantityTicker(QCPAxis *axis, Quantity quantity) : m_axis(axis), m_quantity(quantity) {}

    void generate(const QCPRange &range, const QLocale &locale, QChar formatChar, int precision, QVector<double> &ticks,
                  QVector<double> *subTicks, QVector<QString> *tickLabels) override;

  private:
    QCPAxis *m_axis;
    Quantity m_quantity;
};

void setQuantity(QCPAxis *axis, Quantity quantity);

} // namespace loopscope
