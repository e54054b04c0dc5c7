#include "views/choices/weight_bar.h"

#include "views/choices/choice_list_model.h"

#include <QApplication>
#include <QPainter>
#include <QStyle>

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {
constexpr int kLetters = 12; // that the column is wide, so that bars can be told apart
}

WeightBar::WeightBar(const Theme &theme, QObject *parent) : QStyledItemDelegate(parent), m_theme(theme) {}

void WeightBar::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const {
    const QVariant share = index.data(ChoiceListModel::kShareRole);
    if (!share.isValid()) return QStyledItemDelegate::paint(painter, option, index);
    QStyleOptionViewItem ground = option; // the bar stands on it, and the text on the bar
    initStyleOption(&ground, index);
    const QString text = std::exchange(ground.text, QString());
    const QStyle &style = ground.widget != nullptr ? *ground.widget->style() : *QApplication::style();
    style.drawControl(QStyle::CE_ItemViewItem, &ground, painter, ground.widget);
    const bool selected = ground.state.testFlag(QStyle::State_Selected);
    const QPalette::ColorGroup group =
        ground.state.testFlag(QStyle::State_Active) ? QPalette::Active : QPalette::Inactive;
    const QColor ink = ground.palette.color(group, selected ? QPalette::HighlightedText : QPalette::Text);
    QRect bar = option.rect.adjusted(3, 3, -3, -3);
    bar.setWidth(static_cast<int>(bar.width() * share.toDouble()));
    QColor color = selected ? ink : m_theme.color(Role::Accent);
    color.setAlphaF(0.3F);
    painter->fillRect(bar, color);
    painter->setPen(ink);
    const int margin = style.pixelMetric(QStyle::PM_FocusFrameHMargin, &ground, ground.widget) + 1;
    painter->drawText(option.rect.adjusted(margin, 0, -margin, 0), static_cast<int>(ground.displayAlignment), text);
}

QSize WeightBar::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const {
    const QSize size = QStyledItemDelegate::sizeHint(option, index);
    return {std::max(size.width(), kLetters * option.fontMetrics.averageCharWidth()), size.height() + 4};
}

} // namespace loopscope
