#include "views/limits/limit_delegate.h"

#include "views/limits/limits_model.h"

#include <QPainter>

#include <algorithm>

namespace loopscope {

namespace {

int barHeight(const QStyleOptionViewItem &option) { return std::max(2, option.fontMetrics.height() / 5); }

} // namespace

/// Room for a bar below the text, and one that is long enough to be read.
QSize LimitDelegate::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const {
    constexpr int kMinLetters = 11;
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    size.setHeight(size.height() + 2 * barHeight(option) + 2);
    if (index.data(LimitsModel::kShareRole).isValid())
        size.setWidth(std::max(size.width(), kMinLetters * option.fontMetrics.averageCharWidth()));
    return size;
}

void LimitDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const {
    QStyledItemDelegate::paint(painter, option, index);
    const QVariant share = index.data(LimitsModel::kShareRole);
    if (!share.isValid()) return;
    const int high = barHeight(option);
    const int margin = option.fontMetrics.averageCharWidth() / 2;
    QRect bar = option.rect.adjusted(margin, 0, -margin, 0);
    bar.setTop(bar.bottom() - high - 1);
    bar.setHeight(high);
    painter->fillRect(bar, m_theme.color(Role::Border));
    bar.setWidth(static_cast<int>(bar.width() * std::clamp(share.toDouble(), 0.0, 1.0)));
    painter->fillRect(bar, index.data(LimitsModel::kColorRole).value<QColor>());
}

} // namespace loopscope
