#pragma once
// What the tables of the Logs view have in common: their looks, and their rows as text.

#include <QString>
#include <QTableView>

namespace loopscope {

/// A table that says in words why it is empty.
class LogTable : public QTableView {
  public:
    using QTableView::QTableView;
    void setEmptyText(const QString &text);
    /// Rows are chosen here: sideways it stays where it is.
    void scrollTo(const QModelIndex &index, ScrollHint hint = EnsureVisible) override;
    [[nodiscard]] const QString &emptyText() const { return m_emptyText; }

  protected:
    void paintEvent(QPaintEvent *event) override;

  private:
    QString m_emptyText;
};

LogTable *newLogTable(QAbstractItemModel *model, const QString &name, const QString &title, QWidget *parent);
/// The selected rows as tab separated lines, a line with the names of the columns first.
QString selectedRowsText(const QTableView &table);

} // namespace loopscope
