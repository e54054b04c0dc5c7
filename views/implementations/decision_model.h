#pragma once
// Which implementation each node of a network got, as a table: by what, and whether it is the user's own choice.

#include "views/actions/table_model.h"
#include "views/session/network_kernels.h"
#include "views/settings/theme.h"

namespace loopscope {

class DecisionModel : public TableModel {
    Q_OBJECT

  public:
    enum Column { NodeColumn, OperatorColumn, ChosenColumn, OffersColumn, BecauseColumn, ColumnCount };

    explicit DecisionModel(const Theme &theme, QObject *parent = nullptr);

    /// Null: none.
    void show(NetworkKernelsPtr kernels);
    /// Null where there is no such row.
    [[nodiscard]] const Decision *decision(int row) const;
    /// Names of the node in the file.
    [[nodiscard]] std::set<std::string> sourcesOf(int row) const;
    /// Of the first node that stands for one of these; -1: none does.
    [[nodiscard]] int rowOf(const std::set<std::string> &sources) const;

    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] int rowsShown() const override;
    [[nodiscard]] QString text(const Decision &decision, int column) const;

    const Theme &m_theme;
    NetworkKernelsPtr m_kernels;
    std::map<std::string, std::set<std::string>> m_sources; // by the node's name
};

/// How many implementations a node could have: those whose conditions hold, or may hold.
size_t offered(const Decision &decision);

} // namespace loopscope
