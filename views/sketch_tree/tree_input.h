#pragma once
// What the user does to the picture of the tree: pointer, keys, menu.

#include "views/sketch_tree/tree_pane.h"

namespace loopscope {

class TreeFindBar;
class TreeSide;

class TreeInput : public QObject {
    Q_OBJECT

  public:
    TreeInput(const ViewContext &context, TreeContent &content, TreePane &pane, TreeFindBar &findBar, TreeSide &side);

    bool eventFilter(QObject *watched, QEvent *event) override;

  signals:
    void filterChosen(const QString &stage, const QString &rule); // either may be empty

  private:
    void clicked(const TreeSpot &spot, bool twice);
    void arrow(int key);
    void step(int direction);
    void escape();
    void toggleBelow(int index);
    void listRefused(int index);
    void unfold(int index);
    void menu(const TreeSpot &spot, const QPoint &global);
    [[nodiscard]] QString toolTipAt(const TreeSpot &spot) const;

    const ViewContext m_context;
    TreeContent &m_content;
    TreePane &m_pane;
    TreeFindBar &m_findBar;
    TreeSide &m_side;
};

} // namespace loopscope
