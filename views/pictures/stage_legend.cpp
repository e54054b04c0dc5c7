#include "views/pictures/stage_legend.h"

#include <QPainter>

namespace loopscope {

namespace {

constexpr int kGap = 6;

} // namespace

StageLegend::StageLegend(Theme &theme, QWidget *parent) : QWidget(parent), m_theme(theme) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void StageLegend::setStage(const ShownStage *stage, const StageLook &look) {
    m_shown = stage != nullptr && stage->isPicture();
    m_beyond.clear();
    if (m_shown) {
        m_mapping = look.mapping;
        m_colours = look.pixels.channels >= 0;
        m_range = rangeOf(*stage, look);
        m_left = numberText(m_range.black);
        m_right = numberText(m_range.white);
        QStringList beyond;
        if (stage->facts.least < m_range.black) beyond << tr("least %1").arg(numberText(stage->facts.least));
        if (stage->facts.greatest > m_range.white) beyond << tr("greatest %1").arg(numberText(stage->facts.greatest));
        if (stage->facts.noNumbers > 0) beyond << tr("%1 no numbers").arg(stage->facts.noNumbers);
        m_beyond = beyond.join(QStringLiteral(", "));
    }
    setToolTip(m_shown ? tr("Black is %1 and white %2. %3").arg(m_left, m_right, m_beyond).trimmed() : QString());
    setAccessibleName(tr("Legend"));
    setAccessibleDescription(text());
    update();
}

QString StageLegend::text() const {
    if (!m_shown) return {};
    const QString range = tr("%1 to %2").arg(m_left, m_right);
    return m_beyond.isEmpty() ? range : range + QStringLiteral(", ") + m_beyond;
}

QSize StageLegend::sizeHint() const { return {200, fontMetrics().height() + 2}; }
QSize StageLegend::minimumSizeHint() const { return {40, fontMetrics().height() + 2}; }

void StageLegend::paintEvent(QPaintEvent *) {
    if (!m_shown) return;
    QPainter painter(this);
    painter.setPen(m_theme.color(Role::QuietText));
    const QFontMetrics metrics(font());
    const int left = metrics.horizontalAdvance(m_left) + kGap;
    const int right = metrics.horizontalAdvance(m_right) + kGap;
    const int beyond = m_beyond.isEmpty() ? 0 : metrics.horizontalAdvance(m_beyond) + 2 * kGap;
    // What is beyond goes first where there is no room, then the numbers' scale.
    const bool told = left + right + beyond + 3 * kGap <= width();
    const QRect bar(left, 2, std::min(width() - left - right - (told ? beyond : 0), 20 * kGap), height() - 4);
    if (bar.width() < kGap) {
        painter.drawText(rect(), Qt::AlignVCenter, metrics.elidedText(text(), Qt::ElideRight, width()));
        return;
    }
    painter.drawText(rect(), Qt::AlignVCenter | Qt::AlignLeft, m_left);
    for (int x = 0; x < bar.width(); ++x) {
        const double share = bar.width() > 1 ? static_cast<double>(x) / (bar.width() - 1) : 0;
        const double value = m_range.black + share * (m_range.white - m_range.black);
        painter.fillRect(bar.left() + x, bar.top(), 1, bar.height(), shadeOf(value, m_mapping, m_range));
    }
    painter.setPen(m_theme.color(Role::Border));
    painter.drawRect(bar.adjusted(0, 0, -1, -1));
    painter.setPen(m_theme.color(Role::QuietText));
    painter.drawText(QRect(bar.right() + kGap, 0, width(), height()), Qt::AlignVCenter | Qt::AlignLeft, m_right);
    if (told && beyond > 0)
        painter.drawText(QRect(bar.right() + right + 2 * kGap, 0, width(), height()), Qt::AlignVCenter | Qt::AlignLeft,
                         m_beyond);
}

} // namespace loopscope
