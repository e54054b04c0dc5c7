#pragma once
// The loops of the chosen schedule as a tree, with its steps and its buffers below: naive, a sketch with its lengths
// open, or a candidate. Follows the selection and sets it; the tree itself is made off the UI thread.

#include "views/actions/view_roles.h"
#include "views/loops/loop_tree.h"
#include "views/loops/step_lines.h"
#include "views/session/view_context.h"

#include <QWidget>

class QLabel;
class QStackedWidget;
class QTreeView;

namespace loopscope {

class LoopColumns;
class LoopFindLine;
class LoopMoves;
class LoopTreeModel;
class ScheduleBar;
class ScheduleHead;
class ScheduleTables;

class LoopsView : public QWidget, public FindRole, public ExportRole {
    Q_OBJECT

  public:
    explicit LoopsView(const ViewContext &context, QWidget *parent = nullptr);

    void startFind() override;
    [[nodiscard]] QStringList exportSuffixes() const override;
    QString exportTo(const QString &path) override;

    [[nodiscard]] LoopTreeModel *model() const { return m_model; }
    [[nodiscard]] ScheduleTables &tables() const { return *m_tables; }
    [[nodiscard]] QTreeView *tree() const { return m_tree; }
    [[nodiscard]] LoopMoves &moves() const { return *m_moves; }

  private:
    void build();
    void addActions();
    void documentChanged();
    void refreshHeader();
    void requestTree();
    void showTree(LoopTreePtr tree, std::vector<StepLine> steps);
    void rebuild(); // after "only the selected stage"
    void follow(const Selected &now);
    void reveal(const std::vector<int> &rows, bool makeCurrent);
    void pickRow(const QModelIndex &index);
    void expandTo(int depth);
    void restyle();
    void showLegend();
    void copy(bool asText);

    ViewContext m_context;
    ScheduleBar *m_bar = nullptr;
    QStackedWidget *m_pages = nullptr;
    QLabel *m_empty = nullptr;
    QLabel *m_legend = nullptr;
    ScheduleHead *m_head = nullptr;
    QTreeView *m_tree = nullptr;
    LoopTreeModel *m_model = nullptr;
    LoopColumns *m_columns = nullptr;
    LoopFindLine *m_find = nullptr;
    LoopMoves *m_moves = nullptr; // what is done by hand
    ScheduleTables *m_tables = nullptr;

    LoopTreePtr m_whole; // of the schedule shown; the model may show a part of it
    ScheduleRef m_asked;
    int m_job = -1;
    int m_generation = 0; // of requests: a tree that is late is dropped
    int m_documentId = -1;
    bool m_following = false; // the selection moves us, not the user
    bool m_onlyStage = false;
    QString m_onlyOf; // stage whose loops alone are shown; empty: all
    QString m_note;   // about the selected stage, when it has nothing to show here
    int m_depth = 0;  // levels open
};

} // namespace loopscope
