#include "views/session/text.h"
#include "views/sketch_tree/tree_items.h"

#include <QPainter>
#include <QTextLayout>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace loopscope {

namespace {

constexpr int kRuleLines = 2;

/// At most kRuleLines lines, broken between words, the last one elided.
QStringList wrapped(const TreeLook &look, const QString &text, double width) {
    QTextLayout layout(text, look.small);
    layout.beginLayout();
    QStringList lines;
    while (true) {
        QTextLine line = layout.createLine();
        if (!line.isValid()) break;
        line.setLineWidth(width);
        if (lines.size() + 1 == kRuleLines) {
            lines << look.smallElided(text.mid(line.textStart()), width);
            break;
        }
        lines << text.mid(line.textStart(), line.textLength()).trimmed();
    }
    layout.endLayout();
    return lines;
}

/// Widths of the numbers' columns: right aligned and the same on every card, so that cards read as a table.
struct Columns {
    explicit Columns(const TreeLook &look) {
        const double gap = 0.7 * look.line;
        const double number = look.width(QStringLiteral("00000"));
        const double time = look.boldWidth(QStringLiteral("000.0 \u00b5s"));
        widths = {std::max(number, look.smallWidth(QStringLiteral("sampled"))),
                  std::max(number, look.smallWidth(QStringLiteral("measured"))) + gap,
                  std::max(number, look.smallWidth(QStringLiteral("failed"))) + gap, time + gap, time + gap};
    }
    [[nodiscard]] double total() const { return std::accumulate(widths.begin(), widths.end(), 0.0); }
    std::array<double, 5> widths;
};

QString count(int number) { return number < 0 ? QStringLiteral("\u2013") : QString::number(number); }

} // namespace

CardItem::CardItem(const TreeLook &look, int index, const DerivationNode &node, const Sketch &sketch)
    : TreeItem(look, index), m_sketch(node.sketch), m_rules(rulesText(sketch)),
      m_selectedSeconds(std::numeric_limits<double>::quiet_NaN()) {
    m_state = node.state ? node.state : std::make_shared<const LoopState>(sketch.state);
}

QSizeF CardItem::cardSize(const TreeLook &look) {
    return {std::ceil(std::max(18 * look.line, Columns(look).total() + 2 * look.pad)),
            std::ceil(3 * look.pad + 2 * look.line + (kRuleLines + 1) * look.smallLine + look.line + 6)};
}

TreeBox CardItem::box() const {
    TreeBox box;
    box.size = cardSize(m_look);
    box.anchor = box.size.height() / 2;
    box.bodyWidth = box.size.width();
    box.last = true;
    return box;
}

void CardItem::setNumbers(const SketchNumbers &numbers, bool best, double fastest, double slowest) {
    m_numbers = numbers;
    m_best = best;
    m_fastest = fastest;
    m_slowest = slowest;
    update();
}

void CardItem::setSelectedSeconds(double seconds) {
    if (seconds == m_selectedSeconds || (std::isnan(seconds) && std::isnan(m_selectedSeconds))) return;
    m_selectedSeconds = seconds;
    update();
}

QRectF CardItem::boundingRect() const { return QRectF(QPointF(), cardSize(m_look)).adjusted(-5, -5, 5, 5); }

TreeSpot CardItem::spotAt(const QPointF &own) const {
    return QRectF(QPointF(), cardSize(m_look)).contains(own) ? TreeSpot{TreeSpot::Kind::Node, m_index} : TreeSpot{};
}

void CardItem::paintNumbers(QPainter &painter, const QRectF &rect) const {
    const QString none = QStringLiteral("\u2013");
    const bool idle = m_numbers.sampled < 0 && m_numbers.measured == 0; // nobody searched yet
    const std::array<std::pair<QString, QString>, 5> cells = {{
        {QStringLiteral("sampled"), count(m_numbers.sampled)},
        {QStringLiteral("measured"), count(idle ? -1 : m_numbers.measured)},
        {QStringLiteral("failed"), count(idle ? -1 : m_numbers.failed)},
        {QStringLiteral("best"), m_numbers.seconds.empty() ? none : timeText(m_numbers.best)},
        {QStringLiteral("median"), m_numbers.seconds.empty() ? none : timeText(m_numbers.median())},
    }};
    const Columns columns(m_look);
    const double share = rect.width() / columns.total(); // a card may be wider than its numbers
    double x = rect.left();
    for (size_t i = 0; i < cells.size(); ++i) {
        const double width = share * columns.widths[i];
        const QRectF cell(x, rect.top(), width, rect.height());
        x += width;
        painter.setFont(m_look.small);
        painter.setPen(m_look.color(Role::QuietText));
        painter.drawText(cell, Qt::AlignRight | Qt::AlignTop, cells[i].first);
        painter.setFont(i == 3 && !m_numbers.seconds.empty() ? m_look.bold : m_look.font);
        Role role = Role::Text;
        if (i == 2 && m_numbers.failed > 0) role = Role::Bad;
        if (i == 3 && m_best) role = Role::Good;
        painter.setPen(m_look.color(role));
        painter.drawText(cell, Qt::AlignRight | Qt::AlignBottom, cells[i].second);
    }
}

