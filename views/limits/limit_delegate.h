#pragma once
// Draws the bar behind a value: how much of what is allowed is used.

#include "views/settings/theme.h"

#include <QStyledItemDelegate>

namespace loopscope {

class LimitDelegate : public QStyledItemDelegate {
    Q_OBJECT

  public:
    LimitDelegate(const Theme &theme, QObject *parent) : QStyledItemDelegate(parent), m_theme(theme) {}
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;

  private:
    const Theme &m_theme;
};

} // namespace loopscope
