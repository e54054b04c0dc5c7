#include "views/limits/limit_delegate.h"

#include "views/limits/limits_model.h"

#include <QPainter>

#include <algorithm>

namespace loopscope {

void LimitDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const {
    QStyledItemDelegate::paint(painter, option, index);
    const QVariant share = index.data(LimitsModel::kShareRole);
    if (!share.isValid()) return;
    const int high = std::max(2, option.rect.height() / 8);
    QRect bar = option.rect.adjusted(4, 0, -4, 0);
    bar.setTop(bar.bottom() - high);
    bar.setHeight(high);
    painter->fillRect(bar, m_theme.color(Role::Border));
    bar.setWidth(static_cast<int>(bar.width() * std::clamp(share.toDouble(), 0.0, 1.0)));
    painter->fillRect(bar, index.data(LimitsModel::kColorRole).value<QColor>());
}

} // namespace loopscope
