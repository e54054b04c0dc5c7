#pragma once
// The rows of limit_rows.h as a tree: kernels, and what each asks for.

#include "views/limits/limit_rows.h"
#include "views/session/table_field.h"
#include "views/settings/theme.h"

#include <QAbstractItemModel>

namespace loopscope {

class LimitsModel : public QAbstractItemModel {
    Q_OBJECT

  public:
    enum Column : uint8_t { WhatColumn, UsedColumn, AllowedColumn, FitColumn, ColumnCount };
    static constexpr int kShareRole = Qt::UserRole; // of the bar behind a value; none: there is none
    static constexpr int kColorRole = Qt::UserRole + 1;

    explicit LimitsModel(Theme &theme, QObject *parent = nullptr);
    void setKernels(std::vector<KernelRows> kernels);
    [[nodiscard]] const std::vector<KernelRows> &kernels() const { return m_kernels; }
    /// Number of the kernel that an index is of; -1 for none.
    static int kernelOf(const QModelIndex &index);
    /// Everything, with tabs or as CSV.
    [[nodiscard]] QString text(TableFormat format) const;

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex &index) const override;
    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] QVariant kernelData(const KernelRows &kernel, int column, int role) const;
    [[nodiscard]] QVariant rowData(const LimitRow &row, int column, int role) const;

    Theme &m_theme;
    std::vector<KernelRows> m_kernels;
};

} // namespace loopscope
