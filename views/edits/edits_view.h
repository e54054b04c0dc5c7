#pragma once
// The tree of schedules made by hand: where one is, how it came about, what else was tried. A click goes there; nodes
// are named, noted, pinned, compared, exported and dropped here.

#include "views/session/view_context.h"

#include <QWidget>

#include <set>
#include <vector>

class QLabel;

namespace loopscope {

class DropBar;
class EditTreeModel;
class EditTreeView;

class EditsView : public QWidget {
    Q_OBJECT

  public:
    explicit EditsView(const ViewContext &context, QWidget *parent = nullptr);

    [[nodiscard]] EditTreeModel &model() const { return *m_model; }
    [[nodiscard]] EditTreeView &tree() const { return *m_tree; }

  private:
    void build();
    void addActions();
    void refresh();
    void follow();
    void refreshActions();
    void restyle();
    void write(int column); // the cell of the node that is spoken of
    void askToDrop();
    void compare();
    void toggleBaseline();
    void showMenu(const QPoint &at);
    /// That the menu is about, else the current one; -1: none.
    [[nodiscard]] int spokenOf() const;
    [[nodiscard]] std::vector<int> chosen() const; // nodes, in the order they were made

    ViewContext m_context;
    QLabel *m_empty = nullptr;
    EditTreeModel *m_model = nullptr;
    EditTreeView *m_tree = nullptr;
    DropBar *m_drop = nullptr;
    std::set<int> m_closed; // nodes whose side lines are not shown
    int m_task = -1;
    int m_menuOf = -1;
    bool m_following = false;
};

} // namespace loopscope
