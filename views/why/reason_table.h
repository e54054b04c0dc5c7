#pragma once
// A short table of reasons: remarks, moves, neighbours. Rows are texts with a tooltip; what a row stands for the view
// knows by its number.

#include <QAbstractTableModel>
#include <QStringList>

#include <vector>

namespace loopscope {

struct WhyRow {
    QStringList cells;
    QString tip;
};

class ReasonTable : public QAbstractTableModel {
    Q_OBJECT

  public:
    /// `numbers`: columns that are set to the right.
    ReasonTable(QStringList columns, std::vector<int> numbers, QObject *parent);
    void setRows(std::vector<WhyRow> rows);

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    QStringList m_columns;
    std::vector<int> m_numbers;
    std::vector<WhyRow> m_rows;
};

} // namespace loopscope
