#pragma once
// The choices as a list, the weightiest first: name, weight, what the best trial chose.

#include "views/choices/weighed_choices.h"

#include <QAbstractTableModel>

namespace loopscope {

class ChoiceListModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column : uint8_t { Name, Weight, OfBest, kColumns };
    static constexpr int kShareRole = Qt::UserRole; // of column Weight: 0 to 1, for the bar; of the weightiest it is 1

    using QAbstractTableModel::QAbstractTableModel;

    /// `best`: the trial in the last column; -1 none.
    void setChoices(const WeighedChoicesPtr &choices, int best);
    [[nodiscard]] int choiceAt(int row) const; // -1: no such row
    [[nodiscard]] int rowOf(const QString &name) const;

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    WeighedChoicesPtr m_choices;
    int m_best = -1;
};

} // namespace loopscope
