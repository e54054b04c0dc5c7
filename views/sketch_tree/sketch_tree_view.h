#pragma once
// How the sketches of the task came about: the derivation as a tree, with what the search made of every sketch, and
// beside it where the selected trial comes from. The tree is made anew when the task changes or the user opens, closes
// or filters; a running search only changes numbers on it.

#include "views/actions/view_roles.h"
#include "views/graph/graph_view.h"
#include "views/session/view_context.h"
#include "views/sketch_tree/shown_tree.h"
#include "views/sketch_tree/sketch_statistics.h"
#include "views/sketch_tree/tree_look.h"

#include <QTimer>
#include <QWidget>

#include <memory>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QSplitter;
class QToolBar;

namespace loopscope {

class LineageView;
class ReasonsPanel;
class TreePicture;

class SketchTreeView : public QWidget, public FindRole, public ExportRole, public ZoomRole {
    Q_OBJECT

  public:
    explicit SketchTreeView(const ViewContext &context, QWidget *parent = nullptr);
    ~SketchTreeView() override;

    void startFind() override;
    [[nodiscard]] QStringList exportSuffixes() const override;
    QString exportTo(const QString &path) override; // also "txt": the tree as lines
    void zoomIn() override { m_graph->zoomIn(); }
    void zoomOut() override { m_graph->zoomOut(); }
    void zoomToFit() override;

    [[nodiscard]] QString text() const; // as shown, one line a node
    [[nodiscard]] GraphView *graph() const { return m_graph; }
    [[nodiscard]] const TreePicture &picture() const { return *m_picture; }
    [[nodiscard]] const ShownTree &shown() const { return m_shown; }
    [[nodiscard]] const SketchStatistics &statistics() const { return m_statistics; }

    bool eventFilter(QObject *watched, QEvent *event) override;

  protected:
    void changeEvent(QEvent *event) override;

  private:
    // What is shown (sketch_tree_view.cpp)
    void readDocument();
    void readSlice();
    void takeTree(DerivationTree tree);
    void rebuild();
    void showStart();
    void showLineage();
    void showEmpty();
    void numbersChanged(bool all);
    void refreshNumbers();
    void follow(const Selected &now, const Selected &before);
    void mark();
    [[nodiscard]] int nodeOf(const Selected &selected) const; // derivation node looked at; -1 none
    [[nodiscard]] int indexOf(int number) const;              // in m_shown; -1 not shown
    void updateSummary();

    // What the user does (sketch_tree_input.cpp)
    void connectInput();
    void clicked(const TreeSpot &spot, bool twice);
    void activate(int index);
    void setCurrent(int index);
    void arrow(int key);
    void step(int direction);
    void toggleBelow(int index);
    void menu(const TreeSpot &spot, const QPoint &global);
    [[nodiscard]] QString toolTipAt(const TreeSpot &spot) const;
    void listRefused(int index);
    void unfold(int index);
    void keepPlace(int number, const QPointF &before); // of a node, over a rebuild
    void keepInView(const QRectF &area);               // its beginning where there is not room for all of it
    void askReasons();                                 // somebody wants to know why
    void showReasons();

    // Its own tools (sketch_tree_tools.cpp)
    void makeTools();
    void makeActions();
    void fillFilters();
    void setFilter(const QString &stage, const QString &rule);
    void askForExport(const QString &suffix);
    void expandAll();
    void collapseAll();
    void find(const QString &text);
    void showFound(int direction);
    void closeFind();

    const ViewContext m_context;
    GraphView *m_graph = nullptr;
    std::unique_ptr<TreePicture> m_picture;
    LineageView *m_lineage = nullptr;
    ReasonsPanel *m_reasons = nullptr;
    QSplitter *m_side = nullptr;
    QAction *m_reasonsAction = nullptr;
    int m_reasonsOf = -2; // index in m_shown whose reasons are shown; -1 all, -2 none yet
    QSplitter *m_splitter = nullptr;
    QToolBar *m_tools = nullptr;
    QComboBox *m_stages = nullptr;
    QComboBox *m_rules = nullptr;
    QLabel *m_summary = nullptr;
    QWidget *m_findBar = nullptr;
    QLineEdit *m_findText = nullptr;
    QLabel *m_findCount = nullptr;

    DerivationTree m_tree;
    TreeChoice m_choice;
    ShownTree m_shown;
    SketchStatistics m_statistics;
    int m_documentId = -1;
    std::shared_ptr<const Task> m_task;         // the tree's
    size_t m_steps = 0;                         // it was made of
    std::unique_ptr<DerivationReader> m_reader; // while a derivation is read
    QTimer m_slice;
    size_t m_counted = 0; // trials in the statistics
    QAction *m_showLineage = nullptr;
    bool m_recount = false; // all of them anew
    QTimer m_refresh;

    int m_focus = -1;       // derivation node that the selection is about
    int m_current = -1;     // derivation node where the keys are
    bool m_atStart = false; // shown as showStart left it, whatever size the window has by then
    bool m_own = false;     // the selection is being set from here: nothing needs to be revealed
    struct Found {
        int number; // derivation node whose edge, card or refusals match
        bool refused;
    };
    std::vector<Found> m_found;
    int m_foundNow = -1;
};

} // namespace loopscope
