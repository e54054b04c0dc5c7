#pragma once
// The guards of a kernel in their order: which sizes each is for, which variant it takes, and what that costs.

#include "views/actions/table_model.h"
#include "views/network_dispatch/dispatch_curves.h"

#include <memory>

namespace loopscope {

class GuardModel : public TableModel {
    Q_OBJECT

  public:
    enum Column { GuardColumn, VariantColumn, PointsColumn, WorstColumn, ColumnCount };
    explicit GuardModel(QObject *parent = nullptr);

    /// `kernel` -1: none.
    void show(std::shared_ptr<const DispatchTable> table, int kernel);
    /// -1 for a row that is not there.
    [[nodiscard]] int variantOf(int row) const;
    /// Timed sizes that the row decides.
    [[nodiscard]] std::vector<size_t> pointsOf(int row) const;

    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] int rowsShown() const override;
    [[nodiscard]] const KernelTable *kernel() const;
    [[nodiscard]] QString text(int row, int column) const;

    std::shared_ptr<const DispatchTable> m_table;
    int m_kernel = -1;
};

} // namespace loopscope
