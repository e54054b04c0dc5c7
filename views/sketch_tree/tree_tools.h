#pragma once
// The tool bar of the sketch tree: which part of it is shown, and what can be done with all of it.

#include "views/sketch_tree/tree_pane.h"

#include <QToolBar>

class QComboBox;

namespace loopscope {

class SketchTreeView;
class TreeSide;
struct TreeActions;

class TreeTools : public QToolBar {
    Q_OBJECT

  public:
    TreeTools(const ViewContext &context, TreeContent &content, TreePane &pane, TreeSide &side, SketchTreeView &view);

    void setFilter(const QString &stage, const QString &rule);

    /// As the user left it.
    static TreeChoice rememberedChoice(const Settings &settings);

  private:
    QComboBox *addFilter(const QString &name, const QString &tip);
    void addCommands(const TreeActions &actions, SketchTreeView &view);
    void addExports(const TreeActions &actions, SketchTreeView &view);
    void addSwitches(const TreeActions &actions);
    void fillFilters();
    void showFromStart(TreeChoice choice);
    void expandAll();
    void collapseAll();

    const ViewContext m_context;
    TreeContent &m_content;
    TreePane &m_pane;
    QComboBox *m_stages;
    QComboBox *m_rules;
    QAction *m_clear = nullptr;
};

} // namespace loopscope
