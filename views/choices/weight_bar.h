#pragma once
// A cell with a bar behind its number: as long as its share of the largest.

#include "views/settings/theme.h"

#include <QStyledItemDelegate>

namespace loopscope {

class WeightBar : public QStyledItemDelegate {
    Q_OBJECT

  public:
    WeightBar(const Theme &theme, QObject *parent);
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;

  private:
    const Theme &m_theme;
};

} // namespace loopscope
