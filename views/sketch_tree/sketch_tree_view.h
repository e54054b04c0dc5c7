#pragma once
// How the sketches of the task came about: the derivation as a tree, with what the search made of every sketch, and
// beside it where the selected trial comes from. The tree is made anew when the task changes or the user opens, closes
// or filters; a running search only changes numbers on it. This puts the parts together: tree_content.h knows what is
// shown, tree_pane.h draws it, tree_input.h hears pointer and keys.

#include "views/actions/view_roles.h"
#include "views/sketch_tree/tree_pane.h"

#include <QWidget>

#include <memory>

class QLabel;

namespace loopscope {

class TreeFindBar;
class TreeInput;
class TreeSide;
class TreeTools;

class SketchTreeView : public QWidget, public FindRole, public ExportRole, public ZoomRole {
    Q_OBJECT

  public:
    explicit SketchTreeView(const ViewContext &context, QWidget *parent = nullptr);
    ~SketchTreeView() override;

    void startFind() override;
    [[nodiscard]] QStringList exportSuffixes() const override;
    QString exportTo(const QString &path) override; // also "txt": the tree as lines
    void zoomIn() override { graph()->zoomIn(); }
    void zoomOut() override { graph()->zoomOut(); }
    void zoomToFit() override { m_pane->zoomToFit(); }

    [[nodiscard]] QString text() const; // as shown, one line a node
    [[nodiscard]] GraphView *graph() const { return m_pane->graph(); }
    [[nodiscard]] const TreePicture &picture() const { return m_pane->picture(); }
    [[nodiscard]] const ShownTree &shown() const { return m_content->shown(); }
    [[nodiscard]] const SketchStatistics &statistics() const { return m_content->statistics(); }

  protected:
    void changeEvent(QEvent *event) override;

  private:
    void layOut();
    void showEmpty();
    void updateSummary();

    const ViewContext m_context;
    std::unique_ptr<TreeContent> m_content;
    std::unique_ptr<TreePane> m_pane;
    TreeSide *m_side;
    QLabel *m_summary;
    TreeTools *m_tools;
    TreeFindBar *m_findBar;
    std::unique_ptr<TreeInput> m_input;
};

} // namespace loopscope
