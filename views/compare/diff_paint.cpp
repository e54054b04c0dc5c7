#include "views/compare/diff_paint.h"

#include "views/text/line_styles.h"

#include <QObject>
#include <QPainter>

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
        Role::Text,        Role::CodeKeyword,  Role::CodeNumber,   Role::CodeString,
        Role::CodeComment, Role::CodeFunction, Role::CodeType,     Role::CodeRegister,
        Role::CodeLabel,   Role::CodeComment,  Role::Parallel,     Role::Vector,
        Role::Unroll,      Role::BlockBound,   Role::VThreadBound, Role::ThreadBound};
    return roles[static_cast<size_t>(style)];
}

Role roleOf(DiffKind kind, AlignedText::Side side) {
    if (kind == DiffKind::Changed) return Role::Warning;
    return side == AlignedText::Left ? Role::Bad : Role::Good;
}

struct Cells {
    QString text;                  // tabs expanded
    std::vector<int> columnOf;     // by byte, and one behind the last
    std::vector<CodeStyle> styles; // by character
};

Cells cellsOf(std::string_view line, CodeLanguage language) {
    constexpr size_t kLongest = 4000; // bytes drawn of one line; nobody reads on
    line = line.substr(0, kLongest);
    Cells out;
    const int tab = language == CodeLanguage::Assembly ? 8 : 4;
    std::vector<CodeStyle> styles;
    styleLine(language, line, styles);
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

void paintSide(QPainter &painter, const DiffScene &scene, AlignedText::Side side, const AlignedRow &row, int number,
               const QRect &box) {
    const int line = side == AlignedText::Left ? row.left : row.right;
    painter.save();
    painter.setClipRect(box);
    if (line < 0) {
        painter.fillRect(box, scene.theme.color(Role::Window));
        if (row.kind != DiffKind::Beside) // there it is no difference, but room
            painter.fillRect(box, QBrush(scene.theme.color(Role::Grid), Qt::BDiagPattern));
        painter.restore();
        return;
    }
    const bool differs = row.kind != DiffKind::Same && row.kind != DiffKind::Beside;
    const Role role = roleOf(row.kind, side);
    if (differs) painter.fillRect(box, scene.theme.tint(role));
    const int shownNumber = scene.text.number(side, line);
    if (scene.marked[side].contains(shownNumber)) painter.fillRect(box, scene.theme.color(Role::Highlight));
    const bool chosen = side == scene.side && number >= std::min(scene.anchor, scene.current) &&
                        number <= std::max(scene.anchor, scene.current);
    if (chosen && (scene.anchor != scene.current || scene.focused)) {
        QColor veil = scene.theme.color(Role::Accent);
        veil.setAlphaF(scene.anchor == scene.current ? 0.12F : 0.25F);
        painter.fillRect(box, veil);
    }

    const std::string_view text = scene.text.line(side, line);
    const Cells cells = cellsOf(text, scene.languages[side]);
    const int margin = scene.gutter;
    const qreal origin = box.left() + margin - scene.across;
    painter.setClipRect(box.adjusted(margin - 1, 0, 0, 0));
    const auto boxOf = [&](int at, int length) {
        const size_t last = cells.columnOf.size() - 1;
        const int from = cells.columnOf[std::min(static_cast<size_t>(at), last)];
        const int to = cells.columnOf[std::min(static_cast<size_t>(at + length), last)];
        return QRectF(origin + from * scene.advance, box.top(), (to - from) * scene.advance, box.height());
    };
    if (row.kind == DiffKind::Changed) {
        const ChangedParts parts =
            changedParts(scene.text.line(AlignedText::Left, row.left), scene.text.line(AlignedText::Right, row.right));
        const QColor strong = mixed(scene.theme.tint(role), scene.theme.color(role), scene.theme.dark() ? 0.35F : 0.3F);
        for (const auto &[at, length] : side == AlignedText::Left ? parts.left : parts.right)
            painter.fillRect(boxOf(at, length), strong);
    }
    auto match = std::lower_bound(scene.matches.begin(), scene.matches.end(), number,
                                  [](const DiffMatch &m, int r) { return m.row < r; });
    for (; match != scene.matches.end() && match->row == number; ++match) {
        if (match->side != side) continue;
        const bool current = match - scene.matches.begin() == scene.match;
        QColor color = scene.theme.color(current ? Role::Accent : Role::Warning);
        color.setAlphaF(0.4F);
        painter.fillRect(boxOf(match->at, match->length), color);
    }
    for (qsizetype from = 0; from < cells.text.size();) {
        qsizetype to = from + 1;
        const CodeStyle style = cells.styles[static_cast<size_t>(from)];
        while (to < cells.text.size() && cells.styles[static_cast<size_t>(to)] == style) ++to;
        painter.setPen(scene.theme.color(roleOf(style)));
        painter.drawText(QRectF(origin + static_cast<qreal>(from) * scene.advance, box.top(),
                                static_cast<qreal>(to - from + 2) * scene.advance, box.height()),
                         Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine, cells.text.mid(from, to - from));
        from = to;
    }
    painter.setClipRect(box);
    painter.setPen(scene.theme.color(differs ? role : Role::LineNumber));
    const QRectF numbers(box.left(), box.top(), margin - 2.5 * scene.advance, box.height());
    painter.drawText(numbers, Qt::AlignVCenter | Qt::AlignRight, QString::number(shownNumber));
    // The sign says it without the colour.
    const QString sign = !differs                        ? QString()
                         : row.kind == DiffKind::Changed ? QStringLiteral("~")
                         : side == AlignedText::Left     ? QStringLiteral("\u2212")
                                                         : QStringLiteral("+");
    painter.drawText(QRectF(numbers.right() + scene.advance * 0.7, box.top(), scene.advance * 1.5, box.height()),
                     Qt::AlignVCenter | Qt::AlignLeft, sign);
    painter.restore();
}

void paintRow(QPainter &painter, const DiffScene &scene, int row, int y) {
    const AlignedRow &r = scene.text.rows()[static_cast<size_t>(row)];
    if (r.kind == DiffKind::Skipped) {
        const QRect box(0, y, scene.panes[AlignedText::Right].right() + 1, scene.height);
        painter.fillRect(box, scene.theme.color(Role::Hover));
        painter.setPen(scene.theme.color(row == scene.current && scene.focused ? Role::Accent : Role::QuietText));
        for (const auto side : {AlignedText::Left, AlignedText::Right}) {
            const QRect room = scene.panes[side].adjusted(scene.gutter, 0, 0, 0);
            painter.drawText(QRect(room.left(), y, room.width(), scene.height), Qt::AlignVCenter | Qt::AlignLeft,
                             QObject::tr("\u22ef %n equal lines", nullptr, r.skipped)
                                 .replace(QStringLiteral("%n"), QString::number(r.skipped)));
        }
        return;
    }
    for (const auto side : {AlignedText::Left, AlignedText::Right}) {
        const QRect room = scene.panes[side];
        paintSide(painter, scene, side, r, row, QRect(room.left(), y, room.width(), scene.height));
    }
}

void paintStrip(QPainter &painter, const DiffScene &scene) {
    const QRect &strip = scene.strip;
    painter.fillRect(strip, scene.theme.color(Role::Window));
    const auto rows = static_cast<int>(scene.text.rows().size());
    if (rows == 0) return;
    const qreal scale = static_cast<qreal>(strip.height()) / std::max(rows, strip.height() / scene.height);
    int y = -1;
    for (const int row : scene.text.differences()) {
        const auto top = static_cast<int>(row * scale);
        if (top <= y) continue; // several on one pixel
        const DiffKind kind = scene.text.rows()[static_cast<size_t>(row)].kind;
        int end = row;
        while (end < rows && scene.text.rows()[static_cast<size_t>(end)].kind == kind) ++end;
        y = std::max(top + 2, static_cast<int>(end * scale));
        const auto side = kind == DiffKind::Added ? AlignedText::Right : AlignedText::Left;
        painter.fillRect(QRect(strip.left() + 2, top, strip.width() - 3, y - top),
                         scene.theme.color(roleOf(kind, side)));
    }
    const int first = static_cast<int>(scene.firstRow * scale);
    const int page = static_cast<int>(scene.page * scale);
    painter.setPen(scene.theme.color(Role::QuietText));
    painter.setBrush(Qt::NoBrush);
    if (rows > scene.page) painter.drawRect(strip.left(), first, strip.width() - 1, std::max(3, page));
}

} // namespace

void paintDiff(QPainter &painter, const DiffScene &scene) {
    const auto rows = static_cast<int>(scene.text.rows().size());
    const QRect right = scene.panes[AlignedText::Right];
    for (int row = scene.firstRow; row < rows && (row - scene.firstRow) * scene.height < right.height(); ++row)
        paintRow(painter, scene, row, (row - scene.firstRow) * scene.height);
    painter.fillRect(QRect(right.left() - 1, 0, 1, right.height()), scene.theme.color(Role::Border));
    paintStrip(painter, scene);
}

} // namespace loopscope
