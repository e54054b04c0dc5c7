#pragma once
// A flat table whose columns are known when it is made. Who derives from it says how many rows there are and what
// stands in them.

#include <QAbstractTableModel>

#include <vector>

namespace loopscope {

/// Its head, what that means (empty: it says all), and on which side head and cells stand.
struct TableColumn {
    QString title;
    QString tip = {};
    Qt::AlignmentFlag side = Qt::AlignLeft;
};

class TableModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const final;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const final;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const final;

  protected:
    TableModel(std::vector<TableColumn> columns, QObject *parent);
    [[nodiscard]] virtual int rowsShown() const = 0;
    /// For Qt::TextAlignmentRole.
    [[nodiscard]] QVariant sideOf(int column) const;

  private:
    const std::vector<TableColumn> m_columns;
};

/// `numbers`: columns whose cells stand at the right.
std::vector<TableColumn> tableColumns(const QStringList &titles, const std::vector<int> &numbers);

} // namespace loopscope
