#include "views/plot/quantity_ticker.h"

#include <algorithm>

namespace loopscope {

void QuantityTicker::generate(const QCPRange &range, const QLocale &, QChar, int, QVector<double> &ticks,
                              QVector<double> *subTicks, QVector<QString> *tickLabels) {
    const QFontMetricsF metrics(m_axis->tickLabelFont());
    const bool across = m_axis->orientation() == Qt::Horizontal;
    const double length = across ? m_axis->axisRect()->width() : m_axis->axisRect()->height();
    const double room = across ? metrics.horizontalAdvance(QStringLiteral("00000 ms")) * 1.35 : metrics.height() * 2.2;
    const int wanted = std::clamp(static_cast<int>(length / std::max(1., room)), 2, 12);
    const auto all =
        ticksOf(m_quantity, range.lower, range.upper, m_axis->scaleType() == QCPAxis::stLogarithmic, wanted);
    ticks.clear();
    if (subTicks) subTicks->clear();
    if (tickLabels) tickLabels->clear();
    for (const auto &tick : all) {
        if (tick.label.isEmpty()) {
            if (subTicks) subTicks->append(tick.value);
            continue;
        }
        ticks.append(tick.value);
        if (tickLabels) tickLabels->append(tick.label);
    }
}

void setQuantity(QCPAxis *axis, Quantity quantity) {
    axis->setTicker(QSharedPointer<QuantityTicker>::create(axis, quantity));
}

} // namespace loopscope
