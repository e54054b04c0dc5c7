#pragma once
// The loops of the chosen schedule as a tree, with its steps and its buffers below: naive, a sketch with its lengths
// open, or a candidate. Follows the selection and sets it; the tree itself is made off the UI thread.

#include "views/actions/view_roles.h"
#include "views/loops/loop_tree.h"
#include "views/loops/step_lines.h"
#include "views/session/view_context.h"

#include <QWidget>

#include <array>

class QLabel;
class QLineEdit;
class QStackedWidget;
class QTabWidget;
class QTableView;
class QTreeView;

namespace loopscope {

class ElidedLabel;
class LoopTreeDelegate;
class LoopTreeModel;
class ScheduleBar;
class StepListModel;
class StorageModel;

class LoopsView : public QWidget, public FindRole, public ExportRole {
    Q_OBJECT

  public:
    explicit LoopsView(const ViewContext &context, QWidget *parent = nullptr);

    void startFind() override;
    [[nodiscard]] QStringList exportSuffixes() const override;
    QString exportTo(const QString &path) override;

    [[nodiscard]] LoopTreeModel *model() const { return m_model; }
    [[nodiscard]] StepListModel *steps() const { return m_steps; }
    [[nodiscard]] QTreeView *tree() const { return m_tree; }

  protected:
    void resizeEvent(QResizeEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

  private:
    void build();
    void addActions();
    void addFindLine(QWidget *line);
    void documentChanged();
    void refreshHeader();
    void requestTree();
    void showTree(LoopTreePtr tree, std::vector<StepLine> steps);
    void rebuild(); // after "only the selected stage"
    void follow(const Selected &now);
    void reveal(const std::vector<int> &rows, bool makeCurrent);
    void pickRow(const QModelIndex &index);
    void pickStep(const QModelIndex &index);
    void findAgain(int direction, bool pick = true);
    void addColumnMenu();
    void expandTo(int depth);
    void fitColumns();
    void stretchFirst();
    void restyle();
    void copy(bool asText);
    [[nodiscard]] QString whyEmpty() const;

    ViewContext m_context;
    ScheduleBar *m_bar = nullptr;
    QStackedWidget *m_pages = nullptr;
    QLabel *m_empty = nullptr;
    QLabel *m_title = nullptr;
    ElidedLabel *m_of = nullptr;
    QLabel *m_details = nullptr;
    QLabel *m_notice = nullptr;
    QLabel *m_legend = nullptr;
    QLabel *m_noSteps = nullptr;
    QTreeView *m_tree = nullptr;
    LoopTreeModel *m_model = nullptr;
    LoopTreeDelegate *m_delegate = nullptr;
    QTabWidget *m_tabs = nullptr;
    QTableView *m_stepTable = nullptr;
    StepListModel *m_steps = nullptr;
    QTableView *m_storageTable = nullptr;
    StorageModel *m_storage = nullptr;
    QWidget *m_findLine = nullptr;
    QLineEdit *m_findEdit = nullptr;
    QLabel *m_findCount = nullptr;

    LoopTreePtr m_whole; // of the schedule shown; the model may show a part of it
    ScheduleRef m_asked;
    int m_job = -1;
    int m_generation = 0; // of requests: a tree that is late is dropped
    int m_documentId = -1;
    bool m_following = false; // the selection moves us, not the user
    bool m_onlyStage = false;
    QString m_onlyOf;            // stage whose loops alone are shown; empty: all
    QString m_note;              // about the selected stage, when it has nothing to show here
    bool m_firstDragged = false; // the user sized the first column
    bool m_stretching = false;
    int m_leastFirst = 0;          // width at which the loops are legible
    std::array<int, 5> m_wanted{}; // widths of the columns, as their content would have them
    int m_depth = 0;               // levels open
    std::vector<int> m_found;
    size_t m_foundAt = 0;
};

} // namespace loopscope
