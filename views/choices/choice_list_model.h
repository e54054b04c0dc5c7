#pragma once
// The choices as a list, the weightiest first: name, weight, what the best trial chose, and the
// baseline.

#include "views/choices/weighed_choices.h"

#include <QAbstractTableModel>

namespace loopscope {

class ChoiceListModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column : uint8_t { Name, Weight, OfBest, OfBaseline, kColumns };
    static constexpr int kShareRole = Qt::UserRole; // of column Weight: 0 to 1, for the bar; of the weightiest it is 1

    using QAbstractTableModel::QAbstractTableModel;

    /// Trials that have a column of their own, and how the time of the one stands to that of the other.
    struct Shown {
        int best = -1;     // -1: none
        int baseline = -1; // the same
        QString against;   // "−12.3 %": the best against the baseline; empty: not known
    };
    void setChoices(const WeighedChoicesPtr &choices, const Shown &shown);
    [[nodiscard]] int choiceAt(int row) const; // -1: no such row
    [[nodiscard]] int rowOf(const QString &name) const;

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] QString valueOf(int choice, int trial) const; // empty: no such trial

    WeighedChoicesPtr m_choices;
    Shown m_shown;
};

} // namespace loopscope
