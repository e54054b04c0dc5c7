#pragma once
// What differs between two forms of a network as a table, a node or a constant a row.

#include "views/actions/table_model.h"
#include "views/network_passes/form_diff.h"
#include "views/settings/theme.h"

namespace loopscope {

class FormDiffModel : public TableModel {
    Q_OBJECT

  public:
    enum Column { What, Name, Before, After, ColumnCount };

    explicit FormDiffModel(const Theme &theme, QObject *parent = nullptr);

    void show(FormDiff diff);
    [[nodiscard]] const FormDiff &diff() const { return m_diff; }

    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] int rowsShown() const override;
    const Theme &m_theme;
    FormDiff m_diff;
};

} // namespace loopscope
