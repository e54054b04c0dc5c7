#include "views/network_profile/profile_timeline.h"

#include "views/session/text.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
#include <map>
#include <utility>

namespace loopscope {

namespace {
constexpr int kMargin = 8;
constexpr int kGap = 18; // between the lanes: room for what joins them
constexpr size_t kColours = 6;
} // namespace

ProfileTimeline::ProfileTimeline(const Theme &theme, const ProfileModel &model, QWidget *parent)
    : QWidget(parent), m_theme(theme), m_model(model) {
    setObjectName(QStringLiteral("network_timeline"));
    setAccessibleName(tr("The run as a line"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    connect(&m_model, &QAbstractItemModel::modelReset, this, [this] {
        m_selected.clear();
        layOut();
    });
    layOut();
}

/// Those that take most have colours of their own.
void ProfileTimeline::layOut() {
    m_begin = {0};
    std::map<QString, double> seconds;
    for (int row = 0; row < m_model.rowCount(); ++row) {
        m_begin.push_back(m_begin.back() + m_model.call(row).time.median);
        seconds[qt(m_model.call(row).name)] += m_model.call(row).time.median;
    }
    m_otherBegin = {0};
    for (const TracedKernel &kernel : m_model.other()) m_otherBegin.push_back(m_otherBegin.back() + kernel.time.median);
    m_names.clear();
    for (const auto &[name, sum] : seconds) m_names << name;
    std::ranges::sort(m_names, std::greater(), [&](const QString &name) { return seconds[name]; });
    updateGeometry();
    update();
}

QSize ProfileTimeline::sizeHint() const {
    const int lanes = m_model.other().empty() ? laneHeight() : 2 * laneHeight() + kGap;
    return {320, 2 * kMargin + lanes + fontMetrics().height() + 4};
}

void ProfileTimeline::setSelected(std::set<int> rows) {
    m_selected = std::move(rows);
    update();
}

double ProfileTimeline::scale() const {
    const double longest = std::max(m_begin.back(), m_otherBegin.back());
    return longest > 0 ? std::max(1, width() - 2 * kMargin) / longest : 0;
}

QRectF ProfileTimeline::bar(int row) const {
    const double pixels = scale(), begin = m_begin[static_cast<size_t>(row)];
    return {kMargin + begin * pixels, kMargin, (m_begin[static_cast<size_t>(row) + 1] - begin) * pixels,
            static_cast<double>(laneHeight())};
}

QRectF ProfileTimeline::otherBar(size_t kernel) const {
    const double pixels = scale();
    return {kMargin + m_otherBegin[kernel] * pixels, static_cast<double>(kMargin + laneHeight() + kGap),
            (m_otherBegin[kernel + 1] - m_otherBegin[kernel]) * pixels, static_cast<double>(laneHeight())};
}

int ProfileTimeline::rowAt(QPointF position) const {
    for (int row = 0; row < m_model.rowCount(); ++row)
        if (bar(row).contains(position)) return row;
    for (int row = 0; row < m_model.rowCount(); ++row)
        if (const auto beside = m_model.otherOf(row); beside && otherBar(*beside).contains(position)) return row;
    return -1;
}

QColor ProfileTimeline::colourOf(const QString &name) const {
    const auto at = m_names.indexOf(name);
    return at >= 0 && static_cast<size_t>(at) < kColours ? m_theme.series(static_cast<int>(at))
                                                         : m_theme.color(Role::QuietText);
}

void ProfileTimeline::drawBar(QPainter &painter, const QRectF &bar, const QString &name, const QColor &colour,
                              bool strong) const {
    QColor fill = colour;
    fill.setAlphaF(strong ? 0.9F : 0.4F);
    // A hair's breadth apart, while there is room for that.
    painter.fillRect(bar.width() > 4 ? bar.adjusted(0, 0, -1, 0) : bar, fill);
    if (strong) {
        painter.setPen(QPen(m_theme.color(Role::Text), 1));
        painter.drawRect(bar.adjusted(0.5, 0.5, -1.5, -0.5));
    }
    if (bar.width() < fontMetrics().averageCharWidth() * 6) return;
    painter.setPen(m_theme.color(Role::Text));
    painter.drawText(bar.adjusted(4, 0, -4, 0), Qt::AlignVCenter | Qt::AlignLeft,
                     fontMetrics().elidedText(name, Qt::ElideRight, static_cast<int>(bar.width()) - 8));
}

void ProfileTimeline::paintEvent(QPaintEvent * /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Role::Base));
    if (m_model.rowCount() == 0) return;
    const std::vector<TracedKernel> &other = m_model.other();
    painter.setRenderHint(QPainter::Antialiasing);
    for (int row = 0; row < m_model.rowCount(); ++row) {
        const auto beside = m_model.otherOf(row);
        if (!beside) continue;
        const QRectF above = bar(row), below = otherBar(*beside);
        QPainterPath band;
        band.moveTo(above.bottomLeft());
        band.lineTo(above.bottomRight());
        band.lineTo(below.topRight());
        band.lineTo(below.topLeft());
        QColor fill = m_theme.color(m_selected.contains(row) ? Role::Accent : Role::Border);
        fill.setAlphaF(m_selected.contains(row) ? 0.5F : 0.25F);
        painter.fillPath(band, fill);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    std::vector<int> rowOf(other.size(), -1);
    for (int row = 0; row < m_model.rowCount(); ++row) {
        const QString name = qt(m_model.call(row).name);
        drawBar(painter, bar(row), name, colourOf(name), m_selected.contains(row));
        if (const auto beside = m_model.otherOf(row)) rowOf[*beside] = row;
    }
    for (size_t kernel = 0; kernel < other.size(); ++kernel) {
        const int row = rowOf[kernel];
        drawBar(painter, otherBar(kernel), qt(other[kernel].name),
                row >= 0 ? colourOf(qt(m_model.call(row).name)) : m_theme.color(Role::Warning),
                row >= 0 && m_selected.contains(row));
    }
    painter.setPen(m_theme.color(Role::QuietText));
    const QString ours = tr("kernels %1").arg(timeText(m_begin.back()));
    const QString both =
        other.empty() ? ours : tr("above: ours, %1; below: the other, %2").arg(ours, timeText(m_otherBegin.back()));
    painter.drawText(
        QRectF(kMargin, height() - fontMetrics().height() - 4, width() - 2 * kMargin, fontMetrics().height() + 2),
        Qt::AlignLeft | Qt::AlignVCenter, fontMetrics().elidedText(both, Qt::ElideRight, width() - 2 * kMargin));
}

void ProfileTimeline::mousePressEvent(QMouseEvent *event) {
    if (event->button() == Qt::LeftButton) Q_EMIT clicked(rowAt(event->position()));
}

void ProfileTimeline::keyPressEvent(QKeyEvent *event) {
    const int rows = m_model.rowCount();
    const int by = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    if (by == 0 || rows == 0) return QWidget::keyPressEvent(event);
    const int now = m_selected.empty() ? (by > 0 ? -1 : rows) : *m_selected.begin();
    Q_EMIT clicked(std::clamp(now + by, 0, rows - 1));
}

bool ProfileTimeline::event(QEvent *event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const int row = rowAt(help->pos());
    if (row < 0)
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), m_model.index(row, 0).data(Qt::ToolTipRole).toString(), this);
    return true;
}

} // namespace loopscope
