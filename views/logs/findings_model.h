#pragma once
// A table of what was found in the records of a task, each row with the record to look at.

#include <QAbstractTableModel>
#include <QStringList>

#include <vector>

namespace loopscope {

struct FindingRow {
    QStringList cells;
    QString tip = {};
    size_t record = SIZE_MAX; // in the log; SIZE_MAX: none
};

class FindingsModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    /// `numbers`: columns that stand to the right.
    FindingsModel(QStringList headers, std::vector<int> numbers, QObject *parent);

    void show(std::vector<FindingRow> rows);
    [[nodiscard]] size_t recordAt(const QModelIndex &index) const; // SIZE_MAX: none

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] QVariant alignment(int column) const;
    const QStringList m_headers;
    const std::vector<int> m_numbers;
    std::vector<FindingRow> m_rows;
};

} // namespace loopscope
