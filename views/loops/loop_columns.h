#pragma once
// The widths of the loop tree's columns, and which are shown: the loops have the width there is until the user takes a
// column's edge in hand.

#include "views/loops/loop_tree_model.h"
#include "views/settings/settings.h"
#include "views/settings/theme.h"

#include <QObject>

#include <array>

class QTreeView;

namespace loopscope {

class LoopTreeDelegate;

class LoopColumns : public QObject {
    Q_OBJECT

  public:
    /// The tree has its model; with all others it must outlive this.
    LoopColumns(QTreeView &tree, const LoopTreeModel &model, const LoopTreeDelegate &delegate, const Theme &theme,
                Settings &settings);

    void fit(); // to the model's tree

  protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

  private:
    void addMenu();
    void stretch();

    QTreeView &m_tree;
    const LoopTreeModel &m_model;
    const LoopTreeDelegate &m_delegate;
    const Theme &m_theme;
    Settings &m_settings;
    bool m_firstDragged = false; // the user sized the first column
    bool m_stretching = false;
    int m_minFirst = 0;                                     // width at which the loops are legible
    std::array<int, LoopTreeModel::ColumnCount> m_wanted{}; // widths of the columns, as their content would have them
};

} // namespace loopscope
