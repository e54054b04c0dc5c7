#include "views/loops/loop_tree_delegate.h"

#include "views/loops/loop_tree_model.h"

#include <QApplication>
#include <QPainter>

#include <cmath>

namespace loopscope {

namespace {

constexpr int kStrip = 4;
constexpr int kGap = 6;

struct Run {
    QString text;
    Role role;
};

bool isWord(QChar c) { return c.isLetterOrNumber() || c == u'_' || c == u'.' || c == u'@'; }

/// Code in runs of one colour: tensors, functions, numbers, words of the language.
std::vector<Run> tinted(const QString &code) {
    static const QStringList keywords = {
        QStringLiteral("if"),       QStringLiteral("likely"),  QStringLiteral("else"),    QStringLiteral("let"),
        QStringLiteral("allocate"), QStringLiteral("barrier"), QStringLiteral("inlined"), QStringLiteral("into")};
    std::vector<Run> runs;
    for (qsizetype i = 0; i < code.size();) {
        qsizetype end = i;
        while (end < code.size() && isWord(code[end]) == isWord(code[i])) ++end;
        const QString piece = code.mid(i, end - i);
        Role role = Role::Text;
        if (!isWord(code[i]))
            role = Role::Text;
        else if (code[i].isDigit())
            role = Role::CodeNumber;
        else if (keywords.contains(piece))
            role = Role::CodeKeyword;
        else if (end < code.size() && code[end] == u'(')
            role = Role::CodeFunction;
        else if (end < code.size() && (code[end] == u'[' || code[end] == u':'))
            role = Role::CodeType;
        runs.push_back({piece, role});
        i = end;
    }
    return runs;
}

QStringList badgesOf(const LoopRow &row) {
    QStringList badges;
    if (row.kind == RowKind::Loop && row.reduction) badges << QStringLiteral("reduction");
    if (!row.serialised.isEmpty()) badges << QStringLiteral("runs serially");
    if (row.unrollUpTo >= 0) badges << QStringLiteral("unroll \u2264 %1").arg(row.unrollUpTo);
    if (row.kind == RowKind::Guard && row.likely) badges << QStringLiteral("tail");
    if (row.identity) badges << QStringLiteral("init");
    if (row.kind != RowKind::Loop && memoryRole(row.memory) != Role::QuietText) badges << scopeText(row.memory);
    return badges;
}

Role badgeRole(const QString &badge) {
    if (badge == QLatin1String("reduction") || badge == QLatin1String("init")) return Role::Reduction;
    if (badge == QLatin1String("tail") || badge == QLatin1String("runs serially")) return Role::Warning;
    if (badge == scopeText(MemoryScope::Shared)) return Role::SharedMemory;
    if (badge == scopeText(MemoryScope::Local)) return Role::LocalMemory;
    return Role::Unroll;
}

} // namespace

Role roleOf(LoopKind kind) {
    switch (kind) {
    case LoopKind::Serial:
        return Role::Serial;
    case LoopKind::Parallel:
        return Role::Parallel;
    case LoopKind::Vectorized:
        return Role::Vector;
    case LoopKind::Unrolled:
        return Role::Unroll;
    case LoopKind::BlockX:
    case LoopKind::BlockY:
    case LoopKind::BlockZ:
        return Role::BlockBound;
    case LoopKind::VThread:
        return Role::VThreadBound;
    case LoopKind::ThreadX:
    case LoopKind::ThreadY:
    case LoopKind::ThreadZ:
        return Role::ThreadBound;
    }
    return Role::Serial;
}

Role memoryRole(MemoryScope scope) {
    switch (scope) {
    case MemoryScope::Shared:
        return Role::SharedMemory;
    case MemoryScope::Local:
        return Role::LocalMemory;
    default:
        return Role::QuietText;
    }
}

Role tileRole(int level) { return static_cast<Role>(static_cast<int>(Role::TileLevel0) + std::clamp(level, 0, 3)); }

LoopTreeDelegate::LoopTreeDelegate(Theme &theme, QObject *parent) : QStyledItemDelegate(parent), m_theme(theme) {}

QSize LoopTreeDelegate::sizeHint(const QStyleOptionViewItem &, const QModelIndex &) const {
    return {60, QFontMetrics(m_theme.codeFont()).height() + 6};
}

int LoopTreeDelegate::contentWidth(const LoopRow &row) const {
    const QFontMetrics metrics(m_theme.codeFont());
    int width = kStrip + 2 * kGap + metrics.horizontalAdvance(rowText(row)) + kGap;
    for (const QString &badge : badgesOf(row)) width += metrics.horizontalAdvance(badge) + 4 * kGap;
    return width;
}

void LoopTreeDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const {
    const auto *model = qobject_cast<const LoopTreeModel *>(index.model());
    const LoopRow *row = model == nullptr ? nullptr : model->rowAt(index);
    if (row == nullptr) return;
    QStyleOptionViewItem item = option;
    initStyleOption(&item, index);
    const bool selected = item.state.testFlag(QStyle::State_Selected);
    painter->save();
    if (selected)
        painter->fillRect(item.rect, m_theme.color(Role::Accent));
    else if (item.state.testFlag(QStyle::State_MouseOver) && !index.data(LoopTreeModel::MarkRole).toBool())
        painter->fillRect(item.rect, m_theme.color(Role::Hover));

    painter->setClipRect(item.rect);
    if (index.column() == LoopTreeModel::LoopColumn) {
        painter->setFont(m_theme.codeFont());
        if (row->kind == RowKind::Loop)
            paintLoop(*painter, item.rect, *row, selected);
        else
            paintCode(*painter, item.rect, *row, selected);
    } else {
        const bool number = index.column() == LoopTreeModel::ExtentColumn ||
                            index.column() == LoopTreeModel::TotalColumn ||
                            index.column() == LoopTreeModel::ScoreColumn;
        if (const RowReason *reason = model->reasonOf(index)) paintBar(*painter, item.rect, index.column(), *reason);
        Role ink = Role::Text;
        if (index.column() == LoopTreeModel::StageColumn) ink = Role::QuietText;
        if (index.column() == LoopTreeModel::StorageColumn) ink = memoryRole(row->memory);
        painter->setFont(number ? m_theme.codeFont() : item.font);
        painter->setPen(m_theme.color(selected ? Role::AccentText : ink));
        const QRect inside = item.rect.adjusted(kGap, 0, -kGap, 0);
        painter->drawText(inside, static_cast<int>(item.displayAlignment),
                          painter->fontMetrics().elidedText(item.text, Qt::ElideRight, inside.width()));
    }
    if (item.state.testFlag(QStyle::State_HasFocus) && !selected) {
        painter->setPen(m_theme.color(Role::Accent));
        painter->drawRect(item.rect.adjusted(0, 0, -1, -1));
    }
    painter->restore();
}

/// Under the text: the share of the cycles from the left, what a loop adds to the score from the middle.
void LoopTreeDelegate::paintBar(QPainter &painter, const QRect &rect, int column, const RowReason &reason) const {
    const QRect inside = rect.adjusted(2, rect.height() - 5, -2, -2);
    if (column == LoopTreeModel::BoundColumn && !reason.bound.isEmpty()) {
        painter.fillRect(inside, m_theme.color(Role::Border));
        QRect part = inside;
        part.setWidth(std::max(1, static_cast<int>(inside.width() * reason.cycles)));
        painter.fillRect(part, m_theme.color(reason.traffic ? Role::Warning : Role::Accent));
    }
    if (column == LoopTreeModel::ScoreColumn && reason.scored && reason.score != 0) {
        const int half = inside.width() / 2;
        const int length = std::max(1, static_cast<int>(half * std::fabs(reason.relative)));
        const int middle = inside.left() + half;
        painter.fillRect(QRect(reason.score > 0 ? middle : middle - length, inside.top(), length, inside.height()),
                         m_theme.color(reason.score > 0 ? Role::Good : Role::Bad));
    }
}

void LoopTreeDelegate::paintLoop(QPainter &painter, const QRect &rect, const LoopRow &row, bool selected) const {
    if (row.tileLevel >= 0)
        painter.fillRect(QRect(rect.left() + 1, rect.top() + 1, kStrip, rect.height() - 2),
                         m_theme.color(tileRole(row.tileLevel)));
    int x = rect.left() + kStrip + kGap;
    const QFontMetrics metrics = painter.fontMetrics();
    const auto draw = [&](const QString &text, const QColor &color) {
        const int width = std::max(0, rect.right() - x);
        const QString shown = metrics.elidedText(text, Qt::ElideRight, width);
        painter.setPen(color);
        painter.drawText(QRect(x, rect.top(), width, rect.height()), Qt::AlignLeft | Qt::AlignVCenter, shown);
        x += metrics.horizontalAdvance(shown);
    };
    const QColor ink = m_theme.color(selected ? Role::AccentText : Role::Text);
    QFont bold = painter.font();
    bold.setBold(row.loop != LoopKind::Serial);
    painter.setFont(bold);
    draw(loopKindText(row.loop), selected ? ink : m_theme.color(roleOf(row.loop)));
    bold.setBold(false);
    painter.setFont(bold);
    x += metrics.horizontalAdvance(u' ') + 2;
    draw(row.text, ink);
    for (const QString &badge : badgesOf(row)) x = paintBadge(painter, rect, x + kGap, badge, badgeRole(badge));
}

void LoopTreeDelegate::paintCode(QPainter &painter, const QRect &rect, const LoopRow &row, bool selected) const {
    const QFontMetrics metrics = painter.fontMetrics();
    int x = rect.left() + kStrip + kGap;
    int badges = 0;
    for (const QString &badge : badgesOf(row)) badges += metrics.horizontalAdvance(badge) + 3 * kGap;
    const int right = rect.right() - badges - kGap;
    const QString shown = metrics.elidedText(row.text, Qt::ElideRight, std::max(0, right - x));
    const bool quiet = row.kind == RowKind::Inlined;
    // What a word is depends on what follows it, which may be cut.
    const bool cut = shown != row.text;
    qsizetype left = cut ? shown.size() - 1 : shown.size();
    std::vector<Run> runs;
    for (Run &run : tinted(row.text)) {
        if (left <= 0) break;
        run.text.truncate(left);
        left -= run.text.size();
        runs.push_back(std::move(run));
    }
    if (cut && !shown.isEmpty()) runs.push_back({shown.right(1), Role::Text});
    for (const Run &run : runs) {
        Role role = selected ? Role::AccentText : run.role;
        if (quiet && role == Role::Text) role = Role::QuietText;
        painter.setPen(m_theme.color(role));
        painter.drawText(QRect(x, rect.top(), rect.right() - x, rect.height()), Qt::AlignLeft | Qt::AlignVCenter,
                         run.text);
        x += metrics.horizontalAdvance(run.text);
    }
    for (const QString &badge : badgesOf(row)) x = paintBadge(painter, rect, x + kGap, badge, badgeRole(badge));
}

int LoopTreeDelegate::paintBadge(QPainter &painter, const QRect &rect, int x, const QString &text, Role role) const {
    painter.save();
    QFont small = QApplication::font();
    small.setPointSizeF(std::max(6.0, m_theme.codeFont().pointSizeF() - 1));
    painter.setFont(small);
    const int width = painter.fontMetrics().horizontalAdvance(text) + 2 * kGap;
    const int height = std::min(rect.height() - 4, painter.fontMetrics().height() + 2);
    const QRect box(x, rect.top() + (rect.height() - height) / 2, width, height);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_theme.tint(role));
    painter.drawRoundedRect(box, height / 2.0, height / 2.0);
    painter.setPen(m_theme.color(role));
    painter.drawText(box, Qt::AlignCenter, text);
    painter.restore();
    return x + width;
}

} // namespace loopscope
