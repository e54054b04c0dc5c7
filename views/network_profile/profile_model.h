#pragma once
// The kernels of a network's run as a table, in the order in which they ran: what each took and whether its answer was
// right, beside what another profile says of the same.

#include "deploy/plan/chrome_trace.h"
#include "views/actions/table_model.h"
#include "views/session/network_profile.h"
#include "views/settings/theme.h"

#include <optional>
#include <set>

namespace loopscope {

class ProfileModel : public TableModel {
    Q_OBJECT

  public:
    enum Column {
        Number,
        Kernel,
        Nodes,
        Time,
        Share,
        Other,
        Ratio,
        Answer,
        Speed,
        Bytes,
        Spread,
        Schedule,
        ColumnCount
    };
    enum DataRole { SortRole = Qt::UserRole, RowRole };

    explicit ProfileModel(const Theme &theme, QObject *parent = nullptr);

    /// Null: none.
    void show(NetworkProfilePtr profile);
    /// What is laid beside it; empty: nothing.
    void setOther(std::vector<TracedKernel> other);
    [[nodiscard]] const NetworkProfile *profile() const { return m_profile.get(); }
    [[nodiscard]] const std::vector<TracedKernel> &other() const { return m_other; }
    /// What stands beside the row; none where nothing does.
    [[nodiscard]] std::optional<size_t> otherOf(int row) const { return m_beside[static_cast<size_t>(row)]; }
    /// Seconds of what of the other has no partner here.
    [[nodiscard]] double otherAlone() const;
    [[nodiscard]] const CallProfile &call(int row) const { return m_profile->profile.calls[static_cast<size_t>(row)]; }
    /// Those that run what one of these nodes became.
    [[nodiscard]] std::set<int> rowsOf(const std::set<std::string> &sources) const;

    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] int rowsShown() const override;
    void align();
    [[nodiscard]] double number(int row, int column) const; // negative: none
    [[nodiscard]] QString text(int row, int column) const;
    [[nodiscard]] QString tip(int row) const;
    [[nodiscard]] const CallVerdict *verdict(int row) const;

    const Theme &m_theme;
    NetworkProfilePtr m_profile;
    std::vector<TracedKernel> m_other;
    std::vector<std::optional<size_t>> m_beside; // by row
};

} // namespace loopscope
