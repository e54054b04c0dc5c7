#pragma once
// The steps of the schedule shown, one a row; the one selected anywhere is marked.

#include "views/actions/table_model.h"
#include "views/loops/step_lines.h"
#include "views/settings/theme.h"

namespace loopscope {

class StepListModel : public TableModel {
    Q_OBJECT

  public:
    enum Column { NumberColumn, WordColumn, StageColumn, LoopColumn, ParameterColumn, ColumnCount };

    explicit StepListModel(Theme &theme, QObject *parent = nullptr);
    void setSteps(std::vector<StepLine> steps);
    [[nodiscard]] const std::vector<StepLine> &steps() const { return m_steps; }
    void setMarked(const std::vector<int> &steps);
    /// Steps that concern the stage, or the iterator of it when one is given.
    [[nodiscard]] std::vector<int> stepsOf(const QString &stage, const QString &iterator) const;

    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] int rowsShown() const override;
    Theme &m_theme;
    std::vector<StepLine> m_steps;
    std::vector<int> m_marked;
};

} // namespace loopscope
