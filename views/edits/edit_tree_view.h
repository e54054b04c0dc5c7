#pragma once
// Draws the lines between edits: a dot for each schedule, filled for the one shown, joined along a line of edits; a
// side line hangs from the schedule it was made from. Right clicks choose nothing, so that the menu can speak of one
// schedule while another is shown.

#include "views/settings/theme.h"

#include <QTreeView>

namespace loopscope {

class EditTreeModel;

class EditTreeView : public QTreeView {
    Q_OBJECT

  public:
    EditTreeView(const Theme &theme, EditTreeModel &model, QWidget *parent = nullptr);

  protected:
    void drawBranches(QPainter *painter, const QRect &rect, const QModelIndex &index) const override;
    void mousePressEvent(QMouseEvent *event) override;

  private:
    const Theme &m_theme;
    EditTreeModel &m_model;
};

} // namespace loopscope
