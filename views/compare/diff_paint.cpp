// How rows of two aligned texts are drawn; see diff_text.h.

#include "views/compare/diff_text.h"

#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <array>
#include <cmath>

namespace loopscope {

namespace {

QColor mixed(const QColor &a, const QColor &b, float share) {
    const auto mix = [share](float x, float y) { return x + (y - x) * share; };
    return QColor::fromRgbF(mix(a.redF(), b.redF()), mix(a.greenF(), b.greenF()), mix(a.blueF(), b.blueF()));
}

Role roleOf(CodeStyle style) {
    static constexpr std::array<Role, kCodeStyles> roles{
        Role::Text,         Role::CodeKeyword, Role::CodeNumber,   Role::CodeString, Role::CodeComment,
        Role::CodeFunction, Role::CodeType,    Role::CodeRegister, Role::CodeLabel,  Role::CodeComment,
        Role::Parallel,     Role::Vector,      Role::Unroll,       Role::ThreadBound};
    return roles[static_cast<size_t>(style)];
}

Role roleOf(DiffKind kind, AlignedText::Side side) {
    if (kind == DiffKind::Changed) return Role::Warning;
    return side == AlignedText::Left ? Role::Bad : Role::Good;
}

} // namespace

DiffText::Cells DiffText::cells(std::string_view line) const {
    constexpr size_t kLongest = 4000; // bytes drawn of one line; nobody reads on
    line = line.substr(0, kLongest);
    Cells out;
    const int tab = m_language == CodeLanguage::Assembly ? 8 : 4;
    std::vector<CodeStyle> styles;
    styleLine(m_language, line, styles);
    out.columnOf.reserve(line.size() + 1);
    for (size_t at = 0; at < line.size();) {
        size_t end = at + 1;
        while (end < line.size() && (static_cast<unsigned char>(line[end]) & 0xc0U) == 0x80U) ++end;
        const auto column = static_cast<int>(out.text.size());
        for (size_t byte = at; byte < end; ++byte) out.columnOf.push_back(column);
        if (line[at] == '\t')
            out.text += QString(tab - column % tab, QLatin1Char(' '));
        else
            out.text += QString::fromUtf8(line.data() + at, static_cast<qsizetype>(end - at));
        out.styles.resize(static_cast<size_t>(out.text.size()), at < styles.size() ? styles[at] : CodeStyle::Text);
        at = end;
    }
    out.columnOf.push_back(static_cast<int>(out.text.size()));
    return out;
}

void DiffText::paintEvent(QPaintEvent * /*event*/) {
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), m_theme.color(Role::Base));
    painter.setFont(m_font);
    if (!m_text) return;
    const int first = verticalScrollBar()->value();
    const auto rows = static_cast<int>(m_text->rows().size());
    for (int row = first; row < rows && (row - first) * m_height < viewport()->height(); ++row)
        paintRow(painter, row, (row - first) * m_height);
    const QRect right = pane(AlignedText::Right);
    painter.fillRect(QRect(right.left() - 1, 0, 1, viewport()->height()), m_theme.color(Role::Border));
    paintStrip(painter);
}

void DiffText::paintRow(QPainter &painter, int row, int y) {
    const AlignedRow &r = m_text->rows()[static_cast<size_t>(row)];
    if (r.kind == DiffKind::Skipped) {
        const QRect box(0, y, pane(AlignedText::Right).right() + 1, m_height);
        painter.fillRect(box, m_theme.color(Role::Hover));
        painter.setPen(m_theme.color(row == m_current && hasFocus() ? Role::Accent : Role::QuietText));
        for (const auto side : {AlignedText::Left, AlignedText::Right}) {
            const QRect room = pane(side).adjusted(gutter(), 0, 0, 0);
            painter.drawText(QRect(room.left(), y, room.width(), m_height), Qt::AlignVCenter | Qt::AlignLeft,
                             tr("\u22ef %n equal lines", nullptr, r.skipped)
                                 .replace(QStringLiteral("%n"), QString::number(r.skipped)));
        }
        return;
    }
    for (const auto side : {AlignedText::Left, AlignedText::Right}) {
        const QRect room = pane(side);
        paintSide(painter, side, r, row, QRect(room.left(), y, room.width(), m_height));
    }
}

