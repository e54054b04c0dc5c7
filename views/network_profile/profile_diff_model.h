#pragma once
// The run against the profile that is laid beside it, kernel by kernel: before, after, and what was gained or lost.
// Kernels that only one of them has gain or lose all of their time. The last row is the total, whatever is sorted.

#include "views/actions/table_model.h"
#include "views/network_profile/profile_model.h"

#include <optional>
#include <vector>

namespace loopscope {

class ProfileDiffModel : public TableModel {
    Q_OBJECT

  public:
    enum Column { Kernel, Nodes, Before, After, Ratio, Change, Share, ColumnCount };

    /// Follows the kernels of that model and what lies beside them; no rows while nothing does.
    ProfileDiffModel(const Theme &theme, const ProfileModel &kernels, QObject *parent = nullptr);

    /// Of the other model; -1: the total, or a kernel that the run does not have.
    [[nodiscard]] int kernelOf(int row) const;
    [[nodiscard]] int rowOf(int kernel) const;
    [[nodiscard]] double before() const { return m_total.before; } // seconds of all kernels
    [[nodiscard]] double after() const { return m_total.after; }

    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    /// By Change: by its size, whether gained or lost.
    void sort(int column, Qt::SortOrder order) override;

  private:
    [[nodiscard]] int rowsShown() const override;
    struct Row {
        std::optional<size_t> ours, theirs; // neither: the total
        double before = 0, after = 0;       // seconds; 0 where there is no such kernel
        [[nodiscard]] double change() const { return after - before; }
    };
    void build();
    void order();
    [[nodiscard]] const Row &at(int row) const;
    [[nodiscard]] bool isTotal(int row) const { return row == static_cast<int>(m_rows.size()); }
    [[nodiscard]] std::optional<double> number(const Row &row, int column) const;
    [[nodiscard]] QString name(const Row &row, int column) const;
    [[nodiscard]] QString text(int row, int column) const;
    [[nodiscard]] QVariant colour(int row, int column) const;
    [[nodiscard]] QString tip(int row) const;

    const Theme &m_theme;
    const ProfileModel &m_kernels;
    std::vector<Row> m_rows;
    Row m_total;
    double m_moved = 0; // seconds that were gained or lost, one added to the other
    int m_column = Change;
    Qt::SortOrder m_order = Qt::DescendingOrder;
};

/// "−1.2 ms", "+3.4 µs", with a real minus sign.
QString timeChangeText(double seconds);

} // namespace loopscope
