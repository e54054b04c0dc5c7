#pragma once
// A short table of reasons: remarks, moves, neighbours. Rows are texts with a tooltip; what a row stands for the view
// knows by its number.

#include "views/actions/table_model.h"

#include <QStringList>

#include <vector>

namespace loopscope {

struct WhyRow {
    QStringList cells;
    QString tip;
};

class ReasonTable : public TableModel {
    Q_OBJECT

  public:
    /// `numbers`: columns that are set to the right.
    ReasonTable(const QStringList &columns, const std::vector<int> &numbers, QObject *parent);
    void setRows(std::vector<WhyRow> rows);

    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] int rowsShown() const override;
    std::vector<WhyRow> m_rows;
};

} // namespace loopscope
