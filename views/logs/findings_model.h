#pragma once
// A table of what was found in the records of a task, each row with the record to look at.

#include "views/actions/table_model.h"

#include <QStringList>

#include <vector>

namespace loopscope {

struct FindingRow {
    QStringList cells;
    QString tip = {};
    size_t record = SIZE_MAX; // in the log; SIZE_MAX: none
};

class FindingsModel : public TableModel {
    Q_OBJECT

  public:
    /// `numbers`: columns that stand to the right.
    FindingsModel(const QStringList &headers, const std::vector<int> &numbers, QObject *parent);

    void show(std::vector<FindingRow> rows);
    [[nodiscard]] size_t recordAt(const QModelIndex &index) const; // SIZE_MAX: none

    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] int rowsShown() const override;
    std::vector<FindingRow> m_rows;
};

} // namespace loopscope
