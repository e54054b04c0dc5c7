#include "views/network_graph/network_legend.h"

#include "views/network_graph/box_item.h"

#include <QEvent>
#include <QPainter>

#include <algorithm>

namespace loopscope {

namespace {
constexpr int kLegendMargin = 8;
constexpr int kSign = 14;
constexpr int kRoom = 3; // times its width that the graph has to have
} // namespace

NetworkLegend::NetworkLegend(const Theme &theme, QWidget *graph) : QWidget(graph), m_theme(theme) {
    setObjectName(QStringLiteral("NetworkLegend"));
    setAccessibleName(tr("Legend"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    graph->installEventFilter(this);
    hide();
}

void NetworkLegend::show(Overlay overlay, double most, const std::set<BoxKind> &kinds) {
    m_overlay = overlay;
    m_most = most;
    m_kinds.assign(kinds.begin(), kinds.end());
    place();
    update();
}

QStringList NetworkLegend::texts() const {
    QStringList texts;
    if (m_overlay == Overlay::None)
        for (const BoxKind kind : m_kinds) texts << boxMeaning(kind);
    else
        for (const LegendStep &step : overlayScale(m_overlay, m_most)) texts << step.text;
    return texts;
}

QSize NetworkLegend::sizeHint() const {
    const QStringList all = texts();
    int widest = m_overlay == Overlay::None ? 0 : fontMetrics().horizontalAdvance(overlayName(m_overlay)) - kSign;
    for (const QString &text : all) widest = std::max(widest, fontMetrics().horizontalAdvance(text));
    const int rows = static_cast<int>(all.size()) + (m_overlay == Overlay::None ? 0 : 1);
    return {widest + kSign + 3 * kLegendMargin, rows * (fontMetrics().height() + 3) + 2 * kLegendMargin - 3};
}

/// At the lower left: the upper right holds notices, the lower right the overview.
void NetworkLegend::place() {
    const QSize size = sizeHint();
    const bool room = parentWidget()->width() >= kRoom * size.width() && parentWidget()->height() >= 2 * size.height();
    setVisible(m_wanted && room);
    setGeometry(QRect(QPoint(kLegendMargin, parentWidget()->height() - kLegendMargin - size.height()), size));
    raise();
}

void NetworkLegend::setWanted(bool wanted) {
    m_wanted = wanted;
    place();
}

bool NetworkLegend::eventFilter(QObject *object, QEvent *event) {
    if (event->type() == QEvent::Resize) place();
    return QWidget::eventFilter(object, event);
}

void NetworkLegend::paintEvent(QPaintEvent * /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor ground = m_theme.color(Role::Window);
    ground.setAlphaF(0.94F);
    painter.setPen(m_theme.color(Role::Border));
    painter.setBrush(ground);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    const int row = fontMetrics().height() + 3;
    int y = kLegendMargin;
    painter.setPen(m_theme.color(Role::Text));
    if (m_overlay != Overlay::None) {
        painter.drawText(kLegendMargin, y + fontMetrics().ascent(), overlayName(m_overlay));
        y += row;
    }
    const QStringList all = texts();
    const bool kinds = m_overlay == Overlay::None;
    const std::vector<LegendStep> scale = kinds ? std::vector<LegendStep>() : overlayScale(m_overlay, m_most);
    for (qsizetype i = 0; i < all.size(); ++i) {
        const auto at = static_cast<size_t>(i);
        const QRectF cell(kLegendMargin, y + 1, kSign, row - 5);
        painter.setPen(kinds ? QPen(Qt::NoPen) : QPen(m_theme.color(Role::Border)));
        painter.setBrush(kinds ? m_theme.color(boxColor(m_kinds[at]))
                               : BoxItem::heatColor(m_theme, scale[at].heat, scale[at].wrong));
        painter.drawRoundedRect(cell, 2, 2);
        painter.setPen(m_theme.color(Role::Text));
        painter.drawText(kLegendMargin * 2 + kSign, y + fontMetrics().ascent(), all[i]);
        y += row;
    }
}

} // namespace loopscope