void DiffText::paintSide(QPainter &painter, AlignedText::Side side, const AlignedRow &row, int number,
                         const QRect &box) {
    const int line = side == AlignedText::Left ? row.left : row.right;
    painter.save();
    painter.setClipRect(box);
    if (line < 0) {
        painter.fillRect(box, m_theme.color(Role::Window));
        painter.fillRect(box, QBrush(m_theme.color(Role::Grid), Qt::BDiagPattern));
        painter.restore();
        return;
    }
    const bool differs = row.kind != DiffKind::Same;
    const Role role = roleOf(row.kind, side);
    if (differs) painter.fillRect(box, m_theme.tint(role));
    const int shownNumber = m_text->number(side, line);
    if (m_marked[side].contains(shownNumber)) painter.fillRect(box, m_theme.color(Role::Highlight));
    const bool chosen =
        side == m_side && number >= std::min(m_anchor, m_current) && number <= std::max(m_anchor, m_current);
    if (chosen && (m_anchor != m_current || hasFocus())) {
        QColor veil = m_theme.color(Role::Accent);
        veil.setAlphaF(m_anchor == m_current ? 0.12F : 0.25F);
        painter.fillRect(box, veil);
    }

    const std::string_view text = m_text->line(side, line);
    const Cells cells = this->cells(text);
    const int margin = gutter();
    const qreal origin = box.left() + margin - horizontalScrollBar()->value();
    painter.setClipRect(box.adjusted(margin - 1, 0, 0, 0));
    const auto boxOf = [&](int at, int length) {
        const size_t last = cells.columnOf.size() - 1;
        const int from = cells.columnOf[std::min(static_cast<size_t>(at), last)];
        const int to = cells.columnOf[std::min(static_cast<size_t>(at + length), last)];
        return QRectF(origin + from * m_advance, box.top(), (to - from) * m_advance, box.height());
    };
    if (row.kind == DiffKind::Changed) {
        const ChangedParts parts =
            changedParts(m_text->line(AlignedText::Left, row.left), m_text->line(AlignedText::Right, row.right));
        const QColor strong = mixed(m_theme.tint(role), m_theme.color(role), m_theme.dark() ? 0.35F : 0.3F);
        for (const auto &[at, length] : side == AlignedText::Left ? parts.left : parts.right)
            painter.fillRect(boxOf(at, length), strong);
    }
    auto match =
        std::lower_bound(m_matches.begin(), m_matches.end(), number, [](const Match &m, int r) { return m.row < r; });
    for (; match != m_matches.end() && match->row == number; ++match) {
        if (match->side != side) continue;
        const bool current = match - m_matches.begin() == m_match;
        QColor color = m_theme.color(current ? Role::Accent : Role::Warning);
        color.setAlphaF(0.4F);
        painter.fillRect(boxOf(match->at, match->length), color);
    }
    for (qsizetype from = 0; from < cells.text.size();) {
        qsizetype to = from + 1;
        const CodeStyle style = cells.styles[static_cast<size_t>(from)];
        while (to < cells.text.size() && cells.styles[static_cast<size_t>(to)] == style) ++to;
        painter.setPen(m_theme.color(roleOf(style)));
        painter.drawText(QRectF(origin + static_cast<qreal>(from) * m_advance, box.top(),
                                static_cast<qreal>(to - from + 2) * m_advance, box.height()),
                         Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine, cells.text.mid(from, to - from));
        from = to;
    }
    painter.setClipRect(box);
    painter.setPen(m_theme.color(differs ? role : Role::LineNumber));
    const QRectF numbers(box.left(), box.top(), margin - 2.5 * m_advance, box.height());
    painter.drawText(numbers, Qt::AlignVCenter | Qt::AlignRight, QString::number(shownNumber));
    // The sign says it without the colour.
    const QString sign = row.kind == DiffKind::Same      ? QString()
                         : row.kind == DiffKind::Changed ? QStringLiteral("~")
                         : side == AlignedText::Left     ? QStringLiteral("\u2212")
                                                         : QStringLiteral("+");
    painter.drawText(QRectF(numbers.right() + m_advance * 0.7, box.top(), m_advance * 1.5, box.height()),
                     Qt::AlignVCenter | Qt::AlignLeft, sign);
    painter.restore();
}

void DiffText::paintStrip(QPainter &painter) {
    const int left = pane(AlignedText::Right).right() + 1;
    const QRect strip(left, 0, viewport()->width() - left, viewport()->height());
    painter.fillRect(strip, m_theme.color(Role::Window));
    const auto rows = static_cast<int>(m_text->rows().size());
    if (rows == 0) return;
    const qreal scale = static_cast<qreal>(strip.height()) / std::max(rows, strip.height() / m_height);
    int y = -1;
    for (const int row : m_text->differences()) {
        const auto top = static_cast<int>(row * scale);
        if (top <= y) continue; // several on one pixel
        const DiffKind kind = m_text->rows()[static_cast<size_t>(row)].kind;
        int end = row;
        while (end < rows && m_text->rows()[static_cast<size_t>(end)].kind == kind) ++end;
        y = std::max(top + 2, static_cast<int>(end * scale));
        const auto side = kind == DiffKind::Added ? AlignedText::Right : AlignedText::Left;
        painter.fillRect(QRect(strip.left() + 2, top, strip.width() - 3, y - top), m_theme.color(roleOf(kind, side)));
    }
    const int first = static_cast<int>(verticalScrollBar()->value() * scale);
    const int page = static_cast<int>(verticalScrollBar()->pageStep() * scale);
    painter.setPen(m_theme.color(Role::QuietText));
    painter.setBrush(Qt::NoBrush);
    if (rows > verticalScrollBar()->pageStep())
        painter.drawRect(strip.left(), first, strip.width() - 1, std::max(3, page));
}

} // namespace loopscope
