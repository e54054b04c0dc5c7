#pragma once
// What stands beside the tree when it is wanted: why rules were applied or refused where one is, and where the selected
// trial comes from. Takes no room while neither has anything to say.

#include "views/sketch_tree/tree_pane.h"

#include <QSplitter>

class QAction;

namespace loopscope {

class LineageView;
class ReasonsPanel;
struct TreeActions;

class TreeSide : public QSplitter {
    Q_OBJECT

  public:
    TreeSide(const ViewContext &context, const TreeContent &content, const TreePane &pane, QWidget *parent);

    /// The switches of the two, for a tool bar.
    QList<QAction *> addActions(const TreeActions &actions);
    /// Somebody wants to know why: opened by the first who does; closed, it stays closed.
    void askReasons();
    [[nodiscard]] int wantedWidth() const;

  private:
    void showReasons();
    void showLineage();

    const ViewContext m_context;
    const TreeContent &m_content;
    const TreePane &m_pane;
    ReasonsPanel *m_reasons;
    LineageView *m_lineage;
    QAction *m_reasonsAction = nullptr;
    QAction *m_lineageAction = nullptr;
    int m_reasonsOf; // index whose reasons are shown; -1 all
};

} // namespace loopscope
