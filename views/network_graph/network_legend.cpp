#include "views/network_graph/network_legend.h"

#include "views/network_graph/box_item.h"

#include <QEvent>
#include <QPainter>

#include <algorithm>

namespace loopscope {

namespace {
constexpr int kLegendMargin = 8;
constexpr int kSign = 14;
constexpr int kLegendGap = 12;
constexpr double kLegendHeight = 0.5; // of the graph's: then it gets another column
constexpr double kLegendWidth = 0.75; // of the graph's: the overview lies beside it
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

int NetworkLegend::columnWidth() const {
    int widest = 0;
    for (const QString &text : texts()) widest = std::max(widest, fontMetrics().horizontalAdvance(text));
    return kSign + kLegendMargin + widest;
}

int NetworkLegend::rows(int columns) const {
    const int all = static_cast<int>(texts().size());
    return (all + columns - 1) / columns + (m_overlay == Overlay::None ? 0 : 1);
}

QSize NetworkLegend::sizeFor(int columns) const {
    const int title = m_overlay == Overlay::None ? 0 : fontMetrics().horizontalAdvance(overlayName(m_overlay));
    const int width = std::max(title, columns * columnWidth() + (columns - 1) * kLegendGap);
    return {width + 2 * kLegendMargin, rows(columns) * (fontMetrics().height() + 3) + 2 * kLegendMargin - 3};
}

QSize NetworkLegend::sizeHint() const { return sizeFor(m_columns); }

/// At the lower left: the upper right holds notices, the lower right the overview. In a low graph it has several
/// columns; in one that is too small for that, too, it is not there.
void NetworkLegend::place() {
    const auto maxHeight = static_cast<int>(kLegendHeight * parentWidget()->height());
    const auto maxWidth = static_cast<int>(kLegendWidth * parentWidget()->width());
    m_columns = 1;
    const int all = static_cast<int>(texts().size());
    while (m_columns < all && sizeFor(m_columns).height() > maxHeight) ++m_columns;
    const QSize size = sizeHint();
    setVisible(m_wanted && all > 0 && size.width() <= maxWidth && size.height() <= maxHeight);
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
    int top = kLegendMargin;
    painter.setPen(m_theme.color(Role::Text));
    if (m_overlay != Overlay::None) {
        painter.drawText(kLegendMargin, top + fontMetrics().ascent(), overlayName(m_overlay));
        top += row;
    }
    const QStringList all = texts();
    const bool kinds = m_overlay == Overlay::None;
    const std::vector<LegendStep> scale = kinds ? std::vector<LegendStep>() : overlayScale(m_overlay, m_most);
    const int perColumn = (static_cast<int>(all.size()) + m_columns - 1) / m_columns;
    for (qsizetype i = 0; i < all.size(); ++i) {
        const auto at = static_cast<size_t>(i);
        const int x = kLegendMargin + static_cast<int>(i) / perColumn * (columnWidth() + kLegendGap);
        const int y = top + static_cast<int>(i) % perColumn * row;
        const QRectF cell(x, y + 1, kSign, row - 5);
        painter.setPen(kinds ? QPen(Qt::NoPen) : QPen(m_theme.color(Role::Border)));
        painter.setBrush(kinds ? m_theme.color(boxColor(m_kinds[at]))
                               : BoxItem::heatColor(m_theme, scale[at].heat, scale[at].wrong));
        painter.drawRoundedRect(cell, 2, 2);
        painter.setPen(m_theme.color(Role::Text));
        painter.drawText(x + kSign + kLegendMargin, y + fontMetrics().ascent(), all[i]);
    }
}

} // namespace loopscope
