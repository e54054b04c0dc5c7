#pragma once
// The steps of the schedule shown, one a row, the refused ones, too, with their reasons. Rows can be dragged: the model
// moves nothing by itself, it says what was asked for.

#include "views/actions/table_model.h"
#include "views/settings/theme.h"
#include "views/steps/step_text.h"

#include <cstdint>
#include <vector>

namespace loopscope {

class EditedStepModel : public TableModel {
    Q_OBJECT

  public:
    enum Column { NumberColumn, WordsColumn, ScriptColumn, ArrayColumn, ColumnCount };

    /// What a search keeps of a step.
    enum class Lock : uint8_t { None, Part, Whole };

    explicit EditedStepModel(const Theme &theme, QObject *parent = nullptr);
    void setSteps(std::vector<StepText> steps);
    [[nodiscard]] const std::vector<StepText> &steps() const { return m_steps; }
    /// Of each step; fewer: the others are free.
    void setLocks(std::vector<Lock> locks);
    [[nodiscard]] Lock lock(int row) const;

    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex &index) const override;
    [[nodiscard]] Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
    [[nodiscard]] QStringList mimeTypes() const override;
    [[nodiscard]] QMimeData *mimeData(const QModelIndexList &indexes) const override;
    [[nodiscard]] bool canDropMimeData(const QMimeData *data, Qt::DropAction action, int row, int column,
                                       const QModelIndex &parent) const override;
    bool dropMimeData(const QMimeData *data, Qt::DropAction action, int row, int column,
                      const QModelIndex &parent) override;

  signals:
    void moveRequested(int from, int to); // is step `to` afterwards

  private:
    [[nodiscard]] int rowsShown() const override;
    const Theme &m_theme;
    std::vector<StepText> m_steps;
    std::vector<Lock> m_locks;
};

} // namespace loopscope
