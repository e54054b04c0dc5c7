#pragma once
// A run as a table of kernels, as a tree of layers, and against the profile that is laid beside it. What is chosen in
// one is chosen in all.

#include "views/network_profile/profile_model.h"
#include "views/session/table_field.h"

#include <QWidget>

#include <set>

class QAbstractItemView;
class QLabel;
class QSortFilterProxyModel;
class QStackedWidget;
class QTabBar;
class QTableView;
class QTreeView;

namespace loopscope {

class ProfileDiffModel;
class ProfileTreeModel;

class ProfilePages : public QWidget {
    Q_OBJECT

  public:
    enum Page { Kernels, Layers, Compared };

    ProfilePages(const Theme &theme, const ProfileModel &model, QWidget *parent = nullptr);

    /// Rows of the model, everywhere; nobody is told.
    void choose(const std::set<int> &rows);
    [[nodiscard]] const std::set<int> &chosen() const { return m_chosen; }
    [[nodiscard]] Page page() const;
    void expandAll(bool expand); // of layers
    /// In all of the lists.
    void setContextActions(const QList<QAction *> &actions);
    /// Columns that nothing is known for are hidden.
    void refresh();
    /// The list that is shown, as it is sorted.
    [[nodiscard]] QByteArray text(TableFormat format) const;

    [[nodiscard]] QTableView &table() { return *m_table; }
    [[nodiscard]] QTreeView &tree() { return *m_tree; }
    [[nodiscard]] QTableView &diff() { return *m_diff; }
    [[nodiscard]] QTabBar &tabs() { return *m_tabs; }
    [[nodiscard]] const ProfileDiffModel &difference() const { return *m_difference; }

  signals:
    void chosenChanged(); // by the user
    void activated();     // what is chosen, by a double click or Return
    void pageChanged();

  private:
    QTableView *addTable(const char *name, const QString &title, QAbstractItemModel *model);
    void addTree();
    void follow(QAbstractItemView *view);
    void taken(const QAbstractItemView *from);
    [[nodiscard]] std::set<int> rowsChosenIn(const QAbstractItemView *view) const;
    void select(QAbstractItemView *view, const std::set<int> &rows);
    [[nodiscard]] QModelIndex indexIn(const QAbstractItemView *view, int row) const;

    const ProfileModel &m_model;
    ProfileTreeModel *m_layers;
    ProfileDiffModel *m_difference;
    QSortFilterProxyModel *m_order;      // of kernels
    QSortFilterProxyModel *m_layerOrder; // of layers
    QTabBar *m_tabs;
    QStackedWidget *m_stack;
    QStackedWidget *m_compared;
    QLabel *m_alone;
    QLabel *m_flat; // that there are no levels
    QTableView *m_table = nullptr;
    QTreeView *m_tree = nullptr;
    QTableView *m_diff = nullptr;
    std::set<int> m_chosen;
    std::set<QString> m_open; // levels, while the model is another
    bool m_choosing = false;
};

} // namespace loopscope
