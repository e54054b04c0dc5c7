#pragma once
// The numbers of the part of a tensor that is looked at, rows and columns as its picture has them.

#include "views/pictures/stage_image.h"

#include <QAbstractTableModel>

namespace loopscope {

class NumberGrid : public QAbstractTableModel {
    Q_OBJECT

  public:
    using QAbstractTableModel::QAbstractTableModel;

    /// Null: none. `run` keeps the stage alive.
    void show(PictureRunPtr run, const ShownStage *stage, const StageLook &look);

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] int extent(int axis) const;

    PictureRunPtr m_run;
    const ShownStage *m_stage = nullptr;
    StageLook m_look;
};

} // namespace loopscope