void CardItem::paintStrip(QPainter &painter, const QRectF &rect) const {
    if (m_numbers.seconds.empty()) return;
    painter.setPen(QPen(m_look.color(Role::Grid), 1));
    painter.drawLine(QPointF(rect.left(), rect.center().y()), QPointF(rect.right(), rect.center().y()));
    // One logarithmic scale for all sketches. Many times fall on one pixel: a pixel is painted once, darker the more.
    const double low = std::log(m_fastest);
    const double range = std::max(std::log(m_slowest) - low, 1e-9);
    const double room = rect.width() - 3;
    const auto place = [&](double seconds) {
        const double share = m_slowest > m_fastest ? (std::log(seconds) - low) / range : 0;
        return rect.left() + 1 + room * std::clamp(share, 0.0, 1.0);
    };
    std::vector<int> pixels(static_cast<size_t>(room) + 2, 0);
    for (const double seconds : m_numbers.seconds) ++pixels[static_cast<size_t>(place(seconds) - rect.left())];
    QColor ink = m_look.color(Role::Series0);
    for (size_t i = 0; i < pixels.size(); ++i) {
        if (pixels[i] == 0) continue;
        ink.setAlphaF(static_cast<float>(std::min(1.0, 0.35 + 0.2 * pixels[i])));
        painter.fillRect(QRectF(rect.left() + static_cast<double>(i), rect.top() + 1, 1.5, rect.height() - 2), ink);
    }
    const auto tick = [&](double seconds, Role role) {
        painter.fillRect(QRectF(place(seconds) - 0.5, rect.top() - 1, 2.5, rect.height() + 2), m_look.color(role));
    };
    tick(m_numbers.best, m_best ? Role::Good : Role::Series0);
    if (std::isfinite(m_selectedSeconds)) tick(m_selectedSeconds, Role::Accent);
}

void CardItem::paint(QPainter *painter, const QStyleOptionGraphicsItem *, QWidget *) {
    painter->setRenderHint(QPainter::Antialiasing);
    const QRectF card(QPointF(), cardSize(m_look));
    const bool strong = m_marks.selected || m_marks.onPath;
    const Role edge = strong ? Role::Accent : m_best ? Role::Good : Role::Border;
    painter->setPen(QPen(m_look.color(edge), m_marks.selected ? 2.4 : strong || m_best ? 1.6 : 1));
    painter->setBrush(m_marks.found                        ? m_look.color(Role::Highlight)
                      : m_hot.kind == TreeSpot::Kind::Node ? m_look.color(Role::Hover)
                                                           : m_look.color(Role::Raised));
    painter->drawRoundedRect(card, 8, 8);
    if (m_marks.current || m_marks.foundNow) {
        painter->setBrush(Qt::NoBrush);
        painter->setPen(QPen(m_look.color(m_marks.foundNow ? Role::Warning : Role::Accent), 1.4,
                             m_marks.foundNow ? Qt::SolidLine : Qt::DotLine));
        painter->drawRoundedRect(card.adjusted(-3, -3, 3, 3), 10, 10);
    }

    const QRectF inner = card.adjusted(m_look.pad, m_look.pad, -m_look.pad, -m_look.pad);
    const double picture = 2.9 * m_look.line;
    const double head = m_look.line + kRuleLines * m_look.smallLine;
    if (!m_shape) m_shape = makeNestShape(*m_state);
    m_look.paintThumbnail(*painter, QRectF(inner.topLeft(), QSizeF(picture, head)), *m_shape);
    const double left = inner.left() + picture + m_look.pad;
    const QRectF title(left, inner.top(), inner.right() - left, m_look.line);
    const QString name = QStringLiteral("Sketch %1").arg(m_sketch);
    if (!legible(*painter, m_look.smallLine)) {
        // Far away only the number is left, as large as the card allows.
        QFont large = m_look.bold;
        large.setPointSizeF(m_look.bold.pointSizeF() * 3);
        painter->setFont(large);
        painter->setPen(m_look.color(m_best ? Role::Good : Role::Text));
        painter->drawText(card.adjusted(picture, 0, 0, 0), Qt::AlignCenter, QString::number(m_sketch));
        return;
    }
    painter->setFont(m_look.bold);
    painter->setPen(m_look.color(Role::Text));
    painter->drawText(title, Qt::AlignLeft | Qt::AlignVCenter, name);
    if (m_best) {
        const QString best = QStringLiteral("best");
        const double width = m_look.smallWidth(best) + 14;
        const QRectF badge(inner.right() - width, inner.top(), width, m_look.line);
        painter->setPen(Qt::NoPen);
        painter->setBrush(m_look.theme.tint(Role::Good));
        painter->drawRoundedRect(badge, m_look.line / 2, m_look.line / 2);
        painter->setFont(m_look.smallBold);
        painter->setPen(m_look.color(Role::Good));
        painter->drawText(badge, Qt::AlignCenter, best);
    }
    painter->setFont(m_look.small);
    painter->setPen(m_look.color(Role::QuietText));
    QRectF row(left, title.bottom(), inner.right() - left, m_look.smallLine);
    if (m_ruleLines.isEmpty()) m_ruleLines = wrapped(m_look, m_rules, row.width());
    for (const auto &line : m_ruleLines) {
        painter->drawText(row, Qt::AlignLeft | Qt::AlignVCenter, line);
        row.translate(0, m_look.smallLine);
    }
    const double numbersTop = inner.top() + head + m_look.pad / 2;
    const QRectF numbers(inner.left(), numbersTop, inner.width(), m_look.smallLine + m_look.line);
    paintNumbers(*painter, numbers);
    paintStrip(*painter,
               QRectF(inner.left(), numbers.bottom() + 4, inner.width(), inner.bottom() - numbers.bottom() - 4));
}

} // namespace loopscope
