#pragma once
// The kernels of a dispatch table: how many variants each has, and what it costs that they are not made for one size.

#include "views/actions/table_model.h"
#include "views/network_dispatch/dispatch_curves.h"
#include "views/settings/theme.h"

#include <memory>
#include <vector>

namespace loopscope {

class KernelTableModel : public TableModel {
    Q_OBJECT

  public:
    enum Column { NameColumn, NodeColumn, UsesColumn, VariantsColumn, MeanColumn, WorstColumn, AtColumn, ColumnCount };
    enum DataRole { SortRole = Qt::UserRole };

    explicit KernelTableModel(const Theme &theme, QObject *parent = nullptr);

    /// Null: none.
    void show(std::shared_ptr<const DispatchTable> table);
    /// -1: the whole network, which is the first row.
    [[nodiscard]] static int kernelOf(int row) { return row - 1; }

    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] int rowsShown() const override;
    [[nodiscard]] QVariant value(int row, int column) const;

    const Theme &m_theme;
    std::shared_ptr<const DispatchTable> m_table;
    std::vector<std::optional<RowPenalty>> m_penalties; // by row
};

} // namespace loopscope
