#include "views/choices/weight_bar.h"

#include "views/choices/choice_list_model.h"

#include <QPainter>

namespace loopscope {

namespace {
constexpr int kLetters = 12; // that the column is wide, so that bars can be told apart
}

WeightBar::WeightBar(const Theme &theme, QObject *parent) : QStyledItemDelegate(parent), m_theme(theme) {}

void WeightBar::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const {
    const QVariant share = index.data(ChoiceListModel::kShareRole);
    QStyledItemDelegate::paint(painter, option, index);
    if (!share.isValid()) return;
    QRect bar = option.rect.adjusted(3, 3, -3, -3);
    bar.setWidth(static_cast<int>(bar.width() * share.toDouble()));
    QColor color = m_theme.color(Role::Accent);
    color.setAlphaF(0.3F);
    painter->fillRect(bar, color);
}

QSize WeightBar::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const {
    const QSize size = QStyledItemDelegate::sizeHint(option, index);
    return {std::max(size.width(), kLetters * option.fontMetrics.averageCharWidth()), size.height() + 4};
}

} // namespace loopscope
