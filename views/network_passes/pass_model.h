#pragma once
// The passes over a network as a table: what each did, to how many nodes and bytes, and how long it took.

#include "views/actions/table_model.h"
#include "views/session/network_kernels.h"
#include "views/settings/theme.h"

namespace loopscope {

class PassModel : public TableModel {
    Q_OBJECT

  public:
    enum Column { Pass, What, Nodes, Difference, Bytes, Time, ColumnCount };

    explicit PassModel(const Theme &theme, QObject *parent = nullptr);

    /// The first row is the network as its file has it. Null: none.
    void show(NetworkKernelsPtr kernels);
    /// Of NetworkKernels::forms: the network after the pass of that row.
    [[nodiscard]] int formOf(int row) const;
    [[nodiscard]] int rowOf(int form) const;
    /// What the pass of that row did to nodes.
    [[nodiscard]] std::vector<PassEvent> eventsOf(int row) const;

    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] int rowsShown() const override;
    struct Row {
        int form = 0;
        size_t firstEvent = 0; // in the report
        size_t events = 0;
    };
    [[nodiscard]] const PassRow *passOf(int row) const; // null: the file
    [[nodiscard]] QString text(int row, int column) const;

    const Theme &m_theme;
    NetworkKernelsPtr m_kernels;
    std::vector<Row> m_rows;
};

} // namespace loopscope
