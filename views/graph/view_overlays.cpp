#include "views/graph/view_overlays.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope {

namespace {
constexpr int kOverlayMargin = 8;
constexpr int kBusyDelayMs = 250;
} // namespace

EmptyOverlay::EmptyOverlay(Theme &theme, QWidget *parent)
    : QWidget(parent), m_theme(theme), m_label(new QLabel(this)), m_button(new QPushButton(this)) {
    m_label->setAlignment(Qt::AlignCenter);
    m_label->setWordWrap(true);
    m_label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(kOverlayMargin, kOverlayMargin, kOverlayMargin, kOverlayMargin);
    layout->setSpacing(kOverlayMargin);
    layout->addWidget(m_label);
    layout->addWidget(m_button, 0, Qt::AlignHCenter);
    connect(m_button, &QPushButton::clicked, this, [this] {
        if (m_action) m_action();
    });
    connect(&theme, &Theme::changed, this, &EmptyOverlay::restyle);
    restyle();
    hide();
}

void EmptyOverlay::setText(const QString &text, const QString &button, std::function<void()> action) {
    m_label->setText(text);
    m_button->setText(button);
    m_button->setVisible(!button.isEmpty());
    m_action = std::move(action);
}

void EmptyOverlay::placeIn(const QRect &area) {
    const int width = std::min(area.width() - 2 * kOverlayMargin, fontMetrics().averageCharWidth() * 64);
    const int height =
        std::min(layout()->hasHeightForWidth() ? layout()->heightForWidth(width) : sizeHint().height(), area.height());
    setGeometry(QRect(area.center() - QPoint(width / 2, height / 2), QSize(width, height)));
}

void EmptyOverlay::restyle() {
    QPalette colors = palette();
    colors.setColor(QPalette::WindowText, m_theme.color(Role::QuietText));
    m_label->setPalette(colors);
}

BusyCorner::BusyCorner(Theme &theme, QWidget *parent)
    : QWidget(parent), m_theme(theme), m_label(new QLabel(this)), m_button(new QToolButton(this)) {
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(kOverlayMargin, kOverlayMargin / 2, kOverlayMargin / 2, kOverlayMargin / 2);
    layout->setSpacing(kOverlayMargin);
    m_button->setAutoRaise(true);
    layout->addWidget(m_label);
    layout->addWidget(m_button);
    connect(m_button, &QToolButton::clicked, this, [this] {
        if (m_action) m_action();
    });
    hide();
}

void BusyCorner::begin(const QString &text, std::function<void()> cancel) {
    m_label->setText(text);
    m_action = std::move(cancel);
    m_button->setText(tr("Cancel"));
    m_button->setVisible(static_cast<bool>(m_action));
    m_busy = true;
    QTimer::singleShot(kBusyDelayMs, this, [this] {
        if (!m_busy) return;
        show();
        placeIn(m_area);
    });
}

void BusyCorner::say(const QString &text, const QString &button, std::function<void()> action) {
    m_busy = false;
    m_label->setText(text);
    m_button->setText(button);
    m_button->setVisible(!button.isEmpty());
    m_action = std::move(action);
    setVisible(!text.isEmpty());
}

void BusyCorner::end() {
    m_busy = false;
    m_action = nullptr;
    hide();
}

void BusyCorner::placeIn(const QRect &area) {
    m_area = area;
    const QSize size = sizeHint().boundedTo(area.size());
    setGeometry(QRect(QPoint(area.right() + 1 - size.width() - kOverlayMargin, area.top() + kOverlayMargin), size));
    raise();
}

void BusyCorner::paintEvent(QPaintEvent * /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(m_theme.color(Role::Border));
    painter.setBrush(m_theme.color(Role::Raised));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
}

GraphNotices::GraphNotices(Theme &theme, QWidget *graph)
    : QObject(graph), m_empty(new EmptyOverlay(theme, graph)), m_busy(new BusyCorner(theme, graph)) {}

void GraphNotices::setEmptyText(const QString &text, const QString &button, std::function<void()> action) {
    m_empty->setText(text, button, std::move(action));
    place();
}

QString GraphNotices::emptyText() const { return m_empty->isHidden() ? QString() : m_empty->text(); }

void GraphNotices::setBusy(const QString &text, std::function<void()> cancel) {
    m_busy->begin(text, std::move(cancel));
    place();
}

void GraphNotices::clearBusy() {
    if (m_busy->busy()) m_busy->end();
}

QString GraphNotices::busyText() const { return m_busy->busy() ? m_busy->text() : QString(); }

void GraphNotices::setNote(const QString &text, const QString &button, std::function<void()> action) {
    if (m_busy->busy()) return; // what goes on now is newer
    m_busy->say(text, button, std::move(action));
    place();
}

QString GraphNotices::note() const { return m_busy->isHidden() || m_busy->busy() ? QString() : m_busy->text(); }

void GraphNotices::placeIn(const QRect &area, bool pictured) {
    m_area = area;
    m_pictured = pictured;
    place();
}

void GraphNotices::place() {
    m_empty->setVisible(!m_pictured && !m_empty->text().isEmpty());
    m_empty->placeIn(m_area);
    m_busy->placeIn(m_area);
}

} // namespace loopscope
