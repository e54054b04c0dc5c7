#include "views/memory_layout/memory_canvas.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <map>
#include <utility>

namespace loopscope {

namespace {

constexpr double kGap = 4;
constexpr double kLargestCell = 40;
constexpr int kColours = 6;

} // namespace

MemoryCanvas::MemoryCanvas(Theme &theme, QWidget *parent) : QWidget(parent), m_theme(theme) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void MemoryCanvas::setPicture(MemoryPicture picture, const QString &title) {
    m_picture = std::move(picture);
    m_title = title;
    if (m_pointed && static_cast<size_t>(*m_pointed) >= m_picture.cells().size()) m_pointed.reset();
    setAccessibleDescription(title);
    update();
}

void MemoryCanvas::setPointed(std::optional<int> cell) {
    if (cell && static_cast<size_t>(*cell) >= m_picture.cells().size()) cell.reset();
    if (cell == m_pointed) return;
    m_pointed = cell;
    update();
}

QRectF MemoryCanvas::rectOf(int cell) const {
    if (m_picture.empty()) return {};
    const double head = fontMetrics().height() + 2 * kGap;
    const double side = std::min(
        {(width() - 2 * kGap) / m_picture.columns(), (height() - head - kGap) / m_picture.rows(), kLargestCell});
    const double left = (width() - side * m_picture.columns()) / 2;
    const int row = cell / m_picture.columns();
    const int column = cell % m_picture.columns();
    return {left + side * column, head + side * row, side, side};
}

std::optional<int> MemoryCanvas::cellAt(QPointF place) const {
    if (m_picture.empty()) return std::nullopt;
    const QRectF first = rectOf(0);
    if (first.width() <= 0) return std::nullopt;
    const QPointF inside = (place - first.topLeft()) / first.width();
    const int column = static_cast<int>(std::floor(inside.x()));
    const int row = static_cast<int>(std::floor(inside.y()));
    if (column < 0 || row < 0 || column >= m_picture.columns() || row >= m_picture.rows()) return std::nullopt;
    return row * m_picture.columns() + column;
}

// --- Painting
// --------------------------------------------------------------------------------------------------------

void MemoryCanvas::paintEvent(QPaintEvent *) {
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Role::Base));
    painter.setPen(m_theme.color(Role::Text));
    painter.drawText(QRectF(kGap, kGap, width() - 2 * kGap, fontMetrics().height()), Qt::AlignHCenter,
                     fontMetrics().elidedText(m_title, Qt::ElideMiddle, static_cast<int>(width() - 2 * kGap)));
    if (m_picture.empty() || rectOf(0).width() < 2) return;
    paintCells(painter);
    paintThread(painter);
    paintPointed(painter);
}

void MemoryCanvas::paintCells(QPainter &painter) {
    // Lines that lie beside each other have other colours: numbered as they come.
    std::map<int64_t, int> numbers;
    for (const MemoryCell &cell : m_picture.cells()) numbers.emplace(cell.line, 0);
    int number = 0;
    for (auto &[line, of] : numbers) of = number++;
    int64_t largest = 0;
    for (const MemoryCell &cell : m_picture.cells()) largest = std::max(largest, cell.offset);
    const QRectF first = rectOf(0);
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * 0.8);
    const bool told = QFontMetricsF(small).horizontalAdvance(QString::number(largest)) + kGap < first.width();
    painter.setFont(small);
    for (int at = 0; at < static_cast<int>(m_picture.cells().size()); ++at) {
        const MemoryCell &cell = m_picture.cells()[static_cast<size_t>(at)];
        const QRectF place = rectOf(at);
        QColor colour = m_theme.series(numbers[cell.line] % kColours);
        colour.setAlphaF(0.32F);
        painter.fillRect(place, colour);
        painter.setPen(QPen(m_theme.color(Role::Base), 1));
        painter.drawRect(place);
        if (!told) continue;
        painter.setPen(m_theme.color(Role::Text));
        painter.drawText(place, Qt::AlignCenter, QString::number(cell.offset));
    }
}

void MemoryCanvas::paintThread(QPainter &painter) {
    painter.setRenderHint(QPainter::Antialiasing, true);
    QPainterPath thread;
    for (int at = 0; at < static_cast<int>(m_picture.cells().size()); ++at) {
        const int next = m_picture.cells()[static_cast<size_t>(at)].next;
        if (next < 0) continue;
        thread.moveTo(rectOf(at).center());
        thread.lineTo(rectOf(next).center());
    }
    QColor ink = m_theme.color(Role::Text);
    ink.setAlphaF(rectOf(0).width() > 20 ? 0.25F : 0.6F); // beneath numbers it must not hide them
    painter.setPen(QPen(ink, 1.2));
    painter.drawPath(thread);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void MemoryCanvas::paintPointed(QPainter &painter) {
    if (!m_pointed) return;
    const auto frame = [&](const std::vector<int> &cells, Role role, double inset) {
        painter.setPen(QPen(m_theme.color(role), 2));
        for (const int cell : cells) painter.drawRect(rectOf(cell).adjusted(inset, inset, -inset, -inset));
    };
    frame(m_picture.onLineOf(*m_pointed), Role::Accent, 1);
    frame(m_picture.vectorFrom(*m_pointed), Role::Vector, 3.5);
}

// --- Hands
// -----------------------------------------------------------------------------------------------------------

void MemoryCanvas::point(std::optional<int> cell) {
    if (cell == m_pointed) return;
    setPointed(cell);
    Q_EMIT cellPointed(cell);
}

void MemoryCanvas::mouseMoveEvent(QMouseEvent *event) { point(cellAt(event->position())); }
void MemoryCanvas::leaveEvent(QEvent *) { point(std::nullopt); }

void MemoryCanvas::focusInEvent(QFocusEvent *event) {
    QWidget::focusInEvent(event);
    if (event->reason() == Qt::TabFocusReason && !m_pointed && !m_picture.empty()) point(0);
}

void MemoryCanvas::keyPressEvent(QKeyEvent *event) {
    if (m_picture.empty()) return QWidget::keyPressEvent(event);
    const int at = m_pointed.value_or(0);
    int row = at / m_picture.columns();
    int column = at % m_picture.columns();
    switch (event->key()) {
    case Qt::Key_Left:
        --column;
        break;
    case Qt::Key_Right:
        ++column;
        break;
    case Qt::Key_Up:
        --row;
        break;
    case Qt::Key_Down:
        ++row;
        break;
    default:
        return QWidget::keyPressEvent(event);
    }
    row = std::clamp(row, 0, m_picture.rows() - 1);
    column = std::clamp(column, 0, m_picture.columns() - 1);
    point(row * m_picture.columns() + column);
}

} // namespace loopscope
