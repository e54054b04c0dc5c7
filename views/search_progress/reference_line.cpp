#include "views/search_progress/reference_line.h"

#include <cmath>
#include <limits>

namespace loopscope {

ReferenceLine::ReferenceLine(QCustomPlot *plot, QCPAxis *x, QCPAxis *y)
    : m_y(y), m_line(new QCPItemStraightLine(plot)), m_text(new QCPItemText(plot)),
      m_level(std::numeric_limits<double>::quiet_NaN()) {
    for (auto *point : {m_line->point1, m_line->point2}) {
        point->setAxes(x, y);
        point->setAxisRect(x->axisRect());
        point->setTypeX(QCPItemPosition::ptAxisRectRatio);
        point->setTypeY(QCPItemPosition::ptPlotCoords);
    }
    m_line->setClipAxisRect(x->axisRect());
    m_text->setClipAxisRect(x->axisRect());
    m_text->position->setAxes(x, y);
    m_text->position->setAxisRect(x->axisRect());
    m_text->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
    m_text->setPadding(QMargins(4, 1, 4, 1));
    m_text->setLayer(QStringLiteral("axes")); // over points and curves
    m_line->setVisible(false);
    m_text->setVisible(false);
}

void ReferenceLine::setLevel(double value, const QString &name) {
    m_level = value;
    m_name = name;
}

void ReferenceLine::setColor(const QColor &ink, const QColor &paper) {
    m_line->setPen(QPen(ink, 1, Qt::DashLine));
    m_text->setColor(ink);
    QColor veil = paper; // legible over points, which stay visible
    veil.setAlphaF(0.75F);
    m_text->setBrush(veil);
}

void ReferenceLine::place(int row, bool pointsFall) {
    const bool any = std::isfinite(m_level) && (m_level > 0 || m_y->scaleType() == QCPAxis::stLinear);
    m_text->setVisible(any);
    const QCPRange range = m_y->range();
    m_line->setVisible(any && range.contains(m_level));
    if (!any) return;
    const double height = std::max(1, m_y->axisRect()->height());
    const double line = QFontMetricsF(m_text->font()).height() + 2;
    if (range.contains(m_level)) {
        m_line->point1->setCoords(0, m_level);
        m_line->point2->setCoords(1, m_level);
        // Above its line, unless that leaves the plot.
        const double fromTop = m_y->coordToPixel(m_level) - m_y->axisRect()->top();
        m_text->setPositionAlignment(Qt::AlignRight | (fromTop < line * 1.5 ? Qt::AlignTop : Qt::AlignBottom));
        m_text->position->setTypeY(QCPItemPosition::ptPlotCoords);
        m_text->position->setCoords(1, m_level);
        m_text->setText(m_name);
        return;
    }
    const bool above = m_level > range.upper;
    const bool right = above && pointsFall;
    m_text->setPositionAlignment((right ? Qt::AlignRight : Qt::AlignLeft) | (above ? Qt::AlignTop : Qt::AlignBottom));
    m_text->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
    m_text->position->setCoords(right ? 1 : 0, above ? row * line / height : 1 - row * line / height);
    m_text->setText(QStringLiteral("%1 %2").arg(m_name, above ? QStringLiteral("\u2191") : QStringLiteral("\u2193")));
}

} // namespace loopscope
