#pragma once
// In which layout each node of a network has its data, what either one costs it, and why; behind the nodes the values
// that are brought from one into the other, as a table.

#include "views/actions/table_model.h"
#include "views/session/network_kernels.h"
#include "views/settings/theme.h"

namespace loopscope {

class LayoutModel : public TableModel {
    Q_OBJECT

  public:
    enum Column {
        NodeColumn,
        OperatorColumn,
        LayoutColumn,
        FirstColumn,
        LastColumn,
        TransformsColumn,
        BecauseColumn,
        ColumnCount
    };

    explicit LayoutModel(const Theme &theme, QObject *parent = nullptr);

    /// Null: none.
    void show(NetworkKernelsPtr kernels);
    /// Null: as in the file.
    [[nodiscard]] const NetworkLayouts *layouts() const;
    /// Names of the row's node in the file; none for a transform.
    [[nodiscard]] std::set<std::string> sourcesOf(int row) const;
    /// Of the first node that stands for one of these; -1: none does.
    [[nodiscard]] int rowOf(const std::set<std::string> &sources) const;

    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] int rowsShown() const override;
    /// Null where the row is a transform's, which the other one tells.
    [[nodiscard]] const LayoutDecision *decision(int row) const;
    [[nodiscard]] const LayoutTransform *transform(int row) const;
    [[nodiscard]] QString costText(double cost) const;
    [[nodiscard]] QString text(const LayoutDecision &of, int column) const;
    [[nodiscard]] QString text(const LayoutTransform &of, int column) const;

    const Theme &m_theme;
    NetworkKernelsPtr m_kernels;
    std::map<std::string, std::set<std::string>> m_sources; // by the node's name
};

} // namespace loopscope
