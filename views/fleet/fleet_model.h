#pragma once
// The nodes of a fleet as a table.

#include "measure/fleet/fleet.h"
#include "views/actions/table_model.h"
#include "views/settings/theme.h"

#include <vector>

namespace loopscope {

class FleetModel : public TableModel {
    Q_OBJECT

  public:
    enum Column { Name, State, Now, Trials, Rate, Noise, Reference, Drift, Lost, Processor, ColumnCount };
    enum DataRole { SortRole = Qt::UserRole };

    explicit FleetModel(const Theme &theme, QObject *parent = nullptr);

    /// Rows stay those of their nodes as long as these are the same.
    void show(std::vector<NodeStatus> nodes);
    [[nodiscard]] const NodeStatus *at(int row) const; // null
    [[nodiscard]] const std::vector<NodeStatus> &nodes() const { return m_nodes; }

    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] int rowsShown() const override;
    [[nodiscard]] QString text(const NodeStatus &node, int column) const;

    const Theme &m_theme;
    std::vector<NodeStatus> m_nodes;
};

/// "3 nodes, 2 of them measuring; 41 trials, 14 a minute, 2.7 times what one node measured".
QString fleetSentence(const std::vector<NodeStatus> &nodes);

} // namespace loopscope
