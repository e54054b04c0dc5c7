#pragma once
// The tree of the loop view. A marked row is marked from edge to edge, its indentation included: a mark that begins
// somewhere in the middle is hard to follow through a deep nest.

#include "views/settings/theme.h"

#include <QTreeView>

namespace loopscope {

class LoopTreeView : public QTreeView {
    Q_OBJECT

  public:
    explicit LoopTreeView(Theme &theme, QWidget *parent = nullptr) : QTreeView(parent), m_theme(theme) {}

    /// To the row alone: what is selected elsewhere, or was before, must not move the columns.
    void scrollTo(const QModelIndex &index, ScrollHint hint = EnsureVisible) override;

  protected:
    /// Qt makes the first row current where none is; here the keys go on from what is selected elsewhere. Neither
    /// selects anything.
    void focusInEvent(QFocusEvent *event) override;
    void drawRow(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;

  private:
    Theme &m_theme;
};

} // namespace loopscope
