#pragma once
// The table of a network's tasks: which rows it has, in which order, and what it says while it has none.

#include "views/network_tasks/task_model.h"

#include <QSortFilterProxyModel>
#include <QTableView>

namespace loopscope {

/// Those with something to tune, or all; in which every word occurs.
class TaskRows : public QSortFilterProxyModel {
    Q_OBJECT

  public:
    TaskRows(NetworkTaskModel &model, QObject *parent);
    void setAll(bool all);
    void setWords(const QString &words);

  protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex &parent) const override;

  private:
    NetworkTaskModel &m_model;
    bool m_all = false;
    QStringList m_words;
};

class TaskTable : public QTableView {
  public:
    using QTableView::QTableView;
    void setEmptyText(const QString &text);
    [[nodiscard]] const QString &emptyText() const { return m_emptyText; }
    /// Rows are chosen here: sideways it stays where it is.
    void scrollTo(const QModelIndex &index, ScrollHint hint = EnsureVisible) override;

  protected:
    void paintEvent(QPaintEvent *event) override;

  private:
    QString m_emptyText;
};

TaskTable *newTaskTable(QAbstractItemModel &model, QWidget *parent);

} // namespace loopscope
