#include "views/sketch_tree/tree_look.h"

#include <QApplication>

#include <algorithm>

namespace loopscope {

TreeLook::TreeLook(const Theme &theme) : theme(theme), font(QApplication::font()), bold(font), small(font) {
    bold.setBold(true);
    small.setPointSizeF(std::max(6.5, font.pointSizeF() * 0.86));
    smallBold = small;
    smallBold.setBold(true);
    line = QFontMetricsF(font).height();
    smallLine = QFontMetricsF(small).height();
}

QString TreeLook::elided(const QString &text, double width) const {
    return QFontMetricsF(font).elidedText(text, Qt::ElideRight, width);
}

QString TreeLook::smallElided(const QString &text, double width) const {
    return QFontMetricsF(small).elidedText(text, Qt::ElideRight, width);
}

QPen TreeLook::refusedPen() const { return {color(Role::QuietText), 1, Qt::DashLine}; }

QRectF TreeLook::stubRect(const QString &text) const { return {0, 0, smallWidth(text) + 12, smallLine + 4}; }

void TreeLook::paintStub(QPainter &painter, const QRectF &rect, const QString &text, bool hot) const {
    painter.setPen(refusedPen());
    painter.setBrush(hot ? color(Role::Hover) : color(Role::Base));
    painter.drawRoundedRect(rect, 4, 4);
    painter.setFont(small);
    painter.setPen(color(Role::QuietText));
    painter.drawText(rect, Qt::AlignCenter, text);
}

void TreeLook::paintThumbnail(QPainter &painter, const QRectF &rect, const NestShape &nest) const {
    if (nest.bars.empty()) return;
    // Of very many lines every n-th: bars thinner than two units would be one grey field.
    const auto room = static_cast<size_t>(std::max(rect.height() / 2, 1.0));
    const size_t every = (nest.bars.size() + room - 1) / room;
    int deepest = 1;
    for (const auto &line : nest.bars) deepest = std::max(deepest, line.indent);
    const auto count = static_cast<double>((nest.bars.size() + every - 1) / every);
    const double pitch = std::min(rect.height() / count, 5.0);
    const double thick = std::max(pitch * 0.62, 0.6);
    const double step = std::min(rect.width() * 0.55 / deepest, 5.0);
    double y = rect.top() + (rect.height() - pitch * count) / 2;
    painter.setPen(Qt::NoPen);
    for (size_t i = 0; i < nest.bars.size(); i += every) {
        const NestShape::Bar &line = nest.bars[i];
        const double x = rect.left() + step * line.indent;
        // Statements are short and dark; loops reach to the right.
        const bool statement = line.role == Role::Text;
        const double right = statement ? x + rect.width() * 0.3 : rect.right();
        QColor ink = color(statement ? Role::QuietText : line.role);
        painter.fillRect(QRectF(x, y, std::max(right - x, 2.0), thick), ink);
        y += pitch;
    }
}

} // namespace loopscope
